"""Laws F = K δⁿ (1 + A δ̇/v⁻), elastic or with damping that grows with the indentation: one kernel for all."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import positive
from carom.kernels import NORMAL, jit, kernel
from carom.laws.normal.base import (
    APPROACH,
    ELASTIC_FORCE,
    FORCE,
    INDENTATION,
    PRESSING,
    RATE,
    STORED,
    FreeImpact,
    NormalLaw,
    elastic_time,
)


@jit
def power(x, n):
    """xⁿ for x ≥ 0, without a call of pow for the usual exponents."""
    if n == 1.5:
        return x * math.sqrt(x)
    if n == 1.0:
        return x
    return x**n


@jit
def damping(par, rate, approach):
    """1 + A δ̇/v⁻; one where no approach speed is known."""
    if approach > 0.0:
        return 1.0 + par[2] * rate / approach
    return 1.0


@kernel(NORMAL)
def power_law(par, state, out):
    """par: stiffness K, exponent n, damping factor A."""
    delta = max(state[INDENTATION], 0.0)
    n = par[1]
    elastic = par[0] * power(delta, n)
    pressing = damping(par, state[RATE], state[APPROACH])
    out[FORCE] = elastic * pressing
    out[ELASTIC_FORCE] = elastic
    out[STORED] = elastic * delta / (n + 1.0)
    out[PRESSING] = pressing


class PowerLaw(NormalLaw):
    """F = K δⁿ, elastic: an impact returns all its energy."""

    kernel = power_law

    def __init__(self, stiffness: float, exponent: float = 1.5, factor: float = 0.0):
        owner = type(self).__name__
        self.stiffness = positive(owner, "stiffness", stiffness)
        self.exponent = positive(owner, "exponent", exponent)
        self.parameters = (self.stiffness, self.exponent, factor)

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        return 1.0

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        mass, speed = self._checked(mass, approach_speed)
        deepest = elastic_indentation(self.stiffness, self.exponent, mass, speed)
        duration = 2.0 * elastic_time(self.exponent) * deepest / speed
        return FreeImpact(self.stiffness * deepest**self.exponent, deepest, duration, 1.0)


def elastic_indentation(stiffness: float, exponent: float, mass: float, speed: float) -> float:
    """δ_max at which K δⁿ⁺¹/(n + 1) = m v²/2."""
    return float((0.5 * (exponent + 1.0) * mass * speed**2 / stiffness) ** (1.0 / (exponent + 1.0)))
