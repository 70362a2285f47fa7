"""Multistep methods of SUNDIALS (CVODE): Adams for smooth motion, BDF for stiff.

A multistep method may not have its past changed, so the state is not projected between steps. Instead the right-hand
side is evaluated at the projected state, f(P(y)): it is the same on the constraints, and no drift can build up. Nodes
are projected as they are stored. A run that is written to a file can be saved after every step (see `replay`).
"""

from __future__ import annotations

import math
import time
from importlib.util import find_spec

import numpy as np

from carom.compiled_model.implicit_solver import implicit_solver
from carom.errors import ModelError
from carom.kernels.interpreted import Row, address_of_argument
from carom.mechanics import equations_of_motion as equations
from carom.result.outcome import Outcome
from carom.solve.compliant import contact_extrema, contact_transitions, event_detection
from carom.solve.compliant.chattering import ChatterDetector
from carom.solve.compliant.contact_monitor import ContactMonitor
from carom.solve.compliant.cvode_rhs import RHS
from carom.solve.compliant.cvode_solver import NORMAL, ONE_STEP, CvodeOptions, DirectSolver, check
from carom.solve.compliant.cvode_steps import (
    CHUNK_DONE,
    CONSTRAINT_RATE,
    CVODE_STEPS,
    EVENT_INSIDE,
    EXTREMA_INSIDE,
    FAILED,
    NOT_FINITE,
    STALLED,
    STOP_RESOLUTION,
    take_steps,
)
from carom.solve.compliant.event_location import TOUCHED
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.records import (
    EVENT,
    INTERPOLATE,
    MAX_TRIES,
    NONE,
    ONSET,
    TIME_RESOLUTION,
    TRIES_PER_CONTACT,
)
from carom.solve.compliant.replay import RecordedSolver
from carom.solve.compliant.singular_positions import NEAR_SINGULAR
from carom.solve.method import Method, Progress
from carom.solve.node_batches import fill

MIN_RTOL = 1e-12
"""Relative tolerance below which the error test of CVODE only resolves rounding [-]."""

CONTACT_TOLERANCE = 0.01
"""Factor of the tolerances with contacts [-]: the method restarts at every impact, with the errors before it."""

MIN_STEP = 1e-14
"""Fraction of the length of the run; a step that has to be shorter ends the run [-]."""

FIRST_STEP = 1e-12
"""Fraction of the length of the run that is tried as the first step after an event [-]. The first step that CVODE
chooses lets no state that is zero grow beyond its absolute tolerance: such steps, and events in them, are rounding."""

MIN_ADVANCE = 1e-7
"""Fraction of a run that so many attempted steps must cover; events that follow each other closer hold it up [-]."""

STRETCH = 400
"""Steps after which a run that is written to a file restarts, so that the record of its past stays short."""

SAVED = (
    "t", "node", "limit", "end", "lone", "pull", "longest", "failed", "weakest", "evaluations", "steps", "rejected",
    "deep", "events", "mark", "crowd",
)  # fmt: skip
"""State of a run beside its contacts and its solver, by the names in a checkpoint."""

CHUNK_SECONDS, FIRST_CHUNK, MAX_CHUNK, MAX_CHUNK_NUMBERS = 0.05, 20, 2000, 4_000_000
"""Duration of a chunk of the compiled loop [s], steps in the first one and at most, and numbers in their nodes."""

MAX_INTERPOLATIONS = 16
"""Interpolations to locate an event."""


def options_of(request: IntegrationRequest, has_contacts: bool) -> CvodeOptions:
    """Return the options of CVODE for a request."""
    factor = CONTACT_TOLERANCE if has_contacts else 1.0
    length = float(request.stops[-1])
    atol = np.full(len(request.y), factor * request.atol)
    # Quadratures do not control the step, except for the energy that contacts dissipate: it may change where the
    # motion does not.
    atol[request.mechanism.controlled :] = 10.0 * request.atol if has_contacts else 1e30
    return CvodeOptions(
        method=request.integrator,
        rtol=max(factor * request.rtol, MIN_RTOL),
        atol=atol,
        min_step=MIN_STEP * length,
        first_step=FIRST_STEP * length if has_contacts else 0.0,
        max_step=min(request.max_step, length - request.start),
    )


