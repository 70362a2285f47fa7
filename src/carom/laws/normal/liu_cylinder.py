"""A journal in a bearing with clearance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from carom.errors import positive
from carom.kernels import NORMAL, kernel
from carom.laws.materials import STEEL, Material, composite_modulus
from carom.laws.normal.base import ELASTIC_FORCE, FORCE, INDENTATION, OBSERVING, PRESSING, STORED, FreeImpact, NormalLaw


@kernel(NORMAL)
def liu_cylinder(par, state, out):
    """par: π E* L/(2√2), clearance c."""
    delta = max(state[INDENTATION], 0.0)
    c = par[1]
    force = par[0] * delta * math.sqrt(delta / (c + delta))
    out[FORCE] = force
    out[ELASTIC_FORCE] = force
    out[STORED] = 0.0
    out[PRESSING] = 1.0
    if state[OBSERVING] != 0.0:  # ∫ s^1.5 (c + s)^−0.5 ds
        x = delta / c
        if x < 0.25:  # the closed form cancels; the binomial series does not
            total = 0.0
            term = 1.0
            for k in range(30):
                total += term / (k + 2.5)
                term *= -(k + 0.5) / (k + 1.0) * x
            out[STORED] = par[0] * delta * delta * math.sqrt(x) * total
        else:
            surface = math.sqrt(delta * (c + delta)) * (2.0 * delta - 3.0 * c)
            out[STORED] = 0.25 * par[0] * (surface + 3.0 * c * c * math.asinh(math.sqrt(x)))


class LiuCylinder(NormalLaw):
    """F = (π E* L δ/2) √(δ/(2 (c + δ))), elastic: a journal in a bearing.

    ``modulus`` E* [Pa] is that of both, 1/E* = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b; ``length`` L [m]; ``clearance`` c [m]
    is the difference of the radii. Made for small clearances, where the contact is too large for Hertz's theory.
    """

    name = "liu_cylinder"
    formula = "F = ½ π E* L δ √(δ/(2 (c + δ)))"
    reference = (
        "C. Liu, K. Zhang, L. Yang, The compliance contact model of cylindrical joints with clearances, "
        "Acta Mechanica Sinica 21 (2005) 451–458"
    )
    arguments = ("modulus", "length", "clearance")
    kernel = liu_cylinder

    def __init__(self, modulus: float, length: float, clearance: float):
        self.modulus = positive("LiuCylinder", "modulus", modulus)
        self.length = positive("LiuCylinder", "length", length)
        self.clearance = positive("LiuCylinder", "clearance", clearance)
        self.parameters = (math.pi * self.modulus * self.length / math.sqrt(8.0), self.clearance)

    @classmethod
    def from_materials(
        cls, length: float, clearance: float, material_a: Material = STEEL, material_b: Material = STEEL
    ) -> LiuCylinder:
        """The law for a journal and a bearing of these materials."""
        return cls(composite_modulus(material_a, material_b), length, clearance)

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        return 1.0

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        return replace(super().impact(mass, approach_speed), restitution=1.0)
