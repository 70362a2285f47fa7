"""A friction law written by the user as a plain Python function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from carom.kernels import FRICTION
from carom.laws.friction.base import FrictionLaw
from carom.laws.user_law import UserLaw


class CustomFriction(UserLaw, FrictionLaw):
    """μ = f(|v|): made by `custom`."""

    signature = FRICTION
    styles = {"function": (("speed",),)}
    sizes = (0, None, 2, 2)

    def __init__(self, function: Callable[[float], float], name: str | None = None):
        super().__init__("friction.custom", function, name, (1,))
        self.formula = f"F = −N {self.name}(|v|) v/|v|"

    @property
    def top_speed(self) -> float:
        return 1.0

    def wrap(self, f: Any, view: Any) -> Any:
        def custom(par, normal_force, velocity, state, out):
            speed = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
            share = 0.0
            if speed > 0.0:
                share = -normal_force * f(speed) / speed
            out[0] = share * velocity[0]
            out[1] = share * velocity[1]
            out[2] = 0.0
            out[3] = 0.0

        return custom


def custom(function: Callable[[float], float], name: str | None = None) -> CustomFriction:
    """A friction law from ``function(speed)`` -> coefficient of friction, speed ≥ 0 [m/s].

    It is compiled on first use. The force acts against the sliding and is zero at rest; let the coefficient vanish
    there smoothly, or the equations of motion jump.
    """
    return CustomFriction(function, name)
