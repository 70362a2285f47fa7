"""The compiled loop of every explicit Runge–Kutta method: step, control, project, record."""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import RUN, call_project, call_rate, floats, ints, jit, kernel, offset
from carom.mechanics.contact_records import CONTACT
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.compliant import desk as places
from carom.solve.compliant import plan as at
from carom.solve.compliant.revisit import ask, ask_at, look_back, narrow, read_largest
from carom.solve.compliant.stages import error_of, inner_nodes, keep, moved, save_memory, take_stages

# How a chunk of the run ends.
DONE, MORE, NOT_FINITE, UNDERFLOW, LOST_RANK, NEEDS_CARE, APART, STALLED = range(8)

# What is kept between chunks.
TIME, STEP, LAST_ERROR, FREE_STEP, BEGAN, WANTED, MARK = range(7)

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
LAST_IN_CONTACT = 5e-4  # of that duration: longest step that ends where a contact does, for the same reason
TURN = 1.0  # angle [rad] by which a body may turn in a step, so that none of its contacts is passed by
TOUCHED = 1e-6  # of a step: a contact that begins earlier in it begins where the step does
FIXED_IN_CONTACT = 0.01  # of that duration: longest step of a method without error control


@jit
def fastest_turn(plan):
    """Largest angular speed of bodies whose contacts move with their turning [rad/s]."""
    model = MODEL(plan[at.BLOCK])
    y = floats(plan[at.Y])
    n = model.n_velocities
    fastest = 0.0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        if contact.gap_depends_on_rotation:
            for side in range(2):
                v = contact.velocity_a if side == 0 else contact.velocity_b
                if v >= 0:
                    for d in range(model.dim, model.velocities_per_body):
                        fastest = max(fastest, abs(y[n + v + d]))
    return fastest


@jit
def choose_length(plan, t, h, goal):
    """Length of the next step towards a stop, and whether it reaches it."""
    clock = floats(plan[at.CLOCK])
    shortest = floats(plan[at.DESK])[places.SHORTEST]
    adaptive = plan[at.ADAPTIVE] != 0
    step = min(h, floats(plan[at.LIMITS])[at.MAX_STEP])
    if plan[at.WATCHERS] != 0:
        step = min(step, TURN / max(fastest_turn(plan), 1e-300))
    if shortest < math.inf:
        age = t - clock[BEGAN]
        if not adaptive:
            step = min(step, FIXED_IN_CONTACT * shortest)
        if 0.0 < age < YOUNG * shortest:
            step = min(step, age)
    if t + 1.0001 * step >= goal:
        return goal - t, True
    if adaptive and t + 2.0 * step > goal:
        return 0.5 * (goal - t), False
    return step, False


@jit
def go_back(plan, t, step):
    """What a run that does not locate events does about a contact that has begun too deep in a step.

    Procedure 1 of paper T, (11) and (12), cuts the step linearly and returns the part that is left; procedure 2 rejects
    it, which is 0; 1 when the step is as short as it may be.
    """
    desk = floats(plan[at.DESK])
    counts = ints(plan[at.COUNTS])
    model = MODEL(plan[at.BLOCK])
    y = floats(plan[at.Y])
    new = floats(plan[at.NEW])
    ratio = desk[places.GUESS]
    # A contact that begins where the step does cannot be stepped to: it would be found there again and again.
    if plan[at.ONSET] == places.INTERPOLATE and TOUCHED < ratio < 1.0:
        desk[places.PACE] = 2.0 * desk[places.DEPTH] / ((1.0 - ratio) * step)
        for j in range(plan[at.STATES]):
            new[j] = y[j] + ratio * (new[j] - y[j])
        if plan[at.PROJECT] != 0:
            call_project(plan[at.PROJECT], t + ratio * step, new, model)
        call_rate(plan[at.RATE], t + ratio * step, new, floats(plan[at.SLOPE]), model)
        counts[places.EVALUATIONS] += 1
        return ratio
    if step > floats(plan[at.LIMITS])[at.MIN_STEP]:
        return 0.0
    counts[places.TOO_DEEP] += 1
    return 1.0


@jit
def restart_length(plan, t, before, h, apart):
    """Length of the step after an event: short where a contact begins, as before it where none is left."""
    clock = floats(plan[at.CLOCK])
    desk = floats(plan[at.DESK])
    shortest = desk[places.SHORTEST]
    if apart:
        clock[FREE_STEP] = before
    if desk[places.KIND] == places.ONSET or plan[at.ONSET] != places.EVENT:
        clock[BEGAN] = t
    if shortest == math.inf and not apart:
        return clock[FREE_STEP]
    return min(h, FIRST_IN_CONTACT * shortest)


