"""The compiled loop of every explicit Runge–Kutta method: step, control, project, record."""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import call_project, call_rate, call_watch, floats, jit, offset
from carom.kernels.address import first
from carom.mechanics.block import CONTACTS, EVALUATED, OK, PHI, ROWS, SETTINGS, WEAKEST
from carom.solve.compliant import desk as places
from carom.solve.compliant.revisit import look_back, narrow, read_largest
from carom.solve.compliant.stages import error_of, inner_nodes, keep, moved, save_memory, take_stages

# How a chunk of the run ends.
DONE, MORE, NOT_FINITE, UNDERFLOW, LOST_RANK, NEEDS_CARE = range(6)

# What is kept between chunks.
TIME, STEP, LAST_ERROR, FREE_STEP, BEGAN = range(5)

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
CONTROL = 0.04  # weight of the last error in the step control (Hairer & Wanner, IV.2)
NEAR_SINGULAR = 1e-2  # smallest pivot (see block.WEAKEST) below which a failed step is tried again with care
LOCKED = 1e-6  # smallest pivot at which a run that cannot go on is said to have lost rank
CLOSE = 1e-4  # below which a step is taken with care from the start
UNSAFE, SHORTER, LONGER = 1e-7, 8, 12  # pivot that rounding spoils; shorter and longer steps tried to avoid it
UNMOVED = 0.01  # of the tolerance: a state moved less has the same slope
# A force like δ^1.5 is not smooth where it begins, and no estimate of the error sees that: the first steps of a contact
# are short, and none is longer than the contact is old.
FIRST_IN_CONTACT = 2e-4  # of the duration of an impact: the first step in it
YOUNG = 0.1  # of that duration: as long as a contact counts as just begun
FIXED_IN_CONTACT = 0.01  # of that duration: longest step of a method without error control


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
    watchers,
    desk,
    slope,
    probe,
    onset,
    min_step,
    deepest,
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
    where ``jumps`` says that a motion changes its form; only stops when it is 0. Contacts, where there are
    ``watchers`` for them, change at the end of a step, which ``onset`` puts where it belongs; such nodes stand twice.
    """
    weakness = offset(floats(first(block)[SETTINGS]), WEAKEST)
    evaluated = offset(floats(first(block)[SETTINGS]), EVALUATED)
    phi = floats(first(block)[PHI])
    rows = first(block)[ROWS] if project == 0 else 0  # where nothing holds Φ = 0, watch it
    size = y.shape[0]
    stages = c.shape[0]
    t = clock[TIME]
    h = clock[STEP]
    last_error = clock[LAST_ERROR]
    end = stops[stops.shape[0] - 1]
    tiny = places.SMALLEST * max(abs(end), abs(t))
    counts[places.NODES] = 0
    spent = 0
    dodges = 0
    wanted = h
    started_safe = weakness[0] > UNSAFE
    ending = DONE
    touching = watchers.shape[0] > 0
    log_room = (desk.shape[0] - places.FIRST_LOG) // places.LOG_COLUMNS - 2 * first(block)[CONTACTS]
    at_once = 0  # events without a step between them
    old = first(y)
    while counts[places.NEXT_STOP] < stops.shape[0]:
        full = counts[places.NODES] + inner + 4 > out_t.shape[0] or (touching and desk[places.LOGGED] > log_room)
        if full or spent > budget:
            ending = MORE
            break
        goal = stops[counts[places.NEXT_STOP]]
        step = min(h, max_step)
        if touching and not adaptive:
            step = min(step, FIXED_IN_CONTACT * desk[places.SHORTEST])
        age = t - clock[BEGAN]
        if touching and 0.0 < age < YOUNG * desk[places.SHORTEST] and desk[places.SHORTEST] < math.inf:
            step = min(step, age)
        hits = False
        if t + 1.0001 * step >= goal:
            step = goal - t
            hits = True
        elif adaptive and t + 2.0 * step > goal:
            step = 0.5 * (goal - t)
        if not hits and not t + step > t:
            ending = LOST_RANK if weakness[0] < LOCKED else UNDERFLOW
            break
        careful = counts[places.CAREFUL] != 0
        function = careful_rate if careful else rate
        before = np.nextafter(goal, t) if hits else t + step  # what holds before a stop, should something change there
        status, weakest = take_stages(function, block, t, step, before, y, k, a, b, c, trial, new)
        spent += stages - 1
        if careful and status == OK:
            status = call_project(project, t + step, first(new), first(block))
            weakest = min(weakest, weakness[0])
        along = tangential if careful else 0
        e = error_of(
            new, k, error, error_3, step, along, watchers, desk, block, controlled, largest, rtol, atol, probe
        )
        if project != 0 and not careful and status == OK and e <= 1.0:
            evaluated[0] = 1.0 if b.shape[0] == 0 else 0.0
            status = call_project(project, t + step, first(new), first(block))
        healthy = math.isfinite(e) and status == OK
        if project != 0 and weakest < NEAR_SINGULAR:
            if not careful and (weakest < CLOSE or not (adaptive and healthy and e <= 1.0)):
                counts[places.CAREFUL] = 1
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
            counts[places.REJECTED] += 1
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
        # The last stage is the slope of the new state, where that was not moved: then it is not evaluated again.
        known = b.shape[0] == 0 and not hits and not careful
        if known and moved(new, trial, controlled, largest, rtol, atol) < UNMOVED:
            for j in range(size):
                slope[j] = k[stages - 1, j]
        else:
            call_rate(rate, goal if hits else t + step, first(new), first(slope), first(block))
            spent += 1
        event = False
        if touching:
            if onset == places.EVENT:
                at_start, at_end = first(k[0]), first(slope)
                found = call_watch(
                    watchers[places.WATCH], t, step, old, at_start, first(new), at_end, first(block), first(desk)
                )
                event = found != 0
            elif onset != places.NONE and look_back(watchers, desk, block, deepest, t, step, y, k, new, slope):
                ratio = desk[places.GUESS]
                if onset == places.INTERPOLATE and ratio < 1.0:  # (11), (12) of paper T
                    hits = False
                    pace = desk[places.DEPTH] / ((1.0 - ratio) * step)
                    step *= ratio
                    for j in range(size):
                        new[j] = y[j] + ratio * (new[j] - y[j])
                    if project != 0:
                        call_project(project, t + step, first(new), first(block))
                    call_rate(rate, t + step, first(new), first(slope), first(block))
                    h = max(0.5 * deepest / pace, min_step)
                    e = -1.0  # its length is no measure of the next one's
                elif step > min_step:
                    counts[places.REJECTED] += 1
                    h = max(0.5 * step, min_step)
                    continue
                else:
                    counts[places.TOO_DEEP] += 1
        if event:
            hits = False  # also where there turns out to be no event: the step is shorter then, and the next one sees
            shorter = narrow(function, project, watchers, desk, block, t, step, y, k, a, b, c, trial, new, counts)
            if math.isnan(shorter):
                h = 0.25 * step
                continue
            step = shorter
            event = desk[places.FOUND] != 0.0
            at_once = 0 if step > 0.0 else at_once + 1
            if at_once > 4 * (first(block)[CONTACTS] + 1):
                ending = UNDERFLOW
                break
            if at_once > 0:
                for j in range(size):
                    new[j] = y[j]
            call_rate(rate, t + step, first(new), first(slope), first(block))
            spent += 1
        visits = 0
        if touching and step > 0.0:
            at_start, at_end = first(k[0]), first(slope)
            visits = call_watch(
                watchers[places.MEASURE], t, step, old, at_start, first(new), at_end, first(block), first(desk)
            )
        if inner > 0 and stride == 1 and step > 0.0:
            node = counts[places.NODES]
            inner_nodes(t, step, y, k, extra_c, extra_a, dense, inner, rate, project, block, trial, out_t, out_y, node)
            counts[places.NODES] += inner
            spent += extra_c.shape[0]
        if visits > 0:
            read_largest(
                visits, function, project, watchers, desk, block, t, step, y, k, a, b, c, trial, probe, counts
            )
        for j in range(size):
            y[j] = new[j]
        for j in range(controlled):
            largest[j] = max(largest[j], min(abs(y[j]), cap[j]))
        t = goal if hits else t + step
        apart = desk[places.SHORTEST] == math.inf
        if event:
            keep(t, y, block, counts, out_t, out_y)
            call_watch(watchers[places.SWITCH], t, step, old, old, old, old, first(block), first(desk))
        elif touching and onset != places.EVENT:
            keep(t, y, block, counts, out_t, out_y)  # with what was before, should anything change
            event = call_watch(watchers[places.SETTLE], t, step, old, old, old, old, first(block), first(desk)) != 0
            if not event:
                counts[places.NODES] -= 1
        if visits == 0 and inner == 0 and not event:
            for j in range(size):
                k[0, j] = slope[j]
        else:
            call_rate(rate, t, first(y), first(k[0]), first(block))
            spent += 1
        save_memory(block)
        started_safe = weakness[0] > UNSAFE
        dodges = 0
        for r in range(rows):
            if abs(phi[r]) > torn:
                ending = LOST_RANK
        if ending == LOST_RANK:
            break
        if weakest > 2.0 * NEAR_SINGULAR:
            counts[places.CAREFUL] = 0
        if step > 0.0:
            counts[places.STEPS] += 1
        if hits:
            counts[places.NEXT_STOP] += 1
        if event or hits or (stride > 0 and counts[places.STEPS] % stride == 0):
            keep(t, y, block, counts, out_t, out_y)
        if hits and jumps[counts[places.NEXT_STOP] - 1]:
            keep(t, y, block, counts, out_t, out_y)  # one node for what was before, one for what comes
        if event:
            counts[places.EVENTS] += 1
            if adaptive:
                if apart:
                    clock[FREE_STEP] = max(h, step)
                if desk[places.KIND] == places.ONSET or onset != places.EVENT:
                    clock[BEGAN] = t
                h = min(h, FIRST_IN_CONTACT * desk[places.SHORTEST])
                if desk[places.SHORTEST] == math.inf and not apart:
                    h = clock[FREE_STEP]
                last_error = 1e-4
        elif not adaptive:
            h = min(2.0 * h, max_step)
        elif e >= 0.0:
            factor = GROW
            if e > 0.0:
                factor = SAFETY * e ** (0.75 * CONTROL - 1.0 / error_order) * last_error**CONTROL
                factor = min(GROW, max(SHRINK, factor))
            last_error = max(e, 1e-4)
            longer = step * factor
            h = max(h, longer) if step < 0.999 * h else longer
    counts[places.EVALUATIONS] += spent
    clock[TIME] = t
    clock[STEP] = h
    clock[LAST_ERROR] = last_error
    return ending
