"""Derivatives of a recorded run with respect to one parameter, by central differences of neighbouring runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from carom.result.result import Result
from carom.solve.sensitivity.recorded_run import Neighbour, NotNeighbouring, RecordedRun

Formula = dict[int, float]
"""Weights of the differences by their distance in steps."""

SECOND_ORDER: Formula = {1: 0.5, -1: -0.5}
FOURTH_ORDER: Formula = {1: 2.0 / 3.0, -1: -2.0 / 3.0, 2: -1.0 / 12.0, -2: 1.0 / 12.0}


@dataclass(frozen=True)
class StepRule:
    """Formula of a derivative with its first step, relative to the scale of the parameter.

    The nonlinearity of a step is the second difference of the states relative to the first. Truncation grows with its
    second or fourth power, rounding falls with the step; ``best`` is where both are small, ``high`` is acceptable.
    """

    formula: Formula
    first: float
    best: float
    high: float


FAST = StepRule(SECOND_ORDER, first=1e-4, best=1e-4, high=5e-4)
"""Derivatives to about 1e-7, for runs at ordinary tolerances."""
ACCURATE = StepRule(FOURTH_ORDER, first=3e-3, best=3e-3, high=9e-3)
"""Derivatives to about 1e-10, for runs at tight tolerances."""
TIGHT = 1e-9
"""Relative tolerance of a run up to which derivatives are accurate ones."""
PROBE = 1e-4
"""Step of the run that predicts how events move, relative to that of the derivative."""
MAX_GROWTH = 1e6
"""Largest relative change of the motion per relative change of a parameter that is not chaos [-]."""
MAX_ATTEMPTS, SHRINK = 4, 1e-2
"""Steps that are tried, and their ratio where a neighbouring run passes through other events."""


class ParameterDerivative:
    """Neighbouring runs of a recorded run at multiples of a step of one parameter."""

    def __init__(
        self, run: RecordedRun, step: float, scale: float, rule: StepRule, neighbours: dict[int, Neighbour]
    ):
        self.run, self.step, self.scale, self.rule, self.neighbours = run, step, scale, rule, neighbours

    @property
    def growth(self) -> float:
        """Largest relative change of the motion per relative change of the parameter [-]."""
        return differences(self.run, self.neighbours)[0] * self.scale / abs(2.0 * self.step)

    @property
    def bend(self) -> float:
        """Nonlinearity of the motion over the step [-]."""
        return nonlinearity(self.run, self.neighbours, abs(self.step) / self.scale)

    def combine(self, values: Callable[[Neighbour], Any]) -> Any:
        """Return the derivative of a value of the neighbouring runs."""
        weights = self.rule.formula
        total = sum(weights[k] * np.asarray(values(neighbour), float) for k, neighbour in self.neighbours.items())
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


def differentiate(
    run: RecordedRun, system_with: Callable[[float], Any], value: float, scale: float, rule: StepRule
) -> ParameterDerivative:
    """Return the derivative of a run with respect to a parameter with ``value`` and the size ``scale``.

    ``system_with`` returns the system with another value. The step is adapted to the nonlinearity of the run. Raise
    `NotNeighbouring` if neighbouring runs pass through other events however small the step is.
    """
    step = rule.first * scale
    for attempt in range(MAX_ATTEMPTS):
        exact = (value + step) - value  # a step that the parameter can represent
        is_last = attempt == MAX_ATTEMPTS - 1
        try:
            pair = neighbouring_pair(run, system_with, value, exact)
            bend = nonlinearity(run, pair, abs(exact) / scale)
            if bend <= rule.high or is_last:
                for k in rule.formula.keys() - pair.keys():
                    pair[k] = run.neighbour(system_with(value + k * exact), extrapolated_stretch(pair, k))
                return ParameterDerivative(run, exact, scale, rule, pair)
            step *= max(rule.best / bend, 1e-4)
        except NotNeighbouring:
            if is_last:
                raise
            step *= SHRINK
    raise AssertionError("unreachable")


def neighbouring_pair(
    run: RecordedRun, system_with: Callable[[float], Any], value: float, step: float
) -> dict[int, Neighbour]:
    """Return the neighbouring runs one step above and below; a run much nearer predicts how their events move."""
    stretch = None
    if run.stretches:
        probe = (value + PROBE * step) - value
        stretch = run.neighbour(system_with(value + probe)).stretch
        stretch = None if stretch is None else stretch * (step / probe)
    return {
        k: run.neighbour(system_with(value + k * step), None if stretch is None else k * stretch) for k in (1, -1)
    }


def extrapolated_stretch(pair: dict[int, Neighbour], k: int) -> np.ndarray | None:
    """Return the parabola through the changes of the lengths of steps at −1, 0 and 1, at ``k`` steps."""
    high, low = pair[1].stretch, pair[-1].stretch
    if high is None or low is None:
        return None
    return 0.5 * k * (high - low) + 0.5 * k * k * (high + low)


def differences(run: RecordedRun, pair: dict[int, Neighbour]) -> tuple[float, float]:
    """Return first and second difference of coordinates and velocities, in units of the largest of each [-]."""
    worst = [0.0, 0.0]
    for part in run.motion_columns:
        high, low, own = pair[1].nodes[:, part], pair[-1].nodes[:, part], run.nodes[:, part]
        scale = max(float(np.abs(own).max()), 1e-300)
        for k, difference in enumerate((high - low, high - 2.0 * own + low)):
            worst[k] = max(worst[k], float(np.abs(difference).max()) / scale)
    return worst[0], worst[1]


def nonlinearity(run: RecordedRun, pair: dict[int, Neighbour], relative_step: float) -> float:
    """Return the second difference of the motion relative to the first [-].

    The first difference counts as no smaller than the ``relative_step`` of the parameter: stretched steps hide changes
    of time scales.
    """
    first, second = differences(run, pair)
    return second / max(first, relative_step)
