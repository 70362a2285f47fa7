"""Integration from event to event: an accurate run for few contacts, to compare others with.

Between events contacts are open, or closed and sliding, sticking or without friction, and the motion is smooth: it is
integrated by Dormand and Prince's method of order 8 to the tolerances of the run. Events are a gap that closes (an
impact, by the laws of time stepping), a normal force that vanishes, sliding that ends, friction that gives way; each is
found to rounding. What contacts do after an event is a complementarity problem of their accelerations.

Accumulating impacts end when a contact leaves with less than 1e-8 of the largest speed it has had (or 1e-9 m/s), and an
acceleration a brings it back: it then stays closed. The flights left out take 2 v/(a (1 − ε)) together, in which the
closed contact has the same mean force, so that the motion is wrong by no more than v times that.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.mechanics.model_record import OK, SINGULAR
from carom.result.outcome import Outcome
from carom.solve.event_driven.contact_modes import ContactModes
from carom.solve.event_driven.event_detection import EVENT, NOT_FINITE
from carom.solve.event_driven.event_handling import EventHandler
from carom.solve.event_driven.event_location import CLOSING, SLIDING_END, Event, EventLocator
from carom.solve.event_driven.event_output import EventOutput
from carom.solve.event_driven.smooth_phase import RunEnded, SmoothPhase
from carom.solve.run_output import RunOutput
from carom.solve.timestepping.stepping_model import Stepping
from carom.solve.timestepping.time_stepper import March, Orders

LEAST_STEPS = 64
"""In a run: what a step may jump over is a small part of it."""

INNER = 3
"""Nodes inside a step, which is long for the result's own interpolation (of degree five)."""

AHEAD = 0.01
"""Of the way from an event to where it was seen: there the new modes are read off, beyond doubt."""

MOST_EVENTS, MOMENT = 2000, 1e-10
"""Steps and events that may fall into this part of a run."""

REPORT_SECONDS = 0.05

CARRIED = ("t", "h", "steps", "rejected", "events", "mark", "crowd")
"""Attributes of the run in a checkpoint."""


