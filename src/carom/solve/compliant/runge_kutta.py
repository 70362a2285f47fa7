"""Explicit Runge–Kutta integration: the compiled loop, run in chunks so that Python can watch."""

from __future__ import annotations

import ctypes
import time

import numpy as np

from carom.kernels.plain import address_of_argument
from carom.result.outcome import Outcome
from carom.solve.answer import Answer
from carom.solve.compliant import desk as places
from carom.solve.compliant import loop
from carom.solve.compliant import plan as at
from carom.solve.compliant.chattering import ChatterDetector
from carom.solve.compliant.contacts import Watch
from carom.solve.compliant.plan import Plan
from carom.solve.compliant.request import Request, largest_sizes
from carom.solve.compliant.tableau import Tableau
from carom.solve.mechanism import Mechanism
from carom.solve.pieces import fill

TORN = 1e-4
"""Of the system's size: a joint that feedback or a penalty lets open by more has given way."""
CHUNK_NODES = 768
CHUNK_SECONDS = 0.05
FIRST_BUDGET, LEAST_BUDGET = 100, 20
"""Evaluations before Python is asked for the first time, and later at least; they may be slow."""
OUTCOMES = {
    loop.NOT_FINITE: Outcome.NOT_FINITE,
    loop.UNDERFLOW: Outcome.STEP_UNDERFLOW,
    loop.LOST_RANK: Outcome.SINGULAR,
    loop.APART: Outcome.APART,
    loop.STALLED: Outcome.STALLED,
}


