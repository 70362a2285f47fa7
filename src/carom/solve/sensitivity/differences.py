"""Derivatives of a recorded run with respect to one parameter, by central differences of neighbouring runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np

from carom.errors import ModelError
from carom.result.result import Result
from carom.solve.sensitivity.recorded_run import Neighbour, NotNeighbouring, RecordedRun

Formula = dict[int, float]
"""Weights of the differences by their distance in steps."""

SECOND_ORDER: Formula = {1: 0.5, -1: -0.5}
SIXTH_ORDER: Formula = {1: 0.75, -1: -0.75, 2: -0.15, -2: 0.15, 3: 1.0 / 60.0, -3: -1.0 / 60.0}
SECOND_ORDER_FORWARD: Formula = {0: -1.5, 1: 2.0, 2: -0.5}
SIXTH_ORDER_FORWARD: Formula = {
    0: -2.45, 1: 6.0, 2: -7.5, 3: 20.0 / 3.0, 4: -3.75, 5: 1.2, 6: -1.0 / 6.0
}  # fmt: skip
"""Formulas at the lower bound of a parameter; with negative steps, at the upper one."""


@dataclass(frozen=True)
class StepRule:
    """Formula of a derivative with its first step, relative to the scale of the parameter.

    The nonlinearity of a step is the second difference of the states relative to the first. Truncation grows with its
    second or sixth power, rounding falls with the step; ``best`` is where both are small, ``high`` is acceptable.
    ``forward`` is the one-sided formula. ``stretch_order`` is the order of the lengths of steps in the parameter.
    """

    formula: Formula
    forward: Formula
    first: float
    best: float
    high: float
    stretch_order: int


FAST = StepRule(SECOND_ORDER, SECOND_ORDER_FORWARD, first=1e-4, best=1e-4, high=5e-4, stretch_order=1)
"""Derivatives to about 1e-7, for runs at ordinary tolerances."""
ACCURATE = StepRule(SIXTH_ORDER, SIXTH_ORDER_FORWARD, first=8e-3, best=8e-3, high=1.6e-2, stretch_order=3)
"""Derivatives to about 1e-10, for runs at tight tolerances."""
TIGHT = 1e-9
"""Relative tolerance of a run up to which derivatives are accurate ones."""
PROBE = 1e-4
"""Step of the run that predicts how events move, relative to that of the derivative."""
MAX_GROWTH = 1e5
"""Largest relative change of the motion per relative change of a parameter that is not chaos [-]."""
MAX_BEND = 0.05
"""Largest nonlinearity over the last step that is not chaos [-]."""
ROUNDING = 1e-12
"""Second difference of the motion, relative to its size, that may be rounding [-]."""
MAX_SYSTEMS = 16
"""Systems with other values that are kept."""
MIN_STEP = 1e-10
"""Smallest step, relative to the scale of the parameter [-]."""
MAX_ATTEMPTS, SHRINK = 4, 1e-2
"""Steps that are tried, and their ratio where a neighbouring run passes through other events."""


class ParameterDerivative:
    """Neighbouring runs of a recorded run at multiples of a step of one parameter, with the ``formula`` of the rest."""

    def __init__(self, run: RecordedRun, step: float, scale: float, formula: Formula, neighbours: dict[int, Neighbour]):
        self.run, self.step, self.scale, self.formula, self.neighbours = run, step, scale, formula, neighbours

    @property
    def growth(self) -> float:
        """Largest relative change of the motion per relative change of the parameter [-]."""
        return differences(self.run, self.neighbours)[0] * self.scale / abs(self.step)

    @property
    def bend(self) -> float:
        """Nonlinearity of the motion over the step [-]."""
        return nonlinearity(self.run, self.neighbours, abs(self.step) / self.scale)

    def combine(self, values: Callable[[Neighbour], Any]) -> Any:
        """Return the derivative of a value of the neighbouring runs."""
        total = sum(weight * np.asarray(values(self.neighbours[k]), float) for k, weight in self.formula.items())
        return total / self.step

    @cached_property
    def shifts(self) -> np.ndarray:
        """Derivatives of the times of the nodes."""
        return np.asarray(self.combine(lambda neighbour: neighbour.t))

    @cached_property
    def states(self) -> np.ndarray:
        """Derivatives of the nodes at fixed times.

        A node of a neighbouring run is at another time, from which its state is carried back along the motion.
        """
        derivative = np.asarray(self.combine(lambda neighbour: neighbour.nodes))
        derivative[~np.isfinite(derivative)] = 0.0  # places of contact that do not exist
        if self.run.moves_nodes and np.any(self.shifts):
            rates = self.run.rates
            derivative[:, : rates.shape[1]] -= rates * self.shifts[:, None]
        return derivative

    def results(self, places: np.ndarray | slice) -> dict[int, Result]:
        """Return the results of neighbouring runs at some nodes, at the times that these have in the recorded run."""
        run = self.run
        t, nodes, states = run.t[places], run.nodes[places], self.states[places]
        return {
            k: neighbour.result_at(t, nodes + k * self.step * states, run.result.stats)
            for k, neighbour in self.neighbours.items()
        }


Stretch = Callable[[float], np.ndarray | None]
"""Relative changes of the lengths of the recorded steps of a neighbour, by its distance in the parameter."""


class Neighbours(Protocol):
    """Neighbours of a recorded run with other values of one parameter."""

    def check(self, value: float) -> None:
        """Raise `ModelError` if the parameter cannot have this value."""

    def at(self, value: float, stretch: np.ndarray | None) -> Neighbour:
        """Return the neighbouring run with this value; see `RecordedRun.neighbour`."""


class BuiltNeighbours:
    """Neighbours of a recorded run whose systems are built by ``system_with(value)``."""

    def __init__(self, run: RecordedRun, system_with: Callable[[float], Any]):
        self.run, self.system_with = run, lru_cache(maxsize=MAX_SYSTEMS)(system_with)

    def check(self, value: float) -> None:
        """Raise `ModelError` if the parameter cannot have this value."""
        self.system_with(value)

    def at(self, value: float, stretch: np.ndarray | None) -> Neighbour:
        """Return the neighbouring run with this value."""
        return self.run.neighbour(self.system_with(value), stretch)


def differentiate(
    run: RecordedRun, others: Neighbours, value: float, scale: float, rule: StepRule
) -> ParameterDerivative:
    """Return the derivative of a run with respect to a parameter with ``value`` and the size ``scale``.

    The step is adapted to the nonlinearity of the run. Raise `NotNeighbouring` if neighbouring runs pass through other
    events however small the step is.
    """
    formula, step = formula_within_bounds(others, value, rule, rule.first * scale)
    stretch: Stretch | None = None
    for attempt in range(MAX_ATTEMPTS):
        exact = (value + step) - value  # a step that the parameter can represent
        is_last = attempt == MAX_ATTEMPTS - 1
        try:
            if stretch is None:
                stretch = predicted_stretch(run, others, value, exact, formula, 1 if attempt else rule.stretch_order)
            neighbours: dict[int, Neighbour] = {}
            for k in sorted(formula, key=abs):
                neighbours[k] = others.at(value + k * exact, stretch(k * exact))
                if len(neighbours) == 2:
                    bend = nonlinearity(run, neighbours, abs(exact) / scale)
                    if bend > rule.high and not is_last:
                        break
            else:
                return ParameterDerivative(run, exact, scale, formula, neighbours)
            step = reduced(step, max(rule.best / bend, 1e-4), scale)
        except NotNeighbouring:
            if is_last:
                raise
            step = reduced(step, SHRINK, scale)
            stretch = None
    raise AssertionError("unreachable")


def reduced(step: float, factor: float, scale: float) -> float:
    """Return a smaller step, but not so small that rounding is all that remains."""
    return math.copysign(max(abs(step) * factor, min(abs(step), MIN_STEP * scale)), step)


def formula_within_bounds(others: Neighbours, value: float, rule: StepRule, step: float) -> tuple[Formula, float]:
    """Return the central formula, or the one-sided one where the parameter has a bound; and the step to the inside."""
    reach, step = max(rule.formula), (value + step) - value
    allowed = {}
    for sign in (1, -1):
        try:
            others.check(value + sign * reach * step)
            allowed[sign] = True
        except ModelError as error:
            allowed[sign], reason = False, error
    if allowed[1] and allowed[-1]:
        return rule.formula, step
    if not (allowed[1] or allowed[-1]):
        raise reason
    return rule.forward, step if allowed[1] else -step


def predicted_stretch(
    run: RecordedRun, others: Neighbours, value: float, step: float, formula: Formula, order: int
) -> Stretch:
    """Return the lengths of the steps of neighbouring runs, a polynomial of the order 1 or 3 in the parameter.

    The linear part is that of a run much nearer than a ``step``, the others are those of the two nearest neighbours. A
    step before an event then hardly passes it, where forces are not smooth.
    """
    if not run.stretches:
        return lambda distance: None
    probe = ((value + PROBE * step) - value) or step
    nearest = others.at(value + probe, None).stretch
    assert nearest is not None
    slope = nearest / probe
    if order == 1:
        return lambda distance: distance * slope
    first, second = (k * step for k in sorted((k for k in formula if k), key=abs)[:2])
    rest = []
    for distance in (first, second):
        found = others.at(value + distance, distance * slope).stretch
        assert found is not None
        rest.append((found - distance * slope) / distance**2)  # a₂ + a₃ Δp
    cubic = (rest[1] - rest[0]) / (second - first)
    square = rest[0] - first * cubic
    return lambda distance: distance * (slope + distance * (square + distance * cubic))


def differences(run: RecordedRun, neighbours: dict[int, Neighbour]) -> tuple[float, float]:
    """Return first and second difference of coordinates and velocities, in units of the largest of each [-].

    Velocities are in units of the largest coordinate per run, where that is more. The second difference is zero where
    only one side is known.
    """
    worst = [0.0, 0.0]
    low_place = -1 if -1 in neighbours else 0
    scale = 1e-300
    for part in run.motion_columns:
        high, low, own = neighbours[1].nodes[:, part], neighbours[low_place].nodes[:, part], run.nodes[:, part]
        scale = max(float(np.abs(own).max()), scale / max(float(run.t[-1]), 1.0))
        second = high - 2.0 * own + low if low_place else 0.0 * own
        for k, difference in enumerate(((high - low) / (1 - low_place), second)):
            worst[k] = max(worst[k], float(np.abs(difference).max()) / scale)
    return worst[0], worst[1]


def nonlinearity(run: RecordedRun, neighbours: dict[int, Neighbour], relative_step: float) -> float:
    """Return the second difference of the motion relative to the first [-].

    The first difference counts as no smaller than half the ``relative_step`` of the parameter: stretched steps hide
    changes of time scales. What rounding makes of a second difference does not count.
    """
    first, second = differences(run, neighbours)
    return 0.5 * max(second - ROUNDING, 0.0) / max(first, 0.5 * relative_step)
