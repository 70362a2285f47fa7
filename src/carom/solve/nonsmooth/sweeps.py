"""Many contacts of free bodies: projected Gauss–Seidel on the bodies' velocities, without a matrix between contacts.

A contact changes the velocities of its own bodies only, so one sweep costs the same for every contact, however many
there are. Normal impulses are kept at zero or above, tangential ones in their disc, contact after contact (prox).
Between sweeps the impulses are extrapolated as in the method of conjugate gradients, which piles need.

M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for interactive contact force
problems, The Visual Computer 26 (2010) 893–901.
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit, offset
from carom.mechanics.model_record import MODEL
from carom.solve.nonsmooth import problem as of
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    BEFORE,
    BENDS,
    BLOCK,
    BLOCKS,
    COEFFICIENT,
    COUNTS,
    DIM,
    DONE_ALL,
    EARLIER,
    FREE,
    HEADING,
    IMPACT,
    IMPACT_NUMBERS,
    IMPULSES,
    ITERATIONS,
    LOOSE,
    NEW,
    NO_SOLUTION,
    NOT_SWEPT,
    PLACES,
    PROBLEM,
    ROUGHLY,
    SHIFT,
    SOLVES,
    SWEPT,
    TANGENTIAL,
    TARGET,
    TOTAL,
    VELOCITIES,
    WIDTH,
)
from carom.solve.nonsmooth.impulses import restitution
from carom.solve.nonsmooth.touching import after, along, direction, normal, velocity

SWEEPS = 1000
FINE, ROUGH, COARSE = 1e-10, 1e-5, 1e-3
"""Of the largest velocity: change in a sweep that ends the sweeps; beyond which other solvers are asked when contacts
are few, or else reported; and beyond which they are asked for more contacts too, as it may cost seconds."""
FEW, DENSE = 96, 300
"""Contacts up to which other solvers are asked where sweeps are rough, and where they fail."""


@jit
def own_mobility(desk, k, w):
    """w · M⁻¹ w."""
    width = desk[WIDTH]
    inverse = floats(MODEL(desk[BLOCK]).inverse_mass)
    places = offset(ints(desk[PLACES]), k * desk[BLOCKS])
    total = 0.0
    for b in range(desk[BLOCKS]):
        v = places[b]
        if v >= 0:
            for j in range(width):
                total += w[b * width + j] * w[b * width + j] * inverse[v + j]
    return total


@jit
def shove(desk, k, w, impulse, vector):
    """vector += M⁻¹ w · impulse."""
    width = desk[WIDTH]
    inverse = floats(MODEL(desk[BLOCK]).inverse_mass)
    places = offset(ints(desk[PLACES]), k * desk[BLOCKS])
    for b in range(desk[BLOCKS]):
        v = places[b]
        if v >= 0:
            for j in range(width):
                vector[v + j] += w[b * width + j] * inverse[v + j] * impulse


@jit
def begin_sweeps(desk):
    """Targets, mobilities, and the velocities with the impulses of the last step as a first guess; returns their size.

    Newton's impact law: a sweep has no phases.
    """
    n = desk[VELOCITIES]
    dim = desk[DIM]
    active = ints(desk[ACTIVE])
    total = floats(desk[TOTAL])
    target = floats(desk[TARGET])
    before = floats(desk[BEFORE])
    impulses = floats(desk[IMPULSES])
    mobility = floats(ints(desk[PROBLEM])[of.VECTOR])
    free = floats(desk[FREE])
    new = offset(floats(desk[NEW]), n)
    for j in range(n):
        new[j] = free[j]
    largest = 0.0
    for i in range(desk[ACTIVE_COUNT]):
        k = active[i]
        law = offset(floats(desk[IMPACT]), IMPACT_NUMBERS * k)
        for d in range(dim):
            row = i * dim + d
            share = restitution(desk, k, before[row]) if d == 0 else law[TANGENTIAL]
            target[row] = share * before[row]
            w = direction(desk, i, d)
            mobility[row] = own_mobility(desk, k, w)
            total[row] = impulses[k * dim + d]
            largest = max(largest, abs(after(desk, i, d, free) + target[row]), abs(before[row]))
            if total[row] != 0.0:
                shove(desk, k, w, total[row], new)
    return largest


@jit
def relax(desk, i):
    """One contact: its impulses from the present velocities; returns the largest change, as a velocity."""
    dim = desk[DIM]
    k = ints(desk[ACTIVE])[i]
    total = offset(floats(desk[TOTAL]), i * dim)
    target = offset(floats(desk[TARGET]), i * dim)
    mobility = offset(floats(ints(desk[PROBLEM])[of.VECTOR]), i * dim)
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    w = normal(desk, i)
    speed = velocity(desk, k, w, new) + floats(desk[BENDS])[i * dim] + target[0]
    p = max(total[0] - speed / mobility[0], 0.0)
    change = abs(p - total[0]) * mobility[0]
    if p != total[0]:
        shove(desk, k, w, p - total[0], new)
        total[0] = p
    if dim == 1:
        return change
    return max(change, rub(desk, i, k, total, target, mobility))


@jit
def rub(desk, i, k, total, target, mobility):
    """The tangential impulses of one contact, kept in their disc; returns the largest change, as a velocity."""
    dim = desk[DIM]
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    reach = floats(desk[IMPACT])[IMPACT_NUMBERS * k + COEFFICIENT] * total[0]
    heaviest = 0.0
    for d in range(1, dim):
        heaviest = max(heaviest, mobility[d])
    size = 0.0
    wanted = floats(desk[SHIFT])  # free before positions are projected
    for d in range(1, dim):
        wanted[d] = total[d] - (after(desk, i, d, new) + target[d]) / heaviest
        size += wanted[d] * wanted[d]
    size = math.sqrt(size)
    change = 0.0
    for d in range(1, dim):
        if size > reach:
            wanted[d] *= reach / size
        change = max(change, abs(wanted[d] - total[d]) * heaviest)
        if wanted[d] != total[d]:
            shove(desk, k, direction(desk, i, d), wanted[d] - total[d], new)
            total[d] = wanted[d]
    return change


@jit
def extrapolate(desk, last):
    """Go on in the direction of the last sweeps, if they still gain; returns the size of the last one, squared."""
    dim = desk[DIM]
    active = ints(desk[ACTIVE])
    total = floats(desk[TOTAL])
    earlier = floats(desk[EARLIER])
    heading = floats(desk[HEADING])
    mobility = floats(ints(desk[PROBLEM])[of.VECTOR])
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    now = 0.0
    for row in range(desk[ACTIVE_COUNT] * dim):
        now += mobility[row] * (total[row] - earlier[row]) ** 2
    share = now / last if last > 0.0 else 2.0
    if share >= 1.0:
        share = 0.0
    for i in range(desk[ACTIVE_COUNT]):
        for d in range(dim):
            row = i * dim + d
            further = share * heading[row]
            heading[row] = further + total[row] - earlier[row]
            if further != 0.0:
                total[row] += further
                shove(desk, active[i], direction(desk, i, d), further, new)
    return now


@jit
def sweep_bodies(desk):
    """NEW velocities and TOTAL impulses of all active contacts; how that ended."""
    counts = ints(desk[COUNTS])
    total = floats(desk[TOTAL])
    earlier = floats(desk[EARLIER])
    rows = desk[ACTIVE_COUNT] * desk[DIM]
    largest = begin_sweeps(desk)
    counts[SOLVES] += 1
    counts[SWEPT] += 1
    change = 0.0
    size = 0.0
    for sweep in range(SWEEPS):
        for row in range(rows):
            earlier[row] = total[row]
        change = 0.0
        for i in range(desk[ACTIVE_COUNT]):
            change = max(change, relax(desk, i))
        counts[ITERATIONS] += 1
        if change <= FINE * largest or sweep == SWEEPS - 1:
            break
        size = extrapolate(desk, size)
    if change <= ROUGH * largest:
        return DONE_ALL
    count = desk[ACTIVE_COUNT]
    if desk[ROUGHLY] == 0 and (count <= FEW or (count <= DENSE and not change <= COARSE * largest)):
        return NOT_SWEPT
    counts[LOOSE] += 1
    return DONE_ALL if change < 1e300 else NO_SOLUTION


@jit
def sweep_positions(desk):
    """SHIFT of the coordinates that opens the active gaps; the lengths along the normals go to IMPULSE."""
    gaps = floats(MODEL(desk[BLOCK]).gaps)
    active = ints(desk[ACTIVE])
    problem = ints(desk[PROBLEM])
    mobility = floats(problem[of.VECTOR])
    lengths = floats(problem[of.IMPULSE])
    shift = floats(desk[SHIFT])
    dim = desk[DIM]
    deepest = 0.0
    for j in range(desk[VELOCITIES]):
        shift[j] = 0.0
    for i in range(desk[ACTIVE_COUNT]):
        lengths[i] = 0.0
        mobility[i * dim] = own_mobility(desk, active[i], normal(desk, i))
        deepest = max(deepest, -gaps[active[i]])
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(desk[ACTIVE_COUNT]):
            w = normal(desk, i)
            own = mobility[i * dim]
            moved = max(lengths[i] - (gaps[active[i]] + along(desk, active[i], w, shift)) / own, 0.0)
            if moved != lengths[i]:
                change = max(change, abs(moved - lengths[i]) * own)
                shove(desk, active[i], w, moved - lengths[i], shift)
                lengths[i] = moved
        if change <= 1e-6 * deepest:
            return
