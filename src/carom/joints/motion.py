"""Prescribed functions of time: what a driver makes a coordinate do.

Each gives f(t), f'(t) and f''(t). Where a start or an offset is left open, the motion starts from the value that the
coordinate has in the model's present pose.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from carom.errors import ModelError, choice, number, shown, vector
from carom.init_arguments import Sealed
from carom.kernels import MOTION, Kernel, kernel
from carom.kernels.user import UserKernel, parameters_of


class Motion(Sealed):
    """A function of time with two derivatives: ``kernel`` and the numbers it takes."""

    kernel: ClassVar[Kernel]
    breaks: tuple[float, ...] = ()
    """Times at which the second derivative jumps; integration steps end there."""
    span: tuple[float, float] = (-math.inf, math.inf)
    """Where the motion is defined."""
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    """Argument lists of the functions among its arguments."""

    def parameters(self, now: float) -> Sequence[float]:
        """The kernel's numbers, for a coordinate that is ``now``."""
        raise NotImplementedError

    def compiled(self, owner: str, record: np.dtype) -> Kernel | UserKernel:
        return self.kernel

    def keywords(self) -> dict[str, Any]:
        """The arguments that make this motion again; those left open are left out."""
        given = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        return {name: value for name, value in given.items() if value is not None}

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in vars(self).items() if not key.startswith("_"))
        return f"{type(self).__name__}({inside})"


@kernel(MOTION)
def constant_speed(t, par, out):
    out[0] = par[0] + par[1] * t
    out[1] = par[1]
    out[2] = 0.0


class ConstantSpeed(Motion):
    """f = start + speed t [m or rad]."""

    kernel = constant_speed

    def __init__(self, speed: float, start: float | None = None):
        self.speed = number("ConstantSpeed", "speed", speed)
        self.start = None if start is None else number("ConstantSpeed", "start", start)

    def parameters(self, now: float) -> Sequence[float]:
        return (now if self.start is None else self.start, self.speed)


@kernel(MOTION)
def sine(t, par, out):
    s = par[1] * math.sin(par[2] * t + par[3])
    out[0] = par[0] + s
    out[1] = par[1] * par[2] * math.cos(par[2] * t + par[3])
    out[2] = -par[2] * par[2] * s


class Sine(Motion):
    """f = offset + amplitude sin(2π frequency t + phase); frequency [Hz], phase [rad]."""

    kernel = sine

    def __init__(self, amplitude: float, frequency: float, phase: float = 0.0, offset: float | None = None):
        self.amplitude = number("Sine", "amplitude", amplitude)
        self.frequency = number("Sine", "frequency", frequency)
        self.phase = number("Sine", "phase", phase)
        self.offset = None if offset is None else number("Sine", "offset", offset)

    def parameters(self, now: float) -> Sequence[float]:
        offset = now - self.amplitude * math.sin(self.phase) if self.offset is None else self.offset
        return (offset, self.amplitude, 2.0 * math.pi * self.frequency, self.phase)


@kernel(MOTION)
def polynomial(t, par, out):
    value = 0.0
    slope = 0.0
    bend = 0.0
    for k in range(int(par[0]), 0, -1):  # Horner, with both derivatives
        bend = bend * t + 2.0 * slope
        slope = slope * t + value
        value = value * t + par[k]
    out[0] = value
    out[1] = slope
    out[2] = bend


class Polynomial(Motion):
    """f = c₀ + c₁ t + c₂ t² + …; ``coefficients`` in that order."""

    kernel = polynomial

    def __init__(self, coefficients: Sequence[float]):
        self.coefficients = vector("Polynomial", "coefficients", coefficients)
        if not self.coefficients:
            raise ModelError("Polynomial: give at least one coefficient")

    def parameters(self, now: float) -> Sequence[float]:
        return (len(self.coefficients), *self.coefficients)


@kernel(MOTION)
def step(t, par, out):
    t0 = par[0]
    span = par[2] - t0
    rise = par[3] - par[1]
    x = (t - t0) / span
    out[1] = 0.0
    out[2] = 0.0
    if x < 0.0:  # at t0 and t1, what comes after
        out[0] = par[1]
    elif x >= 1.0:
        out[0] = par[3]
    elif par[4] == 3.0:
        out[0] = par[1] + rise * x * x * (3.0 - 2.0 * x)
        out[1] = rise * 6.0 * x * (1.0 - x) / span
        out[2] = rise * (6.0 - 12.0 * x) / (span * span)
    else:
        out[0] = par[1] + rise * x * x * x * (10.0 + x * (6.0 * x - 15.0))
        out[1] = rise * 30.0 * x * x * (1.0 - x) * (1.0 - x) / span
        out[2] = rise * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (span * span)


class Step(Motion):
    """From x0 (until t0) smoothly to x1 (from t1 on).

    ``smooth="quintic"`` keeps speed and acceleration continuous, ``"cubic"`` the speed only.
    """

    kernel = step

    def __init__(self, t0: float, x0: float, t1: float, x1: float, smooth: str = "quintic"):
        self.t0, self.x0, self.t1, self.x1 = vector("Step", "(t0, x0, t1, x1)", (t0, x0, t1, x1), 4)
        self.smooth = choice("Step", "smooth", smooth, ("quintic", "cubic"))
        if self.t1 <= self.t0:
            raise ModelError(f"Step: t1 must be after t0, got t0={t0:g}, t1={t1:g}")
        self.breaks = (self.t0, self.t1)

    def parameters(self, now: float) -> Sequence[float]:
        return (self.t0, self.x0, self.t1, self.x1, 3.0 if self.smooth == "cubic" else 5.0)


