"""Threlfall's friction."""

from __future__ import annotations

import math

from carom.errors import not_negative, positive
from carom.kernels import FRICTION, kernel
from carom.laws.friction.base import FrictionLaw, oppose


@kernel(FRICTION)
def threlfall(par, normal_force, velocity, state, out):
    """par: coefficient μ, speed v₀."""
    speed = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
    share = 1.0
    if speed < par[1]:
        share = math.expm1(-3.0 * speed / par[1]) / math.expm1(-3.0)
    oppose(normal_force * par[0] * share, speed, velocity, out)


class Threlfall(FrictionLaw):
    """μ (1 − exp(−3 |v|/v₀))/(1 − exp(−3)) up to ``v0`` [m/s], μ beyond: continuous, with a kink at v0."""

    name = "threlfall"
    formula = "F = −N μ (1 − exp(−3 |v|/v₀))/(1 − exp(−3)) v/|v| for |v| ≤ v₀"
    reference = (
        "D.C. Threlfall, The inclusion of Coulomb friction in mechanisms programs with particular reference to DRAM, "
        "Mechanism and Machine Theory 13 (1978) 475–483"
    )
    arguments = ("coefficient", "v0")
    kernel = threlfall

    def __init__(self, coefficient: float, v0: float):
        self.mu = not_negative("Threlfall", "coefficient", coefficient)
        self.v0 = positive("Threlfall", "v0", v0)
        self.parameters = (self.mu, self.v0)

    @property
    def top_speed(self) -> float:
        return 2.0 * self.v0
