"""Surfaces as tables on disk, read in windows: `build` makes one, `LookupTable` opens it (L)."""

from carom.geometry.lookup.build import build
from carom.geometry.lookup.table import LookupTable

__all__ = ["LookupTable", "build"]
