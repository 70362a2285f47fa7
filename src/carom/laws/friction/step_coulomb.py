"""Static and dynamic friction joined by cubic steps."""

from __future__ import annotations

import math

from carom.errors import ModelError, positive
from carom.kernels import FRICTION, kernel
from carom.laws.friction.base import FrictionLaw, oppose, static_and_dynamic
from carom.laws.cubic_step import cubic_step


@kernel(FRICTION)
def step_coulomb(par, normal_force, velocity, state, out):
    """par: static C_st, dynamic C_dy, stick speed V_s, slip speed V_tr."""
    speed = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
    one = 1.0
    sign = cubic_step(speed, -par[2], -one, par[2], one)
    size = cubic_step(speed, par[2], par[0], par[3], par[1])
    oppose(normal_force * sign * size, speed, velocity, out)


class StepCoulomb(FrictionLaw):
    """μ = Step(|v|, −V_s, −1, V_s, 1) · Step(|v|, V_s, C_st, V_tr, C_dy): up to the static coefficient at
    ``stick_speed`` V_s, down to the dynamic one at ``slip_speed`` V_tr > V_s [m/s].

    The first Step of the published formula starts at −V_s; the coefficient acts against the direction of sliding.
    """

    name = "step_coulomb"
    formula = "F = −N Step(|v|, −V_s, −1, V_s, 1) Step(|v|, V_s, C_st, V_tr, C_dy) v/|v|"
    reference = (
        "Z. Zhu, X. Ma, D. Liang, X. Jiang, Y. Liu, C. Lu, F. Zhou, A penalty function-based Modelica library for "
        "multi-body contact collision, eqs. (4) to (6)"
    )
    arguments = ("static", "dynamic", "stick_speed", "slip_speed")
    kernel = step_coulomb

    def __init__(self, static: float, dynamic: float, stick_speed: float, slip_speed: float):
        self.static, self.dynamic = static_and_dynamic("StepCoulomb", static, dynamic)
        self.stick_speed = positive("StepCoulomb", "stick_speed", stick_speed)
        self.slip_speed = positive("StepCoulomb", "slip_speed", slip_speed)
        if self.slip_speed <= self.stick_speed:
            raise ModelError(
                f"StepCoulomb: slip_speed must be above stick_speed ({self.stick_speed:g}), got {self.slip_speed:g}"
            )
        self.parameters = (self.static, self.dynamic, self.stick_speed, self.slip_speed)

    @property
    def top_speed(self) -> float:
        return 1.5 * self.slip_speed
