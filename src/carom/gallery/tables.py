"""Lookup tables that cases need: made when first asked for, gone when the program ends."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from carom.geometry.lookup.build import build
from carom.geometry.surfaces import Sphere


@cache
def folder() -> Any:
    return TemporaryDirectory(prefix="carom-tables-")


@cache
def sphere_table(radius: float, inside: bool, half: float, points: tuple[int, int], record: tuple[int, int]) -> Path:
    """The file of a piece of a sphere, ±``half`` [rad] of latitude and longitude about its x-axis."""
    path = Path(folder().name) / f"sphere {len(list(Path(folder().name).iterdir()))}.lut"
    build(Sphere(radius, u=(-half, half), v=(-half, half), inside=inside), points, record, path)
    return path
