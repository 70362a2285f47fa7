"""Journal in a bearing with a close fit: Persson's solution of conforming contact."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from carom.argument_checks import non_negative, positive
from carom.kernels import NORMAL, jit, kernel, record
from carom.laws.materials import STEEL, Material, composite_modulus
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, FreeImpact, NormalLaw

PARAMS = record("stiffness clearance")  # 2π E* L [N/m], c [m]

GAUSS_POINTS, GAUSS_WEIGHTS = ((tuple(float(x) for x in values)) for values in np.polynomial.legendre.leggauss(24))
"""Nodes and weights of Gauss's rule on [−1, 1], for the stored energy."""
LARGEST_X = 0.8
"""x = tan²(ε/2) up to which the law is Persson's, ε = 83.6°; beyond it the force continues along its tangent. In
Persson's solution the force becomes infinite at x = 0.835, ε = 84.8°."""
LARGEST_INDENTATION = 2.0 * LARGEST_X / (1.0 - LARGEST_X)
"""Indentation over the clearance at `LARGEST_X` [-]."""


@jit
def load(x):
    """Return F/(2π E* L c) and its derivative by x = tan²(ε/2)."""
    top = x * (1.0 + x)
    bottom = 2.0 - math.log1p(x) - 2.0 * x * x
    slope = (1.0 + 2.0 * x) * bottom + top * (1.0 / (1.0 + x) + 4.0 * x)
    return top / bottom, slope / (bottom * bottom)


@kernel(NORMAL, PARAMS, LAW_INPUT, LAW_OUTPUT)
def persson(p, law_input, out):
    """Evaluate F = 2π E* L c x (1 + x)/(2 − ln(1 + x) − 2 x²) with x = δ/(2 c + δ)."""
    delta = max(law_input.delta, 0.0)
    c = p.clearance
    limit = LARGEST_INDENTATION * c
    inside = min(delta, limit)
    x = inside / (2.0 * c + inside)
    value, slope = load(x)
    stiffness = p.stiffness * slope * 2.0 * c * c / (2.0 * c + inside) ** 2
    beyond = delta - inside
    force = p.stiffness * c * value + stiffness * beyond
    out.force = force
    out.elastic_force = force
    out.stored_energy = 0.0
    out.force_sign = 1.0
    if law_input.stores_energy:
        total = 0.0
        for k in range(len(GAUSS_POINTS)):
            s = 0.5 * inside * (1.0 + GAUSS_POINTS[k])
            total += GAUSS_WEIGHTS[k] * load(s / (2.0 * c + s))[0]
        energy = 0.5 * inside * total * p.stiffness * c
        out.stored_energy = energy + beyond * (p.stiffness * c * value + 0.5 * stiffness * beyond)
    if law_input.needs_derivatives:
        out.stiffness = stiffness if law_input.delta >= 0.0 else 0.0
        out.damping = 0.0


