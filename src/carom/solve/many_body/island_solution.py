"""Projected Gauss–Seidel sweeps over the contacts of an island, with extrapolation as in conjugate gradients.

A sweep updates all contacts once (`carom.solve.many_body.contact_sweeps`), those of spheres several at a time
(`carom.solve.many_body.sphere_batches`). Between two sweeps impulses P and velocities u are extrapolated by the
fraction β of their last change, with β = |ΔP|²/|ΔP before|² in the norm Σ G_ii ΔP_i², where ΔP is the change in a
sweep. With friction P does not minimise a function, so β is limited, more where the norm does not decrease; after a
sweep that turns back, ΔP · (P − P before) < 0, it is 0. As u is linear in P, the same β extrapolates the velocities.

M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for interactive contact force
problems, The Visual Computer 26 (2010) 893–901.
B. O'Donoghue, E. Candès, Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15 (2015) 715–732.
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit, offset
from carom.solve.many_body.contact_sweeps import BODY_SIZE, extrapolate, update_general_row, update_sphere_row
from carom.solve.many_body.islands import N_COLOURS
from carom.solve.many_body.rigid_records import (
    CONTACT_ROW,
    DETECTED_CONTACT,
    RIGID_COUNTS,
    ROW_DATA,
    ROW_IMPULSE,
    ROW_RUN,
    SPHERE_ROW,
)
from carom.solve.many_body.sphere_batches import (
    LANES,
    MIN_LANES,
    SPHERE_BATCH,
    load_batch,
    store_batch,
    update_batch,
)

FIRST_LIMIT, MIN_LIMIT, MAX_LIMIT = 0.93, 0.5, 0.98
"""Limits of β in the first sweeps, and the smallest and largest ones [-]."""
LIMIT_INCREASE, LIMIT_DECREASE = 0.99, 4.0
"""Factors of 1 − limit after a sweep with the smallest norm so far, and after `STALLED_SWEEPS` without one [-]."""
STALLED_SWEEPS = 10


@jit
def colour_of(rigid, k):
    """Return the colour of the contact of row ``k``."""
    return DETECTED_CONTACT(rigid.contacts, ROW_DATA(rigid.row_data, k).contact).colour


@jit
def batch_end(rigid, first, end):
    """Return the end of the rows from ``first`` on that a batch may contain: spheres of one colour."""
    colour = colour_of(rigid, first)
    k = first
    while (
        k < end
        and k - first < LANES
        and CONTACT_ROW(rigid.rows, k).kind == SPHERE_ROW
        and colour_of(rigid, k) == colour
        and colour < N_COLOURS - 1
    ):
        k += 1
    return k


@jit
def divide_rows(rigid, island):
    """Divide the rows of an island into batches and runs of other rows; return the number of both."""
    n_runs = 0
    n_batches = 0
    k = island.first_row
    while k < island.end_row:
        end = batch_end(rigid, k, island.end_row)
        if end - k < MIN_LANES:
            end = max(end, k + 1)
            last = ROW_RUN(rigid.row_runs, max(n_runs - 1, 0))
            if n_runs > 0 and last.batch < 0:
                last.end_row = end
                k = end
                continue
        run = ROW_RUN(rigid.row_runs, n_runs)
        run.first_row = k
        run.end_row = end
        run.batch = -1
        if end - k >= MIN_LANES:
            run.batch = n_batches
            load_batch(rigid, SPHERE_BATCH(rigid.batches, n_batches), k, end - k)
            n_batches += 1
        n_runs += 1
        k = end
    return n_runs


@jit
def sweep_rows(rigid, first_row, end_row, beta):
    """Update rows one by one; return the three numbers of `sweep`."""
    largest = 0.0
    norm = 0.0
    along = 0.0
    for k in range(first_row, end_row):
        row = CONTACT_ROW(rigid.rows, k)
        impulse = ROW_IMPULSE(rigid.impulses, k)
        extrapolate(impulse.P, impulse.before, beta)
        if row.kind != SPHERE_ROW:
            change, part, product = update_general_row(rigid, row, impulse, ROW_DATA(rigid.row_data, k), beta)
        else:
            change, part, product = update_sphere_row(rigid.velocities, row, impulse)
        largest = max(largest, change)
        norm += part
        along += product
    return largest, norm, along


@jit
def sweep(rigid, n_runs, beta):
    """Update all contacts of an island once, after an extrapolation by ``beta``.

    Return the largest squared change of a contact velocity, the norm of the change of the impulses, and its product
    with the change since the last sweep, which has the extrapolation.
    """
    largest = 0.0
    norm = 0.0
    along = 0.0
    for index in range(n_runs):
        run = ROW_RUN(rigid.row_runs, index)
        if run.batch < 0:
            change, part, product = sweep_rows(rigid, run.first_row, run.end_row, beta)
            largest = max(largest, change)
            norm += part
            along += product
            continue
        batch = SPHERE_BATCH(rigid.batches, run.batch)
        update_batch(rigid.velocities, batch, beta)
        for lane in range(run.end_row - run.first_row):
            largest = max(largest, batch.change[lane])
            norm += batch.norm[lane]
            along += batch.along[lane]
    return largest, norm, along


@jit
def start_sweeps(rigid, island):
    """Store the values of an island before the first sweep."""
    bodies = ints(rigid.island_bodies)
    for index in range(island.first_body, island.end_body):
        start = bodies[index] * BODY_SIZE
        for d in range(BODY_SIZE):
            floats(rigid.previous_velocities)[start + d] = floats(rigid.velocities)[start + d]
    for k in range(island.first_row, island.end_row):
        impulse = ROW_IMPULSE(rigid.impulses, k)
        data = ROW_DATA(rigid.row_data, k)
        for d in range(3):
            impulse.before[d] = impulse.P[d]
            data.T_before[d] = data.T[d]


@jit
def store_impulses(rigid, n_runs):
    """Copy the impulses of the batches to their rows."""
    for index in range(n_runs):
        run = ROW_RUN(rigid.row_runs, index)
        if run.batch >= 0:
            store_batch(rigid, SPHERE_BATCH(rigid.batches, run.batch), run.first_row, run.end_row - run.first_row)


@jit
def extrapolate_velocities(rigid, island, beta):
    """Add the fraction ``beta`` of their last change to the velocities of an island, and store the previous ones."""
    bodies = ints(rigid.island_bodies)
    for index in range(island.first_body, island.end_body):
        start = bodies[index] * BODY_SIZE
        u = offset(floats(rigid.velocities), start)
        previous = offset(floats(rigid.previous_velocities), start)
        for d in range(BODY_SIZE):  # the constants of a body do not change
            value = u[d]
            u[d] = value + beta * (value - previous[d])
            previous[d] = value


@jit
def next_limit(limit, stalled):
    """Return the limit of β after a sweep; ``stalled`` counts the sweeps since the smallest norm."""
    if stalled == 0:
        return min(1.0 - LIMIT_INCREASE * (1.0 - limit), MAX_LIMIT)
    if stalled % STALLED_SWEEPS == 0:
        return max(1.0 - LIMIT_DECREASE * (1.0 - limit), MIN_LIMIT)
    return limit


@jit
def solve_island(rigid, island):
    """Sweep over an island until the largest change of a velocity is small relative to its scale."""
    scale = island.scale
    start_sweeps(rigid, island)
    n_runs = divide_rows(rigid, island)
    budget = rigid.sweep_budget // (island.end_row - island.first_row)
    max_iterations = min(max(budget, rigid.min_iterations), rigid.max_iterations)
    limit = (rigid.tolerance * scale) ** 2
    last_norm = 0.0
    min_norm = math.inf
    stalled = 0
    max_beta = FIRST_LIMIT
    beta = 0.0
    largest = 0.0
    iteration = 0
    while True:
        iteration += 1
        largest, norm, along = sweep(rigid, n_runs, beta)
        if not largest > limit or iteration >= max_iterations:
            break
        stalled = 0 if norm < min_norm else stalled + 1
        max_beta = next_limit(max_beta, stalled)
        if stalled % STALLED_SWEEPS == 0:
            min_norm = norm
        beta = min(norm / last_norm, max_beta) if last_norm > 0.0 and along > 0.0 else 0.0
        last_norm = norm
        extrapolate_velocities(rigid, island, beta)
    store_impulses(rigid, n_runs)
    counts = RIGID_COUNTS(rigid.counts)
    island.iterations = iteration
    island.residual = math.sqrt(largest) / scale if scale > 0.0 else 0.0
    counts.n_problems += 1
    counts.n_iterations += iteration
    counts.max_iterations = max(counts.max_iterations, iteration)
    counts.max_residual = max(counts.max_residual, island.residual)
    counts.step_residual = max(counts.step_residual, island.residual)
    if not largest <= limit:
        counts.n_inexact += 1
