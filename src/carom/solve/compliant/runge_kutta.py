"""Explicit Runge–Kutta integration: the compiled loop, run in chunks so that Python can watch."""

from __future__ import annotations

import time

import numpy as np

from carom.result.outcome import Outcome
from carom.solve.compliant import desk as places
from carom.solve.compliant import loop
from carom.solve.compliant.contacts import Watch
from carom.solve.compliant.request import Answer, Request, largest_sizes
from carom.solve.compliant.tableau import Tableau
from carom.solve.mechanism import Mechanism

MOST_NUMBERS = 16_000_000
"""Of the states of a run that is kept step by step: beyond it, every second node is dropped, again and again."""
TORN = 1e-4
"""Of the system's size: a joint that feedback or a penalty lets open by more has given way."""
CHUNK_NODES = 768
CHUNK_SECONDS = 0.05
OUTCOMES = {
    loop.NOT_FINITE: Outcome.NOT_FINITE,
    loop.UNDERFLOW: Outcome.STEP_UNDERFLOW,
    loop.LOST_RANK: Outcome.SINGULAR,
}


def integrate(tableau: Tableau, request: Request) -> Answer:
    """Run one method over a request; Ctrl-C keeps what there is."""
    mechanism = request.mechanism
    tables = mechanism.tables
    y = request.y.copy()
    size = len(y)
    controlled = mechanism.controlled
    cap = largest_sizes(mechanism)
    largest = np.minimum(np.abs(y[:controlled]), cap)
    k = np.zeros((tableau.stages + len(tableau.extra_c), size))
    new, trial = np.zeros(size), np.zeros(size)
    rate, project = tables.rate, tables.project if request.projecting and mechanism.m else 0
    careful = tangential = 0  # compiled when a run first comes near a singular position
    longest = min(request.max_step, float(request.stops[-1]))
    watch = Watch(request)
    slope, probe = np.zeros(size), np.zeros(size)
    watch.start(y)
    answer = Answer([(np.zeros(1), watch.row(y))])
    k[0], _ = mechanism.rate(0.0, y)
    answer.evaluations = 1
    if not np.all(np.isfinite(k[0])):
        answer.outcome = Outcome.NOT_FINITE
        return answer
    step = longest
    if tableau.adaptive:
        scale = request.atol + request.rtol * largest
        step = first_step(mechanism, y, k[0], scale, tableau.error_order, longest)
        answer.evaluations += 1
        step = min(step, loop.FIRST_IN_CONTACT * watch.shortest)
    clock = np.array([0.0, step, 1e-4, step, 0.0 if watch.shortest < np.inf else -np.inf])
    counts = np.zeros(places.COUNTS, np.int64)
    nodes = max(min(CHUNK_NODES, 4_000_000 // size), 16 + 2 * tableau.inner)
    budget = 2000
    stride = 1 if request.record_steps else 0
    none = np.zeros(0)
    final = none if np.array_equal(tableau.a[-1], tableau.b) else tableau.b  # the last stage is the new state's
    torn = TORN * (1.0 + np.abs(y[: mechanism.n]).max())
    try:
        while True:
            out_t, out_y = np.empty(nodes), np.empty((nodes, size + watch.kept))
            began = time.perf_counter()
            spent = counts[places.EVALUATIONS]
            ending = loop.run(
                rate, careful, tangential, project, tables.block, y, k, new, trial,
                tableau.a, final, tableau.c,
                none if tableau.error is None else tableau.error, none if tableau.error_3 is None else tableau.error_3,
                tableau.extra_a, tableau.extra_c, tableau.dense, tableau.inner, tableau.error_order, tableau.adaptive,
                request.stops, request.jumps, stride, controlled, cap, largest, request.rtol, request.atol, longest,
                torn, watch.addresses, watch.desk, slope, probe, watch.onset, request.min_step, request.depth,
                budget, clock, counts, out_t, out_y,
            )  # fmt: skip
            count = int(counts[places.NODES])
            answer.add(out_t[:count], out_y[:count])
            watch.drain(answer)
            answer.error = mechanism.user_error()
            if stride and answer.numbers() > MOST_NUMBERS:
                answer.thin()
                stride *= 2
            if ending == loop.NEEDS_CARE:
                careful, tangential = tables.careful_rate, tables.tangential
                continue
            if ending != loop.MORE or answer.error is not None:
                break
            elapsed = max(time.perf_counter() - began, 1e-9)
            pace = max((counts[places.EVALUATIONS] - spent) / elapsed, 1.0)
            budget = int(min(max(pace * CHUNK_SECONDS, 100), 10_000_000))
            request.report(float(clock[loop.TIME]))
        answer.outcome = OUTCOMES.get(ending, Outcome.FINISHED)
    except KeyboardInterrupt:
        answer.outcome = Outcome.INTERRUPTED
    if isinstance(answer.error, KeyboardInterrupt):  # it came while a user's Python function was running
        answer.outcome = Outcome.INTERRUPTED
    answer.end = float(clock[loop.TIME])
    watch.finish(answer.end, y, answer)
    answer.events, answer.too_deep = int(counts[places.EVENTS]), int(counts[places.TOO_DEEP])
    answer.stride = stride
    answer.steps, answer.rejected = int(counts[places.STEPS]), int(counts[places.REJECTED])
    answer.evaluations += int(counts[places.EVALUATIONS])
    return answer


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
