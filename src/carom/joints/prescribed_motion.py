"""Built-in prescribed motions and their registry; `function_motion` contains the motion by a Python function.

If a start or an offset is not set, the motion starts from the value of the coordinate in the current pose.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from carom.argument_checks import finite_float, one_of, short_repr, vector
from carom.errors import ModelError
from carom.input_value import InputValue
from carom.joints.function_motion import FunctionMotion
from carom.joints.input_motion import InputMotion, held_parameters, input_of_speed
from carom.joints.motion import Motion
from carom.kernels import MOTION, Kernel, address_of, floats, kernel, offset, record
from carom.kernels.user_functions import UserKernel
from carom.mechanics.element_output import MOTION_OUTPUT
from carom.mechanics.inputs import held_speed

CONSTANT_SPEED = record("start speed")


@kernel(MOTION, CONSTANT_SPEED, MOTION_OUTPUT)
def constant_speed(t, params, output):
    """Evaluate start + speed t."""
    output.value = params.start + params.speed * t
    output.rate = params.speed
    output.acceleration = 0.0


class ConstantSpeed(Motion):
    """Motion f = start + speed t [m or rad]; the default start is the current value.

    ``speed`` may be an `Input`; the motion is then start + ∫ speed dt.

    Examples
    --------
    >>> import carom as cm
    >>> cm.ConstantSpeed(speed=3.0)
    ConstantSpeed(speed=3.0, start=None)
    """

    kernel = constant_speed
    takes_inputs = True
    is_polynomial = True

    def __init__(self, speed: float, start: float | None = None):
        self.input = input_of_speed(speed, start)
        self.speed = finite_float("ConstantSpeed", "speed", speed)
        self.start = None if start is None else finite_float("ConstantSpeed", "start", start)

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        start = current_value if self.start is None else self.start
        if self.input is not None:
            return held_parameters(self.input, start)
        return CONSTANT_SPEED.pack(start=start, speed=self.speed)

    def compiled(self, owner: str, body_dtype: np.dtype) -> Kernel | UserKernel:
        """Return the kernel; that of a speed that is an input integrates it."""
        return self.kernel if self.input is None else held_speed


SINE = record("offset amplitude angular_frequency phase")


@kernel(MOTION, SINE, MOTION_OUTPUT)
def sine(t, params, output):
    """Evaluate offset + amplitude sin(ω t + phase)."""
    omega = params.angular_frequency
    s = params.amplitude * math.sin(omega * t + params.phase)
    output.value = params.offset + s
    output.rate = params.amplitude * omega * math.cos(omega * t + params.phase)
    output.acceleration = -omega * omega * s


class SineMotion(Motion):
    """Motion f = offset + amplitude sin(2π frequency t + phase); frequency [Hz], phase [rad].

    The default offset starts the motion from the current value.

    Examples
    --------
    >>> import carom as cm
    >>> cm.SineMotion(amplitude=0.1, frequency=2.0)
    SineMotion(amplitude=0.1, frequency=2.0, phase=0.0, offset=None)
    """

    kernel = sine

    def __init__(self, amplitude: float, frequency: float, phase: float = 0.0, offset: float | None = None):
        self.amplitude = finite_float("SineMotion", "amplitude", amplitude)
        self.frequency = finite_float("SineMotion", "frequency", frequency)
        self.phase = finite_float("SineMotion", "phase", phase)
        self.offset = None if offset is None else finite_float("SineMotion", "offset", offset)

    @property
    def shortest_change(self) -> float:
        """Time in which the phase grows by 1 [s]."""
        return 1.0 / max(2.0 * math.pi * abs(self.frequency), sys.float_info.min)

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        offset = current_value - self.amplitude * math.sin(self.phase) if self.offset is None else self.offset
        omega = 2.0 * math.pi * self.frequency
        return SINE.pack(offset=offset, amplitude=self.amplitude, angular_frequency=omega, phase=self.phase)


COUNTED = record("count")
"""Number of values; the values follow."""
N_COUNTED = COUNTED.size


@kernel(MOTION, COUNTED, MOTION_OUTPUT)
def polynomial(t, params, output):
    """Evaluate a polynomial and two derivatives by Horner's scheme."""
    coefficients = offset(floats(address_of(params)), N_COUNTED)
    value = 0.0
    rate = 0.0
    acceleration = 0.0
    for k in range(int(params.count) - 1, -1, -1):
        acceleration = acceleration * t + 2.0 * rate
        rate = rate * t + value
        value = value * t + coefficients[k]
    output.value = value
    output.rate = rate
    output.acceleration = acceleration


class PolynomialMotion(Motion):
    """Motion f = c₀ + c₁ t + c₂ t² + …; ``coefficients`` in that order.

    Examples
    --------
    >>> import carom as cm
    >>> cm.PolynomialMotion([0.0, 1.0, 0.5]).coefficients
    (0.0, 1.0, 0.5)
    """

    kernel = polynomial
    is_polynomial = True

    def __init__(self, coefficients: Sequence[float]):
        self.coefficients = vector("PolynomialMotion", "coefficients", coefficients)
        if not self.coefficients:
            raise ModelError("PolynomialMotion: needs at least one coefficient, got none")

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        return (*COUNTED.pack(count=len(self.coefficients)), *self.coefficients)


