"""Friction law of Ambrósio."""

from __future__ import annotations

from carom.argument_checks import non_negative, positive
from carom.errors import ModelError
from carom.kernels import FRICTION, kernel, record
from carom.laws.friction.base import (
    FRICTION_INPUT,
    FRICTION_OUTPUT,
    FrictionLaw,
    oppose,
    oppose_derivatives,
    sliding_speed,
)

PARAMS = record("mu v0 v1")  # [-], [m/s], [m/s]


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def ambrosio(p, law_input, out):
    """Evaluate F = N μ c_d against the sliding velocity."""
    speed = sliding_speed(law_input)
    c_d = min(max((speed - p.v0) / (p.v1 - p.v0), 0.0), 1.0)
    oppose(law_input.normal_force * p.mu * c_d, speed, law_input, out)
    if law_input.needs_derivatives:
        slope = 0.0
        if p.v0 <= speed < p.v1:
            slope = p.mu / (p.v1 - p.v0)
        oppose_derivatives(p.mu * c_d, slope, speed, law_input, out)


class Ambrosio(FrictionLaw):
    """μ c_d with the dynamic correction c_d: 0 below ``v0``, 1 above ``v1`` [m/s], linear between them.

    The force is zero below v0, so that it does not change its direction in every step of an integrator.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.Ambrosio(0.3, v0=1e-3, v1=1e-2)
    >>> round(friction.coefficient(1.0), 4)
    0.3
    """

    name = "ambrosio"
    formula = "F = −N μ c_d v/|v|, c_d = (|v| − v₀)/(v₁ − v₀) between v₀ and v₁"
    reference = (
        "J.A.C. Ambrósio, Impact of rigid and flexible multibody systems: deformation description and contact models, "
        "in: Virtual Nonlinear Multibody Systems, Kluwer, 2003, 57–81"
    )
    arguments = ("coefficient", "v0", "v1")
    kernel = ambrosio
    params = PARAMS

    def __init__(self, coefficient: float, v0: float, v1: float):
        self.mu = non_negative("Ambrosio", "coefficient", coefficient)
        self.v0, self.v1 = non_negative("Ambrosio", "v0", v0), positive("Ambrosio", "v1", v1)
        if self.v1 <= self.v0:
            raise ModelError(f"Ambrosio: v1 must be greater than v0 ({self.v0:g} m/s), got {self.v1:g} m/s")

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 1.5 * self.v1
