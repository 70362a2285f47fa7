"""Friction law of Bengisu and Akay."""

from __future__ import annotations

import math

from carom.argument_checks import positive
from carom.kernels import FRICTION, kernel, record
from carom.laws.friction.base import (
    FRICTION_INPUT,
    FRICTION_OUTPUT,
    FrictionLaw,
    check_coefficients,
    oppose,
    oppose_derivatives,
    sliding_speed,
)

PARAMS = record("static dynamic v0 decay")  # μ_s [-], μ_d [-], v₀ [m/s], ξ [s/m]


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def bengisu_akay(p, law_input, out):
    """Evaluate F = N μ(|v|) against the sliding velocity."""
    speed = sliding_speed(law_input)
    excess = speed - p.v0
    if excess < 0.0:
        x = excess / p.v0
        coefficient = p.static * (1.0 - x * x)
    else:
        coefficient = p.dynamic + (p.static - p.dynamic) * math.exp(-p.decay * excess)
    oppose(law_input.normal_force * coefficient, speed, law_input, out)
    if law_input.needs_derivatives:
        if excess < 0.0:
            slope = -2.0 * p.static * excess / (p.v0 * p.v0)
        else:
            slope = -p.decay * (p.static - p.dynamic) * math.exp(-p.decay * excess)
        oppose_derivatives(coefficient, slope, speed, law_input, out)


class BengisuAkay(FrictionLaw):
    """μ_s (1 − (|v| − v₀)²/v₀²) below ``v0`` [m/s], μ_d + (μ_s − μ_d) exp(−ξ (|v| − v₀)) above; ``decay`` ξ [s/m].

    The parabola rises from rest to the static coefficient, the exponential falls from there to the dynamic one.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.BengisuAkay(static=0.3, dynamic=0.2, v0=1e-2, decay=10.0)
    >>> round(friction.coefficient(1.0), 4)
    0.2
    """

    name = "bengisu_akay"
    formula = "μ = μ_s − μ_s/v₀² (|v| − v₀)² below v₀, μ_d + (μ_s − μ_d) exp(−ξ (|v| − v₀)) above"
    reference = (
        "M.T. Bengisu, A. Akay, Stability of friction-induced vibrations in multi-degree-of-freedom systems, "
        "J. Sound and Vibration 171 (1994) 557–570"
    )
    arguments = ("static", "dynamic", "v0", "decay")
    kernel = bengisu_akay
    params = PARAMS

    def __init__(self, static: float, dynamic: float, v0: float, decay: float):
        self.static, self.dynamic = check_coefficients("BengisuAkay", static, dynamic)
        self.v0 = positive("BengisuAkay", "v0", v0)
        self.decay = positive("BengisuAkay", "decay", decay)

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return self.v0 + 5.0 / self.decay
