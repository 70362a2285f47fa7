"""PID controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, non_negative, short_repr, vector
from carom.errors import ModelError
from carom.input_value import InputValue
from carom.model.controller import Controller
from carom.model.input import Input
from carom.model.output import Output
from carom.typing import CurrentState

Measured = str | Input | Output | Callable[[CurrentState], float]
"""Signal that a controller measures."""


class PID(Controller):
    """PID controller: sets an input to u = k_p e + k_i ∫e dt − k_d dy/dt, with the error e = r − y.

    Parameters
    ----------
    measured
        the measured value y: "cart.x", the name of an output, a sensor with one signal or an input, or a
        function of the current values, as in `Controller`.
    output
        the input of the system that it sets, or its name.
    setpoint
        the set point r: a number, or an input of the system, which may change during a run.
    kp
        gain of the error.
    ki
        gain of its integral.
    kd
        gain of the rate of the measured value.
    period
        time between two calls [s].
    limits
        smallest and largest output (default: none). While it is at a limit, the integral does not grow beyond it.
    filter_time
        time constant of the first-order filter of the rate [s].

    The integral is a sum over the calls, the rate the difference of the last two measured values, so a jump of the set
    point causes no peak; the first rate is zero.

    Examples
    --------
    >>> system = cm.System()
    >>> cart = system.add(cm.Body("cart", mass=2.0, inertia=0.1))
    >>> push = system.add(cm.Input("push", unit="N"))
    >>> target = system.add(cm.Input("target", unit="m", value=0.1))
    >>> motor = system.add(cm.PointForce(cart, (push, 0.0)))
    >>> pid = system.add(cm.PID("cart.x", push, target, kp=60.0, ki=20.0, kd=20.0, period=1e-3, limits=(-5.0, 5.0)))
    >>> round(float(cm.simulate(system, t_end=12.0, output=0.1)["cart"].x[-1]), 3)
    0.1
    """

    def __init__(
        self,
        measured: Measured,
        output: Input | str,
        setpoint: float | Input = 0.0,
        *,
        kp: float,
        ki: float = 0.0,
        kd: float = 0.0,
        period: float,
        limits: Sequence[float] | None = None,
        filter_time: float = 0.0,
        name: str | None = None,
    ):
        owner = f"PID {name!r}" if name else "PID"
        gains = [finite_float(owner, key, value) for key, value in (("kp", kp), ("ki", ki), ("kd", kd))]
        low, high = (-np.inf, np.inf) if limits is None else vector(owner, "limits", limits, 2)
        if not low < high:
            raise ModelError(f"{owner}: limits must be (low, high) with low < high, got {short_repr(limits)}")
        if isinstance(setpoint, InputValue) and not isinstance(setpoint, Input):
            raise ModelError(f"{owner}: setpoint must be a number or an input, got {setpoint!r}")
        follows = isinstance(setpoint, Input)
        fixed = None if follows else finite_float(owner, "setpoint", setpoint)
        lag = non_negative(owner, "filter_time", filter_time)

        def control(t: float, y: np.ndarray, memory: np.ndarray) -> float:
            return pid_output(y, memory, fixed, gains, (low, high), self.period, lag)

        inputs: list[Any] = [measured, setpoint] if follows else [measured]
        super().__init__(period, control, inputs, [output], np.array([0.0, np.nan, 0.0]), name=name or "PID")
        self.setpoint = setpoint
        self.gains = tuple(gains)


def pid_output(
    y: np.ndarray,
    memory: np.ndarray,
    setpoint: float | None,
    gains: Sequence[float],
    limits: tuple[float, float],
    period: float,
    filter_time: float,
) -> float:
    """Return the output for measured values; ``memory`` holds k_i ∫e dt, the last value and its filtered rate."""
    kp, ki, kd = gains
    integral, last, rate = memory.tolist()
    value = float(y[0])
    error = (float(y[1]) if setpoint is None else setpoint) - value
    if last == last:
        rate += ((value - last) / period - rate) * period / (period + filter_time)
    change = ki * error * period
    wanted = kp * error + integral + change - kd * rate
    output = min(max(wanted, limits[0]), limits[1])
    if (wanted - output) * change > 0.0:  # beyond a limit, and the integral would move it further
        change = 0.0
    memory[:] = integral + change, value, rate
    return output
