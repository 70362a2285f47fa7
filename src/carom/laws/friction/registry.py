"""Every friction law, by name. A new law is one new file and one line here."""

from __future__ import annotations

from typing import Any

from carom.laws.friction.ambrosio import Ambrosio
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.bengisu_akay import BengisuAkay
from carom.laws.friction.coulomb import Coulomb
from carom.laws.friction.custom import custom
from carom.laws.friction.dahl import Dahl
from carom.laws.friction.lugre import LuGre
from carom.laws.friction.step_coulomb import StepCoulomb
from carom.laws.friction.threlfall import Threlfall
from carom.laws.base import find

FRICTIONS: dict[str, type[FrictionLaw]] = {
    kind.name: kind for kind in (Coulomb, StepCoulomb, Ambrosio, Threlfall, BengisuAkay, Dahl, LuGre)
}


def law(law: Any, /, **parameters: Any) -> FrictionLaw:
    """A friction law from its name (or class) and parameters, ``law("coulomb", coefficient=0.1)``; from a plain
    function of the sliding speed; or a law as it is."""
    return find("friction", FrictionLaw, FRICTIONS, custom, law, parameters)
