"""Laws of the friction force, one law per file."""

from carom.laws.friction.registry import (
    FRICTIONS,
    Ambrosio,
    BengisuAkay,
    Coulomb,
    Dahl,
    LuGre,
    StepCoulomb,
    Threlfall,
    custom,
    law,
)
from carom.laws.friction.rolling_resistance import Rolling

__all__ = [
    "FRICTIONS",
    "Ambrosio",
    "BengisuAkay",
    "Coulomb",
    "Dahl",
    "LuGre",
    "Rolling",
    "StepCoulomb",
    "Threlfall",
    "custom",
    "law",
]
