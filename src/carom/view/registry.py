"""Registry of scene formats by the suffix of the file; "vtk" is a folder. A new format is one file and one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from carom.view.gltf_export import write_gltf
from carom.view.vtk_export import write_vtk

SCENE_FORMATS: dict[str, Callable[..., Path]] = {"vtk": write_vtk, "glb": write_gltf, "gltf": write_gltf}
"""Writers ``(result, path, system=None)``."""


def write_scene(result: Any, path: Path, name: str, system: Any = None) -> Path:
    """Write a result in the scene format ``name``; return the file to open."""
    return SCENE_FORMATS[name](result, path, system=system)