@kernel(MOTION)
def table(t, par, out):
    count = int(par[0])  # knots, then four coefficients a segment, highest power first
    low = 0
    high = count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if par[1 + middle] <= t:
            low = middle
        else:
            high = middle
    x = t - par[1 + low]
    c = 1 + count + 4 * low
    out[0] = ((par[c] * x + par[c + 1]) * x + par[c + 2]) * x + par[c + 3]
    out[1] = (3.0 * par[c] * x + 2.0 * par[c + 1]) * x + par[c + 2]
    out[2] = 6.0 * par[c] * x + 2.0 * par[c + 1]


class Table(Motion):
    """Cubic spline (not-a-knot) through measured values ``x`` at ``times`` [s], at least four, rising."""

    kernel = table

    def __init__(self, times: Sequence[float], x: Sequence[float]):
        self.times = vector("Table", "times", times)
        self.x = vector("Table", "x", x, len(self.times))
        if len(self.times) < 4:
            raise ModelError(f"Table: give at least four points, got {len(self.times)}")
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ModelError("Table: times must rise from point to point")
        self.span = (self.times[0], self.times[-1])

    def parameters(self, now: float) -> Sequence[float]:
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(self.times, self.x)
        return (len(self.times), *self.times, *spline.c.T.ravel())


class Function(Motion):
    """f(t) as a plain Python function, compiled on first use.

    ``rate`` and ``acceleration`` are its derivatives; where they are left out they are taken by central differences
    of eighth order (about ten digits of the first, eight of the second), which look a little beyond the ends of a run.
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
                    raise ModelError(f"Function: expected a function of time, got {shown(function)}")
                parameters_of("Function", function, (1,))
        self.value, self.rate, self.acceleration = value, rate, acceleration

    def parameters(self, now: float) -> Sequence[float]:
        return (self._spacing(),)

    def _spacing(self) -> float:
        """The difference step whose second derivative changes least when it is halved."""
        if self.rate is not None and self.acceleration is not None:
            return 1.0
        times = [0.0137, 0.2911, 0.7313, 1.9177]
        best = (math.inf, 1e-3)
        for power in range(9):
            h = 0.0953 * 0.317**power  # incommensurate with any period one would write
            wide = [_second_difference(self.value, t, h) for t in times]
            fine = [_second_difference(self.value, t, 0.618 * h) for t in times]
            gaps = [abs(a - b) for a, b in zip(wide, fine, strict=True) if math.isfinite(a) and math.isfinite(b)]
            if gaps:
                best = min(best, (max(gaps), h))
        return best[1]

    def compiled(self, owner: str, record: np.dtype) -> Kernel | UserKernel:
        value = self.value
        if self.rate is None and self.acceleration is None:
            return UserKernel(owner, value, MOTION, _wrap_value, record, (None, 1))
        functions = [f for f in (self.value, self.rate, self.acceleration) if f is not None]
        return _several(owner, functions, self.rate is not None, record)


D1 = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
D2 = (8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0)
D2_CENTRE = -205.0 / 72.0


def _second_difference(f: Callable[[float], float], t: float, h: float) -> float:
    """f'' as `_wrap_value` takes it; infinite where the function is not defined."""
    try:
        sides = sum(c * (f(t + k * h) + f(t - k * h)) for k, c in enumerate(D2, 1))
        return float((D2_CENTRE * f(t) + sides) / (h * h))
    except (ArithmeticError, ValueError):
        return math.inf


def _wrap_value(f: Any, view: Any) -> Any:
    def motion(t, par, out):
        h = par[0]
        centre = f(t)
        first = 0.0
        second = D2_CENTRE * centre
        for k in range(4):
            ahead = f(t + (k + 1) * h)
            behind = f(t - (k + 1) * h)
            first += D1[k] * (ahead - behind)
            second += D2[k] * (ahead + behind)
        out[0] = centre
        out[1] = first / h
        out[2] = second / (h * h)

    return motion


def _several(owner: str, functions: list[Any], has_rate: bool, record: np.dtype) -> UserKernel:
    """A motion whose derivatives (some or all) the user wrote too."""
    import numba

    helpers = functions[1:]

    def wrap(f: Any, view: Any) -> Any:
        python = not hasattr(f, "py_func")
        others = helpers if python else [numba.njit(h) for h in helpers]
        differences = _wrap_value(f, view) if python else numba.njit(_wrap_value(f, view))
        rate = others[0]
        acceleration = others[-1]
        both = len(others) == 2

        def motion(t, par, out):
            if not both:
                differences(t, par, out)
            out[0] = f(t)
            if has_rate:
                out[1] = rate(t)
            if both or not has_rate:
                out[2] = acceleration(t)

        return motion

    return UserKernel(owner, functions[0], MOTION, wrap, record, (None, 1))


MOTIONS = (ConstantSpeed, Sine, Polynomial, Step, Table, Function)
"""The registry: every motion, as the shared checker and the documentation see them."""


def as_motion(owner: str, motion: Any) -> Motion:
    """A Motion, or a plain function of time made one."""
    if isinstance(motion, Motion):
        return motion
    if callable(motion):
        return Function(motion)
    raise ModelError(f"{owner}: expected a motion (ConstantSpeed, Sine, …) or a function of time, got {shown(motion)}")
