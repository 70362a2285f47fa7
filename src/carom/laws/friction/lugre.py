"""LuGre friction: bristles with Stribeck effect."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import not_negative, positive
from carom.kernels import FRICTION, kernel
from carom.laws.friction.base import FrictionLaw, static_and_dynamic


@kernel(FRICTION)
def lugre(par, normal_force, velocity, state, out):
    """par: static μ_s, dynamic μ_d, Stribeck speed v_s, σ₀, σ₁, σ₂."""
    vx = velocity[0]
    vy = velocity[1]
    squared = vx * vx + vy * vy
    g = par[1] + (par[0] - par[1]) * math.exp(-squared / (par[2] * par[2]))
    wear = par[3] * math.sqrt(squared) / g
    rate_x = vx - wear * state[0]
    rate_y = vy - wear * state[1]
    out[0] = -normal_force * (par[3] * state[0] + par[4] * rate_x + par[5] * vx)
    out[1] = -normal_force * (par[3] * state[1] + par[4] * rate_y + par[5] * vy)
    out[2] = rate_x
    out[3] = rate_y


class LuGre(FrictionLaw):
    """F = −N (σ₀ z + σ₁ ż + σ₂ v), ż = v − σ₀ |v| z/g, g = μ_d + (μ_s − μ_d) exp(−(v/v_s)²).

    ``stiffness`` σ₀ [1/m], ``damping`` σ₁ [s/m] and ``viscous`` σ₂ [s/m] are per normal force, ``stribeck_speed`` v_s
    [m/s]. In steady sliding the coefficient is g + σ₂ |v|. The bristles dissipate at all speeds while
    σ₁ |v| < 4 g.
    """

    name = "lugre"
    formula = "F = −N (σ₀ z + σ₁ ż + σ₂ v), ż = v − σ₀ |v| z/g, g = μ_d + (μ_s − μ_d) exp(−(v/v_s)²)"
    reference = (
        "C. Canudas de Wit, H. Olsson, K.J. Åström, P. Lischinsky, A new model for control of systems with friction, "
        "IEEE Trans. Automatic Control 40 (1995) 419–425"
    )
    arguments = ("static", "dynamic", "stribeck_speed", "stiffness", "damping", "viscous")
    kernel = lugre
    states = True

    def __init__(
        self,
        static: float,
        dynamic: float,
        stribeck_speed: float,
        stiffness: float,
        damping: float = 0.0,
        viscous: float = 0.0,
    ):
        self.static, self.dynamic = static_and_dynamic("LuGre", static, dynamic)
        self.stribeck_speed = positive("LuGre", "stribeck_speed", stribeck_speed)
        self.stiffness = positive("LuGre", "stiffness", stiffness)
        self.damping = not_negative("LuGre", "damping", damping)
        self.viscous = not_negative("LuGre", "viscous", viscous)
        self.parameters = (
            self.static,
            self.dynamic,
            self.stribeck_speed,
            self.stiffness,
            self.damping,
            self.viscous,
        )

    @property
    def top_speed(self) -> float:
        return 4.0 * self.stribeck_speed

    def _steady(self, speed: np.ndarray) -> np.ndarray:
        g = self.dynamic + (self.static - self.dynamic) * np.exp(-((speed / self.stribeck_speed) ** 2))
        return np.where(speed > 0.0, g + self.viscous * speed, 0.0)
