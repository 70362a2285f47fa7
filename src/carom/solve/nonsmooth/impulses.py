"""The impulses of one time step: the impact laws as a contact problem, its solution, and what it does to the motion."""

from __future__ import annotations

from carom.kernels import call_contact_problem, floats, ints, jit, offset
from carom.solve.nonsmooth import problem as of
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    ASKED,
    BEFORE,
    BLOCKS,
    BOOK_DRIVERS,
    BOOKS,
    CLOSED,
    COEFFICIENT,
    CONTACTS,
    COUNTS,
    CREATED,
    CREATING,
    CULPRIT,
    DIM,
    DONE_ALL,
    EARLIER,
    FIRST_LOSS,
    FREE,
    IMPACT,
    IMPACT_NUMBERS,
    IMPULSES,
    ITERATIONS,
    JOINT_IMPULSES,
    JOINT_RESPONSES,
    LOOSE,
    LOST,
    MISSING,
    NEW,
    NO_SOLUTION,
    NO_SOLVER,
    ORDER,
    POISSON,
    PROBLEM,
    QUIET,
    RESTITUTION,
    ROWS,
    SAFE,
    SOLVER_COUNT,
    SOLVERS,
    SOLVES,
    TANGENTIAL,
    TARGET,
    TOTAL,
    VELOCITIES,
    WIDTH,
    WORST,
)  # fmt: skip
from carom.solve.nonsmooth.touching import after, direction, push, reach

LARGE = 24
"""Contacts from which Newton's method is faster than pivoting."""

TINY = 1e-30
"""Work [J] that is none."""

PATIENCE = 100
"""Iterations of a solver that has many contacts."""

ROUGH = 1e-3
"""Relative residual that ends a run when no solver gets below it; where there are many contacts, it is good enough."""

VISIBLE = 1e-9
"""Of what acts in a step: what may be rounding, in the energy contacts create and in the speed of one that rests."""


@jit
def restitution(desk, k, before):
    """ε of contact ``k``, whose normal velocity before the step is ``before``.

    Where steps are safe, a contact that is closed but opens already may come back no faster than it opened (ε = 1):
    with the ε of impacts it would be pushed on its way out, and gain energy from it.
    """
    if before > 0.0 and desk[SAFE] != 0:
        return 1.0
    return floats(desk[IMPACT])[IMPACT_NUMBERS * k + RESTITUTION]


@jit
def pose(desk, velocities, expanding):
    """b and μ for impulses that act on ``velocities``: those without contact, or those after a compression.

    Poisson's contacts are compressed to rest first (ε = 0); when ``expanding``, OFFSET holds what they give back.
    """
    problem = ints(desk[PROBLEM])
    vector = floats(problem[of.VECTOR])
    friction = floats(problem[of.FRICTION])
    offsets = floats(problem[of.OFFSET])
    matrix = floats(problem[of.MATRIX])
    target = floats(desk[TARGET])
    before = floats(desk[BEFORE])
    active = ints(desk[ACTIVE])
    dim = desk[DIM]
    count = desk[ACTIVE_COUNT]
    size = dim * count
    for i in range(count):
        k = active[i]
        law = offset(floats(desk[IMPACT]), IMPACT_NUMBERS * k)
        friction[i] = law[COEFFICIENT]
        later = law[POISSON] != 0.0 and not expanding
        for d in range(dim):
            row = i * dim + d
            share = law[TANGENTIAL]
            if d == 0:
                share = 0.0 if law[POISSON] != 0.0 else restitution(desk, k, before[row])
            target[row] = 0.0 if later else share * before[row]
            vector[row] = after(desk, i, d, velocities) + target[row]
        if not expanding:
            offsets[i] = 0.0
    if expanding:
        for i in range(count):
            if offsets[i] != 0.0:
                for row in range(size):
                    vector[row] += matrix[row * size + i * dim] * offsets[i]


@jit
def attempt(desk):
    """Solve the problem with the first solver that can; how that ended."""
    problem = ints(desk[PROBLEM])
    counts = ints(desk[COUNTS])
    solvers = ints(desk[SOLVERS])
    numbers = floats(problem[of.NUMBERS])
    guess = floats(problem[of.IMPULSE])
    impulses = floats(desk[IMPULSES])
    active = ints(desk[ACTIVE])
    dim = desk[DIM]
    counts[SOLVES] += 1
    for i in range(desk[ACTIVE_COUNT]):
        for d in range(dim):
            guess[i * dim + d] = impulses[active[i] * dim + d]
    best = floats(desk[EARLIER])  # free where there is a matrix
    least = 2.0 * ROUGH
    large = desk[ACTIVE_COUNT] > LARGE
    order = offset(ints(desk[ORDER]), desk[SOLVER_COUNT] if large else 0)
    problem[of.LIMIT] = PATIENCE if large else 0
    for turn in range(desk[SOLVER_COUNT]):
        s = order[turn]
        if solvers[s] == 0:
            desk[MISSING] = s
            return NO_SOLVER
        counts[ASKED + s] += 1
        status = call_contact_problem(solvers[s], problem)
        counts[ITERATIONS] += problem[of.ITERATIONS]
        if status == of.SOLVED:
            return DONE_ALL
        if numbers[of.RESIDUAL] < least:
            least = numbers[of.RESIDUAL]
            for row in range(desk[ACTIVE_COUNT] * dim):
                best[row] = guess[row]
        if large and turn > 0 and least <= ROUGH:
            break
    counts[LOOSE] += 1
    for row in range(desk[ACTIVE_COUNT] * dim):
        guess[row] = best[row]
    return DONE_ALL if least <= ROUGH else NO_SOLUTION


