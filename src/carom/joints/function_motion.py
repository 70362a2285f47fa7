"""Prescribed motion by a Python function, with derivatives by central differences unless the user defines them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.joints.motion import Motion
from carom.kernels import USER_MOTION, Kernel, record
from carom.kernels.expression_breaks import declared_breaks
from carom.kernels.user_functions import UserKernel, parameters_of
from carom.mechanics.element_output import MOTION_OUTPUT

FUNCTION = record("spacing")
"""Difference step of the derivatives [s]."""

FIRST_DIFFERENCE = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Weights of f(t + k h) − f(t − k h) in h f', k = 1 … 4: central differences of eighth order [-]."""
SECOND_DIFFERENCE = (8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0)
"""Weights of f(t + k h) + f(t − k h) in h² f'', k = 1 … 4: central differences of eighth order [-]."""
SECOND_DIFFERENCE_CENTRE = -205.0 / 72.0
"""Weight of f(t) in h² f'' [-]."""


class FunctionMotion(Motion):
    """Motion f(t) defined by a Python function, compiled on first use.

    ``rate`` and ``acceleration`` are its derivatives; missing ones are computed by central differences of eighth order
    (about ten digits of the first, eight of the second), which evaluate f slightly outside the time span of a run.

    Examples
    --------
    >>> import carom as cm
    >>> motion = cm.FunctionMotion(lambda t: t * t, rate=lambda t: 2.0 * t)
    >>> motion.value(3.0), motion.rate(3.0)
    (9.0, 6.0)
    """

    styles = dict.fromkeys(("value", "rate", "acceleration"), (("t",),))

    def __init__(
        self,
        value: Callable[[float], float],
        rate: Callable[[float], float] | None = None,
        acceleration: Callable[[float], float] | None = None,
    ):
        for function in (value, rate, acceleration):
            if function is not None:
                if not callable(function):
                    raise ModelError(
                        "FunctionMotion: value, rate and acceleration must be functions of time, "
                        f"got {short_repr(function)}"
                    )
                parameters_of("FunctionMotion", function, (1,))
        self.value, self.rate, self.acceleration = value, rate, acceleration
        functions = [f for f in (value, rate, acceleration) if f is not None]
        self.breaks = tuple(sorted({t for f in functions for t in declared_breaks("FunctionMotion", f)}))

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        return FUNCTION.pack(spacing=self._spacing())

    def _spacing(self) -> float:
        """Return the difference step whose second derivative changes least when it is reduced [s]."""
        if self.rate is not None and self.acceleration is not None:
            return 1.0
        times = [0.0137, 0.2911, 0.7313, 1.9177]
        best = (math.inf, 1e-3)
        for power in range(9):
            h = 0.0953 * 0.317**power  # This is incommensurate with usual periods.
            wide = [_second_difference(self.value, t, h) for t in times]
            fine = [_second_difference(self.value, t, 0.618 * h) for t in times]
            changes = [abs(a - b) for a, b in zip(wide, fine, strict=True) if math.isfinite(a) and math.isfinite(b)]
            if changes:
                best = min(best, (max(changes), h))
        return best[1]

    def compiled(self, owner: str, body_dtype: np.dtype) -> Kernel | UserKernel:
        """Return the kernel of the function."""
        if self.rate is None and self.acceleration is None:
            return UserKernel(owner, self.value, USER_MOTION, _wrap_value, body_dtype, (None, 1))
        functions = [f for f in (self.value, self.rate, self.acceleration) if f is not None]
        return _kernel_with_derivatives(owner, functions, self.rate is not None, body_dtype)


def _second_difference(f: Callable[[float], float], t: float, h: float) -> float:
    """Return f'' by the differences of `_wrap_value`; infinite where the function is not defined."""
    try:
        sides = sum(c * (f(t + k * h) + f(t - k * h)) for k, c in enumerate(SECOND_DIFFERENCE, 1))
        return float((SECOND_DIFFERENCE_CENTRE * f(t) + sides) / (h * h))
    except (ArithmeticError, ValueError):
        return math.inf


def _wrap_value(f: Any, view: Any) -> Any:
    """Return the kernel of a motion whose derivatives are central differences."""

    def motion(t, params, out):
        output = MOTION_OUTPUT(out)
        h = FUNCTION(params).spacing
        centre = f(t)
        first = 0.0
        second = SECOND_DIFFERENCE_CENTRE * centre
        for k in range(4):
            ahead = f(t + (k + 1) * h)
            behind = f(t - (k + 1) * h)
            first += FIRST_DIFFERENCE[k] * (ahead - behind)
            second += SECOND_DIFFERENCE[k] * (ahead + behind)
        output.value = centre
        output.rate = first / h
        output.acceleration = second / (h * h)

    return motion


def _kernel_with_derivatives(owner: str, functions: list[Any], has_rate: bool, body_dtype: np.dtype) -> UserKernel:
    """Return the kernel of a motion for which the user wrote one or both derivatives."""
    import numba

    helpers = functions[1:]

    def wrap(f: Any, view: Any) -> Any:
        python = not hasattr(f, "py_func")
        others = helpers if python else [numba.njit(h) for h in helpers]
        differences = _wrap_value(f, view) if python else numba.njit(_wrap_value(f, view))
        rate = others[0]
        acceleration = others[-1]
        both = len(others) == 2

        def motion(t, params, out):
            output = MOTION_OUTPUT(out)
            if not both:
                differences(t, params, out)
            output.value = f(t)
            if has_rate:
                output.rate = rate(t)
            if both or not has_rate:
                output.acceleration = acceleration(t)

        return motion

    return UserKernel(owner, functions[0], USER_MOTION, wrap, body_dtype, (None, 1), helpers)
