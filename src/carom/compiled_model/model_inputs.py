"""Inputs in a compiled model: what follows them, and how their values are set.

The state of the inputs is an array with a row for each, the first fields of `INPUT`. A compiled model has the state
that was set last; a run and the evaluation of its nodes have models of their own, with one history of states.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.compiled_model.changed_numbers import NotInPlace, Part, element_part, law_part
from carom.errors import ModelError
from carom.input_value import InputValue, inputs_in
from carom.kernels import USER_MOTION
from carom.kernels.user_functions import UserKernel
from carom.mechanics.element_output import MOTION_OUTPUT
from carom.mechanics.inputs import HELD_MOTION
from carom.mechanics.model_record import INPUT, INPUT_SLOT
from carom.model.input import Input

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData

STATE = ("start", "rate", "since", "until", "integral", "follows")
"""Columns of the state of the inputs."""
START, RATE, SINCE, UNTIL, INTEGRAL, FOLLOWS = range(len(STATE))
PROBES = (-1.75, 0.0, 2.5)
"""Values for which the parameters of an element are compared with an input that they follow."""


class InputHistory:
    """States of the inputs over a run, each from a time on [s]."""

    def __init__(self, initial: np.ndarray):
        self.times: list[float] = [-math.inf]
        self.states: list[np.ndarray] = [initial]

    def state_at(self, t: float) -> np.ndarray:
        """Return the state from time ``t`` [s] on."""
        return self.states[bisect_right(self.times, t) - 1]

    def set(self, t: float, state: np.ndarray) -> None:
        """Set the state from time ``t`` [s] on, which is not before the last change."""
        if t == self.times[-1]:
            self.states[-1] = state
        else:
            self.times.append(t)
            self.states.append(state)

    def parts(self, t: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the parts of not decreasing times ``t`` [s] with one state each."""
        places = np.searchsorted(self.times, t, side="right") - 1
        ends = [*(np.flatnonzero(np.diff(places)) + 1).tolist(), len(t)]
        begin = 0
        for end in ends:
            yield slice(begin, end), self.states[places[begin]]
            begin = end

    def values(self, inputs: Sequence[Input], t: np.ndarray) -> np.ndarray:
        """Return the values of the inputs at times [s], a column for each."""
        values = np.zeros((len(t), len(inputs)))
        for part, state in self.parts(t):
            values[part] = np.column_stack([value_at(u, row, t[part]) for u, row in zip(inputs, state, strict=True)])
        return values


def value_at(source: Input, row: np.ndarray, t: Any) -> Any:
    """Return the value of an input at times [s] in a state that applies there."""
    if row[FOLLOWS] != 0.0 and source.function is not None:
        function = source.function
        return np.array([float(function(time)) for time in t.tolist()]) if np.ndim(t) else float(function(t))
    return row[START] + row[RATE] * (np.minimum(t, row[UNTIL]) - row[SINCE])


def initial_state(inputs: Sequence[Input]) -> np.ndarray:
    """Return the state of the inputs at the start of a run."""
    state = np.zeros((len(inputs), len(STATE)))
    state[:, START] = [u.initial for u in inputs]
    state[:, FOLLOWS] = [float(u.function is not None or u.table is not None) for u in inputs]
    return state


