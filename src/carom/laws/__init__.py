"""Contact laws: normal force, friction, impact, stiffness and materials."""

from carom.laws import friction
from carom.laws.impact_estimate import Advice, advise
from carom.laws.materials import MATERIALS, STEEL, Material
from carom.laws.normal.registry import (
    LAWS,
    CylinderLine,
    ExactRestitution,
    Flores,
    Gonthier,
    HerbertMcWhannell,
    Hertz,
    HuGuo,
    HuntCrossley,
    KelvinVoigt,
    LankaraniNikravesh,
    LeeWang,
    Linear,
    LiuCylinder,
    PenaltyStep,
    PlasticUnloading,
    ZhiyingQishao,
    custom,
    law,
)
from carom.laws.stiffness import hertz_stiffness

__all__ = [
    "LAWS",
    "MATERIALS",
    "STEEL",
    "Advice",
    "CylinderLine",
    "ExactRestitution",
    "Flores",
    "Gonthier",
    "HerbertMcWhannell",
    "Hertz",
    "HuGuo",
    "HuntCrossley",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "LeeWang",
    "Linear",
    "LiuCylinder",
    "Material",
    "PenaltyStep",
    "PlasticUnloading",
    "ZhiyingQishao",
    "advise",
    "custom",
    "friction",
    "hertz_stiffness",
    "law",
]
