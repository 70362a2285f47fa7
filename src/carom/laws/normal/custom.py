"""A normal law written by the user as a plain Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from carom.kernels import NORMAL
from carom.kernels.numba_compat import OPTIONS
from carom.laws.normal.base import (
    APPROACH,
    ELASTIC_FORCE,
    FORCE,
    INDENTATION,
    OBSERVING,
    PRESSING,
    RATE,
    STATE,
    STORED,
    NormalLaw,
)
from carom.laws.user_law import UserLaw

_nodes, _weights = np.polynomial.legendre.leggauss(20)
NODES = tuple(float(0.5 * (1.0 + x)) for x in _nodes)
WEIGHTS = tuple(float(0.5 * w) for w in _weights)
"""Gauss–Legendre on [0, 1]."""


class CustomLaw(UserLaw, NormalLaw):
    """F = f(δ, δ̇) or f(δ, δ̇, v⁻): made by `custom`."""

    signature = NORMAL
    styles = {"function": (("indentation", "rate"), ("indentation", "rate", "approach_speed"))}
    sizes = (0, STATE)

    def __init__(self, function: Callable[..., float], name: str | None = None):
        super().__init__("custom", function, name, (2, 3))
        self.needs_approach = self.count == 3
        self.formula = f"F = {self.name}(δ, δ̇, v⁻)" if self.needs_approach else f"F = {self.name}(δ, δ̇)"

    def wrap(self, f: Any, view: Any) -> Any:
        if self.needs_approach:

            def law(delta, rate, approach):
                if approach <= 0.0:  # unknown: no damping, at a speed that divides well
                    return f(delta, 0.0, 1.0)
                return f(delta, rate, approach)

        else:

            def law(delta, rate, approach):
                return f(delta, rate)

        if hasattr(f, "py_func"):
            law = numba.njit(**OPTIONS)(law)

        def custom(par, state, out):
            delta = state[INDENTATION]
            approach = state[APPROACH]
            rest = 0.0
            out[FORCE] = 0.0
            out[ELASTIC_FORCE] = 0.0
            out[STORED] = 0.0
            out[PRESSING] = 0.0
            if delta > 0.0:
                force = law(delta, state[RATE], approach)
                out[ELASTIC_FORCE] = law(delta, rest, approach)
                out[PRESSING] = force
                if state[OBSERVING] != 0.0:
                    energy = 0.0
                    for k in range(20):  # over δ = δ₁ u², which makes half powers of the indentation smooth
                        energy += WEIGHTS[k] * NODES[k] * law(delta * NODES[k] * NODES[k], rest, approach)
                    out[STORED] = 2.0 * energy * delta
                out[FORCE] = force

        return custom


def custom(function: Callable[..., float], name: str | None = None) -> CustomLaw:
    """A law from ``function(indentation, rate)`` or ``function(indentation, rate, approach_speed)`` -> force [N].

    It is compiled on first use and then as fast as a built-in law. Out of contact the force is zero; where it would
    pull it counts as zero. Its elastic part is the force at rate zero, the stored energy the integral of that over the
    indentation. While no approach speed is known, a function of three arguments is asked at rate zero and 1 m/s.
    """
    return CustomLaw(function, name)
