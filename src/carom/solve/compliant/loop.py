"""The compiled loop of every explicit Runge–Kutta method: step, control, project, record."""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import call_project, call_rate, floats, jit, offset
from carom.kernels.address import first
from carom.mechanics.block import OK, PHI, ROWS, SETTINGS, WEAKEST

# How a chunk of the run ends.
DONE, MORE, NOT_FINITE, UNDERFLOW, LOST_RANK, NEEDS_CARE = range(6)

# What is kept between chunks.
TIME, STEP, LAST_ERROR = range(3)
STEPS, REJECTED, EVALUATIONS, NODES, NEXT_STOP, CAREFUL = range(6)

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
CONTROL = 0.04  # weight of the last error in the step control (Hairer & Wanner, IV.2)
NEAR_SINGULAR = 1e-2  # smallest pivot (see block.WEAKEST) below which a failed step is tried again with care
LOCKED = 1e-6  # smallest pivot at which a run that cannot go on is said to have lost rank
CLOSE = 1e-4  # below which a step is taken with care from the start
UNSAFE, SHORTER, LONGER = 1e-7, 8, 12  # pivot that rounding spoils; shorter and longer steps tried to avoid it
SMALLEST = 4e-16  # of the time scale: what the clock can resolve


@jit
def blend(y, k, weights, count, h, size, result):
    """result = y + h Σ weights[i] k[i]."""
    for j in range(size):
        result[j] = 0.0
    for i in range(count):
        w = weights[i]
        if w != 0.0:
            row = k[i]
            for j in range(size):
                result[j] += w * row[j]
    for j in range(size):
        result[j] = y[j] + h * result[j]


@jit
def error_vector(k, weights, count, h, controlled, result):
    """The estimated error h Σ weights[i] k[i]."""
    for j in range(controlled):
        total = 0.0
        for i in range(count):
            total += weights[i] * k[i, j]
        result[j] = h * total


@jit
def norm(vector, size, controlled, rtol, atol):
    """Root mean square in units of the tolerance, relative to the ``size`` each component has had so far."""
    total = 0.0
    for j in range(controlled):
        e = vector[j] / (atol + rtol * size[j])
        total += e * e
    return math.sqrt(total / controlled)


@jit
def inner_nodes(t, h, y, k, c, a, dense, inner, rate, project, block, trial, out_t, out_y, node):
    """Nodes inside a long step, from the method's own dense output."""
    size = y.shape[0]
    stages = k.shape[0] - c.shape[0]
    for s in range(c.shape[0]):
        blend(y, k, a[s], stages + s, h, size, trial)
        call_rate(rate, t + c[s] * h, first(trial), first(k[stages + s]), first(block))
    for i in range(inner):
        theta = (i + 1.0) / (inner + 1.0)
        row = out_y[node + i]
        for j in range(size):
            total = 0.0
            for s in range(k.shape[0]):
                weight = 0.0
                for p in range(dense.shape[1] - 1, -1, -1):
                    weight = (weight + dense[s, p]) * theta
                total += weight * k[s, j]
            row[j] = y[j] + h * total
        out_t[node + i] = t + theta * h
        if project != 0:
            call_project(project, out_t[node + i], first(row), first(block))


@jit
def take_stages(function, block, t, step, end, y, k, a, b, c, trial, new):
    """Stages k and the new state, without its projection; returns the worst status and the smallest pivot seen."""
    weakness = offset(floats(first(block)[SETTINGS]), WEAKEST)
    size = y.shape[0]
    status = OK
    weakest = 1.0
    for s in range(1, c.shape[0]):
        blend(y, k, a[s], s, step, size, trial)
        when = end if c[s] == 1.0 else t + c[s] * step
        status = max(status, call_rate(function, when, first(trial), first(k[s]), first(block)))
        weakest = min(weakest, weakness[0])
    blend(y, k, b, c.shape[0], step, size, new)
    return status, weakest


@jit
def error_of(new, k, error, error_3, step, tangential, block, controlled, largest, rtol, atol, vector):
    """Estimated error of the step in units of the tolerance, along the constraints where ``tangential`` is given.

    A method without an estimate gives 0, or NaN when the new state is not finite.
    """
    stages = error.shape[0]
    if stages == 0:
        for j in range(controlled):
            if not math.isfinite(new[j]):
                return math.nan
        return 0.0
    error_vector(k, error, stages, step, controlled, vector)
    if tangential != 0:
        call_project(tangential, step, first(vector), first(block))
    e = norm(vector, largest, controlled, rtol, atol)
    if error_3.shape[0] > 0 and e > 0.0:  # the eighth-order pair blends two estimates (Hairer, II.10)
        error_vector(k, error_3, stages, step, controlled, vector)
        if tangential != 0:
            call_project(tangential, step, first(vector), first(block))
        e3 = norm(vector, largest, controlled, rtol, atol)
        e = e * e / math.sqrt(e * e + 0.01 * e3 * e3)
    return e


@jit
def keep(t, y, counts, out_t, out_y):
    """Put a node into the buffer."""
    out_t[counts[NODES]] = t
    row = out_y[counts[NODES]]
    for j in range(y.shape[0]):
        row[j] = y[j]
    counts[NODES] += 1


