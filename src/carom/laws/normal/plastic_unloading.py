"""Permanent indentation: restitution along another curve than compression."""

from __future__ import annotations

from typing import Any

from carom.errors import positive
from carom.kernels import NORMAL, kernel
from carom.laws.normal.base import (
    DEEPEST,
    ELASTIC_FORCE,
    FORCE,
    INDENTATION,
    PRESSING,
    STORED,
    UNLOADING,
    FreeImpact,
    NormalLaw,
    elastic_time,
    restitution_of,
)
from carom.laws.normal.power_law import elastic_indentation, power


@kernel(NORMAL)
def plastic_unloading(par, state, out):
    """par: stiffness K, exponent n, elastic share c² of the work of loading."""
    delta = max(state[INDENTATION], 0.0)
    n = par[1]
    share = par[2]
    deepest = state[DEEPEST]
    unloading = state[UNLOADING] != 0.0 and deepest > 0.0
    out[PRESSING] = 1.0
    if unloading:  # the same up to δ_max again: the contact is elastic below it
        out[PRESSING] = (delta - (1.0 - share) * deepest) / deepest
        if share == 0.0 and delta <= deepest:  # nothing comes back
            out[PRESSING] = -1.0
    if unloading:
        span = share * deepest  # δ_max − δ_p
        x = 0.0
        if span > 0.0:
            x = max((delta - deepest + span) / span, 0.0)
        force = par[0] * power(deepest, n) * power(x, n)
        out[FORCE] = force
        out[ELASTIC_FORCE] = force
        out[STORED] = force * x * span / (n + 1.0)
    else:
        force = par[0] * power(delta, n)
        out[FORCE] = force
        out[ELASTIC_FORCE] = share * force
        out[STORED] = share * force * delta / (n + 1.0)


class PlasticUnloading(NormalLaw):
    """Compression F = K δⁿ, restitution F = F_max ((δ − δ_p)/(δ_max − δ_p))ⁿ down to the permanent indentation δ_p.

    δ_p = (1 − c²) δ_max loses the share 1 − c² of the work of compression, so that exactly the prescribed restitution
    c comes back, from 0 to 1. Contact ends at δ_p; a new compression up to δ_max follows the curve of restitution.
    K [N/mⁿ].
    """

    name = "plastic_unloading"
    formula = "F = K δⁿ, then F_max ((δ − δ_p)/(δ_max − δ_p))ⁿ with δ_p = (1 − c²) δ_max"
    reference = (
        "W. Goldsmith, Impact, Edward Arnold, 1960; H.M. Lankarani, P.E. Nikravesh, Continuous contact force models "
        "for impact analysis in multibody systems, Nonlinear Dynamics 5 (1994) 193–207"
    )
    arguments = ("stiffness", "restitution", "exponent")
    kernel = plastic_unloading
    unloads = True

    def __init__(self, stiffness: float, restitution: float, exponent: float = 1.5):
        self.stiffness = positive("PlasticUnloading", "stiffness", stiffness)
        self.restitution = restitution_of("PlasticUnloading", restitution)
        self.exponent = positive("PlasticUnloading", "exponent", exponent)
        self.parameters = (self.stiffness, self.exponent, self.restitution**2)

    def release(self, deepest: float) -> float:
        return (1.0 - self.restitution**2) * deepest

    @property
    def validity(self) -> tuple[float, float]:
        return (0.0, 1.0)

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        return self.restitution

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        mass, speed = self._checked(mass, approach_speed)
        deepest = elastic_indentation(self.stiffness, self.exponent, mass, speed)
        # Restitution is an elastic impact of depth c² δ_max and speed c v: it takes c times as long as compression.
        duration = (1.0 + self.restitution) * elastic_time(self.exponent) * deepest / speed
        return FreeImpact(self.stiffness * deepest**self.exponent, deepest, duration, self.restitution)
