"""Position projection: what a step leaves of an overlap is taken back, and paid for.

The coordinates move by the mass-weighted smallest change that opens the gaps of the closed contacts:

    Δq = M⁻¹ W_N λ,   0 ≤ g(q_E) + G_NN λ ⊥ λ ≥ 0.

To be lifted out of an overlap takes energy (paper N, 6.4: "special attention should be paid to the conservation of the
system's energy"): what an impact has left is taken back in the step in which it lost more than that.
"""

from __future__ import annotations

from carom.kernels import call_direct, call_project, call_survey, floats, ints, jit, offset
from carom.mechanics.model_record import MODEL
from carom.solve.nonsmooth import problem as of
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    BLOCK,
    BOOKS,
    CLOSED,
    CONTACTS,
    DIM,
    DIRECT,
    DONE_ALL,
    FIRST_LOSS,
    FORCES,
    FREE_BODIES,
    LIFTED,
    LOST,
    MANY,
    NEW,
    PLAIN_FORCES,
    PROBLEM,
    QUIET,
    RESPONSES,
    ROOM,
    SETTLE,
    SHIFT,
    SURVEY,
    VELOCITIES,
)  # fmt: skip
from carom.solve.nonsmooth.impulses import attempt
from carom.solve.nonsmooth.sweeps import sweep_positions
from carom.solve.nonsmooth.touching import arm, delassus, normal, respond

ROUNDING = 1e-14
"""Of the largest coordinate, or of 1 m: an overlap that is none."""


@jit
def lift(t, desk):
    """Move NEW out of the overlap of contacts that neither open nor close; nothing of the step's problem is left.

    Others are let alone, but pushed no deeper: what opens clears itself, and what closes is about to be stopped.
    """
    model = MODEL(desk[BLOCK])
    gaps = floats(model.gaps)
    closed = ints(desk[CLOSED])
    active = ints(desk[ACTIVE])
    quiet = False
    for i in range(desk[ACTIVE_COUNT]):
        quiet = quiet or closed[active[i]] == QUIET
    if not quiet:
        return
    call_survey(desk[SURVEY], t, floats(desk[NEW]), model)
    deepest = 0.0
    for i in range(desk[ACTIVE_COUNT]):
        if closed[active[i]] == QUIET:
            deepest = min(deepest, gaps[active[i]])
    if not deepest < -ROUNDING * arm(desk):
        return
    count = 0
    for k in range(desk[CONTACTS]):
        if gaps[k] < -deepest and count < desk[ROOM]:
            call_direct(desk[DIRECT], k, normal(desk, count), model)
            active[count] = k
            if closed[k] != QUIET:
                gaps[k] = max(gaps[k], 0.0)
            count += 1
    desk[ACTIVE_COUNT] = count
    if desk[FREE_BODIES] != 0 and count >= desk[MANY]:
        sweep_positions(desk)
    else:
        respond(desk)
        delassus(desk)
        lift_together(desk)
    move(desk)
    if desk[SETTLE] != 0:  # the shift holds the joints to first order
        call_project(desk[SETTLE], t, floats(desk[NEW]), model)


@jit
def lift_together(desk):
    """Through the Delassus matrix."""
    n = desk[VELOCITIES]
    dim = desk[DIM]
    count = desk[ACTIVE_COUNT]
    gaps = floats(MODEL(desk[BLOCK]).gaps)
    active = ints(desk[ACTIVE])
    problem = ints(desk[PROBLEM])
    lengths = floats(problem[of.IMPULSE])
    shift = floats(desk[SHIFT])
    for i in range(count):
        floats(problem[of.FRICTION])[i] = 0.0
        floats(problem[of.OFFSET])[i] = 0.0
        for d in range(dim):
            floats(problem[of.VECTOR])[i * dim + d] = gaps[active[i]] if d == 0 else 0.0
    for j in range(n):
        shift[j] = 0.0
    if attempt(desk) != DONE_ALL:
        return
    for i in range(count):
        share = lengths[i * dim]
        if share > 0.0:
            x = offset(floats(desk[RESPONSES]), i * dim * n)
            for j in range(n):
                shift[j] += share * x[j]


@jit
def move(desk):
    """Add SHIFT to the coordinates. What it costs, and the contacts of the step did not lose, is noted."""
    n = desk[VELOCITIES]
    books = floats(desk[BOOKS])
    forces = floats(desk[FORCES])
    shift = floats(desk[SHIFT])
    new = floats(desk[NEW])
    cost = 0.0
    for j in range(n):
        cost -= forces[j] * shift[j]
        new[j] += shift[j]
    if desk[PLAIN_FORCES] == 0:
        return
    if cost > books[LOST]:
        books[LIFTED] += cost - max(books[LOST], 0.0)
    books[FIRST_LOSS + 2 * ints(desk[ACTIVE])[0]] -= cost  # the contact lost that much less
