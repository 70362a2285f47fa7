"""Laws of the friction force: one file per law, listed in ``registry.py``."""

from carom.laws.friction import registry
from carom.laws.friction.custom import custom
from carom.laws.friction.registry import *
from carom.laws.friction.registry import FRICTIONS, law
from carom.laws.friction.rolling_resistance import Rolling

__all__ = ["FRICTIONS", "Rolling", "custom", "law"]
__all__ += registry.__all__
