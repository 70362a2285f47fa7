"""Explicit Runge–Kutta integration: the compiled loop, run in chunks so that Python can watch."""

from __future__ import annotations

import ctypes
import time

import numpy as np

from carom.result.outcome import Outcome
from carom.solve.answer import Answer
from carom.solve.compliant import desk as places
from carom.solve.compliant import loop
from carom.solve.compliant import plan as at
from carom.solve.compliant.contacts import Watch
from carom.solve.compliant.plan import Plan
from carom.solve.compliant.request import Request, largest_sizes
from carom.solve.compliant.tableau import Tableau
from carom.solve.mechanism import Mechanism

MOST_NUMBERS = 16_000_000
"""Of the states of a run that is kept step by step: beyond it, every second node is dropped, again and again."""
TORN = 1e-4
"""Of the system's size: a joint that feedback or a penalty lets open by more has given way."""
CHUNK_NODES = 768
CHUNK_SECONDS = 0.05
FIRST_BUDGET = 2000
"""Evaluations before Python is asked for the first time."""
OUTCOMES = {
    loop.NOT_FINITE: Outcome.NOT_FINITE,
    loop.UNDERFLOW: Outcome.STEP_UNDERFLOW,
    loop.LOST_RANK: Outcome.SINGULAR,
    loop.APART: Outcome.APART,
}


def integrate(tableau: Tableau, request: Request) -> Answer:
    """Run one method over a request; Ctrl-C keeps what there is."""
    mechanism = request.mechanism
    tables = mechanism.tables
    y = request.y.copy()
    largest = np.minimum(np.abs(y[: mechanism.controlled]), largest_sizes(mechanism))
    longest = min(request.max_step, float(request.stops[-1]))
    project = tables.project if request.projecting and mechanism.m else tables.normalise if tables.turning else 0
    integration = loop.run.compiled.ctypes
    watch = Watch(request)
    watch.start(y)
    answer = Answer([(np.zeros(1), watch.row(y))])
    slope, _ = mechanism.rate(0.0, y)
    answer.evaluations = 1
    if not np.all(np.isfinite(slope)):
        answer.outcome = Outcome.NOT_FINITE
        return answer
    step = longest
    if tableau.adaptive:
        scale = request.atol + request.rtol * largest
        step = first_step(mechanism, y, slope, scale, tableau.error_order, longest)
        answer.evaluations += 1
        step = min(step, loop.FIRST_IN_CONTACT * watch.shortest)
    clock = np.array([0.0, step, 1e-4, step, 0.0 if watch.shortest < np.inf else -np.inf])
    counts = np.zeros(places.COUNTS, np.int64)
    plan = prepare(tableau, request, watch, y, slope, largest)
    plan.table[at.PROJECT] = project
    plan.put(at.CLOCK, clock)
    plan.put(at.COUNTS, counts)
    table = plan.table
    most = MOST_NUMBERS
    try:
        while True:
            nodes = int(table[at.ROOM])
            out_t, out_y = np.empty(nodes), np.empty((nodes, int(table[at.WIDTH])))
            plan.put(at.OUT_T, out_t)
            plan.put(at.OUT_Y, out_y)
            began = time.perf_counter()
            spent = counts[places.EVALUATIONS]
            ending = int(integration(table.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))))
            count = int(counts[places.NODES])
            answer.add(out_t[:count], out_y[:count])
            watch.drain(answer)
            answer.error = mechanism.user_error()
            if table[at.STRIDE] and answer.numbers() > most:
                answer.thin()
                table[at.STRIDE] *= 2
                most = max(most, 2 * answer.numbers())  # nodes where something jumps are all kept
            if ending == loop.NEEDS_CARE:
                table[at.CAREFUL_RATE], table[at.TANGENTIAL] = tables.careful_rate, tables.tangential
                continue
            if ending != loop.MORE or answer.error is not None:
                break
            elapsed = max(time.perf_counter() - began, 1e-9)
            pace = max((counts[places.EVALUATIONS] - spent) / elapsed, 1.0)
            table[at.BUDGET] = int(min(max(pace * CHUNK_SECONDS, 100), 10_000_000))
            request.report(float(clock[loop.TIME]), float(clock[loop.STEP]), watch.pressing)
        answer.outcome = OUTCOMES.get(ending, Outcome.FINISHED)
    except KeyboardInterrupt:
        answer.outcome = Outcome.INTERRUPTED
    if isinstance(answer.error, KeyboardInterrupt):  # it came while a user's Python function was running
        answer.outcome = Outcome.INTERRUPTED
    answer.end = float(clock[loop.TIME])
    watch.finish(answer.end, y, answer)
    answer.events, answer.too_deep = int(counts[places.EVENTS]), int(counts[places.TOO_DEEP])
    answer.stride = int(table[at.STRIDE])
    answer.steps, answer.rejected = int(counts[places.STEPS]), int(counts[places.REJECTED])
    answer.evaluations += int(counts[places.EVALUATIONS])
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
    plan.put(at.BLOCK, tables.block)
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
    limits[at.MAX_STEP] = min(request.max_step, float(request.stops[-1]))
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
    mechanism: Mechanism, y: np.ndarray, slope: np.ndarray, scale: np.ndarray, order: int, longest: float
) -> float:
    """First step of Hairer, Nørsett & Wanner, II.4."""
    count = len(scale)
    d0, d1 = (np.abs(part[:count] / scale).max() for part in (y, slope))
    h = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, longest)
    further, _ = mechanism.rate(h, y + h * slope)
    d2 = np.abs((further - slope)[:count] / scale).max() / h
    steepest = max(d1, d2)
    guess = max(1e-6, 1e-3 * h) if not steepest > 1e-15 else (0.01 / steepest) ** (1.0 / order)
    return float(min(100.0 * h, guess, longest))
