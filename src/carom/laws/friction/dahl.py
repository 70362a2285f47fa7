"""Friction law of Dahl: an elastic bristle that yields."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.kernels import FRICTION, jit, kernel, record
from carom.laws.friction.base import (
    FRICTION_INPUT,
    FRICTION_OUTPUT,
    FrictionLaw,
    direction,
    store_isotropic,
    store_matrix,
)

PARAMS = record("mu stiffness shape")  # [-], σ [1/m], i [-]


@jit
def yield_function(r, shape):
    """Return |r|ⁱ sgn r [-]."""
    return math.copysign(abs(r) ** shape, r)


@jit
def store_derivatives(p, law_input, speed, strain_t, strain_s, out):
    """Store the derivatives of `dahl`; at rest, ∂ż/∂v is the mean of both directions of sliding.

    With y = σ z/μ, e = v/|v|, r = 1 − y·e and φ = |r|ⁱ sgn r, the rate is ż = (φ + y·e) v − |v| y.
    """
    load = law_input.normal_force
    out.force_by_normal[0] = -p.mu * strain_t
    out.force_by_normal[1] = -p.mu * strain_s
    store_matrix(out.force_by_state, -load * p.stiffness, 0.0, 0.0, -load * p.stiffness)
    for k in range(4):
        out.force_by_velocity[k] = 0.0
        out.rate_by_state[k] = 0.0
    for k in range(2):
        out.rate_by_normal[k] = 0.0
    if speed == 0.0:
        size = math.sqrt(strain_t * strain_t + strain_s * strain_s)
        y_t, y_s = direction(strain_t, strain_s, size)
        mean = 0.5 * (yield_function(1.0 - size, p.shape) + yield_function(1.0 + size, p.shape))
        store_isotropic(out.rate_by_velocity, mean, 1.0, y_t, y_s)
        return
    e_t, e_s = direction(law_input.v_t, law_input.v_s, speed)
    strain = strain_t * e_t + strain_s * e_s
    r = 1.0 - strain
    a = yield_function(r, p.shape) + strain
    b = 1.0 - p.shape * abs(r) ** (p.shape - 1.0)  # 1 − dφ/dr
    across_t = b * (strain_t - strain * e_t)
    across_s = b * (strain_s - strain * e_s)
    store_matrix(
        out.rate_by_velocity, a + e_t * across_t - strain_t * e_t, e_t * across_s - strain_t * e_s,
        e_s * across_t - strain_s * e_t, a + e_s * across_s - strain_s * e_s,
    )  # fmt: skip
    scale = speed * p.stiffness / p.mu
    store_isotropic(out.rate_by_state, scale * (b - 1.0), -scale, e_t, e_s)


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
    if law_input.needs_derivatives:
        store_derivatives(p, law_input, speed, strain_t, strain_s, out)


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
