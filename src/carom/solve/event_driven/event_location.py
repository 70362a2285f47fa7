"""Location of the first event in a step, to rounding: the step is repeated with other lengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from carom.solve.contact_problem.friction_limits import FRICTION
from carom.solve.event_driven.event_handling import EventHandler
from carom.solve.event_driven.records import NOISE, TOUCHING
from carom.solve.event_driven.smooth_phase import SmoothPhase

MAX_INTEGRATED_GAP = 1e-9
"""Path of a contact that has just opened, in units of the largest coordinate (or 1 m), below which its gap is the
integral of its velocity: rounding would be a large part of the gap itself."""

MIN_DELAY = 1e-16
"""Fraction of the length of a run below which an event is at the start of a step [-]."""

CLOSING, SLIDING_END, FORCE_CHANGE = range(3)
"""Kinds of events: a gap closes; sliding, rolling or spinning ends; a normal force vanishes or sticking ends."""

EventFunction = Callable[[float], float]
"""Function of the step length [s], positive before an event and negative after it."""


@dataclass(frozen=True)
class Event:
    """Kind of an event, its contact, the length of the step up to it [s], and the limit in which a motion ends.

    ``function`` is the function of the step length that vanishes there.
    """

    kind: int
    contact: int
    step_length: float
    limit: int = FRICTION
    function: EventFunction | None = None


class EventLocator:
    """Search for the first event in a step from the current state of a smooth phase at ``t``."""

    def __init__(self, smooth_phase: SmoothPhase, t: float, handler: EventHandler):
        self.smooth_phase, self.t, self.handler = smooth_phase, t, handler
        smooth_phase.evaluate_contacts(t, smooth_phase.y)
        self.t_scale = max(abs(t), float(smooth_phase.time_stepper.request.stops[-1]))
        self.starts_touching = smooth_phase.gaps < TOUCHING
        self.first_velocity = smooth_phase.gamma[:, 0].copy()
        largest = float(np.abs(smooth_phase.y[: smooth_phase.n]).max())
        self.max_integrated_gap = MAX_INTEGRATED_GAP * max(1.0, largest)

    def locate_first(self, low: float, high: float) -> Event | None:
        """Return the first event between the step lengths ``low`` and ``high`` [s].

        None, if the detected event was an error of the dense output.
        """
        events = [
            Event(kind, k, self.locate_root(function, low, high), limit, function)
            for kind, k, limit, function in self.events_before(high)
        ]
        return min(events, key=lambda event: event.step_length, default=None)

    def events_before(self, h: float) -> list[tuple[int, int, int, EventFunction]]:
        """Return kind, contact, limit and event function of the events that a step of length ``h`` has passed."""
        phase, t = self.smooth_phase, self.t
        phase.step_and_project(t, h)
        phase.evaluate_contacts(t + h, phase.y_projected)
        gaps = phase.gaps.copy()
        events: list[tuple[int, int, int, EventFunction]] = []
        for k in np.flatnonzero(~phase.is_closed).tolist():
            if self.starts_touching[k]:
                if self.mean_velocity(k, h) < -NOISE * phase.max_gap_rate[k]:
                    events.append((CLOSING, k, FRICTION, partial(self.mean_velocity, k)))
            elif gaps[k] < 0.0:
                events.append((CLOSING, k, FRICTION, partial(self.gap, k)))
        if not len(phase.active):
            return events
        phase.step_and_project(t, h)
        phase.evaluate_margins(t + h, phase.y_projected)
        is_redundant = phase.is_redundant
        for j in self.handler.negative_margins():
            k, limit = self.handler.contact_and_limit(j)
            if self.handler.is_sliding_speed(j):
                events.append((SLIDING_END, k, limit, partial(self.margin, j)))
            else:
                function = self.mode_validity if is_redundant else partial(self.margin, j)
                events.append((FORCE_CHANGE, k, max(limit, FRICTION), function))
        return events

    # ---- event functions of the step length

    def gap(self, k: int, h: float) -> float:
        """Return the gap of a contact after a step [m]."""
        phase = self.smooth_phase
        phase.step_and_project(self.t, h)
        phase.evaluate_contacts(self.t + h, phase.y_projected)
        return float(phase.gaps[k])

    def normal_velocity(self, k: int, h: float) -> float:
        """Return γ_N of a contact after a step [m/s]."""
        self.gap(k, h)
        return float(self.smooth_phase.gamma[k, 0])

    def mean_velocity(self, k: int, h: float) -> float:
        """Return the mean γ_N of a contact that opens at the start of the step [m/s]; it is 0 when the contact closes.

        Simpson's rule is free of the rounding of the gap, which is larger than the gap in a short separation.
        """
        first, half = float(self.first_velocity[k]), self.normal_velocity(k, 0.5 * h)
        gap, last = self.gap(k, h), float(self.smooth_phase.gamma[k, 0])
        if max(abs(first), abs(half), abs(last)) * h > self.max_integrated_gap:
            return gap / h
        return (first + 4.0 * half + last) / 6.0

    def margin(self, j: int, h: float) -> float:
        """Return a margin of the active contacts after a step."""
        phase = self.smooth_phase
        phase.step_and_project(self.t, h)
        phase.evaluate_margins(self.t + h, phase.y_projected)
        return float(phase.margins_and_resolutions()[0][j])

    def mode_validity(self, h: float) -> float:
        """Return 1 if the modes of the contacts are still possible after a step, else −1."""
        phase = self.smooth_phase
        phase.step_and_project(self.t, h)
        phase.evaluate_margins(self.t + h, phase.y_projected)
        return -1.0 if self.handler.modes_must_change() else 1.0

    def locate_root(self, function: EventFunction, low: float, high: float) -> float:
        """Return the step length at which an event function becomes negative [s]; 0 if it is so from the start.

        A function of a mode that has begun at the start of the step (sliding that reverses, say) is zero there, and may
        rise before it falls: then a positive value is searched nearer to the start.
        """
        from scipy.optimize import brentq

        begin = next((x for x in (low, 0.0) if function(x) > 0.0), None)
        if begin is None:
            begin = 0.5 * high
            while not function(begin) > 0.0:
                begin, high = 0.5 * begin, begin
                if begin < MIN_DELAY * self.t_scale:
                    return 0.0
        return float(brentq(function, begin, high, xtol=1e-18, rtol=1e-15, disp=False))
