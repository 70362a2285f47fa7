"""Evaluated nodes of a run in batches, and the result built from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from carom.errors import ModelError
from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.drawing_data import DrawingData
from carom.result.energy import Energy
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result


@dataclass
class NodeBatch:
    """Nodes of a result; ``energies`` are the columns of its energy balance."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    signals: np.ndarray
    energies: np.ndarray

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the arrays."""
        return tuple(field.name for field in fields(cls))


@dataclass
class ResultMetadata:
    """Names, sizes and kinds of the contents of a result, known before the run begins."""

    name: str
    dim: int
    bodies: tuple[BodyInfo, ...]
    elements: tuple[ElementInfo, ...]
    smooth: bool
    sketch: DrawingData | Callable[[], DrawingData | None] | None = None


class NodeEvaluator(Protocol):
    """Evaluates the nodes of a run in their order, in batches of any length; the lengths do not change the result."""

    metadata: ResultMetadata
    last_node: np.ndarray
    """Time and velocities of the last evaluated node; NaN before the first."""
    min_nodes: int
    """Nodes in the first batch, unless it is the whole run."""
    needs_next_time: bool
    """True if the evaluation of a node depends on the time of the next one."""

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Evaluate nodes; ``t_next`` is the time of the node after them [s]."""

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by evaluations; with their contents another evaluator resumes, see `fill`."""


class Snapshot:
    """Contents of arrays at one moment, which can be restored."""

    def __init__(self, arrays: Iterable[np.ndarray]):
        self.saved = [(array, array.copy()) for array in arrays]

    def restore(self) -> None:
        """Restore the contents."""
        for array, contents in self.saved:
            array[...] = contents


def fill(arrays: dict[str, np.ndarray], contents: dict[str, np.ndarray]) -> None:
    """Restore the arrays of a checkpoint; raise if names, sizes or types differ."""
    for name, array in arrays.items():
        saved = contents.get(name)
        if saved is None or saved.size != array.size or saved.dtype != array.dtype:
            raise ModelError(
                f"resume: the checkpoint is damaged, or was written by another version of carom, at {name!r}; delete "
                "the .state file to restart from the beginning"
            )
        array[...] = saved.reshape(array.shape)


def with_prefix(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays under names that begin with ``prefix``."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays whose names begin with ``prefix``, without it."""
    return {name.removeprefix(f"{prefix}/"): array for name, array in arrays.items() if name.startswith(f"{prefix}/")}


def result_of(
    metadata: ResultMetadata,
    batch: NodeBatch,
    stats: dict[str, Any],
    outcome: Outcome,
    message: str,
    settings: dict[str, Any],
    impacts: Sequence[ImpactRecord] = (),
) -> Result:
    """Return the result of all nodes in one batch; its signals show which contacts persisted."""
    mark_persistent(batch.t, batch.signals, metadata.elements, impacts)
    return Result(
        name=metadata.name,
        dim=metadata.dim,
        t=batch.t,
        q=batch.q,
        v=batch.v,
        a=batch.a,
        signals=batch.signals,
        ledger=Energy.from_columns(batch.energies),
        bodies=metadata.bodies,
        elements=metadata.elements,
        stats=stats,
        outcome=outcome,
        message=message,
        settings=settings,
        impacts=impacts,
        smooth=metadata.smooth,
        sketch=metadata.sketch,
    )


def mode_columns(elements: Sequence[ElementInfo]) -> dict[str, list[int]]:
    """Return the column of the mode of each contact, and behind it that of the contact whose point it is."""
    columns: dict[str, list[int]] = {}
    for element in elements:  # points are before their contact
        if element.family == "contact" and "contact_mode" in element.signals:
            column = element.columns[0] + element.signals.index("contact_mode")
            for name in (element.name, *element.parts):
                columns.setdefault(name, []).append(column)
    return columns


def mark_persistent(
    t: np.ndarray, signals: Any, elements: Sequence[ElementInfo], impacts: Sequence[ImpactRecord]
) -> None:
    """Change the mode of contacts at the nodes from 1 (impact) to 2 in persistent contacts; 0 is separated.

    ``signals`` is an array, or a dataset in a file.
    """
    persistent = [impact for impact in impacts if impact.persistent]
    columns = mode_columns(elements) if persistent else {}
    for impact in persistent:
        # A step that ends after the last impulse was taken belongs to it, so one node more.
        first, last = np.searchsorted(t, (impact.t_start, impact.t_end), side="left")
        touching = signals[first : last + 1, columns[impact.contact][0]] > 0.0
        for column in columns[impact.contact]:
            mode = signals[first : last + 1, column]
            signals[first : last + 1, column] = np.where(touching, 2.0, mode)
