"""Integration from event to event: an accurate run for few contacts in 2D and 3D, to compare others with.

Between events contacts are open, or closed and sliding, sticking or without friction, and the motion is smooth: it is
integrated by Dormand and Prince's method of order 8 to the tolerances of the run. Events are a gap that closes (an
impact, by the laws of time stepping), a normal force that vanishes, sliding that ends, friction that gives way; each is
found to rounding. What contacts do after an event is a complementarity problem of their accelerations. Rolling and
spinning resistance have events and modes of their own, as friction has.

Accumulating impacts end when a contact leaves with less than 1e-8 of the largest speed it has had (or 1e-9 m/s), and an
acceleration a brings it back: it then stays closed. The flights left out take 2 v/(a (1 − ε)) together, in which the
closed contact has the same mean force, so that the motion is wrong by no more than v times that.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from carom.mechanics.model_record import OK, SINGULAR
from carom.result.outcome import Outcome
from carom.solve.event_driven.chattering import ChatterDetector
from carom.solve.event_driven.contact_modes import ContactModes
from carom.solve.event_driven.event_detection import EVENT, NOT_FINITE
from carom.solve.event_driven.event_handling import EventHandler
from carom.solve.event_driven.event_location import CLOSING, SLIDING_END, Event, EventLocator
from carom.solve.event_driven.event_output import EventOutput
from carom.solve.event_driven.smooth_phase import RunEnded, SmoothPhase
from carom.solve.method import Progress
from carom.solve.timestepping.time_stepper import SteppingRequest, TimeStepper

MIN_STEPS = 64
"""Smallest number of steps of a run, so that a step can only miss events in a small part of it."""

INNER_NODES = 3
"""Nodes inside a step, which is long for the interpolation of results (of degree five)."""

MODE_MARGIN = 0.01
"""Distance behind an event at which the new modes are computed, relative to the bracket of the event [-]."""

MAX_TRIES, MIN_PROGRESS = 2000, 1e-10
"""Largest number of steps and events within this fraction of a run."""

MAX_SLOW_TRIES, MIN_SLOW_PROGRESS = 50_000, 1e-6
"""Largest number of steps and events within this larger fraction."""

REPORT_SECONDS = 0.05
"""Time between two progress reports [s]."""

MAX_CLUSTER = 200
"""Largest number of events at one time."""

SAVED = (
    "t", "h", "steps", "rejected", "events", "t_progress", "tries_since_progress", "t_slow_progress", "slow_tries",
    "t_event", "cluster", "has_started",
)  # fmt: skip
"""Attributes of the run in a checkpoint."""


class EventDriven(TimeStepper):
    """Event-driven integration: smooth phases between events, which are located to rounding."""

    def __init__(self, request: SteppingRequest):
        super().__init__(request)
        self.extend_state()
        self.t, self.breaks = request.start, set(request.breaks)
        self.max_step = (self.t_end - request.start) / MIN_STEPS
        self.h = self.max_step
        self.steps = self.rejected = self.events = 0
        self.t_progress, self.tries_since_progress = request.start, 0
        self.t_slow_progress, self.slow_tries = request.start, 0
        self.t_event, self.cluster = math.nan, 0
        self.has_started = False
        self.phase = SmoothPhase(self, request.options.rtol, request.options.atol)
        self.event_output = EventOutput(self.phase, self.output, int(request.record_steps))
        self.handler = EventHandler(self, self.phase, self.event_output)
        self.chatter = ChatterDetector(self.phase, request.start, self.t_end)

    def extend_state(self) -> None:
        """Append the orientations of spatial bodies to the state, where the evaluations of the model find them."""
        model, reference = self.model, self.model.reference_orientation
        if reference is None or model.orientation_rate_kernel is None:
            return
        orientations = reference.ravel()
        for name in ("y", "y_new"):
            self.set_array(name, np.append(self.arrays[name], orientations))
        model.record.reference_orientation = 0
        model.record.orientation_rate_kernel = model.orientation_rate_kernel.address

    def dense_limit(self) -> int:
        """Return more contacts than there are: the Delassus matrix is always used."""
        return len(self.model.names) + 1

    def prepare(self) -> None:
        """Store the first node, or restore the checkpoint of the output."""
        if self.output.resumed_state is None:
            self.event_output.add_node(self.t, np.append(self.first_node(), np.zeros(self.phase.n)))
        else:
            self.restore(self.output.resumed_state)
        self.finished = self.t >= self.t_end

    def advance(self) -> None:
        """Step for about `REPORT_SECONDS`, from event to event."""
        began = time.perf_counter()
        try:
            if not self.has_started:
                self.start()
                self.has_started = True
            while not self.finished:
                stops = self.request.stops
                stop = float(stops[np.searchsorted(stops, self.t, side="right")])
                self.step_towards(stop)
                if self.t == stop and stop in self.breaks:
                    self.phase.project_state(self.t, self.phase.y)
                    self.handle_event(None, None)
                self.finished = self.t >= self.t_end
                if time.perf_counter() - began > REPORT_SECONDS or self.output.checkpoint_due:
                    return
        except RunEnded as ending:
            self.output.outcome, self.output.error = ending.outcome, ending.error
            self.finished = True

    def inputs_changed(self) -> None:
        """Find the modes of the contacts under the changed forces and motions."""
        if not self.has_started:
            return
        try:
            self.phase.project_state(self.t, self.phase.y)
            self.evaluate_start(self.t)
            self.handle_event(None, None, adds_nodes=self.event_output.stride > 0)
            if self.event_output.stride == 0 and self.event_output.times[-1:] == [self.t]:
                self.store_node(replace=True)
        except RunEnded as ending:
            self.output.outcome, self.output.error = ending.outcome, ending.error
            self.finished = True

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.t

    def waiting_nodes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the nodes that the next event may change."""
        times, rows = self.event_output.times, self.event_output.rows
        return (np.array(times), np.array(rows)) if times else None

    def flush(self, at_end: bool = False) -> None:
        """Pass the nodes to the output, all but the last two, which the next event may change, unless ``at_end``."""
        self.event_output.flush_nodes(0 if at_end else 2)

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        phase = self.phase
        counted = {name: np.array(getattr(self, name)) for name in SAVED}
        counted |= {"evaluations": np.array(phase.n_evaluations), "impacts": np.array(self.handler.n_impacts)}
        return {**super().checkpoint(), **counted, **phase.mutable_state(), **self.event_output.mutable_state()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore a checkpoint of another run."""
        self.event_output.restore(state)
        super().restore(state)
        self.phase.restore(state)
        for name in SAVED:
            setattr(self, name, state[name].item())
        self.phase.n_evaluations, self.handler.n_impacts = int(state["evaluations"]), int(state["impacts"])

    def contact_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""
        return self.event_output.take_log()

    def open_contacts(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that are not separated."""
        return [self.event_output.log_row(self.t, k, 0.0, open_at_end=True) for k in self.event_output.log_entries]

    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps, evaluations and events to the output."""
        output = self.output
        output.t_reached, output.events = self.t, self.events
        output.steps, output.rejected = self.steps, self.rejected
        output.evaluations, output.stride = self.phase.n_evaluations, max(self.event_output.stride, 1)

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return self.t, None, None

    def start(self) -> None:
        """Close contacts that touch at the start, and choose the first step."""
        phase, y, n = self.phase, self.phase.y, self.phase.n
        phase.evaluate_contacts(self.t, y)
        overlapping = np.flatnonzero(phase.gaps < 0.0).tolist()
        if overlapping:
            self.handler.close_gaps(self.t, overlapping)
        self.evaluate_start(self.t)
        self.store_node(replace=True)
        approaching = self.handler.approaching_contacts(self.t)
        if approaching:
            self.handler.apply_impact(self.t, approaching)
        self.handler.update_modes(self.t)
        self.evaluate_start(self.t)
        self.store_node(replace=self.handler.n_impacts == 0)
        slope = phase.derivative[: 2 * n]
        scale = phase.rk_record.atol + phase.rk_record.rtol * phase.arrays["error_scale"][: 2 * n]
        steep = float(np.abs(slope / scale).max())
        size = float(np.abs(y[: 2 * n] / scale).max())
        self.h = min(self.max_step, 0.01 * size / steep if size > 1e-5 and steep > 1e-5 else 1e-6)

    def check_user_error(self) -> None:
        """End the run if a user's function raised an exception."""
        error = self.request.user_error()
        if error is not None:
            raise RunEnded(Outcome.FINISHED, error)

    def evaluate_start(self, t: float) -> None:
        """Evaluate derivative, forces and reactions at the current state."""
        status = self.phase.evaluate_first_stage(t)
        self.check_user_error()
        if not np.all(np.isfinite(self.phase.derivative)):
            raise RunEnded(Outcome.SINGULAR if status != OK else Outcome.NOT_FINITE)

    # ---- steps

    def step_towards(self, goal: float) -> None:
        """Take one step towards ``goal`` [s], up to the first event in it."""
        phase, t = self.phase, self.t
        self.check_progress(t)
        if self.chatter.look(t, self.steps + self.rejected):
            self.evaluate_start(t)
        phase.run_record.t_latest = math.nextafter(goal, -math.inf)
        h = self.try_step(goal - t)
        phase.compute_dense_stages(t, h)
        span = self.detect_event(h)
        self.check_user_error()
        if span is None:
            self.accept_step(phase.project_new_state(min(t + h, phase.run_record.t_latest)), h, goal)
            self.end_slow_sliding()
            return
        locator = EventLocator(phase, t, self.handler)
        low, high = span[0] * h, span[1] * h
        event = locator.locate_first(low, high)
        if event is None:
            self.accept_if_accurate(high, goal)
            return
        if event.kind == SLIDING_END and self.handler.turns(t, (event.contact, event.limit), event.step_length):
            self.accept_if_accurate(event.step_length, goal)
            return
        self.step_to_event(event, MODE_MARGIN * (high - event.step_length), goal)

    def step_to_event(self, event: Event, delay: float, goal: float) -> None:
        """Step up to a located event and handle it; its new modes are computed ``delay`` [s] behind it."""
        phase, t, new_modes = self.phase, self.t, None
        if event.kind not in (CLOSING, SLIDING_END):
            new_modes = self.handler.modes_after(t, event.step_length + delay)
        if event.step_length > 0.0:
            self.accept_step(phase.step_and_project(t, event.step_length), event.step_length, goal)
        self.handle_event(event, new_modes)

    def accept_if_accurate(self, h: float, goal: float) -> None:
        """Accept a step of length ``h`` [s] without event, or shorten the next one if its error is too large.

        Where sliding turns fast, a part of an accurate step is not always accurate.
        """
        phase = self.phase
        status = phase.step_and_project(self.t, h)
        if float(phase.run_record.step_error) <= 1.0 or status != OK:
            self.accept_step(status, h, goal)
            self.end_slow_sliding()
        else:
            self.rejected += 1
            self.h = h * phase.step_factor

    def end_slow_sliding(self) -> None:
        """End the sliding of contacts with two tangents at speeds that the tolerance of the run does not resolve.

        The sliding direction may turn without limit there, and explicit steps would not follow it.
        """
        if self.phase.tangents == 2:
            ending = self.handler.ending_contacts(self.t, self.request.options.rtol)
            if ending:
                k, limit = ending[0]
                self.handle_event(Event(SLIDING_END, k, 0.0, limit), None)

    def check_progress(self, t: float) -> None:
        """End a run that makes no progress in many steps and events."""
        self.tries_since_progress += 1
        if t > self.t_progress + MIN_PROGRESS * self.t_end:
            self.t_progress, self.tries_since_progress = t, 0
        self.slow_tries += 1
        if t > self.t_slow_progress + MIN_SLOW_PROGRESS * self.t_end:
            self.t_slow_progress, self.slow_tries = t, 0
        if self.tries_since_progress > MAX_TRIES or self.slow_tries > MAX_SLOW_TRIES:
            raise RunEnded(Outcome.STALLED)

    def try_step(self, left: float) -> float:
        """Take a step with an error within the tolerances; return its length, at most ``left`` [s]."""
        phase = self.phase
        h = min(self.h, self.max_step)
        while True:
            h = left if h > 0.95 * left else 0.5 * left if h > 0.5 * left else h
            status, e = phase.try_step(self.t, h)
            self.check_user_error()
            if status == OK and e <= 1.0:
                self.h = max(h * phase.step_factor, self.h if h < 0.99 * self.h else 0.0)
                return h
            self.rejected += 1
            h *= phase.step_factor
            self.h = h
            if phase.tangents == 2 and h < phase.run_record.slow_time:
                phase.follow_slow_sliding(self.t)
            if self.t + h == self.t:
                finite = math.isfinite(e)
                raise RunEnded(
                    Outcome.SINGULAR if status != OK else Outcome.STEP_UNDERFLOW if finite else Outcome.NOT_FINITE
                )

    def detect_event(self, h: float) -> tuple[float, float] | None:
        """Return the bracket of the first event in a step, in fractions of the step."""
        phase, t = self.phase, self.t
        spans = []
        if len(phase.active) < phase.n_contacts:
            if self.is_event(phase.detect_closing(t, h)):
                spans.append(phase.event_bracket)
        if len(phase.active):
            phase.evaluate_margins(t, phase.y)
            sample = 1
            while self.is_event(phase.detect_negative_margin(t, h, sample)):
                if self.handler.negative_margins():
                    spans.append(phase.event_bracket)
                    break
                sample = int(phase.run_record.first_sample) + 1
        return min(spans, key=lambda span: span[1], default=None)

    def is_event(self, status: int) -> bool:
        """Return True if an event was detected; end the run if a gap or a force is not finite."""
        if status == NOT_FINITE:
            bad = np.flatnonzero(np.isnan(self.phase.gaps))
            self.counts.failed_contact = bad[0] if len(bad) else 0
            raise RunEnded(Outcome.NOT_FINITE)
        return status == EVENT

    def accept_step(self, status: int, h: float, goal: float) -> None:
        """Make the projected state after ``h`` [s] the current one; end the run if the projection failed."""
        phase, t = self.phase, self.t
        if status != OK:
            raise RunEnded(Outcome.SINGULAR if status == SINGULAR else Outcome.NOT_CONVERGED)
        if self.event_output.stride == 1 and h > 0.2 * self.h:
            arrived = phase.y_projected.copy()
            phase.compute_dense_stages(t, h)
            for part in range(1, INNER_NODES + 1):
                self.store_inner_node(t + h * part / (INNER_NODES + 1), phase.interpolate(part / (INNER_NODES + 1), h))
            phase.y_projected[:] = arrived
        phase.y[:] = phase.y_projected
        self.t = goal if h >= goal - t else t + h
        phase.update_slip_directions(min(self.t, float(phase.run_record.t_latest)))
        self.evaluate_start(min(self.t, float(phase.run_record.t_latest)))
        self.steps += 1
        self.counts.n_steps = self.steps
        wanted = self.event_output.stride and self.steps % self.event_output.stride == 0
        if wanted or self.t == goal:
            self.store_node()

    # ---- events

    def handle_event(self, event: Event | None, new_modes: ContactModes | None, adds_nodes: bool = True) -> None:
        """Handle an event at the current state; None is a discontinuity of a prescribed motion or an input."""
        handler, t = self.handler, self.t
        self.events += 1
        if event is not None:
            self.output.last_contact = event.contact
        self.count_cluster(t)
        if self.event_output.stride and self.event_output.times[-1:] != [t]:
            self.store_node()
        closed = self.phase.active.tolist()
        approaching = handler.approaching_contacts(t) if event is None else []
        if event is not None and event.kind == CLOSING:
            approaching = [event.contact]
        if approaching:
            handler.apply_impact(t, approaching)
        if new_modes is not None and event is not None:
            handler.set_modes(t, closed, new_modes)
        else:
            stopped = [(event.contact, event.limit)] if event is not None and event.kind == SLIDING_END else []
            if stopped:
                stopped = handler.stop_sliding(t, stopped, self.cluster)
            handler.update_modes(t, stopped)
        self.evaluate_start(t)
        if adds_nodes and (self.event_output.stride or t in self.request.stops):
            self.store_node()

    def count_cluster(self, t: float) -> None:
        """Count the events at one time, and end a run in which they do not come to an end."""
        self.cluster = self.cluster + 1 if t == self.t_event else 0
        self.t_event = t
        if self.cluster >= MAX_CLUSTER:
            raise RunEnded(Outcome.STALLED)

    # ---- nodes

    def store_node(self, replace: bool = False) -> None:
        """Store the current state after `evaluate_start`, or ``replace`` the last node by it."""
        phase, t = self.phase, self.t
        forces = self.handler.contact_forces()
        row = self.event_output.node_row(phase.y, forces, self.arrays["joint_impulses"][: phase.m],
                              phase.derivative[phase.n : 2 * phase.n])  # fmt: skip
        self.event_output.update_peak_forces(forces)
        if replace or self.event_output.has_event_nodes(t):
            self.event_output.replace_last_node(row)
        else:
            self.event_output.add_node(t, row)

    def store_inner_node(self, t: float, y: np.ndarray) -> None:
        """Store a node inside a step."""
        phase = self.phase
        slope = np.zeros_like(y)
        phase.project_state(t, y)
        phase.evaluate_rhs(t, y, slope)
        forces = self.handler.contact_forces()
        reactions = self.arrays["joint_impulses"][: phase.m].copy()
        self.event_output.update_peak_forces(forces)
        self.event_output.add_node(t, self.event_output.node_row(y, forces, reactions, slope[phase.n : 2 * phase.n]))

    def statistics(self) -> dict[str, Any]:
        """Return the cost of the contact problems and the numbers of events and impacts."""
        return {**super().statistics(), "events": self.events, "impacts": self.handler.n_impacts}
