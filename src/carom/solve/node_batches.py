"""Evaluation of the nodes of a run, at once or in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """Nodes of a result; ``energies`` are the columns of its ledger."""

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
    """Description of a result, known before the run."""

    name: str
    dim: int
    bodies: tuple[BodyInfo, ...]
    elements: tuple[ElementInfo, ...]
    smooth: bool
    sketch: DrawingData | Callable[[], DrawingData | None] | None = None


class NodeEvaluator(Protocol):
    """Evaluator of the nodes of a run, in order and in batches of any length, which do not influence the values."""

    head: ResultMetadata
    before: np.ndarray
    """Time and velocities of the last evaluated node; NaN before the first."""
    least: int
    """Smallest number of nodes of the first batch, if more follow."""
    waits: bool
    """True if the evaluation of a node needs the time of the next one."""

    def see(self, t: np.ndarray, nodes: np.ndarray, following: float | None = None) -> NodeBatch:
        """Return the batch of these nodes; ``following`` is the time of the next node [s]."""

    def carried(self) -> dict[str, np.ndarray]:
        """Return the arrays from which another evaluator resumes, see `fill`."""


def fill(arrays: dict[str, np.ndarray], contents: dict[str, np.ndarray]) -> None:
    """Restore the arrays of a checkpoint; raise if names, sizes or types differ."""
    for name, array in arrays.items():
        given = contents.get(name)
        if given is None or given.size != array.size or given.dtype != array.dtype:
            raise ModelError(
                f"resume: the checkpoint is damaged, or was written by another version of carom, at {name!r}; delete "
                "the .state file to restart from the beginning"
            )
        array[...] = given.reshape(array.shape)


def labelled(label: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays under names that begin with ``label``."""
    return {f"{label}/{name}": array for name, array in arrays.items()}


def under(label: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays whose names begin with ``label``, without it."""
    return {name.removeprefix(f"{label}/"): array for name, array in arrays.items() if name.startswith(f"{label}/")}


def result_of(
    head: ResultMetadata,
    piece: NodeBatch,
    stats: dict[str, Any],
    outcome: Outcome,
    message: str,
    settings: dict[str, Any],
    impacts: Sequence[ImpactRecord] = (),
) -> Result:
    """Return the result of all nodes in one batch; mark persistent contacts in its signals."""
    mark_lasting(piece.t, piece.signals, head.elements, impacts)
    return Result(
        name=head.name,
        dim=head.dim,
        t=piece.t,
        q=piece.q,
        v=piece.v,
        a=piece.a,
        signals=piece.signals,
        ledger=Energy.from_columns(piece.energies),
        bodies=head.bodies,
        elements=head.elements,
        stats=stats,
        outcome=outcome,
        message=message,
        settings=settings,
        impacts=impacts,
        smooth=head.smooth,
        sketch=head.sketch,
    )


def mode_columns(elements: Sequence[ElementInfo]) -> dict[str, int]:
    """Return the column of the mode of every contact."""
    return {
        element.name: element.columns[0] + element.signals.index("mode")
        for element in elements
        if element.family == "contact" and "mode" in element.signals
    }


def mark_lasting(t: np.ndarray, signals: Any, elements: Sequence[ElementInfo], impacts: Sequence[ImpactRecord]) -> None:
    """Replace the mode 1 of an impact by 2 at the nodes of a persistent contact; 0 is separated.

    ``signals`` is an array, or a dataset of a file.
    """
    columns = mode_columns(elements)
    for impact in impacts:
        if impact.persistent:
            # The step that ends after the last impulse belongs to the contact, so one node more.
            first, last = np.searchsorted(t, (impact.t_start, impact.t_end), side="left")
            mode = signals[first : last + 1, columns[impact.contact]]
            signals[first : last + 1, columns[impact.contact]] = np.where(mode > 0.0, 2.0, mode)
