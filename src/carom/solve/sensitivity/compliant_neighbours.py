"""Recorded compliant runs: neighbouring runs repeat their steps, with events where they have them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from carom.compiled_model.changed_numbers import NotInPlace
from carom.errors import ModelError
from carom.mechanics.contact_records import N_STORED, STORED_HISTORY
from carom.solve.options import Compliant
from carom.solve.postprocessing import NodeValues
from carom.solve.run import RunRequest
from carom.solve.run_output import RunOutput
from carom.solve.runge_kutta.registry import explicit_method
from carom.solve.sensitivity.in_place_neighbours import InPlaceRuns
from carom.solve.sensitivity.recorded_run import NoDerivatives, NotNeighbouring, RecordedRun
from carom.solve.sensitivity.step_tape import RecordingRungeKutta, ReplayingRungeKutta

MODE = STORED_HISTORY.index("mode")


class RecordedCompliantRun(RecordedRun):
    """A run with contact forces, and its steps."""

    def __init__(self, request: RunRequest):
        options = request.options
        assert isinstance(options, Compliant)
        if explicit_method(options.integrator) is None:
            raise NoDerivatives(
                f"gradient: integrator {options.integrator!r} hides its steps; use 'auto', 'dopri5', 'dop853', "
                "'tsit5', 'rk4' or 'implicit'"
            )
        if options.onset != "event":
            raise NoDerivatives(
                f"gradient: needs onset='event', which locates contacts to rounding; got {options.onset!r}"
            )
        super().__init__(request)

    @property
    def stretches(self) -> bool:  # type: ignore[override]
        """True if there are events on the tape."""
        return bool(np.any(self.method.tape.recorded["has_event"]))

    def recorder(self) -> Any:
        """Return the class of the method that records its steps."""
        return RecordingRungeKutta

    def replaying_method(self, problem: Any, output: RunOutput, stretch: np.ndarray | None) -> ReplayingRungeKutta:
        """Return the method that repeats the recorded steps, with lengths changed by ``stretch``, for a problem."""
        return ReplayingRungeKutta(problem.method_request(output, None), self.method.tape, stretch)

    def stretch_of(self, method: ReplayingRungeKutta) -> np.ndarray:
        """Return the relative change of the lengths of the recorded steps in a neighbouring run."""
        stretch: np.ndarray = self.method.tape.stretch(method.steps["t_end"])
        return stretch

    @cached_property
    def in_place(self) -> InPlaceRuns | None:
        """One compiled model for neighbouring runs; None if it cannot serve."""
        try:
            return InPlaceRuns(self)
        except (NotInPlace, ModelError):
            return None

    @property
    def n_smooth(self) -> int:
        """Number of states; the histories of the contacts behind them are constant between events."""
        return int(self.problem.mechanism.tables.size)

    @property
    def motion_columns(self) -> tuple[slice, slice]:
        """Columns of the coordinates and of the velocities in the nodes."""
        n = self.problem.mechanism.n
        return slice(0, n), slice(n, 2 * n)

    @cached_property
    def rates(self) -> np.ndarray:
        """Return y' in every node."""
        size = self.n_smooth
        y, stored = (np.ascontiguousarray(part) for part in (self.nodes[:, :size], self.nodes[:, size:]))
        return NodeValues(self.problem.mechanism.copy(), self.t, y, stored, None).ydot

    def check(self, problem: Any, t: np.ndarray, nodes: np.ndarray, log: np.ndarray, ended: bool) -> None:
        """Raise `NotNeighbouring` if a run differs from this one in more than its numbers."""
        first, own = (rows[0, self.n_smooth :].reshape(-1, N_STORED)[:, MODE] for rows in (nodes, self.nodes))
        if not np.array_equal(first, own):
            raise NotNeighbouring("t = 0 s, where a contact just touches")
        super().check(problem, t, nodes, log, ended)