class Cvode(Method):
    """A run of CVODE, one internal step at a time: the solver, the last node, and the contacts until the next one."""

    def __init__(self, request: IntegrationRequest):
        if find_spec("sksundae") is None:
            raise ModelError(f"integrator {request.integrator!r} needs SUNDIALS: pip install scikit-sundae")
        self.request, self.output = request, request.output
        self.mechanism = request.mechanism
        tables = self.mechanism.tables
        self.projecting = (request.projecting and self.mechanism.m > 0) or tables.n_orientation > 0
        self.monitor = ContactMonitor(request)
        self.t = request.start
        self.node = request.y.copy()
        self.projected_y = np.zeros_like(self.node)
        self.rhs = RHS.new(
            rate_kernel=tables.address(equations.rhs),
            project_kernel=tables.address(equations.project) if self.projecting else 0,
            model=tables.model._address,
            n_states=len(self.node),
            projected_y=self.projected_y.ctypes.data,
            t_stop=math.inf,
            min_pivot_ratio=1.0,
        )
        if self.monitor.active and not tables.forces:
            self.use_contact_jacobian()
        self.limit = math.inf
        self.end = float(request.stops[-1])
        self.longest = 0.0
        self.failed = -1.0  # time of the last node from which no step could be taken
        self.steps = self.rejected = self.deep = self.events = 0
        self.mark, self.crowd = 0.0, 0  # last time that counts as progress, attempted steps since then
        self.patience = MAX_TRIES + TRIES_PER_CONTACT * len(tables.contacts)
        self.chatter = ChatterDetector(self.mechanism, self.t, self.end)
        self.lone = 0  # steps since the last restart

    def use_contact_jacobian(self) -> None:
        """Let CVODE use the derivatives of the contact forces; beside other stiff forces it takes differences."""
        tables = self.mechanism.tables
        self.implicit = implicit_solver(tables)
        self.rhs.implicit_solver = address_of_argument(self.implicit.record)
        self.rhs.jacobians_kernel = tables.address(tables.kind.jacobians_kernel)

    def prepare(self) -> None:
        """Store the first node and start the solver, or restore both from a checkpoint."""
        output, request = self.output, self.request
        resumed = output.resumed_state
        self.monitor.start(self.node)
        if resumed is None:
            self.store_node()
            if not np.all(np.isfinite(self.mechanism.rate(request.start, self.node.copy())[0])):
                output.outcome, self.finished = Outcome.NOT_FINITE, True
                return
        else:
            self.restore(resumed)
        self.solver = RecordedSolver(self.rhs, output.capacity is None, options_of(request, self.monitor.active))
        if resumed is None or resumed.get("end") != self.end:
            self.restart()
        else:
            self.solver.play_back(resumed)
        self.compiled_loop = self.build_loop()
        self.chunk_steps = FIRST_CHUNK
        self.finished = self.t >= self.end

    def build_loop(self) -> Row | None:
        """Return the record of the compiled loop over steps; None where Python has work to do after every step."""
        solver, request = self.solver.solver, self.request
        is_recorded = self.output.capacity is None
        if is_recorded or self.mechanism.tables.user_kernels or not isinstance(solver, DirectSolver):
            return None
        if self.monitor.active and self.monitor.onset != EVENT:
            return None
        self.step_arrays = {name: np.zeros_like(self.node) for name in ("new_state", "slope", "new_slope")}
        kernels = {name: kernel for name, kernel in self.monitor.kernels.items() if name in CVODE_STEPS.names}
        loop = CVODE_STEPS.new(
            rhs=address_of_argument(self.rhs), events=address_of_argument(self.monitor.events), **kernels,
            node_size=len(self.node) + self.monitor.node_size, stores_steps=request.record_steps,
            min_advance=MIN_ADVANCE * self.end, max_attempts=self.patience,
        )  # fmt: skip
        CVODE_STEPS.connect(loop, self.step_arrays)
        solver.connect(loop)
        return loop

    @property
    def evaluations(self) -> int:
        """Evaluations of the right-hand side."""
        return int(self.rhs.n_evaluations)

    @evaluations.setter
    def evaluations(self, value: int) -> None:
        self.rhs.n_evaluations = value

    @property
    def weakest(self) -> float:
        """Smallest pivot since the last step [-]."""
        return float(self.rhs.min_pivot_ratio)

    @weakest.setter
    def weakest(self, value: float) -> None:
        self.rhs.min_pivot_ratio = value

    @property
    def pull(self) -> float:
        """Rate at which the state is drawn to the constraints [1/s]."""
        return float(self.rhs.constraint_rate)

    @pull.setter
    def pull(self, value: float) -> None:
        self.rhs.constraint_rate = value

    def set_stop(self, stop: float) -> None:
        """Evaluate the model just before ``stop`` [s], not at or after it."""
        self.rhs.t_stop, self.rhs.t_before_stop = stop, float(np.nextafter(stop, 0.0))

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return self.t, self.longest, self.monitor.n_open

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        return {name: np.array(getattr(self, name)) for name in SAVED} | self.monitor.carried() | self.solver.carried()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore the state of a checkpoint, except for the past of the solver."""
        fill(self.monitor.carried(), state)
        self.monitor.connect()
        saved = {name: np.array(getattr(self, name)) for name in SAVED if name != "end"}
        fill(saved, state)
        for name, value in saved.items():
            setattr(self, name, value if value.ndim else value.item())

    def contact_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""
        return self.monitor.logged()

    def open_contacts(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that are not separated."""
        return self.monitor.open_contacts(self.t, self.node)

    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps, evaluations and events to the output."""
        output = self.output
        output.t_reached, output.evaluations = self.t, self.evaluations
        output.steps, output.rejected = self.steps, self.rejected
        output.n_late_onsets, output.events = self.deep, self.events
        output.last_contact = self.monitor.last_event

    def project(self, t: float, state: np.ndarray) -> None:
        """Move a state onto the constraints."""
        if self.projecting:
            self.mechanism.project(t, state)

    def restart(self) -> None:
        """Restart the method at the last node, where something has changed."""
        self.set_stop(math.inf)
        self.lone = 0
        self.solver.restart(self.t, self.node)

    def store_node(self) -> None:
        """Store the node."""
        self.output.add(np.array([self.t]), self.monitor.row(self.node))

    def advance(self) -> None:
        """Take one internal step towards the next stop; restart after a discontinuity."""
        request = self.request
        next_stop = int(np.searchsorted(request.stops, self.t, side="right"))
        goal = float(request.stops[next_stop])
        if goal - self.t <= MIN_STEP * self.end:  # two stops that differ by rounding
            self.t = goal
            self.store_node()
        elif self.compiled_loop is not None:
            self.run_chunk(self.compiled_loop, goal)
        else:
            self.step_towards(goal)
        if self.output.error is not None or self.output.outcome is not Outcome.FINISHED:
            self.finished = True
            return
        if self.t == goal and request.jumps[next_stop]:
            if request.record_steps:
                self.store_node()  # one node for the state before, one for the state after
            self.restart()
        self.finished = self.t >= self.end

    def run_chunk(self, loop: Row, goal: float) -> None:
        """Take internal steps towards ``goal`` [s] in compiled code, or find out why none is possible."""
        output, size = self.output, int(loop.node_size)
        self.set_stop(goal)
        count = min(self.chunk_steps, self.chatter.steps_until_search(self.steps), max(1, MAX_CHUNK_NUMBERS // size))
        capacity = count if self.request.record_steps else 1
        node_t, node_y = np.empty(capacity), np.empty((capacity, size))
        loop.node_t, loop.node_y, loop.state = node_t.ctypes.data, node_y.ctypes.data, self.node.ctypes.data
        loop.t, loop.t_stop, loop.h, loop.max_steps = self.t, goal, self.longest, count
        loop.n_steps, loop.t_progress, loop.n_attempts = self.steps, self.mark, self.crowd
        loop.n_nodes = 0  # for Ctrl-C before the compiled loop begins
        began, steps = time.perf_counter(), self.steps
        try:
            status = int(take_steps.call(loop))
        finally:  # Ctrl-C during the chunk is raised when it returns
            output.add(node_t[: loop.n_nodes].copy(), node_y[: loop.n_nodes].copy())
            self.t, self.longest, self.steps = float(loop.t), float(loop.h), int(loop.n_steps)
            self.mark, self.crowd = float(loop.t_progress), int(loop.n_attempts)
        check("CVodeSetStopTime", loop.stop_status)
        duration = max(time.perf_counter() - began, 1e-9)
        self.chunk_steps = min(max(int((self.steps - steps) * CHUNK_SECONDS / duration), 1), MAX_CHUNK)
        if status == STALLED:
            output.outcome = Outcome.STALLED
        elif status == NOT_FINITE:
            output.outcome = Outcome.NOT_FINITE
        elif status == FAILED:
            self.recover()
        else:
            if status != CHUNK_DONE:
                self.finish_contact_step(loop, status, goal)
            self.chatter.look(self.t, self.node, self.steps)

    def finish_contact_step(self, loop: Row, status: int, goal: float) -> None:
        """Finish a step of the compiled loop in which a contact changes or has extrema."""
        t, state = float(loop.t_new), self.step_arrays["new_state"].copy()
        if status == EVENT_INSIDE:
            self.accept(t, state, goal)
            return
        assert status == EXTREMA_INSIDE
        self.read_requests(int(loop.n_requests), self.t, t)
        self.move_node(t, state, goal)

    def recover(self) -> None:
        """Restart after a failed step with contacts, once, or end the run."""
        if self.monitor.active and self.t > self.failed:
            self.failed = self.t  # rounding may have spoiled the past; without it the method may succeed
            self.restart()
        else:
            self.output.outcome = self.outcome_without_step()

    def outcome_without_step(self) -> Outcome:
        """Return why no step is possible; the last trial states show whether CVODE met a singular position."""
        return Outcome.SINGULAR if self.weakest < NEAR_SINGULAR else Outcome.STEP_UNDERFLOW

    def step_towards(self, goal: float) -> None:
        """Take one internal step towards ``goal`` [s], or find out why none is possible."""
        output = self.output
        self.crowd += 1
        if self.t > self.mark + MIN_ADVANCE * self.end:
            self.mark, self.crowd = self.t, 0
        if self.crowd > self.patience:
            output.outcome = Outcome.STALLED
            return
        self.set_stop(goal)
        limit = min(self.limit, goal)
        step = self.solver.step(limit, ONE_STEP, limit)
        output.error = self.mechanism.user_error()
        if output.error is not None or not np.all(np.isfinite(step.y)):
            output.outcome = Outcome.NOT_FINITE
            return
        if not step.success:
            self.recover()
            return
        t = goal if goal - step.t <= STOP_RESOLUTION * abs(goal) else step.t
        if t > self.t:
            self.finish_step(t, step.y, goal)

    def finish_step(self, t: float, state: np.ndarray, goal: float) -> None:
        """Move to the end of a step: contacts, node, restart."""
        # The short steps of an impact would draw so strongly that the forces show it.
        self.longest = max(self.longest, t - self.t) if self.monitor.active else t - self.t
        self.pull = CONSTRAINT_RATE / self.longest
        self.weakest = 1.0
        self.project(t, state)
        self.limit = self.accept(t, state, goal) if self.monitor.active else self.move_node(t, state, goal)
        if self.output.capacity is None and (self.lone >= STRETCH or self.solver.is_full):
            self.restart()
        self.chatter.look(self.t, self.node, self.steps + self.rejected)

    def move_node(self, t: float, state: np.ndarray, goal: float) -> float:
        """Move the node to the end of a step; return the time that the next step may not pass [s]."""
        self.t, self.node = t, state
        self.steps += 1
        self.lone += 1
        if self.request.record_steps or t == goal:
            self.store_node()
        return math.inf

    def accept(self, t: float, state: np.ndarray, goal: float) -> float:
        """Move the node as `move_node` does, with contacts: they may end the step earlier, or reject it."""
        began, slope = self.t, self.mechanism.evaluate(self.t, self.node)[0]
        step = (self.node, slope, state, self.mechanism.evaluate(t, state)[0])
        changed = cut = False
        if self.monitor.onset == EVENT:
            cut = self.monitor.call(event_detection.detect_events, began, t - began, *step) != 0
            if cut:
                t, state, changed = self.locate(began, t, state)
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
        self.move_node(t, state, goal)
        if changed:
            if not self.request.record_steps:
                self.store_node()
            self.monitor.call(contact_transitions.apply_event, t, 1.0, self.node)
        elif self.monitor.onset != EVENT:
            changed = self.monitor.call(contact_transitions.update_modes, t, 1.0, self.node) != 0
        if changed:
            self.events += 1
            self.store_node()
        if changed or cut:
            self.restart()
        return math.inf

    def interpolate(self, t: float) -> np.ndarray:
        """Return the projected state at a time inside the last step, by the interpolation of the method."""
        state = self.solver.step(t, NORMAL).y
        self.project(t, state)
        return state

    def locate(self, began: float, t: float, state: np.ndarray) -> tuple[float, np.ndarray, bool]:
        """Return time and state of the detected event, and whether it occurs (see `event_location.locate_event`)."""
        events, low, high, end = self.monitor.events, began, t, t
        better = began + events.fraction * (t - began)
        finest = TIME_RESOLUTION * t
        for _ in range(MAX_INTERPOLATIONS):
            if not better > began + finest:
                return began, self.node, True
            t = float(better)
            state = self.interpolate(t)
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
        """Update the largest forces and indentations in a step, and read those inside of it."""
        end = self.mechanism.evaluate(t, state)[0]
        step = (self.node, slope, state, end)
        self.read_requests(self.monitor.call(contact_extrema.update_extrema, t, t - began, *step), began, t)

    def read_requests(self, count: int, began: float, t: float) -> None:
        """Read the largest forces and indentations inside the step, and note a jump of a contact."""
        events = self.monitor.events
        for k in range(count):
            request = self.monitor.requests[k]
            events.request_contact, events.request_quantity = request["contact"], request["quantity"]
            state_there = self.interpolate(began + request["fraction"] * (t - began))
            self.monitor.call(contact_extrema.read_extremum, t, 1.0, state_there)
        if (jump := self.monitor.jump) is not None:
            self.output.contact_jump, self.output.outcome = jump, Outcome.CONTACT_JUMP
