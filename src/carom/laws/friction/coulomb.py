"""Coulomb friction, regularised near rest."""

from __future__ import annotations

import math

from carom.argument_checks import non_negative, positive
from carom.kernels import FRICTION, jit, kernel, record
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT, FrictionLaw, oppose_derivatives, sliding_speed

PARAMS = record("mu regularisation")  # [-], v₀ [m/s]


@jit
def drag(p, normal_force, speed):
    """Return the friction force divided by the speed [N s/m], N μ tanh x/|v| with x = |v|/v₀, for a speed above zero.

    The exponential takes a third of the time of the library's hyperbolic tangent, Lambert's continued fraction less.
    Both are exact to rounding.
    """
    max_force = normal_force * p.mu
    x = speed / p.regularisation
    if x < 0.25:
        y = x * x
        numerator = 135135.0 + y * (17325.0 + y * (378.0 + y))
        return max_force * numerator / (p.regularisation * (135135.0 + y * (62370.0 + y * (3150.0 + 28.0 * y))))
    if x > 20.0:
        return max_force / speed
    return max_force * (1.0 - 2.0 / (math.exp(2.0 * x) + 1.0)) / speed


SMALL_CREEP, FOR_FIXED_STEPS = 5e-7, 1e-3
"""Default of v₀, and the value in its place in explicit steps of fixed length [m/s]."""


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def coulomb(p, law_input, out):
    """Evaluate F = N μ tanh(|v|/v₀) against the sliding velocity."""
    speed = sliding_speed(law_input)
    ratio = 0.0
    if speed > 0.0:
        ratio = drag(p, law_input.normal_force, speed)
    out.force_t = -ratio * law_input.v_t
    out.force_s = -ratio * law_input.v_s
    out.z_dot_t = 0.0
    out.z_dot_s = 0.0
    if law_input.needs_derivatives:
        coefficient = drag(p, 1.0, speed) * speed
        decay = math.exp(-2.0 * speed / p.regularisation)  # tanh' x = 4 e⁻²ˣ/(1 + e⁻²ˣ)²
        slope = 4.0 * p.mu / p.regularisation * decay / ((1.0 + decay) * (1.0 + decay))
        oppose_derivatives(coefficient, slope, speed, law_input, out)


class Coulomb(FrictionLaw):
    """μ tanh(|v|/v₀): smooth in all derivatives, 96 % of μ at 2 v₀.

    Below v₀ = ``regularisation`` [m/s] the bodies creep where dry friction would stick: with v₀ artanh s, where s is
    the used part of the friction. The default is so small that a body on an incline creeps by less than 1 µm/s with
    s = 0.96; implicit steps do not mind the stiff equations. A run of many bodies in explicit steps of fixed length
    (``integrator="verlet"``) uses 1 mm/s instead of the default.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.Coulomb(0.3)
    >>> round(friction.coefficient(1.0), 4)
    0.3
    """

    name = "coulomb"
    formula = "F = −N μ tanh(|v|/v₀) v/|v|"
    reference = "C.A. Coulomb, Théorie des machines simples, 1785; smoothed by the hyperbolic tangent"
    arguments = ("coefficient", "regularisation")
    kernel = coulomb
    params = PARAMS

    def __init__(self, coefficient: float, regularisation: float = SMALL_CREEP):
        self.mu = non_negative("Coulomb", "coefficient", coefficient)
        self.regularisation = positive("Coulomb", "regularisation", regularisation)

    @property
    def fixed_step_parameters(self) -> tuple[float, ...]:
        """Values of the kernel parameters in explicit steps of fixed length."""
        if self.regularisation != SMALL_CREEP:
            return self.parameters
        return PARAMS.pack(mu=self.mu, regularisation=FOR_FIXED_STEPS)

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 5.0 * self.regularisation
