"""Registry of laws of wear by name. A new one is one new file, and its import and name here."""

from __future__ import annotations

from carom.laws.wear.archard import Archard
from carom.laws.wear.base import WearLaw

__all__ = ["Archard"]

WEAR_LAWS: dict[str, type[WearLaw]] = {name: globals()[name] for name in __all__}
"""Laws of wear by name; all are public names of `carom.wear`."""
