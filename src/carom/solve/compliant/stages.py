"""One step of an explicit Runge–Kutta method: stages, error, nodes."""

from __future__ import annotations

import math

from carom.kernels import call_project, call_rate, call_watch, floats, ints, jit, offset
from carom.mechanics.contact_records import CONTACT_HISTORY, STORED_HISTORY, store_history
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.compliant import desk as places
from carom.solve.compliant import plan as at


@jit
def combine(k, width, weights, count, h, size, result):
    """result = h Σ weights[i] k[i], the k in rows of ``width``."""
    for j in range(size):
        result[j] = 0.0
    for i in range(count):
        w = h * weights[i]
        if w != 0.0:
            row = offset(k, i * width)
            for j in range(size):
                result[j] += w * row[j]


@jit
def blend(plan, weights, count, h, result):
    """result = y + h Σ weights[i] k[i]."""
    size = plan[at.STATES]
    y = floats(plan[at.Y])
    combine(floats(plan[at.K]), size, weights, count, h, size, result)
    for j in range(size):
        result[j] += y[j]


@jit
def remember(model, size, row):
    """Store with a node, behind its state, what the contacts have to remember."""
    for k in range(model.n_contacts):
        store_history(CONTACT_HISTORY(model.contact_history, k), STORED_HISTORY(offset(row, size), k))


@jit
def inner_nodes(plan, t, h):
    """Nodes inside a long step, from the method's own dense output."""
    model = MODEL(plan[at.BLOCK])
    y = floats(plan[at.Y])
    k = floats(plan[at.K])
    c = floats(plan[at.EXTRA_C])
    trial = floats(plan[at.TRIAL])
    dense = floats(plan[at.DENSE])
    out_t = floats(plan[at.OUT_T])
    counts = ints(plan[at.COUNTS])
    size = plan[at.STATES]
    stages = plan[at.STAGES]
    extra = plan[at.EXTRA]
    order = plan[at.DENSE_ORDER]
    for s in range(extra):
        blend(plan, offset(floats(plan[at.EXTRA_A]), s * plan[at.EXTRA_WIDTH]), stages + s, h, trial)
        call_rate(plan[at.RATE], t + c[s] * h, trial, offset(k, (stages + s) * size), model)
    for i in range(plan[at.INNER]):
        node = counts[places.NODES]
        theta = (i + 1.0) / (plan[at.INNER] + 1.0)
        row = offset(floats(plan[at.OUT_Y]), node * plan[at.WIDTH])
        for j in range(size):
            total = 0.0
            for s in range(stages + extra):
                weight = 0.0
                for p in range(order - 1, -1, -1):
                    weight = (weight + dense[s * order + p]) * theta
                total += weight * k[s * size + j]
            row[j] = y[j] + h * total
        out_t[node] = t + theta * h
        if plan[at.PROJECT] != 0:
            call_project(plan[at.PROJECT], out_t[node], row, model)
        remember(model, size, row)
        counts[places.NODES] += 1
    counts[places.EVALUATIONS] += extra


@jit
def save_memory(model):
    """A state is accepted: what contacts remember of the search for their closest points is what holds there."""
    memory = floats(model.warm_start)
    saved = floats(model.warm_start_accepted)
    for i in range(model.n_warm_start):
        saved[i] = memory[i]


@jit
def restore_memory(model):
    """Back to the last accepted state, whatever a trial step has seen."""
    memory = floats(model.warm_start)
    saved = floats(model.warm_start_accepted)
    for i in range(model.n_warm_start):
        memory[i] = saved[i]


