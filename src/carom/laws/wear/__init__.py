"""Laws of wear: one file per law, listed in ``registry.py``; and the worn profile that a run leaves."""

from carom.laws.wear import registry
from carom.laws.wear.profile import WearProfile
from carom.laws.wear.registry import *
from carom.laws.wear.registry import WEAR_LAWS

__all__ = ["WEAR_LAWS", "WearProfile"]
__all__ += registry.__all__
