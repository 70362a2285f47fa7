"""Multistep methods of SUNDIALS (CVODE, through scikit-sundae): Adams for smooth motion, BDF for stiff.

A multistep method may not have its past changed, so the state is not projected between steps. Instead the right-hand
side is taken at the projected state, f(P(y)): it is the same on the constraints, and no drift can build up. Nodes are
projected as they are recorded. A run that goes to a file can be saved after every step (see `replay`).
"""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np

from carom.errors import ModelError
from carom.result.outcome import Outcome
from carom.solve.compliant import contact_extrema, contact_transitions, event_detection
from carom.solve.compliant.chattering import ChatterDetector
from carom.solve.compliant.contact_monitor import ContactMonitor
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.records import (
    EVENT,
    INTERPOLATE,
    MAX_TRIES,
    MOMENT,
    NONE,
    ONSET,
    TIME_RESOLUTION,
    TRIES_PER_CONTACT,
)
from carom.solve.compliant.replay import RecordedSolver
from carom.solve.compliant.rk_loop import NEAR_SINGULAR, TOUCHED
from carom.solve.node_batches import fill
from carom.solve.run_output import RunOutput

PULL = 0.05
"""Rate at which the state is drawn to the constraints, in units of one over the step: well inside stability."""

FINEST = 1e-12
"""Relative tolerance below which CVODE's error test only sees rounding."""

STRICTER = 0.01
"""Of the tolerances, where there are contacts: impacts are restarts, and every one begins with the errors before it."""

SMALLEST = 1e-14
"""Of the length of the run: a step that has to be shorter ends it."""

FIRST = 1e-12
"""Fraction of the length of the run that is tried as the first step after an event. CVODE's own guess lets nothing that
is zero grow beyond its absolute tolerance: such steps are rounding, and so is every event seen in them."""

NAMES = {"adams": "Adams", "bdf": "BDF"}

STRETCH = 400
"""Steps after which a run that goes to a file forgets its past, so that the record of it stays short."""

CARRIED = (
    "t", "node", "limit", "end", "lone", "pull", "longest", "failed", "weakest", "evaluations", "steps", "rejected",
    "deep", "events", "mark", "crowd",
)  # fmt: skip
"""State of a run beside its contacts and its solver."""

TRIES = 16
"""Interpolations to narrow down an event."""


def integrate(name: str, request: IntegrationRequest) -> RunOutput:
    """Run CVODE over a request, one internal step at a time; Ctrl-C keeps what there is."""
    if find_spec("sksundae") is None:
        raise ModelError(f"integrator {name!r} needs SUNDIALS: pip install scikit-sundae")
    run = CvodeRun(request)
    answer = run.answer
    if answer.resumed is None and not np.all(np.isfinite(request.mechanism.rate(request.start, run.node.copy())[0])):
        answer.outcome = Outcome.NOT_FINITE
        return answer
    share = STRICTER if run.monitor.active else 1.0
    tolerance = np.full(len(request.y), share * request.atol)
    # Quadratures follow, they do not steer, but for what contacts dissipate: that may change where the motion does not.
    tolerance[request.mechanism.controlled :] = 10.0 * request.atol if run.monitor.active else 1e30
    run.solver = RecordedSolver(
        run.rate,
        answer.room is None,
        method=NAMES[name],
        rtol=max(share * request.rtol, FINEST),
        atol=tolerance,
        min_step=SMALLEST * float(request.stops[-1]),
        first_step=FIRST * float(request.stops[-1]) if run.monitor.active else 0.0,
        max_step=min(request.max_step, float(request.stops[-1]) - request.start),
        max_num_steps=100_000,
    )
    if answer.resumed is None or answer.resumed.get("end") != run.end:
        run.restart()
    else:
        run.solver.play_back(answer.resumed)
    try:
        for goal, jump in zip(request.stops.tolist(), request.jumps, strict=True):
            if goal <= run.t:
                continue
            run.reach(goal)
            if jump and answer.outcome is Outcome.FINISHED and answer.error is None:
                run.keep()
                run.restart()
        if answer.outcome.ok and answer.error is None:
            answer.keep(run)
    except KeyboardInterrupt:
        answer.outcome = Outcome.INTERRUPTED
    run.tell(answer)
    run.monitor.finish(run.t, run.node, answer)
    return answer