class EventDriven(March):
    """One event-driven run; ``breaks`` are the times at which prescribed motions change their form."""

    def __init__(self, model: Stepping, orders: Orders, breaks: Iterable[float], rtol: float, atol: float):
        if model.dim > 2:
            raise ModelError(
                "simulate: scheme='event-driven' is for contacts with one tangential direction, got two; "
                "take scheme='midpoint'"
            )
        super().__init__(model, orders)
        self.t, self.breaks = orders.start, set(breaks)
        self.longest = (float(orders.stops[-1]) - orders.start) / LEAST_STEPS
        self.h = self.longest
        self.steps = self.rejected = self.events = 0
        self.mark, self.crowd = orders.start, 0
        self.answer = orders.answer
        self.flight = SmoothPhase(self, rtol, atol)
        self.record = EventOutput(self.flight, self.answer, int(orders.record_steps))
        self.changes = EventHandler(self, self.flight, self.record)

    def many(self) -> int:
        """Contacts are always dealt with by the matrix between them."""
        return len(self.model.names) + 1

    def run(self) -> RunOutput:
        """From the start to the end; Ctrl-C keeps what there is."""
        answer = self.answer
        reported = time.perf_counter()
        if answer.resumed is None:
            self.record.add_node(self.t, np.append(self.first_node(), np.zeros(self.flight.n)))
        try:
            if answer.resumed is None:
                self.begin()
            else:
                self.go_on(answer.resumed)
            for stop in self.orders.stops:
                if stop <= self.t:
                    continue
                while self.t < stop:
                    if answer.due:
                        self.record.flush_nodes(2)
                        answer.keep(self)
                    self.advance(float(stop))
                    if time.perf_counter() - reported > REPORT_SECONDS:
                        self.orders.report(self.t)
                        reported = time.perf_counter()
                if self.t in self.breaks:
                    self.flight.project_state(self.t, self.flight.y)
                    self.handle(None, None)
            self.record.flush_nodes(2)
            answer.keep(self)
            answer.outcome = Outcome.FINISHED
        except RunEnded as ending:
            answer.outcome, answer.error = ending.outcome, ending.error
        except KeyboardInterrupt:
            answer.outcome = Outcome.INTERRUPTED
        if isinstance(answer.error, KeyboardInterrupt):
            answer.outcome = Outcome.INTERRUPTED
        self.record.finish(self.t)
        self.tell(answer)
        return answer

    def carried(self) -> dict[str, np.ndarray]:
        flight = self.flight
        counted = {name: np.array(getattr(self, name)) for name in CARRIED}
        counted |= {"evaluations": np.array(flight.n_evaluations), "impacts": np.array(self.changes.n_impacts)}
        return {**super().carried(), **counted, **flight.mutable_state(), **self.record.mutable_state()}

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        self.record.restore(carried)
        super().go_on(carried)
        self.flight.restore(carried)
        for name in CARRIED:
            setattr(self, name, carried[name].item())
        self.flight.n_evaluations, self.changes.n_impacts = int(carried["evaluations"]), int(carried["impacts"])

    def open_touches(self) -> list[np.ndarray]:
        return [self.record.log_row(self.t, k, 0.0, open_at_end=True) for k in self.record.log_entries]

    def tell(self, answer: RunOutput) -> None:
        answer.end, answer.events = self.t, self.events
        answer.steps, answer.rejected = self.steps, self.rejected
        answer.evaluations, answer.stride = self.flight.n_evaluations, max(self.record.stride, 1)

    def begin(self) -> None:
        """Contacts that touch at the start, and the length of the first step."""
        flight, y, n = self.flight, self.flight.y, self.flight.n
        flight.evaluate_contacts(self.t, y)
        overlapping = np.flatnonzero(flight.gaps < 0.0).tolist()
        if overlapping:
            self.changes.close_gaps(self.t, overlapping)
        self.depart(self.t)
        self.node(again=True)
        struck = self.changes.approaching_contacts(self.t)
        if struck:
            self.changes.apply_impact(self.t, struck)
        self.changes.update_modes(self.t)
        self.depart(self.t)
        self.node(again=self.changes.n_impacts == 0)
        slope = flight.arrays["stages"][0][: 2 * n]
        scale = flight.rk_record.atol + flight.rk_record.rtol * flight.arrays["error_scale"]
        steep = float(np.abs(slope / scale).max())
        size = float(np.abs(y[: 2 * n] / scale).max())
        self.h = min(self.longest, 0.01 * size / steep if size > 1e-5 and steep > 1e-5 else 1e-6)

    def check(self) -> None:
        """End the run where a user's function raised something."""
        error = self.orders.user_error()
        if error is not None:
            raise RunEnded(Outcome.FINISHED, error)

    def depart(self, t: float) -> None:
        """Slope, forces and reactions at the present state."""
        status = self.flight.evaluate_first_stage(t)
        self.check()
        if not np.all(np.isfinite(self.flight.arrays["stages"][0])):
            raise RunEnded(Outcome.SINGULAR if status != OK else Outcome.NOT_FINITE)

    # ---- steps

    def advance(self, goal: float) -> None:
        """One step, to the first event in it, towards ``goal``."""
        flight, t = self.flight, self.t
        self.hurry(t)
        flight.run_record.t_latest = math.nextafter(goal, -math.inf)
        h = self.attempt(goal - t)
        flight.compute_dense_stages(t, h)
        span = self.find(h)
        self.check()
        if span is None:
            self.accept(flight.project_new_state(min(t + h, flight.run_record.t_latest)), h, goal)
            return
        locator = EventLocator(flight, t, self.changes)
        low, high = span[0] * h, span[1] * h
        event = locator.locate_first(low, high)
        if event is None:
            self.accept(flight.step_and_project(t, high), high, goal)
            return
        ahead = None
        if event.kind not in (CLOSING, SLIDING_END):
            ahead = self.changes.modes_after(t, event.step_length + AHEAD * (high - event.step_length))
        if event.step_length > 0.0:
            self.accept(flight.step_and_project(t, event.step_length), event.step_length, goal)
        self.handle(event, ahead)

    def hurry(self, t: float) -> None:
        """End a run that gets no further, however many events it deals with."""
        self.crowd += 1
        if t > self.mark + MOMENT * float(self.orders.stops[-1]):
            self.mark, self.crowd = t, 0
        if self.crowd > MOST_EVENTS:
            raise RunEnded(Outcome.STALLED)

    def attempt(self, left: float) -> float:
        """A step whose error is within the tolerances; its length, at most ``left``."""
        flight = self.flight
        h = min(self.h, self.longest)
        while True:
            h = left if h > 0.95 * left else 0.5 * left if h > 0.5 * left else h
            status, e = flight.try_step(self.t, h)
            self.check()
            if status == OK and e <= 1.0:
                self.h = max(h * flight.step_factor, self.h if h < 0.99 * self.h else 0.0)
                return h
            self.rejected += 1
            h *= flight.step_factor
            self.h = h
            if self.t + h == self.t:
                finite = math.isfinite(e)
                raise RunEnded(
                    Outcome.SINGULAR if status != OK else Outcome.STEP_UNDERFLOW if finite else Outcome.NOT_FINITE
                )

    def find(self, h: float) -> tuple[float, float] | None:
        """The part of a step, as fractions of it, in which an event was seen first."""
        flight, t = self.flight, self.t
        spans = []
        if len(flight.active) < flight.n_contacts:
            if self.number(flight.detect_closing(t, h)):
                spans.append(flight.event_bracket)
        if len(flight.active):
            flight.evaluate_margins(t, flight.y)
            sample = 1
            while self.number(flight.detect_negative_margin(t, h, sample)):
                if self.changes.negative_margins():
                    spans.append(flight.event_bracket)
                    break
                sample = int(flight.run_record.first_sample) + 1
        return min(spans, key=lambda span: span[1], default=None)

    def number(self, seen: int) -> bool:
        """Whether an event was seen; no gap or force may be anything but a number."""
        if seen == NOT_FINITE:
            bad = np.flatnonzero(np.isnan(self.flight.gaps))
            self.counts.failed_contact = bad[0] if len(bad) else 0
            raise RunEnded(Outcome.NOT_FINITE)
        return seen == EVENT

    def accept(self, status: int, h: float, goal: float) -> None:
        """The state arrived at, ``h`` later, is the present one, if it could be brought onto joints and contacts."""
        flight, t = self.flight, self.t
        if status != OK:
            raise RunEnded(Outcome.SINGULAR if status == SINGULAR else Outcome.NOT_CONVERGED)
        if self.record.stride == 1 and h > 0.2 * self.h:
            arrived = flight.y_projected.copy()
            flight.compute_dense_stages(t, h)
            for part in range(1, INNER + 1):
                self.inner_node(t + h * part / (INNER + 1), flight.interpolate(part / (INNER + 1), h))
            flight.y_projected[:] = arrived
        flight.y[:] = flight.y_projected
        self.t = goal if h >= goal - t else t + h
        self.depart(min(self.t, float(flight.run_record.t_latest)))
        self.steps += 1
        self.counts.n_steps = self.steps
        wanted = self.record.stride and self.steps % self.record.stride == 0
        if wanted or self.t == goal:
            self.node()

    # ---- events

    def handle(self, event: Event | None, ahead: ContactModes | None) -> None:
        """Deal with an event at the present state; None: a prescribed motion changes its form."""
        changes, t = self.changes, self.t
        self.events += 1
        if event is not None:
            self.answer.contact = event.contact
        if self.record.stride and self.record.times[-1:] != [t]:
            self.node()
        closed = self.flight.active.tolist()
        struck = changes.approaching_contacts(t) if event is None else []
        if event is not None and event.kind == CLOSING:
            struck = [event.contact]
        if struck:
            changes.apply_impact(t, struck)
        if ahead is not None and event is not None:
            changes.set_modes(t, closed, ahead.modes)
        else:
            changes.update_modes(t, [event.contact] if event is not None and event.kind == SLIDING_END else [])
        self.depart(t)
        if self.record.stride or t in self.orders.stops:
            self.node()

    # ---- nodes

    def node(self, again: bool = False) -> None:
        """Keep the present state, after `depart`; ``again``: in the place of the last one."""
        flight, t = self.flight, self.t
        forces = self.changes.contact_forces()
        row = self.record.node_row(flight.y, forces, self.arrays["joint_impulses"][: flight.m],
                              flight.arrays["stages"][0][flight.n : 2 * flight.n])  # fmt: skip
        self.record.update_peak_forces(forces)
        if again or self.record.has_event_nodes(t):
            self.record.replace_last_node(row)
        else:
            self.record.add_node(t, row)

    def inner_node(self, t: float, y: np.ndarray) -> None:
        flight = self.flight
        slope = np.zeros_like(y)
        flight.project_state(t, y)
        flight.evaluate_rhs(t, y, slope)
        forces = self.changes.contact_forces()
        reactions = self.arrays["joint_impulses"][: flight.m].copy()
        self.record.update_peak_forces(forces)
        self.record.add_node(t, self.record.node_row(y, forces, reactions, slope[flight.n : 2 * flight.n]))

    def stats(self) -> dict[str, Any]:
        """What the contact problems cost, and how much happened."""
        return {**super().stats(), "events": self.events, "impacts": self.changes.n_impacts}
