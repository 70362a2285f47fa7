"""Prescribed motions: functions of time with two derivatives.

If a start or an offset is not set, the motion starts from the value of the coordinate in the current pose.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from carom.argument_checks import finite_float, one_of, short_repr, vector
from carom.errors import ModelError
from carom.init_arguments import Sealed
from carom.kernels import MOTION, USER_MOTION, Kernel, address_of, floats, kernel, offset, record
from carom.kernels.user_functions import UserKernel, parameters_of
from carom.mechanics.element_output import MOTION_OUTPUT


class Motion(Sealed):
    """Function of time with two derivatives: a ``kernel`` and its ``parameters``, named by the kernel's record.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0)))
    >>> isinstance(system.add(cm.Driver(hinge, lambda t: 0.1 * t)).motion, cm.Motion)
    True
    """

    kernel: ClassVar[Kernel]
    breaks: tuple[float, ...] = ()
    """Times at which the second derivative is discontinuous; integration steps end there [s]."""
    span: tuple[float, float] = (-math.inf, math.inf)
    """First and last time at which the motion is defined [s]."""
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    """Argument lists that functions passed to the constructor may have."""

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        raise NotImplementedError

    def compiled(self, owner: str, body_dtype: np.dtype) -> Kernel | UserKernel:
        """Return the kernel; ``owner`` and ``body_dtype`` are used by functions of users only."""
        return self.kernel

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments of this motion, without those that are None."""
        arguments = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        return {name: value for name, value in arguments.items() if value is not None}

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in vars(self).items() if not key.startswith("_"))
        return f"{type(self).__name__}({inside})"


CONSTANT_SPEED = record("start speed")


@kernel(MOTION, CONSTANT_SPEED, MOTION_OUTPUT)
def constant_speed(t, params, output):
    """Evaluate start + speed t."""
    output.value = params.start + params.speed * t
    output.rate = params.speed
    output.acceleration = 0.0


class ConstantSpeed(Motion):
    """Motion f = start + speed t [m or rad]; the default start is the current value.

    Examples
    --------
    >>> import carom as cm
    >>> cm.ConstantSpeed(speed=3.0)
    ConstantSpeed(speed=3.0, start=None)
    """

    kernel = constant_speed

    def __init__(self, speed: float, start: float | None = None):
        self.speed = finite_float("ConstantSpeed", "speed", speed)
        self.start = None if start is None else finite_float("ConstantSpeed", "start", start)

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        return CONSTANT_SPEED.pack(start=current_value if self.start is None else self.start, speed=self.speed)


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
        middle = (low + high) // 2
        if knots[middle] <= t:
            low = middle
        else:
            high = middle
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

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(self.times, self.x)
        return (*COUNTED.pack(count=len(self.times)), *self.times, *spline.c.T.ravel())


FUNCTION = record("spacing")
"""Difference step of the derivatives [s]."""


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


D1 = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
D2 = (8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0)
D2_CENTRE = -205.0 / 72.0


def _second_difference(f: Callable[[float], float], t: float, h: float) -> float:
    """Return f'' by the differences of `_wrap_value`; infinite where the function is not defined."""
    try:
        sides = sum(c * (f(t + k * h) + f(t - k * h)) for k, c in enumerate(D2, 1))
        return float((D2_CENTRE * f(t) + sides) / (h * h))
    except (ArithmeticError, ValueError):
        return math.inf


def _wrap_value(f: Any, view: Any) -> Any:
    """Return the kernel of a motion whose derivatives are central differences."""

    def motion(t, params, out):
        output = MOTION_OUTPUT(out)
        h = FUNCTION(params).spacing
        centre = f(t)
        first = 0.0
        second = D2_CENTRE * centre
        for k in range(4):
            ahead = f(t + (k + 1) * h)
            behind = f(t - (k + 1) * h)
            first += D1[k] * (ahead - behind)
            second += D2[k] * (ahead + behind)
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

    return UserKernel(owner, functions[0], USER_MOTION, wrap, body_dtype, (None, 1))


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
    if callable(motion):
        return FunctionMotion(motion)
    raise ModelError(
        f"{owner}: motion must be a motion (ConstantSpeed, SineMotion, …) or a function of time, "
        f"got {short_repr(motion)}"
    )
