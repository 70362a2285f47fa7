"""Recorded runs and their neighbours: the same run with slightly different parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.mechanics.contact_log import CONTACT_LOG_ROW
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.node_batches import Snapshot, result_of
from carom.solve.run import RunRequest, advance_to_end, finished_run
from carom.solve.run_output import RunOutput

CONTACT, T_START = CONTACT_LOG_ROW.index("contact"), CONTACT_LOG_ROW.index("t_start")
"""Columns of a contact log."""


class NoDerivatives(ModelError):
    """A method that cannot record its steps."""


class NotNeighbouring(Exception):
    """A run with other parameters does not pass through the same events; the text says where."""


def silent(*_: Any) -> None:
    """Report no progress."""


@dataclass
class Neighbour:
    """Nodes and contact log of a neighbouring run, and its problem, which evaluates nodes with its parameters."""

    problem: Any
    nodes: np.ndarray
    t: np.ndarray
    log: np.ndarray
    stretch: np.ndarray | None
    """Relative change of the lengths of the recorded steps that lets them end at the events of this run."""

    @property
    def impacts(self) -> list[ImpactRecord]:
        """Impacts of the run, in the order of its contact log."""
        impacts: list[ImpactRecord] = self.problem.impacts([self.log])
        return impacts

    @cached_property
    def fresh(self) -> Snapshot:
        """State of the evaluator of nodes before its first node."""
        return Snapshot(self.problem.evaluator.mutable_arrays().values())

    def result_at(self, t: np.ndarray, nodes: np.ndarray, stats: dict[str, Any]) -> Result:
        """Return the result of some nodes with the parameters of this run."""
        self.fresh.restore()
        evaluator = self.problem.evaluator
        batch = evaluator.evaluate(t, nodes)
        settings = self.problem.settings
        return result_of(evaluator.metadata, batch, stats, Outcome.FINISHED, "", settings, self.impacts)


class RecordedRun(ABC):
    """A run and its result, from which neighbouring runs can be computed that pass through the same events."""

    moves_nodes = True
    """True if the nodes of neighbouring runs have other times."""
    stretches = False
    """True if steps of neighbouring runs are stretched, so that they end at their events."""

    def __init__(self, request: RunRequest):
        self.request = replace(request, recorder=self.recorder())
        finished = finished_run(self.request)
        self.problem, self.method = finished.problem, finished.method
        self.result: Result = finished.result
        if not self.result.outcome.ok:
            raise ModelError(f"gradient: the run did not reach its end. {self.result.message}")
        if self.method.output.stride > 1:
            raise ModelError("gradient: the run has too many steps to store each; set output= to the times you need")
        self.t, self.nodes = self.method.output.nodes()
        self.log = rows_of(self.method.output.contact_log)

    @abstractmethod
    def recorder(self) -> Any:
        """Return the class of the method that records its steps."""

    @abstractmethod
    def replaying_method(self, problem: Any, output: RunOutput, stretch: np.ndarray | None) -> Any:
        """Return the method that repeats the recorded steps, with lengths changed by ``stretch``, for a problem."""

    def stretch_of(self, method: Any) -> np.ndarray | None:
        """Return the relative change of the lengths of the recorded steps in a neighbouring run."""
        return None

    @cached_property
    @abstractmethod
    def rates(self) -> np.ndarray:
        """Return the derivatives with respect to time of the leading columns of the nodes, which change with it."""

    @property
    @abstractmethod
    def motion_columns(self) -> tuple[slice, slice]:
        """Columns of the coordinates and of the velocities in the nodes."""

    @cached_property
    def impacts(self) -> list[ImpactRecord]:
        """Impacts of the run, in the order of its contact log."""
        impacts: list[ImpactRecord] = self.problem.impacts([self.log])
        return impacts

    def neighbour(self, system: Any, stretch: np.ndarray | None = None) -> Neighbour:
        """Return the run of another system through the same events; raise `NotNeighbouring` if it has others.

        ``stretch`` is the expected change of the lengths of the steps.
        """
        request = replace(self.request, system=system)
        problem = type(self.problem)(request)
        output = RunOutput(problem.requested_times)
        method = self.replaying_method(problem, output, stretch)
        return self.repeated(method, output, problem)

    def repeated(self, method: Any, output: RunOutput, problem: Any) -> Neighbour:
        """Advance a replay to its end; return the neighbouring run."""
        method.output = output
        advance_to_end(method, silent)
        if output.error is not None:
            raise output.error
        t, nodes = output.nodes()
        log = rows_of(output.contact_log)
        self.check(problem, t, nodes, log, output.outcome.ok)
        return Neighbour(problem, nodes, t, log, self.stretch_of(method))

    def check(self, problem: Any, t: np.ndarray, nodes: np.ndarray, log: np.ndarray, ended: bool) -> None:
        """Raise `NotNeighbouring` if a run differs from this one in more than its numbers."""
        if not ended or len(t) != len(self.t):
            raise NotNeighbouring(f"t = {t[-1]:.6g} s")
        finite = np.isfinite(nodes) | ~np.isfinite(self.nodes)
        if not finite.all():
            raise NotNeighbouring(f"t = {t[np.argmin(finite.all(axis=1))]:.6g} s")
        if len(log) != len(self.log) or not np.array_equal(log[:, CONTACT], self.log[:, CONTACT]):
            raise NotNeighbouring(self.place_of_other_contacts(log))

    def place_of_other_contacts(self, log: np.ndarray) -> str:
        """Return the time at which the contacts of a neighbouring run begin to differ from those of this one."""
        for own, other in zip(self.log, log, strict=False):
            if own[CONTACT] != other[CONTACT]:
                return f"t = {min(own[T_START], other[T_START]):.6g} s"
        longer = self.log if len(self.log) > len(log) else log
        return f"t = {longer[min(len(self.log), len(log)), T_START]:.6g} s"


def rows_of(log: Sequence[np.ndarray]) -> np.ndarray:
    """Return the rows of a contact log in one array, a row per contact."""
    rows = [np.asarray(part, float).reshape(-1, CONTACT_LOG_ROW.size) for part in log]
    return np.concatenate([np.zeros((0, CONTACT_LOG_ROW.size)), *rows])