STEP = record("t0 x0 t1 x1 order")


@kernel(MOTION, STEP, MOTION_OUTPUT)
def step(t, params, output):
    """Evaluate the smooth step from x0 at t0 to x1 at t1."""
    t0 = params.t0
    span = params.t1 - t0
    rise = params.x1 - params.x0
    x = (t - t0) / span
    output.rate = 0.0
    output.acceleration = 0.0
    if x < 0.0:  # At t0 and t1 the derivatives are those after it.
        output.value = params.x0
    elif x >= 1.0:
        output.value = params.x1
    elif params.order == 3.0:
        output.value = params.x0 + rise * x * x * (3.0 - 2.0 * x)
        output.rate = rise * 6.0 * x * (1.0 - x) / span
        output.acceleration = rise * (6.0 - 12.0 * x) / (span * span)
    else:
        output.value = params.x0 + rise * x * x * x * (10.0 + x * (6.0 * x - 15.0))
        output.rate = rise * 30.0 * x * x * (1.0 - x) * (1.0 - x) / span
        output.acceleration = rise * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (span * span)


class StepMotion(Motion):
    """Smooth step from x0 (until t0 [s]) to x1 (from t1 [s] on).

    ``smooth="quintic"`` keeps speed and acceleration continuous, ``"cubic"`` only the speed.

    Examples
    --------
    >>> import carom as cm
    >>> cm.StepMotion(t0=0.0, x0=0.0, t1=1.0, x1=0.2).breaks
    (0.0, 1.0)
    """

    kernel = step
    is_polynomial = True

    def __init__(self, t0: float, x0: float, t1: float, x1: float, smooth: Literal["quintic", "cubic"] = "quintic"):
        self.t0, self.x0, self.t1, self.x1 = vector("StepMotion", "(t0, x0, t1, x1)", (t0, x0, t1, x1), 4)
        self.smooth = one_of("StepMotion", "smooth", smooth, ("quintic", "cubic"))
        if self.t1 <= self.t0:
            raise ModelError(f"StepMotion: t1 must be after t0, got t0={t0:g}, t1={t1:g}")
        self.breaks = (self.t0, self.t1)

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        order = 3.0 if self.smooth == "cubic" else 5.0
        return STEP.pack(t0=self.t0, x0=self.x0, t1=self.t1, x1=self.x1, order=order)


@kernel(MOTION, COUNTED, MOTION_OUTPUT)
def table(t, params, output):
    """Evaluate a cubic spline: knots, then four coefficients per segment, highest power first."""
    count = int(params.count)
    knots = offset(floats(address_of(params)), N_COUNTED)
    low = 0
    high = count - 1
    while high - low > 1:
        midpoint = (low + high) // 2
        if knots[midpoint] <= t:
            low = midpoint
        else:
            high = midpoint
    x = t - knots[low]
    c = offset(knots, count + 4 * low)
    output.value = ((c[0] * x + c[1]) * x + c[2]) * x + c[3]
    output.rate = (3.0 * c[0] * x + 2.0 * c[1]) * x + c[2]
    output.acceleration = 6.0 * c[0] * x + 2.0 * c[1]


class TableMotion(Motion):
    """Cubic spline (not-a-knot) through measured values ``x`` at four or more increasing ``times`` [s].

    Examples
    --------
    >>> import carom as cm
    >>> cm.TableMotion(times=[0.0, 0.1, 0.2, 0.3], x=[0.0, 0.1, 0.4, 0.9]).span
    (0.0, 0.3)
    """

    kernel = table

    def __init__(self, times: Sequence[float], x: Sequence[float]):
        self.times = vector("TableMotion", "times", times)
        self.x = vector("TableMotion", "x", x, len(self.times))
        if len(self.times) < 4:
            raise ModelError(f"TableMotion: needs at least four points, got {len(self.times)}")
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ModelError("TableMotion: times must increase from point to point")
        self.span = (self.times[0], self.times[-1])

    @property
    def shortest_change(self) -> float:
        """Shortest time between two points [s]."""
        return min(b - a for a, b in pairwise(self.times))

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(self.times, self.x)
        return (*COUNTED.pack(count=len(self.times)), *self.times, *spline.c.T.ravel())


__all__ = [  # noqa: RUF022  the order of the documentation
    "ConstantSpeed",
    "SineMotion",
    "PolynomialMotion",
    "StepMotion",
    "TableMotion",
    "FunctionMotion",
]

MOTIONS: dict[str, type[Motion]] = {name: globals()[name] for name in __all__}
"""Registry of motions by name; all are public names of `carom`."""


def as_motion(owner: str, motion: Any) -> Motion:
    """Return a motion; a function of time becomes a `FunctionMotion`."""
    if isinstance(motion, Motion):
        return motion
    if isinstance(motion, InputValue):
        return InputMotion(motion)
    if callable(motion):
        return FunctionMotion(motion)
    raise ModelError(
        f"{owner}: motion must be a motion (ConstantSpeed, SineMotion, …) or a function of time, "
        f"got {short_repr(motion)}"
    )