class Integration:
    """One method over a request: its plan, and what Python sees of it."""

    def __init__(self, tableau: Tableau, request: Request):
        mechanism = request.mechanism
        tables = mechanism.tables
        self.request, self.mechanism, self.answer = request, mechanism, request.answer
        self.y = y = request.y.copy()
        largest = np.minimum(np.abs(y[: mechanism.controlled]), largest_sizes(mechanism))
        start = request.start
        longest = min(request.max_step, float(request.stops[-1]) - start)
        self.watch = watch = Watch(request)
        watch.start(y)
        if self.answer.resumed is None:
            self.answer.add(np.array([start]), watch.row(y))
        slope, _ = mechanism.rate(start, y)
        self.evaluated = 1  # before the first step
        self.healthy = bool(np.all(np.isfinite(slope)))
        step = longest
        if tableau.adaptive and self.healthy:
            scale = request.atol + request.rtol * largest
            step = first_step(mechanism, start, y, slope, scale, tableau.error_order, longest)
            self.evaluated += 1
            step = min(step, loop.FIRST_IN_CONTACT * watch.shortest)
        began = start if watch.shortest < np.inf else -np.inf
        self.clock = np.array([start, step, 1e-4, step, began, step, start])
        self.counts = np.zeros(places.COUNTS, np.int64)
        self.counts[places.SAFE] = tables.settings.min_pivot_ratio > loop.UNSAFE
        self.plan = prepare(tableau, request, watch, y, slope, largest)
        self.plan.table[at.PROJECT] = (
            tables.project if request.projecting and mechanism.m else tables.normalise if tables.turning else 0
        )
        self.plan.put(at.CLOCK, self.clock)
        self.plan.put(at.COUNTS, self.counts)
        self.room = int(self.plan.table[at.ROOM])
        self.least = tableau.inner + 4  # nodes that a step may add
        self.most = self.answer.room
        if self.answer.resumed is not None:
            self.go_on(self.answer.resumed)

    @property
    def t(self) -> float:
        return float(self.clock[loop.TIME])

    def carried(self) -> dict[str, np.ndarray]:
        kept = (at.Y, at.K, at.NEW, at.TRIAL, at.SLOPE, at.PROBE, at.LARGEST, at.CLOCK, at.COUNTS)
        return {**{f"plan {place}": self.plan.arrays[place] for place in kept}, **self.watch.carried()}

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        """From where another run was."""
        fill(self.carried(), carried)
        self.counts[places.NEXT_STOP] = np.searchsorted(self.request.stops, self.t, side="right")
        if self.counts[places.CAREFUL]:
            self.take_care()

    def open_touches(self) -> list[np.ndarray]:
        return self.watch.still_there(self.t, self.y)

    def tell(self, answer: Answer) -> None:
        counts = self.counts
        answer.contact = self.watch.last_event
        answer.end, answer.stride = self.t, int(self.plan.table[at.STRIDE])
        answer.events, answer.too_deep = int(counts[places.EVENTS]), int(counts[places.TOO_DEEP])
        answer.steps, answer.rejected = int(counts[places.STEPS]), int(counts[places.REJECTED])
        answer.evaluations = self.evaluated + int(counts[places.EVALUATIONS])

    def take_care(self) -> None:
        table, tables = self.plan.table, self.mechanism.tables
        table[at.CAREFUL_RATE], table[at.TANGENTIAL] = tables.careful_rate, tables.tangential

    def chunk(self) -> int:
        """Steps until Python is to look; how that ended. Where there are too many nodes, every second one is dropped.

        How many fit does not depend on how long chunks take, so that two runs drop the same ones.
        """
        table, answer = self.plan.table, self.answer
        width, room = int(table[at.WIDTH]), self.room
        if self.most is not None and table[at.STRIDE]:
            if (self.most - answer.numbers()) // width < self.least:
                answer.thin()
                table[at.STRIDE] *= 2
                self.most = max(self.most, 2 * answer.numbers() + self.least * width)  # nodes at jumps are all kept
            room = min(room, (self.most - answer.numbers()) // width)
        out_t, out_y = np.empty(room), np.empty((room, width))
        table[at.ROOM] = room
        self.plan.put(at.OUT_T, out_t)
        self.plan.put(at.OUT_Y, out_y)
        began, spent = time.perf_counter(), self.counts[places.EVALUATIONS]
        try:
            ending = int(loop.run.compiled.ctypes(table.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))))
        finally:  # Ctrl-C while it ran comes when it is back
            count = int(self.counts[places.NODES])
            answer.add(out_t[:count], out_y[:count])
            self.watch.drain(answer)
        elapsed = max(time.perf_counter() - began, 1e-9)
        pace = max((self.counts[places.EVALUATIONS] - spent) / elapsed, 1.0)
        table[at.BUDGET] = int(min(max(pace * CHUNK_SECONDS, LEAST_BUDGET), 10_000_000))
        return ending

    def run(self) -> int:
        """Chunk after chunk, to the end; how that ended."""
        answer = self.answer
        chatter = ChatterDetector(self.mechanism, self.t, float(self.request.stops[-1]))
        while True:
            ending = self.chunk()
            answer.error = self.mechanism.user_error()
            if ending == loop.NEEDS_CARE:
                self.take_care()
            elif ending != loop.MORE or answer.error is not None:
                return ending
            if answer.due and answer.error is None:
                answer.keep(self)
            if self.plan.table[at.ADAPTIVE]:
                chatter.look(self.t, self.y, int(self.counts[places.STEPS] + self.counts[places.REJECTED]))
            self.request.report(self.t, float(self.clock[loop.STEP]), self.watch.pressing)


def integrate(tableau: Tableau, request: Request) -> Answer:
    """Run one method over a request; Ctrl-C keeps what there is."""
    answer = request.answer
    run = Integration(tableau, request)
    run.tell(answer)
    if not run.healthy:
        answer.outcome = Outcome.NOT_FINITE
        return answer
    try:
        answer.outcome = OUTCOMES.get(run.run(), Outcome.FINISHED)
        if answer.outcome.ok and answer.error is None:
            answer.keep(run)
    except KeyboardInterrupt:
        answer.outcome = Outcome.INTERRUPTED
    if isinstance(answer.error, KeyboardInterrupt):  # it came while a user's Python function was running
        answer.outcome = Outcome.INTERRUPTED
    run.tell(answer)
    run.watch.finish(run.t, run.y, answer)
    return answer


