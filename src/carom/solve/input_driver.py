"""Inputs of a run over time: values that are set, tables, and controllers at their times."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import finite_float
from carom.compiled_model.model_inputs import (
    FOLLOWS,
    INTEGRAL,
    RATE,
    SINCE,
    START,
    UNTIL,
    InputHistory,
    initial_state,
    value_at,
)
from carom.errors import ModelError
from carom.model.controller import Controller
from carom.model.input import Input
from carom.result.name_lookup import unknown_name
from carom.solve.method import Method
from carom.typing import CurrentState

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData

SAME_TIME = 8.0 * np.finfo(float).eps
"""Relative difference of times that are equal up to rounding [-]."""


@dataclass(frozen=True)
class DriverState:
    """Inputs and controllers at one time, with which a run continues to the same bits."""

    times: tuple[float, ...]
    states: tuple[np.ndarray, ...]
    applied: np.ndarray | None
    """State of the inputs with which the current state of the run was evaluated."""
    targets: Mapping[int, float]
    entries: tuple[int, ...]
    calls: tuple[int, ...]
    controller_states: tuple[Any, ...]


class InputDriver:
    """Inputs and controllers of a system in one run; ``data`` is the compiled model of the run."""

    def __init__(self, system: Any, data: SystemData | None):
        self.system_name = system.name
        self.inputs: list[Input] = list(getattr(system, "inputs", ()))
        self.controllers: list[Controller] = list(getattr(system, "controllers", ()))
        self.data = data
        sampled = [sensor.period for sensor in getattr(system, "sensors", ()) if sensor.period is not None]
        self.periods = sorted({*(controller.period for controller in self.controllers), *sampled})
        """Times between two calls of a controller, or two samples of a sensor [s]."""
        self.index = {u.name: k for k, u in enumerate(self.inputs)}
        self.measures = [measures_of(controller, system) for controller in self.controllers]
        for controller in self.controllers:
            for name in controller.outputs:
                if name not in self.index:
                    raise ModelError(f"{controller.label}: the system has no input {name!r}; add it with system.add")
        self.applied: np.ndarray | None = None
        self.restore(None)

    @property
    def history(self) -> InputHistory:
        """States of the inputs over the run."""
        assert self.data is not None
        assert self.data.inputs is not None
        return self.data.inputs.history

    # ---- states

    def save(self) -> DriverState:
        """Return the state of inputs and controllers."""
        history = self.history if self.inputs else InputHistory(initial_state([]))
        applied = None if self.data is None else self.data.input_state
        return DriverState(
            tuple(history.times), tuple(history.states), applied, dict(self.targets), tuple(self.entries),
            tuple(self.calls), tuple(deepcopy(self.controller_states)),
        )  # fmt: skip

    def restore(self, state: DriverState | None) -> None:
        """Return to a saved state, or to the start."""
        if state is None:
            first = initial_state(self.inputs)
            count = len(self.controllers)
            states = tuple(controller.state for controller in self.controllers)
            state = DriverState((-math.inf,), (first,), first, {}, (0,) * len(self.inputs), (0,) * count, states)
        self.targets = dict(state.targets)
        """Values towards which inputs change evenly until the end of the next interval."""
        self.entries = list(state.entries)
        """Numbers of entries of tables that have been reached."""
        self.calls = list(state.calls)
        """Numbers of calls of the controllers."""
        self.controller_states = [deepcopy(own) for own in state.controller_states]
        if self.data is not None and self.data.inputs is not None:
            self.history.times[:], self.history.states[:] = state.times, state.states
            self.applied = state.applied

    def apply(self, t: float) -> bool:
        """Set the inputs of the compiled model for time ``t`` [s]; return whether they changed."""
        if self.data is None or self.data.inputs is None:
            return False
        before, state = self.data.input_state, self.history.state_at(t)
        self.data.inputs.apply(self.data, state, t)
        return before is not state

    def restore_model(self, t: float) -> None:
        """Set the inputs of the compiled model to those of the restored state at time ``t`` [s]."""
        if self.data is not None and self.data.inputs is not None and self.applied is not None:
            self.data.input_state = None
            self.data.inputs.apply(self.data, self.applied, t)

    # ---- values

    def value(self, name: str, t: float) -> float:
        """Return the value of an input at time ``t`` [s]."""
        k = self.index[name]
        return float(value_at(self.inputs[k], self.history.state_at(t)[k], t))

    def set(self, name: str, value: Any, t: float) -> None:
        """Set an input at time ``t`` [s]; one with ``hold="linear"`` changes during the next interval."""
        if name not in self.index:
            raise unknown_name(self.system_name, name, self.index, "Simulation")
        k, label = self.index[name], f"Input {name!r}"
        number = finite_float(label, "value", value)
        self.check(k, number, t)
        if self.inputs[k].hold == "linear":
            self.targets[k] = number
        else:
            self._change(k, number, t, None)

    def check(self, k: int, value: float, t: float) -> None:
        """Raise unless what follows input ``k`` accepts its value."""
        assert self.data is not None
        assert self.data.inputs is not None
        if self.data.inputs.rebuilt:
            state = self.history.state_at(t)
            values = [float(value_at(u, row, t)) for u, row in zip(self.inputs, state, strict=True)]
            values[k] = value
            self.data.inputs.check(values)

    def _change(self, k: int, value: float, t: float, until: float | None) -> None:
        """Change an input at time ``t`` [s]: at once, or evenly until the time ``until`` [s]."""
        source, state = self.inputs[k], self.history.state_at(t)
        row = state[k]
        now = float(value_at(source, row, t))
        is_held = row[RATE] == 0.0 or row[UNTIL] <= t
        if value == now and is_held and row[FOLLOWS] == 0.0:
            return
        ramp, rest = (min(t, row[UNTIL]) - row[SINCE], t - max(row[SINCE], min(t, row[UNTIL])))
        state = state.copy()
        state[k, INTEGRAL] += row[START] * ramp + 0.5 * row[RATE] * ramp**2 + now * rest
        state[k, START], state[k, RATE] = (value, 0.0) if until is None else (now, (value - now) / (until - t))
        state[k, SINCE], state[k, UNTIL], state[k, FOLLOWS] = t, t if until is None else until, 0.0
        self.history.set(t, state)

    # ---- over time

    def next_time(self, t: float, goal: float) -> float:
        """Return the next time after ``t`` [s] at which something is due, at most ``goal`` [s]."""
        for period in self.periods:
            k = int(t / period * (1.0 - SAME_TIME))
            while is_due(k * period, t):
                k += 1
            goal = earlier(k * period, goal)
        for place, source in enumerate(self.inputs):
            if self._follows_table(place, t):
                assert source.table is not None
                goal = earlier(min((time for time in source.table[0] if not is_due(time, t)), default=goal), goal)
        return goal

    def leave(self, t: float, goal: float, state: CurrentState, method: Method) -> None:
        """Do what is due at time ``t`` [s], before the run goes on to ``goal`` [s]."""
        if not self.inputs and not self.controllers:
            return
        self._follow_tables(t)
        self._call_controllers(t, state)
        for k, target in self.targets.items():
            self._change(k, target, t, goal)
        self.targets.clear()
        if self.apply(t):
            method.inputs_changed()

    def _follow_tables(self, t: float) -> None:
        """Set the inputs that follow tables, where the next time of the table is reached."""
        for k, source in enumerate(self.inputs):
            if not self._follows_table(k, t):
                continue
            assert source.table is not None
            times, values = source.table
            count = sum(is_due(time, t) for time in times)
            if count == self.entries[k]:
                continue
            self.entries[k] = count
            if source.hold == "linear" and count < len(times):
                self._change(k, values[count], t, times[count])
            else:
                self._change(k, values[count - 1], t, None)
            self.history.state_at(t)[k, FOLLOWS] = 1.0

    def _follows_table(self, k: int, t: float) -> bool:
        """Return True if an input follows its table at time ``t`` [s]."""
        return self.inputs[k].table is not None and bool(self.history.state_at(t)[k, FOLLOWS])

    def _call_controllers(self, t: float, state: CurrentState) -> None:
        """Call the controllers that are due, then set their outputs."""
        results: list[tuple[int, dict[str, float]]] = []
        for k, controller in enumerate(self.controllers):
            if is_due(self.calls[k] * controller.period, t):
                results.append((k, self._call(k, controller, t, state)))
        for k, outputs in results:
            controller = self.controllers[k]
            self.calls[k] += 1
            for name, value in outputs.items():
                place = self.index[name]
                until = self.calls[k] * controller.period if self.inputs[place].hold == "linear" else None
                self._change(place, value, t, until)

    def _call(self, k: int, controller: Controller, t: float, state: CurrentState) -> dict[str, float]:
        """Return the outputs of a controller by name; raise an error with its name if it fails."""
        own = self.controller_states[k]
        trial = deepcopy(own)  # so that a call that fails changes nothing
        try:
            y = np.concatenate([np.atleast_1d(measure(state)) for measure in self.measures[k]] or [np.zeros(0)])
            value = controller.function(t, y) if own is None else controller.function(t, y, trial)
            outputs = named_outputs(controller, value)
        except Exception as error:
            raise ModelError(f"{controller.label} failed at t = {t:.9g} s: {type(error).__name__}: {error}") from error
        for name, number in outputs.items():
            if not math.isfinite(number):
                raise ModelError(f"{controller.label}: its output {name!r} is {number} at t = {t:.9g} s")
            try:
                self.check(self.index[name], number, t)
            except ModelError as error:
                raise ModelError(f"{controller.label}: its output {name!r} at t = {t:.9g} s: {error}") from error
        self.controller_states[k] = trial
        return outputs


def is_due(time: float, t: float) -> bool:
    """Return True if a time is reached at ``t`` [s], up to rounding."""
    return bool(time <= t + SAME_TIME * abs(t))


def earlier(time: float, goal: float) -> float:
    """Return the earlier of two times [s]; ``goal`` if they are equal up to rounding."""
    return time if time < goal - SAME_TIME * abs(goal) else goal


def named_outputs(controller: Controller, value: Any) -> dict[str, float]:
    """Return what a controller returned as numbers by the names of its outputs."""
    names = controller.outputs
    if value is None:
        return {}
    if isinstance(value, Mapping):
        unknown = [name for name in value if name not in names]
        if unknown:
            raise TypeError(f"it returned a value for {unknown[0]!r}; its outputs are {', '.join(names) or 'none'}")
        return {name: float(number) for name, number in value.items()}
    numbers = np.atleast_1d(np.asarray(value, float))
    if numbers.shape != (len(names),):
        raise TypeError(f"it returned {numbers.size} numbers for {len(names)} outputs")
    return dict(zip(names, numbers.tolist(), strict=True))


def measures_of(controller: Controller, system: Any) -> list[Callable[[CurrentState], Any]]:
    """Return functions of the current values for the inputs of a controller."""
    return [measure_of(controller.label, source, system) for source in controller.inputs]


def measure_of(owner: str, source: Any, system: Any) -> Callable[[CurrentState], Any]:
    """Return a function of the current values for a name, "body.signal", an object with a name, or a function."""
    if isinstance(source, tuple) and len(source) == 2:
        return signal_of(str(getattr(source[0], "name", source[0])), source[1])
    if not isinstance(source, str) and callable(source):
        return source
    name = source if isinstance(source, str) else getattr(source, "name", None)
    numbers = {item.name for item in (*system.inputs, *system.outputs)}
    if isinstance(name, str):
        if name in numbers:
            return lambda state: state[name]
        sensor = next((sensor for sensor in system.sensors if sensor.name == name), None)
        if sensor is not None:
            signals = sensor.signals
            return lambda state: [getattr(state[name], signal) for signal in signals]
        known = [known for known in system._by_name if name.startswith(f"{known}.")]
        if known:
            body = max(known, key=len)
            return signal_of(body, name[len(body) + 1 :])
    raise ModelError(
        f"{owner}: unknown input {source!r}; use 'body.signal', the name of a sensor, output or input, or a function"
    )


def signal_of(name: str, signal: str) -> Callable[[CurrentState], Any]:
    """Return the function of the current values that reads a signal of a body or element."""
    return lambda state: getattr(state[name], signal)
