"""Registry of friction laws by name. A new law is one new file, and its import and name here."""

from __future__ import annotations

from typing import Any

from carom.laws.base import resolve_law
from carom.laws.friction.ambrosio import Ambrosio
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.bengisu_akay import BengisuAkay
from carom.laws.friction.coulomb import Coulomb
from carom.laws.friction.custom import custom
from carom.laws.friction.dahl import Dahl
from carom.laws.friction.elasto_plastic import ElastoPlastic
from carom.laws.friction.lugre import LuGre
from carom.laws.friction.step_coulomb import StepCoulomb
from carom.laws.friction.threlfall import Threlfall

__all__ = [  # noqa: RUF022  the order of the documentation
    "Coulomb",
    "StepCoulomb",
    "Ambrosio",
    "Threlfall",
    "BengisuAkay",
    "Dahl",
    "LuGre",
    "ElastoPlastic",
]

FRICTIONS: dict[str, type[FrictionLaw]] = {kind.name: kind for kind in (globals()[name] for name in __all__)}
"""Friction laws by their names in snake case; their classes are public names of `carom.friction`."""


def law(law: Any, /, **parameters: Any) -> FrictionLaw:
    """Return a friction law from its name or class and parameters.

    ``law`` may also be a function of the sliding speed; a law is returned unchanged.

    Examples
    --------
    >>> import carom as cm
    >>> cm.friction.law("coulomb", coefficient=0.1)
    Coulomb(coefficient=0.1, regularisation=5e-07)
    """
    return resolve_law("friction", FrictionLaw, FRICTIONS, custom, law, parameters)