class ModelInputs:
    """Inputs of a model, and what follows them.

    These are parameters that are equal to an input up to a factor and an offset, motions, and elements and laws that
    are built anew for the values of their inputs.
    """

    def __init__(self, data: SystemData):
        self.inputs: list[Input] = data.system.inputs
        self.history = InputHistory(initial_state(self.inputs))
        self.index = {id(u): k for k, u in enumerate(self.inputs)}
        self.slots: list[tuple[int, int, float, float]] = []
        self.rebuilt: list[tuple[list[int], Part]] = []
        """Inputs and numbers of the objects that are built anew."""
        for item, part in changing_parts(data, self):
            self._add(item, part)
        self.motions = [
            (self.place(motion.input), int(entry["motion_params_offset"]) + HELD_MOTION.index("start"))
            for entry, motion in zip(data["joints"], [joint.motion for joint in data.joints], strict=True)
            if motion is not None and motion.input is not None
        ]
        self._set_tables(data)

    def place(self, value: InputValue) -> int:
        """Return the index of the input that a number follows."""
        if id(value.input) not in self.index:
            raise ModelError(f"{value.input.label} is used, but not in the system; add it with system.add")
        return self.index[id(value.input)]

    def _add(self, item: Any, part: Part) -> None:
        """Find out how the numbers of an object follow its inputs."""
        follows = [value for argument in vars(item)["_input_arguments"].values() for value in inputs_in(argument)]
        places = [self.place(value) for value in follows]
        slots = self._direct_slots(part, follows)
        if slots is not None:
            self.slots += slots
            return
        for value in follows:
            if value.input.varies:
                raise ModelError(
                    f"{item.label}: {value.input.label} changes between the times at which it is set, by "
                    f"{'a function' if value.input.function is not None else 'hold=' + repr(value.input.hold)}; here "
                    "an input must have hold='zero-order', without a function"
                )
        self.rebuilt.append((places, part))

    def _direct_slots(self, part: Part, follows: list[InputValue]) -> list[tuple[int, int, float, float]] | None:
        """Return the parameters that are equal to inputs whatever their values; None if there are others."""
        initial = [u.initial for u in self.inputs]
        base, slots = part.numbers(initial), []
        try:
            for k in {self.place(value) for value in follows}:
                trials = [part.numbers([*initial[:k], probe, *initial[k + 1 :]]) for probe in PROBES]
                own = [value for value in follows if self.place(value) == k]
                for j, (_, offset) in enumerate(part.slots):
                    numbers = [trial[j] for trial in trials]
                    if numbers == [base[j]] * len(PROBES):
                        continue
                    equal = [value for value in own if numbers == [value.at(probe) for probe in PROBES]]
                    if not equal:
                        return None
                    slots.append((k, offset, equal[0].factor, equal[0].offset))
        except ModelError:  # a value is out of range
            return None
        return slots

    def _set_tables(self, data: SystemData) -> None:
        """Store the tables that compiled code reads."""
        table = INPUT.zeros(len(self.inputs))
        for entry, u in zip(table, self.inputs, strict=True):
            if u.function is not None:
                kernel = UserKernel(u.label, u.function, USER_MOTION, wrap_value, data.body_dtype, (None, 1))
                entry["kernel"] = data.address(kernel)
        slots = INPUT_SLOT.zeros(len(self.slots))
        for name, column in zip(slots.dtype.names or (), zip(*self.slots, strict=True), strict=False):
            slots[name] = column
        data.set_array("inputs", table)
        data.set_array("input_slots", slots)
        model = data.model
        model.n_inputs, model.n_input_slots = len(table), len(slots)
        model.n_varying_inputs = sum(u.varies for u in self.inputs)
        self.apply(data, self.history.states[0], 0.0)

    def apply(self, data: SystemData, state: np.ndarray, t: float) -> None:
        """Set the inputs of a compiled model to a state that applies at time ``t`` [s]; raise for a wrong value."""
        values = [float(value_at(u, row, t)) for u, row in zip(self.inputs, state, strict=True)]
        data["bodies"][1 + len(data.system.bodies) :, 0] = values
        if data.input_state is state:
            return
        before = data.input_values
        params = data["params"]
        for places, part in self.rebuilt:
            if before is None or any(values[k] != before[k] for k in places):
                numbers = part.numbers(values)
                for (_, offset), number in zip(part.slots, numbers, strict=True):
                    params[offset] = number
        for k, offset, factor, constant in self.slots:
            params[offset] = factor * values[k] + constant
        for k, offset in self.motions:
            params[offset : offset + INTEGRAL + 1] = state[k, : INTEGRAL + 1]
        table = data["inputs"]
        for column, name in enumerate(STATE):
            table[name] = state[:, column]
        data.input_state, data.input_values = state, values

    def check(self, values: Sequence[float]) -> None:
        """Raise unless all objects accept these values of the inputs."""
        for _, part in self.rebuilt:
            part.numbers(values)

    def fingerprint(self) -> np.ndarray:
        """Return numbers that distinguish inputs from others: initial states and holds."""
        return np.append(self.history.states[0].ravel(), [float(u.hold == "linear") for u in self.inputs])


def changing_parts(data: SystemData, inputs: ModelInputs) -> Iterator[tuple[Any, Part]]:
    """Yield force elements and laws that follow inputs, with their numbers for values of all inputs."""

    def rebuilding(item: Any) -> Callable[[Sequence[float]], Any]:
        arguments, follows = item.keywords(), vars(item)["_input_arguments"]

        def at(value: Any, values: Sequence[float]) -> Any:
            if isinstance(value, InputValue):
                return value.at(values[inputs.place(value)])
            return [at(part, values) for part in value] if isinstance(value, (tuple, list)) else value

        def build(values: Sequence[float]) -> Any:
            with construction_poses(item):
                return type(item)(**{**arguments, **{key: at(value, values) for key, value in follows.items()}})

        return build

    found: set[int] = set()
    laws = [(role, getattr(contact, role)) for contact in data.contacts for role in ("law", "friction")]
    for role, item in [*(("", force) for force in data.forces), *laws]:
        if "_input_arguments" not in getattr(item, "__dict__", {}) or id(item) in found:
            continue
        found.add(id(item))
        try:
            build = rebuilding(item)
            part = law_part(data, item, role, build) if role else element_part(data, item, build, {})
            part.numbers([u.initial for u in data.system.inputs])
        except NotInPlace as problem:
            raise ModelError(f"{item.label}: it cannot follow an input; {problem}") from None
        yield item, part


@contextmanager
def construction_poses(item: Any) -> Iterator[None]:
    """Give the bodies of an element the poses at its construction, to which some of its arguments refer."""
    poses = getattr(item, "construction_poses", ())
    before = [(body, body.position, body.angle if body.dim == 2 else body.orientation) for body, *_ in poses]
    set_poses(poses)
    try:
        yield
    finally:
        set_poses(before)


def set_poses(poses: Sequence[tuple[Any, Any, Any]]) -> None:
    """Set the poses of bodies, which does not count as a change of the model."""
    for body, position, orientation in poses:
        if hasattr(body, "mass"):  # not the ground
            vars(body)["position"] = position
            vars(body)["angle" if body.dim == 2 else "orientation"] = orientation


def wrap_value(f: Any, view: Any) -> Any:
    """Return the kernel of an input that is a function of time."""

    def motion(t: Any, params: Any, out: Any) -> None:
        MOTION_OUTPUT(out).value = f(t)

    return motion
