"""Static and dynamic friction connected by cubic steps."""

from __future__ import annotations

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.kernels import FRICTION, kernel, record
from carom.laws.cubic_step import cubic_step, cubic_step_slope
from carom.laws.friction.base import (
    FRICTION_INPUT,
    FRICTION_OUTPUT,
    FrictionLaw,
    check_coefficients,
    oppose,
    oppose_derivatives,
    sliding_speed,
)

PARAMS = record("static dynamic stick_speed slip_speed")  # C_st [-], C_dy [-], V_s [m/s], V_tr [m/s]


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def step_coulomb(p, law_input, out):
    """Evaluate F = N μ(|v|) against the sliding velocity."""
    speed = sliding_speed(law_input)
    one = 1.0
    sign = cubic_step(speed, -p.stick_speed, -one, p.stick_speed, one)
    coefficient = cubic_step(speed, p.stick_speed, p.static, p.slip_speed, p.dynamic)
    oppose(law_input.normal_force * sign * coefficient, speed, law_input, out)
    if law_input.needs_derivatives:
        slope = cubic_step_slope(speed, -p.stick_speed, -one, p.stick_speed, one) * coefficient
        slope += cubic_step_slope(speed, p.stick_speed, p.static, p.slip_speed, p.dynamic) * sign
        oppose_derivatives(sign * coefficient, slope, speed, law_input, out)


class StepCoulomb(FrictionLaw):
    """μ = Step(|v|, −V_s, −1, V_s, 1) · Step(|v|, V_s, C_st, V_tr, C_dy): static and dynamic friction.

    It rises to the static coefficient C_st at ``stick_speed`` V_s and falls to the dynamic one C_dy at ``slip_speed``
    V_tr > V_s [m/s].

    The first Step of the published formula starts at −V_s; the coefficient acts against the direction of sliding.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.StepCoulomb(static=0.2, dynamic=0.1, stick_speed=0.005, slip_speed=0.05)
    >>> round(friction.coefficient(1.0), 4)
    0.1
    """

    name = "step_coulomb"
    formula = "F = −N Step(|v|, −V_s, −1, V_s, 1) Step(|v|, V_s, C_st, V_tr, C_dy) v/|v|"
    reference = (
        "Z. Zhu, X. Ma, D. Liang, X. Jiang, Y. Liu, C. Lu, F. Zhou, A penalty function-based Modelica library for "
        "multi-body contact collision, eqs. (4) to (6)"
    )
    arguments = ("static", "dynamic", "stick_speed", "slip_speed")
    kernel = step_coulomb
    params = PARAMS

    def __init__(self, static: float, dynamic: float, stick_speed: float, slip_speed: float):
        self.static, self.dynamic = check_coefficients("StepCoulomb", static, dynamic)
        self.stick_speed = positive("StepCoulomb", "stick_speed", stick_speed)
        self.slip_speed = positive("StepCoulomb", "slip_speed", slip_speed)
        if self.slip_speed <= self.stick_speed:
            raise ModelError(
                f"StepCoulomb: slip_speed must be greater than stick_speed ({self.stick_speed:g} m/s), "
                f"got {self.slip_speed:g} m/s"
            )

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 1.5 * self.slip_speed
