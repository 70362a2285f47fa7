"""Event-driven runs that record their steps and events, and neighbouring runs that repeat them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from carom.result.outcome import Outcome
from carom.solve.event_driven.contact_modes import ContactModes
from carom.solve.event_driven.event_driven_run import EventDriven
from carom.solve.event_driven.event_location import Event, EventFunction, EventLocator
from carom.solve.event_driven.smooth_phase import RunEnded
from carom.solve.timestepping.time_stepper import SteppingRequest

MAX_CORRECTIONS, CLOSE = 12, 1e-9
"""Corrections of the length of a step that ends at an event; the one after a correction that is this small, relative to
the step, is rounding."""
SECANT = 1e-4
"""First change of a step length by which the slope of an event function is taken [-]."""


@dataclass(frozen=True)
class RecordedStep:
    """A step with its length, the length of the next one, and what happened at its end.

    ``event`` is the event to which a step was taken, with the ``delay`` of its new modes, or one that was handled
    without a step (``h`` is None). ``modes`` are those of the contacts afterwards.
    """

    h: float | None
    next_h: float
    reaches_stop: bool = False
    event: Event | None = None
    delay: float = 0.0
    modes: np.ndarray | None = None


class RecordingEventDriven(EventDriven):
    """An event-driven run that records its steps and events."""

    def __init__(self, request: SteppingRequest):
        super().__init__(request)
        self.tape: list[RecordedStep] = []
        self.first_modes = np.zeros(0)
        self.is_at_event = False

    def start(self) -> None:
        """Close contacts that touch at the start, and record their modes."""
        super().start()
        self.first_modes = self.phase.modes.copy()

    def step_to_event(self, event: Event, delay: float, goal: float) -> None:
        """Step up to a located event, handle it, and record both as one step."""
        next_h, self.is_at_event = self.h, True
        super().step_to_event(event, delay, goal)
        self.is_at_event = False
        modes = self.phase.modes.copy()
        self.tape.append(RecordedStep(event.step_length, next_h, event=event, delay=delay, modes=modes))

    def accept_step(self, status: int, h: float, goal: float) -> None:
        """Accept a step and record it."""
        if not self.is_at_event:
            self.tape.append(RecordedStep(h, self.h, reaches_stop=h >= goal - self.t))
        super().accept_step(status, h, goal)

    def handle_event(self, event: Event | None, new_modes: ContactModes | None, adds_nodes: bool = True) -> None:
        """Handle an event and record it."""
        super().handle_event(event, new_modes, adds_nodes)
        if not self.is_at_event:
            self.tape.append(RecordedStep(None, self.h, event=event, modes=self.phase.modes.copy()))


class ReplayingEventDriven(EventDriven):
    """A neighbouring event-driven run that repeats the steps and events of another one."""

    def __init__(self, request: SteppingRequest, recorded: RecordingEventDriven):
        super().__init__(request)
        self.recorded = recorded

    def advance(self) -> None:
        """Repeat all steps and events."""
        try:
            self.start()
            self.check_modes(self.recorded.first_modes)
            for step in self.recorded.tape:
                self.repeat(step)
        except RunEnded as ending:
            self.output.outcome, self.output.error = ending.outcome, ending.error
        self.finished = True

    def check_modes(self, modes: np.ndarray) -> None:
        """End the run if its contacts have other modes than those of the recorded run."""
        if not np.array_equal(self.phase.modes, modes):
            raise RunEnded(Outcome.STALLED)

    def repeat(self, step: RecordedStep) -> None:
        """Repeat a step or an event; a step that ends at an event has its own length."""
        phase, t, stops = self.phase, self.t, np.asarray(self.request.stops, float)
        self.h = step.next_h
        if step.h is None:
            if step.event is None:
                phase.project_state(t, phase.y)
            self.handle_event(step.event, None)
        else:
            later = stops[stops > t]
            if not len(later):  # an event has moved behind the end
                raise RunEnded(Outcome.STALLED)
            goal = float(later[0])
            phase.run_record.t_latest = math.nextafter(goal, -math.inf)
            if step.event is None:
                h = goal - t if step.reaches_stop else step.h
                self.accept_step(phase.step_and_project(t, h), h, goal if step.reaches_stop else math.inf)
            else:
                self.step_to_event(self.located(step.event), step.delay, math.inf)
        if step.modes is not None:
            self.check_modes(step.modes)

    def located(self, event: Event) -> Event:
        """Return a recorded event where it lies in this run, found by the secant method."""
        if event.step_length == 0.0:
            return event
        function = self.own_function(event)
        x, h = event.step_length, event.step_length * (1.0 + SECANT)
        f = function(x)
        for _ in range(MAX_CORRECTIONS):
            f_next, is_close = function(h), abs(h - x) <= CLOSE * abs(h)
            if f_next == f:
                break
            x, f, h = h, f_next, h - f_next * (h - x) / (f_next - f)
            if is_close:
                break
        return replace(event, step_length=h)

    def own_function(self, event: Event) -> EventFunction:
        """Return the function of an event for this run."""
        function: Any = event.function
        if not isinstance(function, partial):  # where forces are not unique, it is a question of modes, not a number
            raise RunEnded(Outcome.STALLED)
        locator = EventLocator(self.phase, self.t, self.handler)
        own: EventFunction = partial(getattr(locator, function.func.__name__), *function.args)
        return own