@jit
def run(
    rate,
    careful_rate,
    tangential,
    project,
    block,
    y,
    k,
    new,
    trial,
    a,
    b,
    c,
    error,
    error_3,
    extra_a,
    extra_c,
    dense,
    inner,
    error_order,
    adaptive,
    stops,
    jumps,
    stride,
    controlled,
    cap,
    largest,
    rtol,
    atol,
    max_step,
    torn,
    budget,
    clock,
    counts,
    out_t,
    out_y,
):
    """Integrate until the last stop, or until the node buffer or the budget of evaluations is used up.

    Near a singular position of the joints a step is taken with care: its stages on the constraints (``careful_rate``),
    its error measured along them (``tangential``), and no stage closer than rounding allows. Without projection, a
    joint that opens by more than ``torn`` ends the run. Every ``stride``-th step becomes a node, and every stop, twice
    where ``jumps`` says that a motion changes its form; only stops when it is 0.
    """
    weakness = offset(floats(first(block)[SETTINGS]), WEAKEST)
    phi = floats(first(block)[PHI])
    rows = first(block)[ROWS] if project == 0 else 0  # where nothing holds Φ = 0, watch it
    size = y.shape[0]
    stages = c.shape[0]
    t = clock[TIME]
    h = clock[STEP]
    last_error = clock[LAST_ERROR]
    end = stops[stops.shape[0] - 1]
    tiny = SMALLEST * max(abs(end), abs(t))
    counts[NODES] = 0
    spent = 0
    dodges = 0
    wanted = h
    started_safe = weakness[0] > UNSAFE
    ending = DONE
    while counts[NEXT_STOP] < stops.shape[0]:
        if counts[NODES] + inner + 2 > out_t.shape[0] or spent > budget:
            ending = MORE
            break
        goal = stops[counts[NEXT_STOP]]
        step = min(h, max_step)
        hits = False
        if t + 1.0001 * step >= goal:
            step = goal - t
            hits = True
        elif adaptive and t + 2.0 * step > goal:
            step = 0.5 * (goal - t)
        if not hits and not t + step > t:
            ending = LOST_RANK if weakness[0] < LOCKED else UNDERFLOW
            break
        careful = counts[CAREFUL] != 0
        function = careful_rate if careful else rate
        before = np.nextafter(goal, t) if hits else t + step  # what holds before a stop, should something change there
        status, weakest = take_stages(function, block, t, step, before, y, k, a, b, c, trial, new)
        spent += stages - 1
        if careful and status == OK:
            status = call_project(project, t + step, first(new), first(block))
            weakest = min(weakest, weakness[0])
        along = tangential if careful else 0
        e = error_of(new, k, error, error_3, step, along, block, controlled, largest, rtol, atol, trial)
        if project != 0 and not careful and status == OK and e <= 1.0:
            status = call_project(project, t + step, first(new), first(block))
        healthy = math.isfinite(e) and status == OK
        if project != 0 and weakest < NEAR_SINGULAR:
            if not careful and (weakest < CLOSE or not (adaptive and healthy and e <= 1.0)):
                counts[CAREFUL] = 1
                if careful_rate == 0:
                    ending = NEEDS_CARE
                    break
                continue
            if careful and weakest < UNSAFE and started_safe and dodges < SHORTER + LONGER:
                if dodges == 0:
                    wanted = step
                dodges += 1
                h = 0.83 * step if dodges <= SHORTER else wanted * 1.2 ** (dodges - SHORTER)
                continue
        if not healthy or e > 1.0:
            counts[REJECTED] += 1
            shrink = 0.25
            if healthy:
                shrink = max(SHRINK, SAFETY * e ** (-1.0 / error_order))
            h = step * shrink
            if not adaptive or not h > max(tiny, 1e-15 * max_step):  # also when h is not a number
                ending = UNDERFLOW if math.isfinite(e) else NOT_FINITE
                if status != OK or weakest < LOCKED:
                    ending = LOST_RANK
                break
            continue
        if inner > 0 and stride == 1:
            inner_nodes(
                t, step, y, k, extra_c, extra_a, dense, inner, rate, project, block, trial, out_t, out_y, counts[NODES]
            )
            counts[NODES] += inner
            spent += extra_c.shape[0]
        for j in range(size):
            y[j] = new[j]
        for j in range(controlled):
            largest[j] = max(largest[j], min(abs(y[j]), cap[j]))
        t = goal if hits else t + step
        call_rate(rate, t, first(y), first(k[0]), first(block))
        spent += 1
        started_safe = weakness[0] > UNSAFE
        dodges = 0
        for r in range(rows):
            if abs(phi[r]) > torn:
                ending = LOST_RANK
        if ending == LOST_RANK:
            break
        if weakest > 2.0 * NEAR_SINGULAR:
            counts[CAREFUL] = 0
        counts[STEPS] += 1
        if hits:
            counts[NEXT_STOP] += 1
        if hits or (stride > 0 and counts[STEPS] % stride == 0):
            keep(t, y, counts, out_t, out_y)
        if hits and jumps[counts[NEXT_STOP] - 1]:
            keep(t, y, counts, out_t, out_y)  # one node for what was before, one for what comes
        if adaptive:
            factor = GROW
            if e > 0.0:
                factor = SAFETY * e ** (0.75 * CONTROL - 1.0 / error_order) * last_error**CONTROL
                factor = min(GROW, max(SHRINK, factor))
            last_error = max(e, 1e-4)
            longer = step * factor
            h = max(h, longer) if step < 0.999 * h else longer
    counts[EVALUATIONS] += spent
    clock[TIME] = t
    clock[STEP] = h
    clock[LAST_ERROR] = last_error
    return ending
