"""Lookup tables: surfaces in files, read in windows; `build` writes one, `LookupTable` opens it (L)."""

from carom.geometry.lookup.build import build
from carom.geometry.lookup.table import LookupTable

__all__ = ["LookupTable", "build"]
