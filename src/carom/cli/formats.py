"""Formats of results, animations and figures on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from carom.argument_checks import suggestion
from carom.cli.command_output import print_error
from carom.errors import ModelError
from carom.result.result import Result

FIGURES = ("pdf", "svg", "png")
ANIMATIONS = ("mp4", "gif")
RENAMED = {"paraview": "vtk"}
"""Former names of formats."""


def known_formats() -> tuple[str, ...]:
    """Return the names of all formats."""
    from carom.io.registry import FORMATS
    from carom.view.registry import SCENE_FORMATS

    return (*(suffix.removeprefix(".") for suffix in FORMATS), *SCENE_FORMATS, *ANIMATIONS, *FIGURES)


def parse_formats(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the formats of "csv,mat" or of several such texts, each once; raise if one is unknown."""
    known = known_formats()
    names: dict[str, None] = {}
    for text in texts:
        for name in filter(None, (part.strip().lower().removeprefix(".") for part in text.split(","))):
            if name in RENAMED:
                print_error(f"format {name!r} is deprecated; use {RENAMED[name]!r}")
            name = RENAMED.get(name, name)
            if name not in known:
                raise ModelError(f"unknown format {name!r}; choose from {', '.join(known)}{suggestion(name, known)}")
            names[name] = None
    return tuple(names)


def write_format(result: Result, folder: Path, stem: str, name: str, system: Any = None) -> Path:
    """Write a result, an animation or a figure of it in one format; return the file to open."""
    from carom.view.registry import SCENE_FORMATS, write_scene

    path = folder / (f"{stem}_vtk" if name == "vtk" else f"{stem}.{name}")
    if name in SCENE_FORMATS:
        return write_scene(result, path, name, system)
    if name in ANIMATIONS:
        return result.animate(path, system=system)
    if name in FIGURES:
        result.plot(path=path)
    else:
        result.save(path)
    return path
