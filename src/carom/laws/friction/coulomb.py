"""Coulomb friction, smoothed at rest."""

from __future__ import annotations

import math

from carom.errors import not_negative, positive
from carom.kernels import FRICTION, kernel
from carom.laws.friction.base import FrictionLaw, oppose


@kernel(FRICTION)
def coulomb(par, normal_force, velocity, state, out):
    """par: coefficient μ, regularisation v₀."""
    speed = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
    oppose(normal_force * par[0] * math.tanh(speed / par[1]), speed, velocity, out)


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