@jit
def take_stages(plan, function, t, step, end, new):
    """Stages k and the new state, without its projection; returns the worst status and the smallest pivot seen."""
    model = MODEL(plan[at.BLOCK])
    settings = SETTINGS(model.settings)
    trial = floats(plan[at.TRIAL])
    c = floats(plan[at.C])
    size = plan[at.STATES]
    stages = plan[at.STAGES]
    restore_memory(model)
    status = OK
    weakest = 1.0
    for s in range(1, stages):
        blend(plan, offset(floats(plan[at.A]), s * plan[at.A_WIDTH]), s, step, trial)
        when = end if c[s] == 1.0 else t + c[s] * step
        status = max(status, call_rate(function, when, trial, offset(floats(plan[at.K]), s * size), model))
        weakest = min(weakest, settings.min_pivot_ratio)
    if plan[at.B] != 0:
        blend(plan, floats(plan[at.B]), stages, step, new)
    else:
        for j in range(size):
            new[j] = trial[j]
    ints(plan[at.COUNTS])[places.EVALUATIONS] += stages - 1
    return status, weakest


@jit
def moved(plan, new):
    """How far a projection has moved the state of the last stage, in units of the tolerance."""
    trial = floats(plan[at.TRIAL])
    largest = floats(plan[at.LARGEST])
    limits = floats(plan[at.LIMITS])
    worst = 0.0
    for j in range(plan[at.CONTROLLED]):
        worst = max(worst, abs(new[j] - trial[j]) / (limits[at.ATOL] + limits[at.RTOL] * largest[j]))
    return worst


@jit
def size_of(plan, vector, tangential, step):
    """An error in units of the tolerance: of the coordinates (root mean square), or of a contact where that is worse.

    Coordinates are measured by the size they have had so far.
    """
    model = MODEL(plan[at.BLOCK])
    largest = floats(plan[at.LARGEST])
    limits = floats(plan[at.LIMITS])
    desk = floats(plan[at.DESK])
    controlled = plan[at.CONTROLLED]
    if tangential != 0:
        call_project(tangential, step, vector, model)
    total = 0.0
    for j in range(controlled):
        part = vector[j] / (limits[at.ATOL] + limits[at.RTOL] * largest[j])
        total += part * part
    e = math.sqrt(total / controlled)
    if plan[at.WATCHERS] != 0:
        weigh = ints(plan[at.WATCHERS])[places.WEIGH]
        call_watch(weigh, limits[at.RTOL], limits[at.ATOL], vector, largest, vector, vector, model, desk)
        e = max(e, desk[places.ERROR])
    return e


@jit
def error_of(plan, step, tangential):
    """Estimated error of the step in units of the tolerance, along the constraints where ``tangential`` is given.

    The normal speed of a contact counts beside the coordinates: it may be much smaller than theirs. A method without an
    estimate gives 0, or NaN when the new state is not finite.
    """
    new = floats(plan[at.NEW])
    vector = floats(plan[at.PROBE])
    k = floats(plan[at.K])
    size = plan[at.STATES]
    if plan[at.ERROR] == 0:
        for j in range(plan[at.CONTROLLED]):
            if not math.isfinite(new[j]):
                return math.nan
        return 0.0
    count = plan[at.CONTROLLED] if plan[at.WATCHERS] == 0 else size
    combine(k, size, floats(plan[at.ERROR]), plan[at.STAGES], step, count, vector)
    e = size_of(plan, vector, tangential, step)
    if plan[at.ERROR_3] != 0 and e > 0.0:  # the eighth-order pair blends two estimates (Hairer, II.10)
        combine(k, size, floats(plan[at.ERROR_3]), plan[at.STAGES], step, count, vector)
        e3 = size_of(plan, vector, tangential, step)
        e = e * e / math.sqrt(e * e + 0.01 * e3 * e3)
    return e


@jit
def keep(plan, t):
    """Put the present state into the buffer of nodes."""
    counts = ints(plan[at.COUNTS])
    y = floats(plan[at.Y])
    node = counts[places.NODES]
    row = offset(floats(plan[at.OUT_Y]), node * plan[at.WIDTH])
    floats(plan[at.OUT_T])[node] = t
    for j in range(plan[at.STATES]):
        row[j] = y[j]
    remember(MODEL(plan[at.BLOCK]), plan[at.STATES], row)
    counts[places.NODES] += 1
