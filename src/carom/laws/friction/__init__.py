"""Tangential forces of contact, one law a file."""

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

__all__ = [
    "FRICTIONS",
    "Ambrosio",
    "BengisuAkay",
    "Coulomb",
    "Dahl",
    "LuGre",
    "StepCoulomb",
    "Threlfall",
    "custom",
    "law",
]