class Persson(NormalLaw):
    """F = 2π E* L c x (1 + x)/(2 − ln(1 + x) − 2 x²), elastic: a journal in a bearing of nearly the same radius.

    x = tan²(ε/2) with the half-angle ε of the contact, which follows from the indentation δ as that of the overlap of
    the undeformed circles, cos ε = c/(c + δ), so x = δ/(2 c + δ). ``modulus`` E* [Pa] is the composite modulus, 1/E* =
    (1 − ν_a²)/E_a + (1 − ν_b²)/E_b; ``length`` L [m]; ``clearance`` c [m] is the difference of the radii. The relation
    of load and half-angle is Persson's closed form, exact in plane elasticity for a journal in an infinite bearing of
    the same material. For small angles it is Hertz's line contact with F = (π/2) E* L δ. Valid for any load up to ε =
    83.6° (δ = 8 c); beyond, the force continues along its tangent.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.Persson(modulus=1.1e11, length=0.02, clearance=2e-4)
    >>> f"{law.force(1e-5):.4g} N, {law.half_angle(1e-5):.3f} rad"
    '3.498e+04 N, 0.310 rad'
    """

    name = "persson"
    formula = "F = 2π E* L c x (1 + x)/(2 − ln(1 + x) − 2 x²), x = δ/(2 c + δ)"
    reference = (
        "A. Persson, On the stress distribution of cylindrical elastic bodies in contact, dissertation, Chalmers "
        "tekniska högskola, Göteborg (1964); in closed form in M. Ciavarella, P. Decuzzi, The state of stress induced "
        "by the plane frictionless cylindrical contact, International Journal of Solids and Structures 38 (2001) "
        "4507–4533"
    )
    arguments = ("modulus", "length", "clearance")
    kernel = persson
    params = PARAMS

    def __init__(self, modulus: float, length: float, clearance: float):
        self.modulus = positive("Persson", "modulus", modulus)
        self.length = positive("Persson", "length", length)
        self.clearance = positive("Persson", "clearance", clearance)

    @property
    def stiffness(self) -> float:
        """Coefficient 2π E* L [N/m]; the stiffness of a small indentation is a quarter of it."""
        return 2.0 * math.pi * self.modulus * self.length

    @classmethod
    def from_materials(
        cls, length: float, clearance: float, material_a: Material = STEEL, material_b: Material = STEEL
    ) -> Persson:
        """Return the law for a journal and a bearing of these materials."""
        return cls(composite_modulus(material_a, material_b), length, clearance)

    def half_angle(self, indentation: float) -> float:
        """Return the half-angle of the contact ε [rad] at an indentation [m]."""
        depth = non_negative("Persson", "indentation", indentation)
        return math.acos(self.clearance / (self.clearance + depth))

    def half_angle_of_load(self, load: float) -> float:
        """Return the half-angle of the contact ε [rad] under a ``load`` [N].

        Examples
        --------
        >>> import carom as cm
        >>> law = cm.laws.Persson(modulus=1.1e11, length=0.02, clearance=2e-4)
        >>> round(law.half_angle_of_load(law.force(1e-5)) - law.half_angle(1e-5), 9)
        0.0
        """
        return half_angle_of_load(non_negative("Persson", "load", load) / (self.stiffness * self.clearance))

    def pressure(self, angle: Any, load: float, radius: float) -> Any:
        """Return the pressure at an ``angle`` [rad] from the line of centres under a ``load`` [N] in a bearing [Pa].

        Examples
        --------
        >>> import carom as cm
        >>> law = cm.laws.Persson(modulus=1.1e11, length=0.02, clearance=2e-4)
        >>> f"{law.pressure(0.0, load=1000.0, radius=0.01) / 1e6:.4g} MPa"
        '59.24 MPa'
        """
        b = math.tan(0.5 * self.half_angle_of_load(load))
        y = np.tan(0.5 * np.asarray(angle, dtype=float))
        root, full = np.sqrt(np.maximum(b * b - y * y, 0.0)), math.sqrt(b * b + 1.0)
        shape = 2.0 * root / (math.pi * full * (1.0 + y * y))
        shape = shape + np.log((full + root) / (full - root)) / (2.0 * math.pi * b * b * (1.0 + b * b))
        value = load / (self.length * positive("Persson", "radius", radius)) * shape
        return float(value) if np.ndim(angle) == 0 else value

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        """Return 1: the law is elastic."""
        return 1.0

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """Return the unconstrained impact of an effective mass [kg] with an approach speed [m/s]."""
        return replace(super().impact(mass, approach_speed), restitution=1.0)


def half_angle_of_load(ratio: float) -> float:
    """Return the half-angle ε [rad] for F/(2π E* L c), by bisection; up to that of infinite load, 84.8°.

    Examples
    --------
    >>> from carom.laws.normal.persson import half_angle_of_load
    >>> round(half_angle_of_load(1e-6), 6) == round(2.0 * 2e-6**0.5, 6)  # Hertz: F = 2π E* L c ε²/8
    True
    """
    low, high = 0.0, 1.0
    while True:
        x = 0.5 * (low + high)
        if not low < x < high:
            return 2.0 * math.atan(math.sqrt(x))
        bottom = 2.0 - math.log1p(x) - 2.0 * x * x
        if bottom <= 0.0 or x * (1.0 + x) > ratio * bottom:
            high = x
        else:
            low = x
