"""One step of an explicit Runge–Kutta method: stages, error, nodes."""

from __future__ import annotations

import math

from carom.kernels import call_project, call_rate, call_watch, floats, jit, offset
from carom.kernels.address import first
from carom.mechanics.block import CONTACTS, MEMORY, MEMORY_COUNT, OK, RECORDS, SAVED_MEMORY, SETTINGS, WEAKEST
from carom.mechanics.contacts import KEPT, RECORD
from carom.solve.compliant import desk as places


@jit
def combine(k, weights, count, h, size, result):
    """result = h Σ weights[i] k[i]."""
    for j in range(size):
        result[j] = 0.0
    for i in range(count):
        w = h * weights[i]
        if w != 0.0:
            row = k[i]
            for j in range(size):
                result[j] += w * row[j]


@jit
def blend(y, k, weights, count, h, size, result):
    """result = y + h Σ weights[i] k[i]."""
    combine(k, weights, count, h, size, result)
    for j in range(size):
        result[j] += y[j]


@jit
def norm(vector, size, controlled, rtol, atol):
    """Root mean square in units of the tolerance, relative to the ``size`` each component has had so far."""
    total = 0.0
    for j in range(controlled):
        e = vector[j] / (atol + rtol * size[j])
        total += e * e
    return math.sqrt(total / controlled)


@jit
def remember(block, size, row):
    """Store with a node, behind its state, what the contacts have to remember."""
    records = floats(first(block)[RECORDS])
    for i in range(first(block)[CONTACTS]):
        for j in range(KEPT):
            row[size + KEPT * i + j] = records[RECORD * i + j]


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
        remember(block, size, row)


@jit
def save_memory(block):
    """A state is accepted: what contacts remember of the search for their closest points is what holds there."""
    memory = floats(first(block)[MEMORY])
    saved = floats(first(block)[SAVED_MEMORY])
    for i in range(first(block)[MEMORY_COUNT]):
        saved[i] = memory[i]


@jit
def restore_memory(block):
    """Back to the last accepted state, whatever a trial step has seen."""
    memory = floats(first(block)[MEMORY])
    saved = floats(first(block)[SAVED_MEMORY])
    for i in range(first(block)[MEMORY_COUNT]):
        memory[i] = saved[i]


@jit
def take_stages(function, block, t, step, end, y, k, a, b, c, trial, new):
    """Stages k and the new state, without its projection; returns the worst status and the smallest pivot seen.

    ``b`` is empty where the last stage is taken at the new state.
    """
    weakness = offset(floats(first(block)[SETTINGS]), WEAKEST)
    restore_memory(block)
    size = y.shape[0]
    status = OK
    weakest = 1.0
    for s in range(1, c.shape[0]):
        blend(y, k, a[s], s, step, size, trial)
        when = end if c[s] == 1.0 else t + c[s] * step
        status = max(status, call_rate(function, when, first(trial), first(k[s]), first(block)))
        weakest = min(weakest, weakness[0])
    if b.shape[0] > 0:
        blend(y, k, b, c.shape[0], step, size, new)
    else:
        for j in range(size):
            new[j] = trial[j]
    return status, weakest


@jit
def moved(new, trial, controlled, largest, rtol, atol):
    """How far a projection has moved a state, in units of the tolerance."""
    worst = 0.0
    for j in range(controlled):
        worst = max(worst, abs(new[j] - trial[j]) / (atol + rtol * largest[j]))
    return worst


@jit
def size_of(vector, tangential, watchers, desk, block, step, controlled, largest, rtol, atol):
    """An error in units of the tolerance: of the coordinates, or of a contact where that is worse."""
    if tangential != 0:
        call_project(tangential, step, first(vector), first(block))
    e = norm(vector, largest, controlled, rtol, atol)
    if watchers.shape[0] > 0:
        at = first(vector)
        call_watch(watchers[places.WEIGH], rtol, atol, at, first(largest), at, at, first(block), first(desk))
        e = max(e, desk[places.ERROR])
    return e


@jit
def error_of(new, k, error, error_3, step, tangential, watchers, desk, block, controlled, largest, rtol, atol, vector):
    """Estimated error of the step in units of the tolerance, along the constraints where ``tangential`` is given.

    The normal speed of a contact counts beside the coordinates: it may be much smaller than theirs. A method without an
    estimate gives 0, or NaN when the new state is not finite.
    """
    stages = error.shape[0]
    if stages == 0:
        for j in range(controlled):
            if not math.isfinite(new[j]):
                return math.nan
        return 0.0
    count = controlled if watchers.shape[0] == 0 else k.shape[1]
    combine(k, error, stages, step, count, vector)
    e = size_of(vector, tangential, watchers, desk, block, step, controlled, largest, rtol, atol)
    if error_3.shape[0] > 0 and e > 0.0:  # the eighth-order pair blends two estimates (Hairer, II.10)
        combine(k, error_3, stages, step, count, vector)
        e3 = size_of(vector, tangential, watchers, desk, block, step, controlled, largest, rtol, atol)
        e = e * e / math.sqrt(e * e + 0.01 * e3 * e3)
    return e


@jit
def keep(t, y, block, counts, out_t, out_y):
    """Put a node into the buffer."""
    out_t[counts[places.NODES]] = t
    row = out_y[counts[places.NODES]]
    for j in range(y.shape[0]):
        row[j] = y[j]
    remember(block, y.shape[0], row)
    counts[places.NODES] += 1
