"""Friction law of Threlfall."""

from __future__ import annotations

import math

from carom.argument_checks import non_negative, positive
from carom.kernels import FRICTION, kernel, record
from carom.laws.friction.base import (
    FRICTION_INPUT,
    FRICTION_OUTPUT,
    FrictionLaw,
    oppose,
    oppose_derivatives,
    sliding_speed,
)

PARAMS = record("mu v0")  # [-], [m/s]


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def threlfall(p, law_input, out):
    """Evaluate F = N μ(|v|) against the sliding velocity."""
    speed = sliding_speed(law_input)
    fraction = 1.0
    if speed < p.v0:
        fraction = math.expm1(-3.0 * speed / p.v0) / math.expm1(-3.0)
    oppose(law_input.normal_force * p.mu * fraction, speed, law_input, out)
    if law_input.needs_derivatives:
        slope = 0.0
        if speed < p.v0:
            slope = -3.0 / p.v0 * math.exp(-3.0 * speed / p.v0) / math.expm1(-3.0)
        oppose_derivatives(p.mu * fraction, p.mu * slope, speed, law_input, out)


class Threlfall(FrictionLaw):
    """μ (1 − exp(−3 |v|/v₀))/(1 − exp(−3)) up to ``v0`` [m/s], μ above: continuous, with a kink at v0.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.Threlfall(0.3, v0=1e-2)
    >>> round(friction.coefficient(1.0), 4)
    0.3
    """

    name = "threlfall"
    formula = "F = −N μ (1 − exp(−3 |v|/v₀))/(1 − exp(−3)) v/|v| for |v| ≤ v₀"
    reference = (
        "D.C. Threlfall, The inclusion of Coulomb friction in mechanisms programs with particular reference to DRAM, "
        "Mechanism and Machine Theory 13 (1978) 475–483"
    )
    arguments = ("coefficient", "v0")
    kernel = threlfall
    params = PARAMS

    def __init__(self, coefficient: float, v0: float):
        self.mu = non_negative("Threlfall", "coefficient", coefficient)
        self.v0 = positive("Threlfall", "v0", v0)

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 2.0 * self.v0
