"""Contact laws: normal force, friction, impact, stiffness and materials."""

from carom.laws import friction
from carom.laws.impact_estimate import Advice, advise
from carom.laws.materials import MATERIALS, STEEL, Material
from carom.laws.normal import registry
from carom.laws.normal.custom import custom
from carom.laws.normal.registry import *
from carom.laws.normal.registry import LAWS, law
from carom.laws.stiffness import hertz_stiffness

__all__ = [
    "LAWS",
    "MATERIALS",
    "STEEL",
    "Advice",
    "Material",
    "advise",
    "custom",
    "friction",
    "hertz_stiffness",
    "law",
]
__all__ += registry.__all__
