"""The time stepping loop, compiled: a stretch of equal steps, in pieces that Python can watch."""

from __future__ import annotations

from carom.kernels import RUN, call_load, call_step, floats, ints, jit, kernel, offset
from carom.kernels.pointers import INTS
from carom.mechanics.contact_records import N_STORED
from carom.mechanics.model_record import MODEL, QUADRATURES_SIZE
from carom.solve.nonsmooth.desk import (
    ABSORB,
    ADAPTIVE,
    BEGIN,
    BLOCK,
    BOOK_DISSIPATED,
    BOOKS,
    BUDGET,
    CLOCK,
    CONTACTS,
    COUNTS,
    DIM,
    DONE,
    DONE_ALL,
    END,
    EPISODES,
    FIRST_LOSS,
    FRACTION,
    HALVED,
    IMPULSES,
    JOINT_IMPULSES,
    LENGTH,
    LOG_ROOM,
    LOGGED,
    MANY,
    MANY_AGAIN,
    MORE,
    NEW,
    NODE_ROOM,
    NODE_WIDTH,
    NODES,
    NOT_FINITE,
    NOW,
    OUT_T,
    OUT_Y,
    PART,
    REFERENCE,
    ROUGHLY,
    ROWS,
    STATE,
    STEP,
    STEPS,
    STRIDE,
    TOO_LONG,
    TURNING,
    VELOCITIES,
    WANTED,
)
from carom.solve.nonsmooth.episodes import EPISODE, OPEN, write


@jit
def keep_node(t, h, desk):
    """A row of the result: state, books, joint reactions, and the forces of the contacts, impulses over ``h``."""
    n = desk[VELOCITIES]
    m = desk[ROWS]
    count = desk[CONTACTS]
    dim = desk[DIM]
    place = desk[NODES]
    floats(desk[OUT_T])[place] = t
    row = offset(floats(desk[OUT_Y]), place * desk[NODE_WIDTH])
    state = floats(desk[STATE])
    books = floats(desk[BOOKS])
    joints = floats(desk[JOINT_IMPULSES])
    impulses = floats(desk[IMPULSES])
    for i in range(2 * n):
        row[i] = state[i]
    at = 2 * n
    for i in range(desk[TURNING]):
        row[at + i] = floats(desk[REFERENCE])[i]
    at += desk[TURNING]
    for i in range(QUADRATURES_SIZE):
        row[at + i] = books[BOOK_DISSIPATED + i]
    at += QUADRATURES_SIZE
    for i in range(2 * count):
        row[at + i] = books[FIRST_LOSS + i]
    at += 2 * count
    for r in range(m):
        row[at + r] = joints[r] / h
    at += m
    for k in range(count):
        for d in range(N_STORED):
            row[at + k * N_STORED + d] = impulses[k * dim + d] / h if d < dim else 0.0
    desk[NODES] = place + 1


@jit
def accept(desk):
    """NEW becomes the state; False when it is not finite."""
    state = floats(desk[STATE])
    new = floats(desk[NEW])
    healthy = 0.0
    for i in range(2 * desk[VELOCITIES]):
        healthy += new[i] * 0.0
        state[i] = new[i]
    if desk[ABSORB] != 0:
        call_load(desk[ABSORB], state, MODEL(desk[BLOCK]))
    return healthy == 0.0


@kernel(RUN, INTS)
def run(desk):
    clock = floats(desk[CLOCK])
    counts = ints(desk[COUNTS])
    steps = 0
    while counts[DONE] < counts[WANTED]:
        if steps >= counts[BUDGET] or desk[NODES] >= desk[NODE_ROOM] or desk[LOGGED] >= desk[LOG_ROOM]:
            return MORE
        t = clock[BEGIN] + (counts[DONE] + clock[PART]) * clock[LENGTH]
        h = clock[LENGTH] * clock[FRACTION]
        status = call_step(desk[STEP], t, h, desk)
        if status == TOO_LONG:
            clock[FRACTION] *= 0.5
            counts[HALVED] += 1
            continue
        if status != DONE_ALL:
            return status
        if not accept(desk):
            return NOT_FINITE
        desk[MANY] = desk[MANY_AGAIN]
        desk[ROUGHLY] = 0
        steps += 1
        counts[STEPS] += 1
        advance(desk)
        clock[NOW] = clock[BEGIN] + (counts[DONE] + clock[PART]) * clock[LENGTH]
        if counts[DONE] == counts[WANTED]:
            clock[NOW] = clock[END]
        if (counts[STRIDE] > 0 and counts[STEPS] % counts[STRIDE] == 0) or counts[DONE] == counts[WANTED]:
            keep_node(clock[NOW], h, desk)
    return DONE_ALL


@jit
def advance(desk):
    """One step further; parts of a step grow again as soon as they fit."""
    clock = floats(desk[CLOCK])
    counts = ints(desk[COUNTS])
    if counts[ADAPTIVE] == 0:
        counts[DONE] += 1
        return
    clock[PART] += clock[FRACTION]
    if clock[PART] >= 1.0:
        clock[PART] = 0.0
        counts[DONE] += 1
    twice = 2.0 * clock[FRACTION]
    if twice <= 1.0 and clock[PART] % twice == 0.0:
        clock[FRACTION] = twice


@kernel(RUN, INTS)
def finish(desk):
    """Log the contacts that still last."""
    still = 1.0
    for k in range(desk[CONTACTS]):
        if floats(desk[EPISODES])[k * EPISODE + OPEN] != 0.0:
            write(desk, k, still)
    return DONE_ALL