class CvodeRun:
    """A run of CVODE: the solver, the last node, and the contacts between it and the next."""

    solver: RecordedSolver

    def __init__(self, request: IntegrationRequest):
        self.request = request
        self.mechanism = request.mechanism
        self.projecting = (request.projecting and self.mechanism.m > 0) or self.mechanism.tables.turning > 0
        self.monitor = ContactMonitor(request)
        self.t = request.start
        self.node = request.y.copy()
        self.stop = self.limit = math.inf
        self.end = float(request.stops[-1])
        self.pull = self.longest = 0.0
        self.failed = -1.0  # time of the last node from which no step could be taken
        self.weakest = 1.0  # smallest pivot since the last step
        self.monitor.start(self.node)
        self.answer = request.answer
        self.evaluations = self.steps = self.rejected = self.deep = self.events = 0
        self.mark, self.crowd = 0.0, 0  # last time that counts as progress, attempted steps since then
        self.patience = MAX_TRIES + TRIES_PER_CONTACT * len(self.mechanism.tables.contacts)
        self.chatter = ChatterDetector(self.mechanism, self.t, self.end)
        self.lone = 0  # steps since the past was forgotten
        if self.answer.resumed is None:
            self.keep()
        else:
            self.go_on(self.answer.resumed)

    def carried(self) -> dict[str, np.ndarray]:
        return (
            {name: np.array(getattr(self, name)) for name in CARRIED} | self.monitor.carried() | self.solver.carried()
        )

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        """Restore the state of another run, but for that of its solver."""
        fill(self.monitor.carried(), carried)
        self.monitor.connect()
        state = {name: np.array(getattr(self, name)) for name in CARRIED if name != "end"}
        fill(state, carried)
        for name, value in state.items():
            setattr(self, name, value if value.ndim else value.item())

    def open_touches(self) -> list[np.ndarray]:
        return self.monitor.open_contacts(self.t, self.node)

    def tell(self, answer: RunOutput) -> None:
        answer.end, answer.evaluations = self.t, self.evaluations
        answer.steps, answer.rejected = self.steps, self.rejected
        answer.too_deep, answer.events = self.deep, self.events
        answer.contact = self.monitor.last_event

    def rate(self, t: float, y: np.ndarray, yp: np.ndarray) -> None:
        """f(P(y)), drawn to the constraints."""
        self.evaluations += 1
        state = np.array(y)
        if t >= self.stop:
            t = float(np.nextafter(self.stop, 0.0))  # what holds before the stop, should something change there
        self.project(t, state)
        yp[:] = self.mechanism.evaluate(t, state)[0] + self.pull * (state - y)
        self.weakest = min(self.weakest, float(self.mechanism.tables.settings.min_pivot_ratio))

    def project(self, t: float, state: np.ndarray) -> None:
        if self.projecting:
            self.mechanism.project(t, state)

    def restart(self) -> None:
        """Forget the past: something has changed at the last node."""
        self.stop, self.lone = math.inf, 0
        self.solver.restart(self.t, self.node)

    def keep(self) -> None:
        self.answer.add(np.array([self.t]), self.monitor.row(self.node))

    def reach(self, goal: float) -> None:
        """Step to ``goal``."""
        answer, smallest = self.answer, SMALLEST * float(self.request.stops[-1])
        if 0.0 < goal - self.t <= smallest:  # two stops a rounding apart
            self.t = goal
            self.keep()
        while self.t < goal and answer.outcome is Outcome.FINISHED:
            self.crowd += 1
            if self.t > self.mark + MOMENT * float(self.request.stops[-1]):
                self.mark, self.crowd = self.t, 0
            if self.crowd > self.patience:
                answer.outcome = Outcome.STALLED
                return
            self.stop = goal
            limit = min(self.limit, goal)
            step = self.solver.step(limit, "onestep", limit)
            state = np.array(step.y, float).ravel()
            answer.error = self.mechanism.user_error()
            if answer.error is not None or not np.all(np.isfinite(state)):
                answer.outcome = Outcome.NOT_FINITE
                return
            if not step.success and self.monitor.active and self.t > self.failed:
                self.failed = self.t  # a past that rounding has spoiled; without it the method may pass
                self.restart()
                continue
            if not step.success:
                # It does not pass a singular position; the last trial states show whether it met one.
                answer.outcome = Outcome.SINGULAR if self.weakest < NEAR_SINGULAR else Outcome.STEP_UNDERFLOW
                return
            t = float(np.ravel(step.t)[-1])
            if goal - t <= 1e-14 * abs(goal):
                t = goal
            if not t > self.t:
                continue
            # The short steps of an impact would pull so hard that it is felt in the forces.
            self.longest = max(self.longest, t - self.t) if self.monitor.active else t - self.t
            self.pull = PULL / self.longest
            self.weakest = 1.0
            self.project(t, state)
            self.limit = self.accept(t, state, goal) if self.monitor.active else self.advance(t, state, goal)
            if self.answer.room is None and (self.lone >= STRETCH or self.solver.full):
                self.restart()
            if self.answer.due:
                self.answer.keep(self)
            self.chatter.look(self.t, self.node, self.steps + self.rejected)
            self.request.report(self.t, self.longest, self.monitor.n_open)

    def advance(self, t: float, state: np.ndarray, goal: float) -> float:
        """Move the node on; return the time beyond which the next step may not go."""
        self.t, self.node = t, state
        self.steps += 1
        self.lone += 1
        if self.request.record_steps or t == goal:
            self.keep()
        return math.inf

    def accept(self, t: float, state: np.ndarray, goal: float) -> float:
        """The same with contacts, which may end the step earlier, or undo it."""
        began, slope = self.t, self.mechanism.evaluate(self.t, self.node)[0]
        step = (self.node, slope, state, self.mechanism.evaluate(t, state)[0])
        changed = cut = False
        if self.monitor.onset == EVENT:
            cut = self.monitor.call(event_detection.detect_events, began, t - began, *step) != 0
            if cut:
                t, state, changed = self.narrow(began, t, state)
        elif self.monitor.onset != NONE and self.too_deep(began, t - began, step):
            ratio, length = self.monitor.events.fraction, t - began
            if self.monitor.onset == INTERPOLATE and TOUCHED < ratio < 1.0:  # (11), (12) of paper T
                cut, t, state = True, began + ratio * length, self.node + ratio * (state - self.node)
                self.project(t, state)
            elif length > self.request.min_step:
                self.rejected += 1
                self.restart()
                return began + max(0.5 * length, self.request.min_step)
            else:
                self.deep += 1
        if t > began:
            self.read_largest(began, t, slope, state)
        self.advance(t, state, goal)
        if changed:
            if not self.request.record_steps:
                self.keep()
            self.monitor.call(contact_transitions.apply_event, t, 1.0, self.node)
        elif self.monitor.onset != EVENT:
            changed = self.monitor.call(contact_transitions.update_modes, t, 1.0, self.node) != 0
        if changed:
            self.events += 1
            self.keep()
        if changed or cut:
            self.monitor.collect_log(self.answer)
            self.restart()
        return math.inf

    def between(self, t: float) -> np.ndarray:
        """The state at a time inside the last step, from the method's own interpolation."""
        state = np.array(self.solver.step(t, "normal").y, float).ravel()
        self.project(t, state)
        return state

    def narrow(self, began: float, t: float, state: np.ndarray) -> tuple[float, np.ndarray, bool]:
        """Time and state of the detected event, and whether it was there (see `event_location.locate_event`)."""
        events, low, high, end = self.monitor.events, began, t, t
        better = began + events.fraction * (t - began)
        finest = TIME_RESOLUTION * t
        for _ in range(TRIES):
            if not better > began + finest:
                return began, self.node, True
            t = float(better)
            state = self.between(t)
            self.monitor.call(event_detection.evaluate_event, t, 1.0, state)
            value, slope = events.value, events.slope
            low, high = (t, high) if value < 0.0 else (low, t)
            better = t - value / slope if slope > 0.0 else math.nan
            if value < 0.0 and high == end and better > end + finest:
                return t, state, False
            if abs(value) <= events.resolution or high - low <= finest or abs(better - t) <= finest:
                break
            if not low < better < high:
                better = 0.5 * (low + high)
        return t, state, True

    def too_deep(self, t: float, h: float, step: tuple[np.ndarray, ...]) -> bool:
        """Return whether a contact has begun too deep inside the step (see `event_location.detect_late_onset`)."""
        events = self.monitor.events
        self.monitor.call(contact_extrema.onset_depth, t, h, *step)
        if events.onset_depth > 0.0:
            return bool(events.onset_depth > self.request.depth)
        detected = self.monitor.call(event_detection.detect_events, t, h, *step) != 0
        hidden = detected and events.kind == ONSET
        events.fraction = 2.0
        return bool(hidden)

    def read_largest(self, began: float, t: float, slope: np.ndarray, state: np.ndarray) -> None:
        """Largest forces and indentations inside a step."""
        events, end = self.monitor.events, self.mechanism.evaluate(t, state)[0]
        for k in range(self.monitor.call(contact_extrema.update_extrema, t, t - began, self.node, slope, state, end)):
            request = self.monitor.requests[k]
            events.request_contact, events.request_quantity = request["contact"], request["quantity"]
            state_there = self.between(began + request["fraction"] * (t - began))
            self.monitor.call(contact_extrema.read_extremum, t, 1.0, state_there)
