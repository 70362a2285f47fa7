"""Runs of many bodies from stop to stop: what compliant and non-smooth ones have in common."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.solve.many_body.body_flow import time_tolerance
from carom.solve.many_body.waiting_nodes import WaitingNodes
from carom.solve.method import Method

CHUNK_SECONDS = 0.05
"""Time between two progress reports [s]."""


@dataclass
class Stops:
    """Times at which segments of equal steps end [s]: nodes, and checks of inlets and outlets."""

    times: np.ndarray
    is_node: np.ndarray
    is_check: np.ndarray

    @classmethod
    def of(cls, nodes: np.ndarray, checks: np.ndarray, tolerance: float) -> Stops:
        """Return the stops of nodes and checks; times that differ by less than ``tolerance`` [s] become one stop.

        Examples
        --------
        >>> stops = Stops.of(np.array([0.1, 0.2]), np.array([0.05, 0.1 + 1e-12, 0.15]), 1e-9)
        >>> stops.times, stops.is_node, stops.is_check
        (array([0.05, 0.1 , 0.15, 0.2 ]), array([False,  True, False,  True]), array([ True,  True,  True, False]))
        """
        checks = np.sort(checks)
        checks = checks[np.append(True, np.diff(checks) > tolerance)[: len(checks)]]
        later = np.minimum(np.searchsorted(nodes, checks), len(nodes) - 1)
        for neighbour in (later, np.maximum(later - 1, 0)):
            checks = np.where(np.abs(nodes[neighbour] - checks) <= tolerance, nodes[neighbour], checks)
        times = np.union1d(nodes, checks)
        return cls(times, np.isin(times, nodes), np.isin(times, checks))

    def with_times(self, more: np.ndarray) -> Stops:
        """Return these stops, and further ones at the times ``more`` [s], which are neither nodes nor checks."""
        times = np.union1d(self.times, more)
        marks = (np.isin(times, self.times[chosen]) for chosen in (self.is_node, self.is_check))
        return Stops(times, *marks)


class StopToStop(Method):
    """Method that advances an engine from stop to stop, and has no contact log.

    ``time`` [s] is that of the last stop, ``target`` that of the next one, ``contacts`` the number of pairs in contact
    at the last node.
    """

    request: Any
    """Request with ``stops``, ``step``, ``flow`` and ``breaks``, times that are stops without a node [s]."""
    time = target = 0.0
    contacts = 0

    waiting: WaitingNodes | None = None
    """Nodes that wait for their evaluation; None if nodes are evaluated at once."""
    goal = 0.0
    """Next node of a driven run [s]."""

    can_continue = True

    def continue_to(self, t: float) -> None:
        """Make ``t`` [s] the next node and the end of the run, behind the breaks and checks of boundaries before it."""
        self.goal, self.finished = t, False
        if self.waiting is None:
            self.plan_stops(t)

    def plan_stops(self, t: float) -> None:
        """Make ``t`` [s] the last stop."""
        request = self.request
        request.stops = Stops(np.array([t]), np.array([True]), np.array([False]))
        if request.flow is not None:
            tolerance = time_tolerance(request.step, t)
            checks = request.flow.times(t + tolerance)
            request.stops = Stops.of(request.stops.times, checks[checks > self.time + tolerance], tolerance)
        if len(request.breaks):
            breaks = request.breaks
            request.stops = request.stops.with_times(breaks[(breaks > self.time) & (breaks < t)])

    def advance(self) -> None:
        """Advance to the next node, which waits, or from stop to stop for about `CHUNK_SECONDS`."""
        waiting = self.waiting
        if waiting is not None:
            if not self.time < self.target and waiting.is_ready():
                self.advance_to_waiting_node(waiting)
                return
            self.plan_stops(self.goal)  # resumed between two stops, or too many bodies for nodes that wait
        began = time.perf_counter()
        while True:
            self.advance_to_stop()
            elapsed = time.perf_counter() - began
            if self.finished or elapsed > CHUNK_SECONDS or self.output.checkpoint_due:
                return

    def advance_to_waiting_node(self, waiting: WaitingNodes) -> None:
        """Advance to the next node, which waits."""
        goal = self.goal
        if waiting.advance(self.time, goal, self.request.step):
            self.time = self.target = goal
            self.finished = True
            if waiting.is_full:
                self.flush()
        else:
            self.plan_stops(goal)
            self.target = goal
            self.complete_waiting_segment(waiting)

    def complete_waiting_segment(self, waiting: WaitingNodes) -> None:
        """Complete a segment whose loop has returned before its end."""
        raise NotImplementedError(f"{type(self).__name__} has no nodes that wait")

    def flush(self, at_end: bool = False) -> None:
        """Evaluate the nodes that wait, and pass them to the output."""
        if self.waiting is not None and self.waiting.times:
            t, rows = self.waiting.take()
            self.contacts = self.contacts_at(rows[-1])
            self.output.add(t, rows)

    def contacts_at(self, row: np.ndarray) -> int:
        """Return the number of pairs in contact at the last node, whose row is ``row``."""
        raise NotImplementedError(f"{type(self).__name__} has no nodes that wait")

    def change_list(self) -> None:
        """Evaluate the nodes that wait, before the neighbour list changes."""
        self.flush()
        if self.waiting is not None:
            self.waiting.is_connected = False

    def advance_to_stop(self) -> None:
        """Advance to the next stop."""
        raise NotImplementedError(f"{type(self).__name__} has no steps")

    def contact_log(self) -> list[np.ndarray]:
        """Return no contacts, as these runs have no contact log."""
        return []

    def open_contacts(self) -> list[np.ndarray]:
        """Return no contacts, as these runs have no contact log."""
        return []
