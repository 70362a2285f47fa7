"""Recorded non-smooth runs, event-driven and by time stepping, and their neighbours."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from carom.mechanics.contact_records import N_STORED
from carom.solve.options import EVENT_DRIVEN, Compliant, Nonsmooth
from carom.solve.run import RunRequest, choose_method
from carom.solve.run_output import RunOutput
from carom.solve.sensitivity.compliant_neighbours import RecordedCompliantRun
from carom.solve.sensitivity.event_driven_replay import RecordingEventDriven, ReplayingEventDriven
from carom.solve.sensitivity.recorded_run import NoDerivatives, NotNeighbouring, RecordedRun
from carom.solve.timestepping.time_stepper import TimeStepper

AT_LIMIT = 1e-9
"""Distance from the largest friction within which a contact slides, relative to it [-]."""


class RecordedEventDrivenRun(RecordedRun):
    """A run from event to event, with its steps and events."""

    def recorder(self) -> Any:
        """Return the class of the method that records its steps."""
        return RecordingEventDriven

    def replaying_method(self, problem: Any, output: RunOutput, stretch: np.ndarray | None) -> ReplayingEventDriven:
        """Return the method that repeats the recorded steps for another problem."""
        return ReplayingEventDriven(problem.method_request(output, None), self.method)

    @property
    def motion_columns(self) -> tuple[slice, slice]:
        """Columns of the coordinates and of the velocities in the nodes."""
        n = self.problem.model.n_velocities
        return slice(0, n), slice(n, 2 * n)

    @cached_property
    def rates(self) -> np.ndarray:
        """Return the rates of the nodes: those of the motion are stored in them, others are differences in time."""
        rates = np.zeros_like(self.nodes)
        n = self.problem.model.n_velocities
        starts = np.flatnonzero(np.diff(self.t, prepend=-np.inf) == 0.0)
        for part in np.split(np.arange(len(self.t)), starts):
            if len(part) > 2:
                rates[part] = np.gradient(self.nodes[part], self.t[part], axis=0, edge_order=2)
        rates[:, :n] = self.nodes[:, n : 2 * n]
        rates[:, n : 2 * n] = self.nodes[:, -n:]
        return rates


class RecordedSteppingRun(RecordedRun):
    """A run by time stepping: neighbouring runs have the same steps, and must have the same active sets."""

    moves_nodes = False

    def recorder(self) -> Any:
        """Return the class of the method; time stepping with equal steps needs no record."""
        return TimeStepper

    def replaying_method(self, problem: Any, output: RunOutput, stretch: np.ndarray | None) -> TimeStepper:
        """Return time stepping for another problem."""
        return TimeStepper(problem.method_request(output, None))

    @property
    def motion_columns(self) -> tuple[slice, slice]:
        """Columns of the coordinates and of the velocities in the nodes."""
        n = self.problem.model.n_velocities
        return slice(0, n), slice(n, 2 * n)

    @cached_property
    def rates(self) -> np.ndarray:
        """Return no rates: the nodes of neighbouring runs have the same times."""
        return np.zeros((len(self.t), 0))

    @staticmethod
    def active_sets(problem: Any, nodes: np.ndarray) -> np.ndarray:
        """Return 0 for every open contact of every node, 1 for closed ones that stick, and 2 for those that slide."""
        model = problem.model
        count, rows = len(model.names), 1 + model.tangents_per_contact
        if not count:
            return np.zeros((len(nodes), 0), int)
        forces = nodes[:, -N_STORED * count :].reshape(len(nodes), count, N_STORED)[:, :, :rows]
        normal, tangential = forces[:, :, 0], np.linalg.norm(forces[:, :, 1:], axis=2)
        limit = normal * np.array([impact.friction for impact in model.impact_laws])
        closed = normal > 0.0
        return closed + (closed & (tangential >= limit * (1.0 - AT_LIMIT)) & (limit > 0.0)).astype(int)

    def check(self, problem: Any, t: np.ndarray, nodes: np.ndarray, log: np.ndarray, ended: bool) -> None:
        """Raise `NotNeighbouring` if a run has other active sets than this one."""
        super().check(problem, t, nodes, log, ended)
        differs = np.any(self.active_sets(problem, nodes) != self.active_sets(self.problem, self.nodes), axis=1)
        if np.any(differs):
            raise NotNeighbouring(f"t = {t[np.argmax(differs)]:.6g} s")


def recorded_run(request: RunRequest) -> RecordedRun:
    """Run a request and record what its neighbours need."""
    options = request.options
    name, request = choose_method(request)
    if name not in ("runge-kutta", "sundials", "time-stepping", "event-driven"):
        raise NoDerivatives(f"gradient: runs of many bodies (method {name!r}) have no derivatives; use fewer bodies")
    if isinstance(options, Compliant):
        return RecordedCompliantRun(request)
    assert isinstance(options, Nonsmooth)
    if options.scheme == EVENT_DRIVEN:
        return RecordedEventDrivenRun(request)
    if options.adaptive:
        raise NoDerivatives("gradient: adaptive=True changes the steps with the parameters; use equal steps")
    return RecordedSteppingRun(request)
