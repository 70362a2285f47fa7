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
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.mechanics.model_record import OK, SINGULAR
from carom.result.outcome import Outcome
from carom.solve.event_driven.contact_modes import Outlook
from carom.solve.event_driven.endings import Ended
from carom.solve.event_driven.event_detection import EVENT, NO_NUMBER
from carom.solve.event_driven.event_handling import Changes
from carom.solve.event_driven.event_location import CLOSES, SLIDING_ENDS, Event, Locator
from carom.solve.event_driven.event_output import Record
from carom.solve.event_driven.smooth_phase import Flight
from carom.solve.method import Progress
from carom.solve.timestepping.time_stepper import SteppingRequest, TimeStepper

LEAST_STEPS = 64
"""In a run: what a step may jump over is a small part of it."""

SAFETY, SHRINK, GROW, ORDER = 0.9, 0.2, 5.0, 8

INNER = 3
"""Nodes inside a step, which is long for the result's own interpolation (of degree five)."""

AHEAD = 0.01
"""Of the way from an event to where it was seen: there the new modes are read off, beyond doubt."""

MOST_EVENTS, MOMENT = 2000, 1e-10
"""Steps and events that may fall into this part of a run."""

REPORT_SECONDS = 0.05

SAVED = ("t", "h", "steps", "rejected", "events", "mark", "crowd")
"""Attributes of the run in a checkpoint."""