@jit
def growth(e, last_error, order):
    """Factor of the next step's length, from the errors of this step and the last (Hairer & Wanner, IV.2)."""
    if e == 0.0:
        return GROW
    return min(GROW, max(SHRINK, SAFETY * e ** (0.75 * CONTROL - 1.0 / order) * last_error**CONTROL))


@kernel(RUN)
def run(plan):
    """Integrate until the last stop, or until the node buffer or the budget of evaluations is used up.

    Near a singular position of the joints a step is taken with care: its stages on the constraints (CAREFUL_RATE), its
    error measured along them (TANGENTIAL), and no stage closer than rounding allows. Without projection, a joint that
    opens by more than TORN ends the run. Every STRIDE-th step becomes a node, and every stop, twice where JUMPS says
    that a motion changes its form; only stops when it is 0. Contacts, where there are WATCHERS for them, change at the
    end of a step, which ONSET puts where it belongs; such nodes stand twice.
    """
    model = MODEL(plan[at.BLOCK])
    y = floats(plan[at.Y])
    k = floats(plan[at.K])
    new = floats(plan[at.NEW])
    slope = floats(plan[at.SLOPE])
    stops = floats(plan[at.STOPS])
    jumps = ints(plan[at.JUMPS])
    cap = floats(plan[at.CAP])
    largest = floats(plan[at.LARGEST])
    desk = floats(plan[at.DESK])
    clock = floats(plan[at.CLOCK])
    counts = ints(plan[at.COUNTS])
    limits = floats(plan[at.LIMITS])
    rate = plan[at.RATE]
    project = plan[at.PROJECT]
    size = plan[at.STATES]
    controlled = plan[at.CONTROLLED]
    inner = plan[at.INNER]
    stride = plan[at.STRIDE]
    onset = plan[at.ONSET]
    adaptive = plan[at.ADAPTIVE] != 0
    touching = plan[at.WATCHERS] != 0
    stop_count = plan[at.STOP_COUNT]
    max_step = limits[at.MAX_STEP]
    error_order = plan[at.ERROR_ORDER]
    last_stage = offset(k, (plan[at.STAGES] - 1) * size)
    watching = places.WATCH
    measuring = places.MEASURE
    switching = places.SWITCH
    settling = places.SETTLE
    settings = SETTINGS(model.settings)
    phi = floats(model.Phi)
    rows = model.n_constraints if project == 0 else 0  # where nothing holds Φ = 0, watch it
    t = clock[TIME]
    h = clock[STEP]
    last_error = clock[LAST_ERROR]
    end = stops[stop_count - 1]
    patience = places.MOST_TRIES + places.TRIES_PER_CONTACT * model.n_contacts
    tiny = places.SMALLEST * max(abs(end), abs(t))
    counts[places.NODES] = 0
    begun = counts[places.EVALUATIONS]
    dodges = counts[places.DODGES]
    wanted = clock[WANTED]
    started_safe = counts[places.SAFE] != 0
    ending = DONE
    at_once = counts[places.AT_ONCE]  # events without a step between them
    while counts[places.NEXT_STOP] < stop_count:
        full = counts[places.NODES] + inner + 4 > plan[at.ROOM] or desk[places.LOGGED] > plan[at.LOG_ROOM]
        if full or counts[places.EVALUATIONS] - begun > plan[at.BUDGET]:
            ending = MORE
            break
        counts[places.CROWD] += 1
        if t > clock[MARK] + places.MOMENT * end:
            clock[MARK] = t
            counts[places.CROWD] = 0
        if counts[places.CROWD] > patience:
            ending = STALLED
            break
        goal = stops[counts[places.NEXT_STOP]]
        step, hits = choose_length(plan, t, h, goal)
        if not hits and not t + step > t:
            ending = LOST_RANK if settings.min_pivot_ratio < LOCKED else UNDERFLOW
            break
        careful = counts[places.CAREFUL] != 0
        function = plan[at.CAREFUL_RATE] if careful else rate
        before = np.nextafter(goal, t) if hits else t + step  # what holds before a stop, should something change there
        status, weakest = take_stages(plan, function, t, step, before, new)
        if careful and status == OK:
            status = call_project(project, t + step, new, model)
            weakest = min(weakest, settings.min_pivot_ratio)
        along = plan[at.TANGENTIAL] if careful else 0
        e = error_of(plan, step, along)
        if project != 0 and not careful and status == OK and e <= 1.0:
            settings.rows_are_current = 1 if plan[at.B] == 0 else 0
            status = call_project(project, t + step, new, model)
        healthy = math.isfinite(e) and status == OK
        if project != 0 and weakest < NEAR_SINGULAR:
            if not careful and (weakest < CLOSE or not (adaptive and healthy and e <= 1.0)):
                counts[places.CAREFUL] = 1
                if plan[at.CAREFUL_RATE] == 0:
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
        known = plan[at.B] == 0 and not hits and not careful
        if known and moved(plan, new) < UNMOVED:
            for j in range(size):
                slope[j] = last_stage[j]
        else:
            call_rate(rate, goal if hits else t + step, new, slope, model)
            counts[places.EVALUATIONS] += 1
        event = False
        if touching:
            if onset == places.EVENT:
                event = ask(plan, watching, t, step) != 0
                left = desk[places.GUESS] * step
                ends = event and desk[places.KIND] == places.SEPARATION and adaptive
                if ends and desk[places.SHORTEST] < math.inf and left > LAST_IN_CONTACT * desk[places.SHORTEST]:
                    h = 0.7 * left
                    continue
            elif onset != places.NONE and look_back(plan, t, step):
                ratio = go_back(plan, t, step)
                if ratio == 0.0:
                    counts[places.REJECTED] += 1
                    h = max(0.5 * step, limits[at.MIN_STEP])
                    continue
                if ratio < 1.0:
                    hits = False
                    h = max(limits[at.DEEPEST] / desk[places.PACE], limits[at.MIN_STEP])
                    step *= ratio
                    e = -1.0  # its length is no measure of the next one's
        if event:
            hits = False  # also where there turns out to be no event: the step is shorter then, and the next one sees
            shorter = narrow(plan, function, t, step)
            if math.isnan(shorter):
                h = 0.25 * step
                continue
            step = shorter
            event = desk[places.FOUND] != 0.0
            at_once = 0 if step > 0.0 else at_once + 1
            if at_once > 4 * (model.n_contacts + 1):
                ending = STALLED
                break
            if at_once > 0:
                for j in range(size):
                    new[j] = y[j]
            call_rate(rate, t + step, new, slope, model)
            counts[places.EVALUATIONS] += 1
        visits = 0
        if touching and step > 0.0:
            visits = ask(plan, measuring, t, step)
        if inner > 0 and stride == 1 and step > 0.0 and e >= 0.0:
            inner_nodes(plan, t, step)
        if visits > 0:
            read_largest(plan, visits, function, t, step)
        for j in range(size):
            y[j] = new[j]
        for j in range(controlled):
            largest[j] = max(largest[j], min(abs(y[j]), cap[j]))
        t = goal if hits else t + step
        apart = desk[places.SHORTEST] == math.inf
        if event:
            keep(plan, t)
            ask_at(plan, switching, t, y)
        elif touching and onset != places.EVENT:
            keep(plan, t)  # with what was before, should anything change
            event = ask_at(plan, settling, t, y) != 0
            if not event:
                counts[places.NODES] -= 1
        if visits == 0 and inner == 0 and not event:
            for j in range(size):
                k[j] = slope[j]
        else:
            call_rate(rate, t, y, k, model)
            counts[places.EVALUATIONS] += 1
        save_memory(model)
        started_safe = settings.min_pivot_ratio > UNSAFE
        dodges = 0
        for r in range(rows):
            if abs(phi[r]) > limits[at.TORN]:
                ending = APART
        if ending == APART:
            break
        if weakest > 2.0 * NEAR_SINGULAR:
            counts[places.CAREFUL] = 0
        if step > 0.0:
            counts[places.STEPS] += 1
        if hits:
            counts[places.NEXT_STOP] += 1
        if event or hits or (stride > 0 and counts[places.STEPS] % stride == 0):
            keep(plan, t)
        if hits and jumps[counts[places.NEXT_STOP] - 1] != 0:
            keep(plan, t)  # one node for what was before, one for what comes
        if event:
            counts[places.EVENTS] += 1
            if adaptive:
                h = restart_length(plan, t, max(h, step), h, apart)
                last_error = 1e-4
        elif not adaptive:
            h = min(2.0 * h, max_step)
        elif e >= 0.0:
            longer = step * growth(e, last_error, error_order)
            h = max(h, longer) if step < 0.999 * h else longer
            last_error = max(e, 1e-4)
    clock[TIME] = t
    clock[STEP] = h
    clock[LAST_ERROR] = last_error
    clock[WANTED] = wanted
    counts[places.DODGES] = dodges
    counts[places.SAFE] = 1 if started_safe else 0
    counts[places.AT_ONCE] = at_once
    return ending
