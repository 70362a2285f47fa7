"""Registry of lubricants by name. A new one is one new file, and its import and name here."""

from __future__ import annotations

from carom.laws.lubrication.base import Lubricant
from carom.laws.lubrication.finite_bearing import FiniteBearing
from carom.laws.lubrication.long_bearing import LongBearing
from carom.laws.lubrication.short_bearing import ShortBearing

__all__ = ["LongBearing", "ShortBearing", "FiniteBearing"]  # noqa: RUF022  the order of the documentation

LUBRICANTS: dict[str, type[Lubricant]] = {name: globals()[name] for name in __all__}
"""Lubricants by name; all are public names of `carom.lubrication`."""
