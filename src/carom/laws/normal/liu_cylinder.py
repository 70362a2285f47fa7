"""Journal in a bearing with clearance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from carom.argument_checks import positive
from carom.kernels import NORMAL, kernel, record
from carom.laws.materials import STEEL, Material, composite_modulus
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, FreeImpact, NormalLaw

PARAMS = record("stiffness clearance")  # π E* L/(2√2) [N/m], c [m]


@kernel(NORMAL, PARAMS, LAW_INPUT, LAW_OUTPUT)
def liu_cylinder(p, law_input, out):
    """Evaluate F = K δ √(δ/(c + δ)) with K = π E* L/(2√2)."""
    delta = max(law_input.delta, 0.0)
    c = p.clearance
    force = p.stiffness * delta * math.sqrt(delta / (c + delta))
    out.force = force
    out.elastic_force = force
    out.stored_energy = 0.0
    out.force_sign = 1.0
    if law_input.stores_energy:  # ∫ s^1.5 (c + s)^−0.5 ds
        x = delta / c
        if x < 0.25:  # The binomial series avoids the cancellation in the closed form.
            total = 0.0
            term = 1.0
            for k in range(30):
                total += term / (k + 2.5)
                term *= -(k + 0.5) / (k + 1.0) * x
            out.stored_energy = p.stiffness * delta * delta * math.sqrt(x) * total
        else:
            algebraic = math.sqrt(delta * (c + delta)) * (2.0 * delta - 3.0 * c)
            out.stored_energy = 0.25 * p.stiffness * (algebraic + 3.0 * c * c * math.asinh(math.sqrt(x)))
    if law_input.needs_derivatives:
        ratio = delta / (c + delta)
        out.stiffness = p.stiffness * math.sqrt(ratio) * (1.5 - 0.5 * ratio)
        out.damping = 0.0


class LiuCylinder(NormalLaw):
    """F = (π E* L δ/2) √(δ/(2 (c + δ))), elastic: a journal in a bearing.

    ``modulus`` E* [Pa] is the composite modulus, 1/E* = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b; ``length`` L [m];
    ``clearance`` c [m] is the difference of the radii. Valid for small clearances, where the contact area is too large
    for Hertz's theory.

    Examples
    --------
    >>> import carom as cm
    >>> f"{cm.laws.LiuCylinder(modulus=1.1e11, length=0.02, clearance=2e-4).force(1e-5):.4g}"
    '5332'
    """

    name = "liu_cylinder"
    formula = "F = ½ π E* L δ √(δ/(2 (c + δ)))"
    reference = (
        "C. Liu, K. Zhang, L. Yang, The compliance contact model of cylindrical joints with clearances, "
        "Acta Mechanica Sinica 21 (2005) 451–458"
    )
    arguments = ("modulus", "length", "clearance")
    kernel = liu_cylinder
    params = PARAMS

    def __init__(self, modulus: float, length: float, clearance: float):
        self.modulus = positive("LiuCylinder", "modulus", modulus)
        self.length = positive("LiuCylinder", "length", length)
        self.clearance = positive("LiuCylinder", "clearance", clearance)

    @property
    def stiffness(self) -> float:
        """Limit π E* L/(2√2) of F/δ for indentations far above the clearance [N/m]."""
        return math.pi * self.modulus * self.length / math.sqrt(8.0)

    @classmethod
    def from_materials(
        cls, length: float, clearance: float, material_a: Material = STEEL, material_b: Material = STEEL
    ) -> LiuCylinder:
        """Return the law for a journal and a bearing of these materials."""
        return cls(composite_modulus(material_a, material_b), length, clearance)

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        """Return 1: the law is elastic."""
        return 1.0

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """Return the unconstrained impact of an effective mass [kg] with an approach speed [m/s]."""
        return replace(super().impact(mass, approach_speed), restitution=1.0)
