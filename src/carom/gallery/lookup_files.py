"""Files of the lookup tables of cases: written on first use, deleted when the program ends."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from carom.geometry.lookup.build import build
from carom.geometry.surfaces import Sphere


@cache
def folder() -> Any:
    """Return the temporary folder of the tables."""
    return TemporaryDirectory(prefix="carom-tables-")


@cache
def sphere_table(radius: float, inside: bool, half: float, points: tuple[int, int], record: tuple[int, int]) -> Path:
    """Return the file of a spherical patch, ±``half`` [rad] in latitude and longitude about its x-axis."""
    path = Path(folder().name) / f"sphere {len(list(Path(folder().name).iterdir()))}.lut"
    build(Sphere(radius, u=(-half, half), v=(-half, half), inside=inside), points, record, path)
    return path
