"""Flow of bodies through inlets and outlets: bodies appear and leave between two steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from carom.compiled_model.many_body_data import ManyBodyData
from carom.compiled_model.many_body_records import LEFT, PRESENT, WAITING
from carom.errors import ModelError, warn
from carom.model.boundary import Boundary
from carom.result.column_info import ElementInfo
from carom.solve.many_body.candidate_search import CandidateSearch
from carom.solve.node_batches import with_prefix

N_SIGNALS = len(Boundary.signals)
"""Signals of an inlet or outlet."""
LONG_WAIT = 10
"""Number of checks for which a body waits until a warning is issued."""
TOUCHING = 1e-6
"""Overlap up to which the place of a body is free, relative to the skin [-]: shapes that touch overlap by rounding."""


class FlowBodies(ABC):
    """Bodies of an engine, some of which are absent; the absent ones do not move and have no contacts.

    ``many_body`` is the table `MANY_BODY` with the current positions.
    """

    steps_per_check: int
    """Steps between two checks of outlets without an interval, and of inlets with bodies that wait for a free place."""

    def __init__(self, model: ManyBodyData, many_body: np.ndarray):
        self.model, self.many_body = model, many_body

    @property
    @abstractmethod
    def positions(self) -> np.ndarray:
        """Current positions of ground and bodies [m] (n × 3), in the periodic domain."""

    @property
    @abstractmethod
    def masses(self) -> np.ndarray:
        """Masses of ground and bodies [kg]."""

    @abstractmethod
    def remove(self, bodies: np.ndarray, t: float) -> float:
        """Stop ``bodies`` and end their contacts at the time ``t`` [s]; return their energy [J]."""

    @abstractmethod
    def insert(self, entering: np.ndarray, bodies: np.ndarray) -> float:
        """Give ``bodies`` their velocities; return their energy [J].

        ``entering`` are their indices among the waiting bodies of the model.
        """

    @abstractmethod
    def update_list(self) -> None:
        """Prepare a new neighbour list after bodies have appeared or left."""

    @abstractmethod
    def entry_values(self) -> list[np.ndarray]:
        """Return the numbers of the waiting bodies that distinguish one model from another."""


class BodyFlow:
    """Inlets and outlets of a run: the bodies that are present, numbers and masses that passed, and their energy.

    ``passed`` has a row per boundary in the order of the system: number of bodies [-] and mass [kg]. A body appears at
    its time, or later at a check if its place is occupied; of bodies with one place the first one appears first.
    ``step`` is the largest step [s].
    """

    def __init__(self, bodies: FlowBodies, step: float):
        self.bodies, self.model, self.step = bodies, bodies.model, step
        self.boundaries = self.model.system.boundaries
        self.passed = np.zeros((len(self.boundaries), N_SIGNALS))
        self.applied_work = np.zeros(1)
        self.rows = {id(boundary): row for row, boundary in zip(self.passed, self.boundaries, strict=True)}
        self.waiting = self.model.waiting_bodies
        self.entry_times = np.array([time for inlet in self.model.inlets for time in inlet.times])
        self.inlet_of = np.repeat(np.arange(len(self.model.inlets)), [len(i.bodies) for i in self.model.inlets])
        self.order = np.argsort(self.entry_times, kind="stable")
        self._overlaps = CandidateSearch(self.model, bodies.many_body, -TOUCHING * self.model.skin)

    def times(self, t_end: float) -> np.ndarray:
        """Return the times at which inlets and outlets are checked, up to ``t_end`` [s]."""
        default = self.bodies.steps_per_check * self.step
        intervals = {default} if self.model.inlets else set()
        for outlet in self.model.outlets:
            interval = default if outlet.interval is None else outlet.interval
            if interval < self.step:
                raise ModelError(
                    f"{outlet.label}: interval must be at least the step of {self.step:.3g} s, got {interval:g} s; "
                    "increase it"
                )
            intervals.add(interval)
        checks = [np.arange(1, int(t_end / interval) + 1) * interval for interval in sorted(intervals)]
        times = np.unique(np.concatenate([self.entry_times, *checks]))
        return times[(times > 0.0) & (times <= t_end)]

    def update(self, t: float) -> None:
        """Remove the bodies that are in outlets, and add those that are due at ``t`` [s] where their place is free."""
        left, entered = self._remove_bodies(t), self._add_bodies(t)
        if left or entered:
            self.bodies.update_list()

    # ---- outlets

    def _remove_bodies(self, t: float) -> bool:
        """Remove the bodies that are in outlets; return True if there are any."""
        free = slice(1, 1 + self.model.n_free)
        is_present = self.model.absence[free] == PRESENT
        positions, masses = self.bodies.positions[free, : self.model.system.dim], self.bodies.masses
        leaving = np.zeros(0, np.int64)
        for outlet in self.model.outlets:
            bodies = 1 + np.flatnonzero(is_present & outlet.contains(positions))
            is_present[bodies - 1] = False
            leaving = np.append(leaving, bodies)
            self.rows[id(outlet)] += len(bodies), masses[bodies].sum()
        if not len(leaving):
            return False
        self.applied_work -= self.bodies.remove(leaving, t)
        self.model.absence[leaving] = LEFT
        return True

    # ---- inlets

    def due(self, t: float) -> np.ndarray:
        """Return the waiting bodies whose time has come at ``t`` [s], as indices of ``waiting``, in their order."""
        is_due = self.model.absence[self.waiting] == WAITING
        is_due &= self.entry_times <= t + time_tolerance(self.step, t)
        return self.order[is_due[self.order]]

    def _add_bodies(self, t: float) -> bool:
        """Add the bodies that are due where their place is free; return True if there are any."""
        due = self.due(t)
        if not len(due):
            return False
        # Of several bodies with one place only the first one can appear.
        _, first = np.unique(self.bodies.positions[self.waiting[due]], axis=0, return_index=True)
        due = due[np.sort(first)]
        occupied = self._occupied(self.waiting[due])
        entering = due[~occupied]
        if not len(entering):
            return False
        bodies = self.waiting[entering]
        self.applied_work += self.bodies.insert(entering, bodies)
        self.model.absence[bodies] = PRESENT
        for inlet, body in zip(self.inlet_of[entering], bodies, strict=True):
            self.rows[id(self.model.inlets[inlet])] += 1.0, self.bodies.masses[body]
        return True

    def _occupied(self, bodies: np.ndarray) -> np.ndarray:
        """Return True for each of ``bodies`` that would overlap a present body, or an earlier one that can appear."""
        self._overlaps.select_present(bodies)
        pairs = self._overlaps.candidates(only_close=True)
        rank = np.full(len(self.model.bodies) + 1, -1)
        rank[bodies] = np.arange(len(bodies))
        ranks = np.sort(np.column_stack([rank[pairs["body_a"]], rank[pairs["body_b"]]]), axis=1)
        ranks = ranks[ranks[:, 1] >= 0]
        is_occupied = np.zeros(len(bodies), bool)
        # In this order it is known whether the earlier body of a pair appears; −1 is a body that is present.
        for later, earlier in sorted({(int(high), int(low)) for low, high in ranks}):
            is_occupied[later] |= earlier < 0 or not is_occupied[earlier]
        return is_occupied

    # ---- results

    def infos(self, first_column: int) -> Iterator[ElementInfo]:
        """Yield the description of the columns, which begin at ``first_column``."""
        for k, boundary in enumerate(self.boundaries):
            start = first_column + N_SIGNALS * k
            yield ElementInfo(
                name=boundary.name or "",
                kind=type(boundary).__name__,
                family="boundary",
                members=(),
                signals=boundary.signals,
                units=boundary.units,
                columns=(start, start + N_SIGNALS),
            )

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        return with_prefix("flow", {"passed": self.passed, "applied_work": self.applied_work})

    def fingerprint(self) -> list[np.ndarray]:
        """Return the arrays that distinguish the boundaries of one model from those of another."""
        intervals = [outlet.interval or 0.0 for outlet in self.model.outlets]
        regions = [np.array(outlet.parameters) for outlet in self.model.outlets]
        return [
            *self.bodies.entry_values(),
            self.waiting,
            self.inlet_of,
            self.entry_times,
            np.array(intervals),
            *regions,
        ]

    def warn_of_waiting_bodies(self, t: float) -> None:
        """Warn if bodies have waited long for a free place at the end ``t`` [s]."""
        inlets = self.inlet_of[self.due(t - LONG_WAIT * self.bodies.steps_per_check * self.step)]
        for k, inlet in enumerate(self.model.inlets):
            count = int(np.count_nonzero(inlets == k))
            if count:
                warn(
                    f"{inlet.label}: {count} of {len(inlet.bodies)} bodies still wait for a free place at t = {t:.6g} "
                    "s, after their time; reduce the rate, increase the velocity, or move the bodies apart"
                )


def time_tolerance(step: float, t: float) -> float:
    """Return the difference of two times that are considered equal [s]."""
    return max(1e-9 * step, 8.0 * np.finfo(float).eps * t)
