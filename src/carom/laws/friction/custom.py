"""User-defined friction law: a plain Python function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from carom.kernels import FRICTION, with_records
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT, FrictionLaw
from carom.laws.user_law import UserLaw

STEP, SMALL_SPEED = 6e-6, 1e-9
"""Relative step of the differences of the function [-], and the step at rest [m/s]."""


class CustomFriction(UserLaw, FrictionLaw):
    """μ = f(|v|), built by `custom`."""

    signature = with_records(FRICTION, UserLaw.params, FRICTION_INPUT, FRICTION_OUTPUT)
    styles = {"function": (("speed",),)}

    def __init__(self, function: Callable[[float], float], name: str | None = None):
        super().__init__("friction.custom", function, name, (1,))
        self.formula = f"F = −N {self.name}(|v|) v/|v|"

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 1.0

    def wrap(self, f: Any, view: Any) -> Any:
        """Return the kernel around a function."""

        def custom(params, law_input, out):
            # Without compiled helpers: the interpreter calls this kernel around a function that cannot be compiled.
            speed = math.sqrt(law_input.v_t * law_input.v_t + law_input.v_s * law_input.v_s)
            ratio = 0.0
            if speed > 0.0:
                ratio = -law_input.normal_force * f(speed) / speed
            out.force_t = ratio * law_input.v_t
            out.force_s = ratio * law_input.v_s
            out.z_dot_t = 0.0
            out.z_dot_s = 0.0
            if law_input.needs_derivatives:
                load = -law_input.normal_force
                coefficient = 0.0
                e_t = 0.0
                e_s = 0.0
                # With μ(0) = 0, the difference at rest is of second order.
                slope = (4.0 * f(SMALL_SPEED) - f(2.0 * SMALL_SPEED)) / (2.0 * SMALL_SPEED)
                across = slope
                if speed > 0.0:
                    step = STEP * speed
                    coefficient = f(speed)
                    slope = (f(speed + step) - f(speed - step)) / (2.0 * step)
                    across = coefficient / speed
                    e_t = law_input.v_t / speed
                    e_s = law_input.v_s / speed
                for k in range(4):
                    out.force_by_state[k] = 0.0
                    out.rate_by_velocity[k] = 0.0
                    out.rate_by_state[k] = 0.0
                for k in range(2):
                    out.rate_by_normal[k] = 0.0
                out.force_by_normal[0] = -coefficient * e_t
                out.force_by_normal[1] = -coefficient * e_s
                mixed = load * (slope - across) * e_t * e_s
                out.force_by_velocity[0] = load * (across + (slope - across) * e_t * e_t)
                out.force_by_velocity[1] = mixed
                out.force_by_velocity[2] = mixed
                out.force_by_velocity[3] = load * (across + (slope - across) * e_s * e_s)

        return custom


def custom(function: Callable[[float], float], name: str | None = None) -> CustomFriction:
    """Return a friction law from ``function(speed)`` -> coefficient of friction, speed ≥ 0 [m/s].

    The function is compiled on first use. The force opposes the sliding velocity and is zero at rest; the coefficient
    should decrease smoothly to zero there, else the equations of motion are discontinuous.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.custom(lambda speed: 0.2 * speed / (0.01 + speed))
    >>> round(friction.coefficient(0.01), 6)
    0.1
    """
    return CustomFriction(function, name)
