"""Current values of a simulation that is driven: those of its last node, by the names of the series of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.node_batches import NodeBatch, NodeEvaluator, Snapshot, result_of

OF_MOTION = frozenset({"x", "y", "z", "angle", "vx", "vy", "vz", "omega", "position", "velocity", "angular_velocity"})
"""Series of a body that follow from its coordinates and velocities."""

Batches = Sequence[tuple[np.ndarray, np.ndarray]]


class CurrentNode:
    """Evaluation of the last node of a run that continues.

    Some signals depend on the nodes before: mean accelerations on the last one, angles on the turns since the start. So
    all nodes are evaluated in their order, the last one provisionally, as a later event may change it.
    """

    def __init__(self, evaluator: NodeEvaluator):
        self.evaluator = evaluator
        self.at_start = Snapshot(evaluator.mutable_arrays().values())
        self.forget()

    def forget(self) -> None:
        """Return to the start."""
        self.at_start.restore()
        self.n_evaluated = 0

    def result(self, batches: Batches, n_nodes: int, impacts: Sequence[ImpactRecord]) -> Result:
        """Return the last of the ``n_nodes`` nodes in ``batches`` as a result; ``impacts`` are the open contacts."""
        batch = self.evaluate_last(batches, n_nodes)
        return result_of(self.evaluator.metadata, batch, {}, Outcome.FINISHED, "", {}, impacts)

    def evaluate_last(self, batches: Batches, n_nodes: int) -> NodeBatch:
        """Evaluate the last node, after those before it that have not been evaluated."""
        t, rows = nodes_from(batches, n_nodes - self.n_evaluated)
        evaluator = self.evaluator
        ready = len(t) - 1
        if ready >= (1 if self.n_evaluated else evaluator.min_nodes):
            evaluator.evaluate(t[:ready], rows[:ready], float(t[ready]))
            self.n_evaluated += ready
            t, rows = t[ready:], rows[ready:]
        before = Snapshot(evaluator.mutable_arrays().values())
        batch = evaluator.evaluate(t, rows)
        before.restore()
        return NodeBatch(*(getattr(batch, name)[-1:] for name in NodeBatch.names()))

    def evaluate_all(self, t: np.ndarray, rows: np.ndarray) -> NodeBatch:
        """Evaluate all nodes of the run so far."""
        before = Snapshot(self.evaluator.mutable_arrays().values())
        self.at_start.restore()
        batch = self.evaluator.evaluate(t, rows)
        before.restore()
        return batch


def nodes_from(batches: Batches, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """Return times and rows of the last ``wanted`` nodes."""
    chosen: list[tuple[np.ndarray, np.ndarray]] = []
    for t, rows in reversed(batches):
        if wanted <= 0:
            break
        chosen.append((t[-wanted:], rows[-wanted:]))
        wanted -= len(t)
    times, states = zip(*reversed(chosen), strict=True)
    return np.concatenate(times), np.concatenate(states)


class HasNode(Protocol):
    """A simulation, as its views see it."""

    def _node(self) -> Result: ...

    def _motion(self, name: str) -> Any: ...


class CurrentValues:
    """Current values of a body or an element: ``sim["ball"].position``, ``sim["floor"].normal_force``."""

    def __init__(self, simulation: HasNode, name: str):
        self._simulation, self._name = simulation, name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        series = self._simulation._motion(self._name) if attribute in OF_MOTION else None
        values = getattr(self._simulation._node()[self._name] if series is None else series, attribute)
        if callable(values):
            return at_last_node(values)
        return last_of(values) if isinstance(values, np.ndarray) else values

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self._simulation._node()[self._name])})

    def __repr__(self) -> str:
        series = self._simulation._node()[self._name]
        values = ", ".join(f"{name} = {last_of(getattr(series, name)):.6g}" for name in series.units)
        return f"<{self._name!r} at t = {series.t[-1]:.9g} s: {values}>"


def last_of(values: np.ndarray) -> Any:
    """Return the value at the last node: a number, or an array of its own."""
    return float(values[-1]) if values.ndim == 1 else values[-1].copy()


def at_last_node(function: Callable[..., np.ndarray]) -> Callable[..., Any]:
    """Return the function of a series, such as ``point``, for the last node."""
    return lambda *arguments: last_of(function(*arguments))
