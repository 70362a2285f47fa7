"""Laws F = K δⁿ (1 + A δ̇/v⁻), elastic or with damping that grows with the indentation: one kernel for all."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import positive
from carom.kernels import NORMAL, jit, kernel, record
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, FreeImpact, NormalLaw, elastic_time

PARAMS = record("stiffness exponent damping_factor")  # K [N/mⁿ], n [-], A [-]


@jit
def power(x, n):
    """Return xⁿ for x ≥ 0, without a call of pow for the usual exponents."""
    if n == 1.5:
        return x * math.sqrt(x)
    if n == 1.0:
        return x
    return x**n


@jit
def power_slope(x, n):
    """Return the derivative of max(x, 0)ⁿ; at zero that from above for n ≥ 1, and 0 where it is infinite."""
    if x < 0.0:
        return 0.0
    if n == 1.5:
        return 1.5 * math.sqrt(x)
    if n == 1.0:
        return 1.0
    if x == 0.0:
        return 0.0
    return n * x ** (n - 1.0)


@jit
def damping_ratio(p, delta_dot, v_in):
    """Return F/(K δⁿ) = 1 + A δ̇/v⁻ [-]; one while the approach speed is unknown."""
    if v_in > 0.0:
        return 1.0 + p.damping_factor * delta_dot / v_in
    return 1.0


@kernel(NORMAL, PARAMS, LAW_INPUT, LAW_OUTPUT)
def power_law(p, law_input, out):
    """Evaluate F = K δⁿ (1 + A δ̇/v⁻)."""
    delta = max(law_input.delta, 0.0)
    elastic = p.stiffness * power(delta, p.exponent)
    ratio = damping_ratio(p, law_input.delta_dot, law_input.v_in)
    out.force = elastic * ratio
    out.elastic_force = elastic
    out.stored_energy = elastic * delta / (p.exponent + 1.0)
    out.force_sign = ratio
    if law_input.needs_derivatives:
        out.stiffness = p.stiffness * power_slope(law_input.delta, p.exponent) * ratio
        out.damping = 0.0
        if law_input.v_in > 0.0:
            out.damping = elastic * p.damping_factor / law_input.v_in


class PowerLaw(NormalLaw):
    """F = K δⁿ, elastic: an impact returns all its energy."""

    kernel = power_law
    params = PARAMS

    def __init__(self, stiffness: float, exponent: float = 1.5, damping_factor: float = 0.0):
        owner = type(self).__name__
        self.stiffness = positive(owner, "stiffness", stiffness)
        self.exponent = positive(owner, "exponent", exponent)
        self.damping_factor = damping_factor

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        """Return 1: the law is elastic."""
        return 1.0

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """Return the unconstrained impact of an effective mass [kg] with an approach speed [m/s]."""
        mass, speed = self._checked(mass, approach_speed)
        delta_max = elastic_indentation(self.stiffness, self.exponent, mass, speed)
        duration = 2.0 * elastic_time(self.exponent) * delta_max / speed
        return FreeImpact(self.stiffness * delta_max**self.exponent, delta_max, duration, 1.0)


def elastic_indentation(stiffness: float, exponent: float, mass: float, speed: float) -> float:
    """Return δ_max [m] at which K δⁿ⁺¹/(n + 1) = m v²/2."""
    return float((0.5 * (exponent + 1.0) * mass * speed**2 / stiffness) ** (1.0 / (exponent + 1.0)))
