"""Friction law of Dahl: an elastic bristle that yields."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.kernels import FRICTION, kernel, record
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT, FrictionLaw

PARAMS = record("mu stiffness shape")  # [-], σ [1/m], i [-]


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def dahl(p, law_input, out):
    """Evaluate F = −N σ z and the rate of the bristle deflection z."""
    v_t = law_input.v_t
    v_s = law_input.v_s
    speed = math.sqrt(v_t * v_t + v_s * v_s)
    strain_t = p.stiffness * law_input.z_t / p.mu  # σ z/μ
    strain_s = p.stiffness * law_input.z_s / p.mu
    out.force_t = -law_input.normal_force * p.mu * strain_t
    out.force_s = -law_input.normal_force * p.mu * strain_s
    out.z_dot_t = 0.0
    out.z_dot_s = 0.0
    if speed > 0.0:
        e_t = v_t / speed
        e_s = v_s / speed
        strain = strain_t * e_t + strain_s * e_s  # along the sliding velocity
        r = 1.0 - strain
        factor = r
        if p.shape != 1.0:
            factor = math.copysign(abs(r) ** p.shape, r)
        out.z_dot_t = factor * v_t - speed * (strain_t - strain * e_t)
        out.z_dot_s = factor * v_s - speed * (strain_s - strain * e_s)


class Dahl(FrictionLaw):
    """F = −N σ z with ż = v |r|ⁱ sgn r, r = 1 − σ z sgn(v)/μ: hysteresis before sliding, μ N in steady sliding.

    ``stiffness`` σ [1/m] is the slope of the force at rest, per normal force; ``shape`` i ≥ 1. For sliding in a plane
    the deflection z parallel to v follows this equation, and the deflection normal to v decays with ż = −σ |v| z/μ;
    with i = 1 both give ż = v − σ |v| z/μ.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.Dahl(0.3, stiffness=1e5)
    >>> round(friction.coefficient(1.0), 4)
    0.3
    """

    name = "dahl"
    formula = "F = −N σ z, ż = v |1 − σ z sgn(v)/μ|ⁱ sgn(1 − σ z sgn(v)/μ)"
    reference = "P.R. Dahl, A solid friction model, Aerospace Corporation TOR-0158(3107-18)-1, 1968"
    arguments = ("coefficient", "stiffness", "shape")
    kernel = dahl
    params = PARAMS
    has_state = True

    def __init__(self, coefficient: float, stiffness: float, shape: float = 1.0):
        self.mu = positive("Dahl", "coefficient", coefficient)
        self.stiffness = positive("Dahl", "stiffness", stiffness)
        self.shape = finite_float("Dahl", "shape", shape)
        if self.shape < 1.0:
            raise ModelError(f"Dahl: shape must be at least 1, got {self.shape:g}")

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 1.0

    def _steady(self, speed: np.ndarray) -> np.ndarray:
        return np.where(speed > 0.0, self.mu, 0.0)
