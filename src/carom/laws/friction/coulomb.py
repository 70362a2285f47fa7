"""Coulomb friction, smoothed at rest."""

from __future__ import annotations

import math

from carom.errors import not_negative, positive
from carom.kernels import FRICTION, jit, kernel
from carom.laws.friction.base import FrictionLaw


@jit
def drag(par, normal_force, speed):
    """Friction over the speed, which is not zero [N s/m]: N μ tanh x/|v| with x = |v|/v₀, to rounding.

    The exponential costs a third of the library's hyperbolic tangent, the continued fraction of Lambert less.
    """
    most = normal_force * par[0]
    x = speed / par[1]
    if x < 0.25:
        y = x * x
        above = 135135.0 + y * (17325.0 + y * (378.0 + y))
        return most * above / (par[1] * (135135.0 + y * (62370.0 + y * (3150.0 + 28.0 * y))))
    if x > 20.0:
        return most / speed
    return most * (1.0 - 2.0 / (math.exp(2.0 * x) + 1.0)) / speed


@kernel(FRICTION)
def coulomb(par, normal_force, velocity, state, out):
    """par: coefficient μ, regularisation v₀."""
    speed = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
    share = 0.0
    if speed > 0.0:
        share = drag(par, normal_force, speed)
    out[0] = -share * velocity[0]
    out[1] = -share * velocity[1]
    out[2] = 0.0
    out[3] = 0.0


class Coulomb(FrictionLaw):
    """μ tanh(|v|/v₀): smooth in all derivatives, 96 % of μ at 2 v₀.

    Below v₀ = ``regularisation`` [m/s] it creeps where dry friction would stick. A smaller v₀ sticks better and makes
    the equations of motion stiffer.
    """

    name = "coulomb"
    formula = "F = −N μ tanh(|v|/v₀) v/|v|"
    reference = "C.A. Coulomb, Théorie des machines simples, 1785; smoothed by the hyperbolic tangent"
    arguments = ("coefficient", "regularisation")
    kernel = coulomb

    def __init__(self, coefficient: float, regularisation: float = 1e-3):
        self.mu = not_negative("Coulomb", "coefficient", coefficient)
        self.regularisation = positive("Coulomb", "regularisation", regularisation)
        self.parameters = (self.mu, self.regularisation)

    @property
    def top_speed(self) -> float:
        return 5.0 * self.regularisation
