"""Registry of normal laws by name. A new law is one new file, and its import and name here."""

from __future__ import annotations

from typing import Any

from carom.laws.base import resolve_law
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.custom import custom
from carom.laws.normal.cylinder_line import CylinderLine
from carom.laws.normal.elastic_foundation import ElasticFoundation
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.laws.normal.flores import Flores
from carom.laws.normal.gonthier import Gonthier
from carom.laws.normal.herbert_mcwhannell import HerbertMcWhannell
from carom.laws.normal.hertz import Hertz
from carom.laws.normal.hu_guo import HuGuo
from carom.laws.normal.hunt_crossley import HuntCrossley
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.laws.normal.lankarani_nikravesh import LankaraniNikravesh
from carom.laws.normal.lee_wang import LeeWang
from carom.laws.normal.linear import Linear
from carom.laws.normal.liu_cylinder import LiuCylinder
from carom.laws.normal.penalty_step import PenaltyStep
from carom.laws.normal.persson import Persson
from carom.laws.normal.plastic_unloading import PlasticUnloading
from carom.laws.normal.zhiying_qishao import ZhiyingQishao

__all__ = [  # noqa: RUF022  the order of the documentation
    "Hertz",
    "Linear",
    "CylinderLine",
    "LiuCylinder",
    "Persson",
    "PlasticUnloading",
    "KelvinVoigt",
    "HuntCrossley",
    "HerbertMcWhannell",
    "LeeWang",
    "LankaraniNikravesh",
    "Gonthier",
    "ZhiyingQishao",
    "Flores",
    "HuGuo",
    "ExactRestitution",
    "PenaltyStep",
    "ElasticFoundation",
]

LAWS: dict[str, type[NormalLaw]] = {kind.name: kind for kind in (globals()[name] for name in __all__)}
"""Normal laws by their names in snake case; their classes are public names of `carom.laws`."""


def law(law: Any, /, **parameters: Any) -> NormalLaw:
    """Return a normal law from its name or class and parameters.

    ``law`` may also be a function of indentation and rate; a law is returned unchanged.

    Examples
    --------
    >>> import carom as cm
    >>> cm.laws.law("flores", stiffness=1e9, restitution=0.7)
    Flores(stiffness=1000000000.0, restitution=0.7, exponent=1.5)
    """
    return resolve_law("law", NormalLaw, LAWS, custom, law, parameters)
