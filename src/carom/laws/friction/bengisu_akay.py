"""Bengisu and Akay's friction."""

from __future__ import annotations

import math

from carom.errors import positive
from carom.kernels import FRICTION, kernel
from carom.laws.friction.base import FrictionLaw, oppose, static_and_dynamic


@kernel(FRICTION)
def bengisu_akay(par, normal_force, velocity, state, out):
    """par: static μ_s, dynamic μ_d, speed v₀, decay ξ."""
    speed = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
    beyond = speed - par[2]
    if beyond < 0.0:
        x = beyond / par[2]
        coefficient = par[0] * (1.0 - x * x)
    else:
        coefficient = par[1] + (par[0] - par[1]) * math.exp(-par[3] * beyond)
    oppose(normal_force * coefficient, speed, velocity, out)


class BengisuAkay(FrictionLaw):
    """μ_s (1 − (|v| − v₀)²/v₀²) below ``v0`` [m/s], μ_d + (μ_s − μ_d) exp(−ξ (|v| − v₀)) above; ``decay`` ξ [s/m].

    The parabola rises from rest to the static coefficient, the exponential falls from there to the dynamic one.
    """

    name = "bengisu_akay"
    formula = "μ = μ_s − μ_s/v₀² (|v| − v₀)² below v₀, μ_d + (μ_s − μ_d) exp(−ξ (|v| − v₀)) above"
    reference = (
        "M.T. Bengisu, A. Akay, Stability of friction-induced vibrations in multi-degree-of-freedom systems, "
        "J. Sound and Vibration 171 (1994) 557–570"
    )
    arguments = ("static", "dynamic", "v0", "decay")
    kernel = bengisu_akay

    def __init__(self, static: float, dynamic: float, v0: float, decay: float):
        self.static, self.dynamic = static_and_dynamic("BengisuAkay", static, dynamic)
        self.v0 = positive("BengisuAkay", "v0", v0)
        self.decay = positive("BengisuAkay", "decay", decay)
        self.parameters = (self.static, self.dynamic, self.v0, self.decay)

    @property
    def top_speed(self) -> float:
        return self.v0 + 5.0 / self.decay