class EventDriven(TimeStepper):
    """One event-driven run."""

    def __init__(self, request: SteppingRequest):
        if request.model.rows_per_contact > 2:
            raise ModelError(
                "simulate: scheme='event-driven' is for contacts with one tangential direction, got two; "
                "use scheme='midpoint'"
            )
        super().__init__(request)
        self.t, self.breaks = request.start, set(request.breaks)
        self.longest = (self.t_end - request.start) / LEAST_STEPS
        self.h = self.longest
        self.steps = self.rejected = self.events = 0
        self.mark, self.crowd = request.start, 0
        self.has_begun = False
        self.flight = Flight(self, request.options.rtol, request.options.atol)
        self.record = Record(self.flight, self.output, int(request.record_steps))
        self.changes = Changes(self, self.flight, self.record)

    def many(self) -> int:
        """Return more contacts than there are: the Delassus matrix is always used."""
        return len(self.model.names) + 1

    def prepare(self) -> None:
        """Store the first node, or restore the checkpoint of the output."""
        if self.output.resumed is None:
            self.record.add(self.t, np.append(self.first_node(), np.zeros(self.flight.n)))
        else:
            self.restore(self.output.resumed)
            self.has_begun = True
        self.finished = self.t >= self.t_end

    def advance(self) -> None:
        """Step for about `REPORT_SECONDS`, from event to event."""
        began = time.perf_counter()
        try:
            if not self.has_begun:
                self.begin()
                self.has_begun = True
            while not self.finished:
                stops = self.request.stops
                stop = float(stops[np.searchsorted(stops, self.t, side="right")])
                self.step_towards(stop)
                if self.t == stop and stop in self.breaks:
                    self.flight.hold(self.t, self.flight.y)
                    self.handle(None, None)
                self.finished = self.t >= self.t_end
                if time.perf_counter() - began > REPORT_SECONDS or self.output.due:
                    return
        except Ended as ending:
            self.output.outcome, self.output.error = ending.outcome, ending.error
            self.finished = True

    def flush(self, at_end: bool = False) -> None:
        """Pass the nodes to the output, all but the last two, which the next event may change, unless ``at_end``."""
        self.record.flush(0 if at_end else 2)

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        flight = self.flight
        counted = {name: np.array(getattr(self, name)) for name in SAVED}
        counted |= {"evaluations": np.array(flight.evaluations), "impacts": np.array(self.changes.impacts)}
        return {**super().checkpoint(), **counted, **flight.carried(), **self.record.carried()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore a checkpoint of another run."""
        self.record.go_on(state)
        super().restore(state)
        self.flight.go_on(state)
        for name in SAVED:
            setattr(self, name, state[name].item())
        self.flight.evaluations, self.changes.impacts = int(state["evaluations"]), int(state["impacts"])

    def contact_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""
        return self.record.take_log()

    def open_contacts(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that are not separated."""
        return [self.record.log(self.t, k, 0.0, still=True) for k in self.record.episodes]

    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps, evaluations and events to the output."""
        output = self.output
        output.end, output.events = self.t, self.events
        output.steps, output.rejected = self.steps, self.rejected
        output.evaluations, output.stride = self.flight.evaluations, max(self.record.stride, 1)

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return self.t, None, None

    def begin(self) -> None:
        """Contacts that touch at the start, and the length of the first step."""
        flight, y, n = self.flight, self.flight.y, self.flight.n
        flight.look(self.t, y)
        overlapping = np.flatnonzero(flight.gaps < 0.0).tolist()
        if overlapping:
            self.changes.place(self.t, overlapping)
        self.depart(self.t)
        self.node(again=True)
        struck = self.changes.approaching(self.t)
        if struck:
            self.changes.strike(self.t, struck)
        self.changes.decide(self.t)
        self.depart(self.t)
        self.node(again=self.changes.impacts == 0)
        slope = flight.arrays["stages"][0][: 2 * n]
        scale = flight.run_record.atol + flight.run_record.rtol * flight.arrays["error_scale"]
        steep = float(np.abs(slope / scale).max())
        size = float(np.abs(y[: 2 * n] / scale).max())
        self.h = min(self.longest, 0.01 * size / steep if size > 1e-5 and steep > 1e-5 else 1e-6)

    def check(self) -> None:
        """End the run where a user's function raised something."""
        error = self.request.user_error()
        if error is not None:
            raise Ended(Outcome.FINISHED, error)

    def depart(self, t: float) -> None:
        """Slope, forces and reactions at the present state."""
        status = self.flight.start(t)
        self.check()
        if not np.all(np.isfinite(self.flight.arrays["stages"][0])):
            raise Ended(Outcome.SINGULAR if status != OK else Outcome.NOT_FINITE)

    # ---- steps

    def step_towards(self, goal: float) -> None:
        """Take one step towards ``goal`` [s], up to the first event in it."""
        flight, t = self.flight, self.t
        self.hurry(t)
        flight.run_record.t_latest = math.nextafter(goal, -math.inf)
        h = self.attempt(goal - t)
        flight.extend(t, h)
        span = self.find(h)
        self.check()
        if span is None:
            self.accept(flight.land(min(t + h, flight.run_record.t_latest)), h, goal)
            return
        locator = Locator(flight, t, self.changes)
        low, high = span[0] * h, span[1] * h
        event = locator.first(low, high)
        if event is None:
            self.accept(flight.arrive(t, high), high, goal)
            return
        ahead = None
        if event.kind not in (CLOSES, SLIDING_ENDS):
            ahead = self.changes.ahead(t, event.after + AHEAD * (high - event.after))
        if event.after > 0.0:
            self.accept(flight.arrive(t, event.after), event.after, goal)
        self.handle(event, ahead)

    def hurry(self, t: float) -> None:
        """End a run that gets no further, however many events it deals with."""
        self.crowd += 1
        if t > self.mark + MOMENT * self.t_end:
            self.mark, self.crowd = t, 0
        if self.crowd > MOST_EVENTS:
            raise Ended(Outcome.STALLED)

    def attempt(self, left: float) -> float:
        """A step whose error is within the tolerances; its length, at most ``left``."""
        flight = self.flight
        h = min(self.h, self.longest)
        while True:
            h = left if h > 0.95 * left else 0.5 * left if h > 0.5 * left else h
            status, e = flight.attempt(self.t, h)
            self.check()
            if status == OK and e <= 1.0:
                growth = min(GROW, SAFETY * e ** (-1.0 / ORDER)) if e > 0.0 else GROW
                self.h = max(h * growth, self.h if h < 0.99 * self.h else 0.0)
                return h
            self.rejected += 1
            h *= max(SHRINK, SAFETY * e ** (-1.0 / ORDER)) if status == OK and math.isfinite(e) else 0.25
            self.h = h
            if self.t + h == self.t:
                finite = math.isfinite(e)
                raise Ended(
                    Outcome.SINGULAR if status != OK else Outcome.STEP_UNDERFLOW if finite else Outcome.NOT_FINITE
                )

    def find(self, h: float) -> tuple[float, float] | None:
        """The part of a step, as fractions of it, in which an event was seen first."""
        flight, t = self.flight, self.t
        spans = []
        if len(flight.active) < flight.count:
            if self.number(flight.scan(t, h)):
                spans.append((float(flight.run_record.event_begin), float(flight.run_record.event_end)))
        if len(flight.active):
            flight.measure(t, flight.y)
            sample = 1
            while self.number(flight.watch(t, h, sample)):
                if self.changes.breaches():
                    spans.append((float(flight.run_record.event_begin), float(flight.run_record.event_end)))
                    break
                sample = int(flight.run_record.first_sample) + 1
        return min(spans, key=lambda span: span[1], default=None)

    def number(self, seen: int) -> bool:
        """Whether an event was seen; no gap or force may be anything but a number."""
        if seen == NO_NUMBER:
            bad = np.flatnonzero(np.isnan(self.flight.gaps))
            self.counts.failed_contact = bad[0] if len(bad) else 0
            raise Ended(Outcome.NOT_FINITE)
        return seen == EVENT

    def accept(self, status: int, h: float, goal: float) -> None:
        """The state arrived at, ``h`` later, is the present one, if it could be brought onto joints and contacts."""
        flight, t = self.flight, self.t
        if status != OK:
            raise Ended(Outcome.SINGULAR if status == SINGULAR else Outcome.NOT_CONVERGED)
        if self.record.stride == 1 and h > 0.2 * self.h:
            arrived = flight.arrived.copy()
            flight.extend(t, h)
            for part in range(1, INNER + 1):
                self.inner_node(t + h * part / (INNER + 1), flight.inside(part / (INNER + 1), h))
            flight.arrived[:] = arrived
        flight.y[:] = flight.arrived
        self.t = goal if h >= goal - t else t + h
        self.depart(min(self.t, float(flight.run_record.t_latest)))
        self.steps += 1
        self.counts.n_steps = self.steps
        wanted = self.record.stride and self.steps % self.record.stride == 0
        if wanted or self.t == goal:
            self.node()

    # ---- events

    def handle(self, event: Event | None, ahead: Outlook | None) -> None:
        """Deal with an event at the present state; None: a prescribed motion changes its form."""
        changes, t = self.changes, self.t
        self.events += 1
        if event is not None:
            self.output.contact = event.contact
        if self.record.stride and self.record.times[-1:] != [t]:
            self.node()
        closed = self.flight.active.tolist()
        struck = changes.approaching(t) if event is None else []
        if event is not None and event.kind == CLOSES:
            struck = [event.contact]
        if struck:
            changes.strike(t, struck)
        if ahead is not None and event is not None:
            changes.adopt(t, closed, ahead.modes)
        else:
            changes.decide(t, [event.contact] if event is not None and event.kind == SLIDING_ENDS else [])
        self.depart(t)
        if self.record.stride or t in self.request.stops:
            self.node()

    # ---- nodes

    def node(self, again: bool = False) -> None:
        """Keep the present state, after `depart`; ``again``: in the place of the last one."""
        flight, t = self.flight, self.t
        forces = self.changes.forces()
        row = self.record.row(flight.y, forces, self.arrays["joint_impulses"][: flight.m],
                              flight.arrays["stages"][0][flight.n : 2 * flight.n])  # fmt: skip
        self.record.press(forces)
        if again or self.record.jumps(t):
            self.record.replace(row)
        else:
            self.record.add(t, row)

    def inner_node(self, t: float, y: np.ndarray) -> None:
        flight = self.flight
        slope = np.zeros_like(y)
        flight.hold(t, y)
        flight.rate(t, y, slope)
        forces = self.changes.forces()
        reactions = self.arrays["joint_impulses"][: flight.m].copy()
        self.record.press(forces)
        self.record.add(t, self.record.row(y, forces, reactions, slope[flight.n : 2 * flight.n]))

    def statistics(self) -> dict[str, Any]:
        """Return the cost of the contact problems and the numbers of events and impacts."""
        return {**super().statistics(), "events": self.events, "impacts": self.changes.impacts}
