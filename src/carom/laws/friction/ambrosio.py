"""Ambrósio's friction."""

from __future__ import annotations

import math

from carom.errors import ModelError, not_negative, positive
from carom.kernels import FRICTION, kernel
from carom.laws.friction.base import FrictionLaw, oppose


@kernel(FRICTION)
def ambrosio(par, normal_force, velocity, state, out):
    """par: coefficient μ, speeds v₀ and v₁."""
    speed = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
    ramp = min(max((speed - par[1]) / (par[2] - par[1]), 0.0), 1.0)
    oppose(normal_force * par[0] * ramp, speed, velocity, out)


class Ambrosio(FrictionLaw):
    """μ c_d with the dynamic correction c_d: 0 below ``v0``, 1 above ``v1`` [m/s], linear between them.

    There is no force at all below v0, so that it does not change its direction in an integrator's every step.
    """

    name = "ambrosio"
    formula = "F = −N μ c_d v/|v|, c_d = (|v| − v₀)/(v₁ − v₀) between v₀ and v₁"
    reference = (
        "J.A.C. Ambrósio, Impact of rigid and flexible multibody systems: deformation description and contact models, "
        "in: Virtual Nonlinear Multibody Systems, Kluwer, 2003, 57–81"
    )
    arguments = ("coefficient", "v0", "v1")
    kernel = ambrosio

    def __init__(self, coefficient: float, v0: float, v1: float):
        self.mu = not_negative("Ambrosio", "coefficient", coefficient)
        self.v0, self.v1 = not_negative("Ambrosio", "v0", v0), positive("Ambrosio", "v1", v1)
        if self.v1 <= self.v0:
            raise ModelError(f"Ambrosio: v1 must be above v0 ({self.v0:g}), got {self.v1:g}")
        self.parameters = (self.mu, self.v0, self.v1)

    @property
    def top_speed(self) -> float:
        return 1.5 * self.v1