@jit
def compute(desk):
    """TOTAL: the impulses that the impact laws ask for; how that ended."""
    problem = ints(desk[PROBLEM])
    impulse = floats(problem[of.IMPULSE])
    offsets = floats(problem[of.OFFSET])
    total = floats(desk[TOTAL])
    before = floats(desk[BEFORE])
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    free = floats(desk[FREE])
    active = ints(desk[ACTIVE])
    dim = desk[DIM]
    count = desk[ACTIVE_COUNT]
    expanding = False
    zero = 0 * dim
    pose(desk, free, expanding)
    status = attempt(desk)
    if status != DONE_ALL:
        return status
    stored = False
    for row in range(count * dim):
        total[row] = impulse[row]
    for i in range(count):
        law = offset(floats(desk[IMPACT]), IMPACT_NUMBERS * active[i])
        offsets[i] = 0.0
        if law[POISSON] != 0.0 and before[i * dim] < 0.0:
            # What stopped the approach is stored; what held the forces of the step is not.
            closing = after(desk, i, zero, free)
            share = min(1.0, before[i * dim] / closing) if closing < 0.0 else 0.0
            offsets[i] = law[RESTITUTION] * share * total[i * dim]
        stored = stored or offsets[i] > 0.0
    if stored:  # the expansion of Poisson's law
        for j in range(desk[VELOCITIES]):
            new[j] = free[j]
        push(desk, total, new)
        expanding = True
        pose(desk, new, expanding)
        status = attempt(desk)
        if status != DONE_ALL:
            return status
        for row in range(count * dim):
            total[row] += impulse[row]
        for i in range(count):
            total[i * dim] += offsets[i]
    return DONE_ALL


@jit
def settle_books(desk):
    """What the impulses did: impulses by contact, their work, and whether it was positive.

    The work of an impulse is its product with the mean of the velocities before and after: exact for the midpoint rule.
    """
    impulses = floats(desk[IMPULSES])
    total = floats(desk[TOTAL])
    before = floats(desk[BEFORE])
    books = floats(desk[BOOKS])
    counts = ints(desk[COUNTS])
    closed = ints(desk[CLOSED])
    active = ints(desk[ACTIVE])
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    dim = desk[DIM]
    for j in range(desk[CONTACTS] * dim):
        impulses[j] = 0.0
    for k in range(desk[CONTACTS]):
        closed[k] = 0
    free = floats(desk[FREE])
    zero = 0 * dim
    one = 1.0
    slack = reach(one, desk)
    work = 0.0
    scale = 0.0
    for i in range(desk[ACTIVE_COUNT]):
        k = active[i]
        if total[i * dim] > 0.0:
            # What forces do to the gap in a step is more than its speed: it opens no further than it closes again.
            push_in = max(before[i * dim] - after(desk, i, zero, free), 0.0)
            rounding = VISIBLE * (abs(before[i * dim]) + slack)
            closed[k] = QUIET if 2.0 * after(desk, i, zero, new) <= push_in + rounding else 1
        for d in range(dim):
            row = i * dim + d
            p = total[row]
            impulses[k * dim + d] = p
            if p != 0.0:
                mean = 0.5 * (before[row] + after(desk, i, d, new))
                books[FIRST_LOSS + 2 * k + (0 if d == 0 else 1)] -= p * mean
                books[BOOK_DRIVERS] -= p * direction(desk, i, d)[desk[BLOCKS] * desk[WIDTH]]  # what moves a gap works
                work += p * mean
                scale += abs(p) * (abs(before[row]) + abs(after(desk, i, d, free)))
    books[LOST] = -work
    if work > VISIBLE * scale + TINY:
        counts[CREATING] += 1
        books[CREATED] += work
        if work > books[WORST]:
            books[WORST] = work
            counts[CULPRIT] = active[0]


@jit
def strike(desk):
    """NEW velocities from those without contact and the impulses; how that ended."""
    free = floats(desk[FREE])
    total = floats(desk[TOTAL])
    joints = floats(desk[JOINT_IMPULSES])
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    m = desk[ROWS]
    status = compute(desk)
    if status != DONE_ALL:
        ints(desk[COUNTS])[CULPRIT] = ints(desk[ACTIVE])[0]
        return status
    for j in range(desk[VELOCITIES]):
        new[j] = free[j]
    push(desk, total, new)
    for row in range(desk[ACTIVE_COUNT] * desk[DIM]):
        if total[row] != 0.0:
            response = offset(floats(desk[JOINT_RESPONSES]), row * m)
            for r in range(m):
                joints[r] += total[row] * response[r]
    return DONE_ALL


@jit
def fly(desk):
    """NEW velocities where no contact is closed: the free ones."""
    free = floats(desk[FREE])
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    for j in range(desk[VELOCITIES]):
        new[j] = free[j]
