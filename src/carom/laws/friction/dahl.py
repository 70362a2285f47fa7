"""Dahl's friction: an elastic bristle that gives way."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import ModelError, number, positive
from carom.kernels import FRICTION, kernel
from carom.laws.friction.base import FrictionLaw


@kernel(FRICTION)
def dahl(par, normal_force, velocity, state, out):
    """par: coefficient μ, stiffness σ, shape i."""
    vx = velocity[0]
    vy = velocity[1]
    speed = math.sqrt(vx * vx + vy * vy)
    strain_x = par[1] * state[0] / par[0]
    strain_y = par[1] * state[1] / par[0]
    out[0] = -normal_force * par[0] * strain_x
    out[1] = -normal_force * par[0] * strain_y
    out[2] = 0.0
    out[3] = 0.0
    if speed > 0.0:
        tx = vx / speed
        ty = vy / speed
        along = strain_x * tx + strain_y * ty
        room = 1.0 - along
        give = room
        if par[2] != 1.0:
            give = math.copysign(abs(room) ** par[2], room)
        out[2] = give * vx - speed * (strain_x - along * tx)
        out[3] = give * vy - speed * (strain_y - along * ty)


class Dahl(FrictionLaw):
    """F = −N σ z with ż = v |r|ⁱ sgn r, r = 1 − σ z sgn(v)/μ: hysteresis before sliding, μ N in steady sliding.

    ``stiffness`` σ [1/m] is the slope of the force at rest, per normal force; ``shape`` i ≥ 1. For sliding in a plane
    the deflection z along v follows this, and across v it fades as ż = −σ |v| z/μ; with i = 1 both make
    ż = v − σ |v| z/μ.
    """

    name = "dahl"
    formula = "F = −N σ z, ż = v |1 − σ z sgn(v)/μ|ⁱ sgn(1 − σ z sgn(v)/μ)"
    reference = "P.R. Dahl, A solid friction model, Aerospace Corporation TOR-0158(3107-18)-1, 1968"
    arguments = ("coefficient", "stiffness", "shape")
    kernel = dahl
    states = True

    def __init__(self, coefficient: float, stiffness: float, shape: float = 1.0):
        self.mu = positive("Dahl", "coefficient", coefficient)
        self.stiffness = positive("Dahl", "stiffness", stiffness)
        self.shape = number("Dahl", "shape", shape)
        if self.shape < 1.0:
            raise ModelError(f"Dahl: shape must be at least 1, got {self.shape:g}")
        self.parameters = (self.mu, self.stiffness, self.shape)

    @property
    def top_speed(self) -> float:
        return 1.0

    def _steady(self, speed: np.ndarray) -> np.ndarray:
        return np.where(speed > 0.0, self.mu, 0.0)