def prepare(
    tableau: Tableau, request: Request, watch: Watch, y: np.ndarray, slope: np.ndarray, largest: np.ndarray
) -> Plan:
    """The table for the compiled loop, with all its arrays but those of the clock and of the nodes."""
    mechanism = request.mechanism
    tables = mechanism.tables
    size = len(y)
    plan = Plan()
    table = plan.table
    k = np.zeros((tableau.stages + len(tableau.extra_c), size))
    k[0] = slope
    table[at.BLOCK] = address_of_argument(tables.model)
    arrays: dict[int, np.ndarray | None] = {
        at.Y: y, at.K: k, at.LARGEST: largest, at.CAP: largest_sizes(mechanism),
        at.A: tableau.a, at.C: tableau.c, at.ERROR: tableau.error, at.ERROR_3: tableau.error_3,
        at.B: None if np.array_equal(tableau.a[-1], tableau.b) else tableau.b,
        at.EXTRA_A: tableau.extra_a, at.EXTRA_C: tableau.extra_c, at.DENSE: tableau.dense,
        at.STOPS: request.stops, at.JUMPS: request.jumps.astype(np.int64),
        at.WATCHERS: watch.addresses if watch.active else None, at.DESK: watch.desk,
        **{place: np.zeros(size) for place in (at.NEW, at.TRIAL, at.SLOPE, at.PROBE)},
    }  # fmt: skip
    for place, array in arrays.items():
        plan.put(place, array)
    limits = np.zeros(6)
    limits[[at.RTOL, at.ATOL]] = request.rtol, request.atol
    limits[at.MAX_STEP] = min(request.max_step, float(request.stops[-1]) - request.start)
    limits[at.TORN] = TORN * (1.0 + np.abs(y[: mechanism.n]).max())
    limits[[at.MIN_STEP, at.DEEPEST]] = request.min_step, request.depth
    plan.put(at.LIMITS, limits)
    table[at.RATE] = tables.rate
    table[[at.STATES, at.CONTROLLED]] = size, mechanism.controlled
    table[[at.STAGES, at.EXTRA, at.INNER]] = tableau.stages, len(tableau.extra_c), tableau.inner
    table[[at.DENSE_ORDER, at.A_WIDTH, at.EXTRA_WIDTH]] = [
        array.shape[1] for array in (tableau.dense, tableau.a, tableau.extra_a)
    ]
    table[[at.ERROR_ORDER, at.ADAPTIVE]] = tableau.error_order, tableau.adaptive
    table[[at.STOP_COUNT, at.STRIDE]] = len(request.stops), request.record_steps
    table[at.ROOM] = max(min(CHUNK_NODES, 4_000_000 // size), 16 + 2 * tableau.inner)
    table[[at.WIDTH, at.LOG_ROOM]] = size + watch.kept, watch.room
    table[[at.ONSET, at.BUDGET]] = watch.onset, FIRST_BUDGET
    return plan


def first_step(
    mechanism: Mechanism, t: float, y: np.ndarray, slope: np.ndarray, scale: np.ndarray, order: int, longest: float
) -> float:
    """First step of Hairer, Nørsett & Wanner, II.4."""
    count = len(scale)
    d0, d1 = (np.abs(part[:count] / scale).max() for part in (y, slope))
    h = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, longest)
    further, _ = mechanism.rate(t + h, y + h * slope)
    d2 = np.abs((further - slope)[:count] / scale).max() / h
    steepest = max(d1, d2)
    guess = max(1e-6, 1e-3 * h) if not steepest > 1e-15 else (0.01 / steepest) ** (1.0 / order)
    return float(min(100.0 * h, guess, longest))
