"""Position projection: what a step leaves of an overlap is taken back, and paid for.

The coordinates move by the mass-weighted smallest change that opens the gaps of the closed contacts:

    Δq = M⁻¹ W_N λ,   0 ≤ g(q_E) + G_NN λ ⊥ λ ≥ 0.

To be lifted out of an overlap takes energy, which must not come from nowhere (paper N, 6.4: "special attention should
be paid to the conservation of the system's energy"): it is set against what the contacts of the step have lost.
"""

from __future__ import annotations

from carom.kernels import call_direct, call_survey, floats, ints, jit, offset
from carom.mechanics.block import GAPS
from carom.solve.nonsmooth import problem as of
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    BLOCK,
    BOOKS,
    CONTACTS,
    DIM,
    DIRECT,
    DONE_ALL,
    FORCES,
    FREE_BODIES,
    LIFTED,
    LOST,
    MANY,
    NEW,
    PROBLEM,
    RESPONSES,
    ROOM,
    SHIFT,
    SURVEY,
    VELOCITIES,
)  # fmt: skip
from carom.solve.nonsmooth.impulses import attempt
from carom.solve.nonsmooth.sweeps import sweep_positions
from carom.solve.nonsmooth.touching import delassus, normal, respond, velocity


@jit
def lift(t, desk):
    """Move NEW out of all overlaps; nothing of the step's contact problem is left."""
    block = ints(desk[BLOCK])
    gaps = floats(block[GAPS])
    active = ints(desk[ACTIVE])
    call_survey(desk[SURVEY], t, floats(desk[NEW]), block)
    deepest = 0.0
    for k in range(desk[CONTACTS]):
        deepest = min(deepest, gaps[k])
    if not deepest < 0.0:
        return
    # Contacts closer than that could be closed by opening others.
    count = 0
    for k in range(desk[CONTACTS]):
        if gaps[k] < -deepest and count < desk[ROOM]:
            call_direct(desk[DIRECT], k, normal(desk, count), block)
            active[count] = k
            count += 1
    desk[ACTIVE_COUNT] = count
    if desk[FREE_BODIES] != 0 and count >= desk[MANY]:
        one = desk[DIM] // desk[DIM]
        sweep_positions(desk)
        move(desk, one)
    else:
        respond(desk)
        delassus(desk)
        lift_together(desk)


@jit
def lift_together(desk):
    """Through the Delassus matrix."""
    n = desk[VELOCITIES]
    dim = desk[DIM]
    count = desk[ACTIVE_COUNT]
    gaps = floats(ints(desk[BLOCK])[GAPS])
    active = ints(desk[ACTIVE])
    problem = ints(desk[PROBLEM])
    lengths = floats(problem[of.IMPULSE])
    shift = floats(desk[SHIFT])
    for i in range(count):
        floats(problem[of.FRICTION])[i] = 0.0
        floats(problem[of.OFFSET])[i] = 0.0
        for d in range(dim):
            floats(problem[of.VECTOR])[i * dim + d] = gaps[active[i]] if d == 0 else 0.0
    if attempt(desk) != DONE_ALL:
        return
    for j in range(n):
        shift[j] = 0.0
    for i in range(count):
        share = lengths[i * dim]
        if share > 0.0:
            x = offset(floats(desk[RESPONSES]), i * dim * n)
            for j in range(n):
                shift[j] += share * x[j]
    move(desk, dim)


@jit
def move(desk, stride):
    """Add SHIFT to the coordinates, if the step can afford it.

    What it costs is the potential energy it adds. Contacts that open clear themselves: they are lifted only where the
    contacts of the step lost as much. Others are lifted in any case, and what the step did not lose is noted.
    """
    n = desk[VELOCITIES]
    active = ints(desk[ACTIVE])
    lengths = floats(ints(desk[PROBLEM])[of.IMPULSE])
    books = floats(desk[BOOKS])
    forces = floats(desk[FORCES])
    shift = floats(desk[SHIFT])
    new = floats(desk[NEW])
    cost = 0.0
    for j in range(n):
        cost -= forces[j] * shift[j]
    missing = cost - books[LOST]
    if missing > 0.0:
        opening = False
        for i in range(desk[ACTIVE_COUNT]):
            if lengths[i * stride] > 0.0:
                opening = opening or velocity(desk, active[i], normal(desk, i), offset(new, n)) > 0.0
        if opening:
            return
        books[LIFTED] += missing
    for j in range(n):
        new[j] += shift[j]
