"""The contacts of one time step: which are closed, along which directions, and the Delassus matrix between them."""

from __future__ import annotations

from carom.kernels import call_direct, call_survey, floats, ints, jit, offset
from carom.mechanics.kkt import solve
from carom.mechanics.model_record import MODEL
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    ACTIVE_GAPS,
    ADAPTIVE,
    BEFORE,
    BENDS,
    BLOCK,
    BLOCKS,
    CLOCK,
    CLOSED,
    CONTACTS,
    COUNTS,
    CULPRIT,
    DIM,
    DIRECT,
    DIRECTIONS,
    DONE_ALL,
    FREE,
    JOINT_RESPONSES,
    NEW,
    NO_ROOM,
    NOT_FINITE,
    PLACES,
    PROBLEM,
    RESPONSES,
    ROOM,
    ROWS,
    SAFE,
    SMALLEST,
    STATE,
    SURVEY,
    VELOCITIES,
    WIDTH,
)  # fmt: skip
from carom.solve.nonsmooth.problem import COUNT, MATRIX

FAST = 8.0
"""Times what the curvature of its path does in half a step: approach that makes an impact."""


@jit
def direction(desk, i, d):
    """Row ``d`` of the ``i``-th active contact."""
    size = desk[BLOCKS] * desk[WIDTH] + 1
    return offset(floats(desk[DIRECTIONS]), (i * desk[DIM] + d) * size)


@jit
def normal(desk, i):
    """The first row of the ``i``-th active contact."""
    return offset(floats(desk[DIRECTIONS]), i * desk[DIM] * (desk[BLOCKS] * desk[WIDTH] + 1))


@jit
def along(desk, k, w, vector):
    """w · vector, for a direction ``w`` of contact ``k``."""
    width = desk[WIDTH]
    places = offset(ints(desk[PLACES]), k * desk[BLOCKS])
    total = 0.0
    for b in range(desk[BLOCKS]):
        v = places[b]
        if v >= 0:
            for j in range(width):
                total += w[b * width + j] * vector[v + j]
    return total


@jit
def velocity(desk, k, w, vector):
    """γ = w · u + w̃."""
    return along(desk, k, w, vector) + w[desk[BLOCKS] * desk[WIDTH]]


@jit
def arm(desk):
    """The largest coordinate, or 1 [m]: no arm is longer, roughly."""
    state = floats(desk[STATE])
    longest = 1.0
    for i in range(desk[VELOCITIES]):
        longest = max(longest, abs(state[i]))
    return longest


@jit
def reach(h, desk):
    """How far forces may move a point in a step, roughly [m]."""
    n = desk[VELOCITIES]
    u = offset(floats(desk[STATE]), n)
    free = floats(desk[FREE])
    gain = 0.0
    for i in range(n):
        gain = max(gain, abs(free[i] - u[i]))
    return 2.0 * h * gain * arm(desk)


@jit
def stir(desk, k, w):
    """What forces do to the normal velocity of contact ``k`` in a step, without what cancels."""
    width = desk[WIDTH]
    places = offset(ints(desk[PLACES]), k * desk[BLOCKS])
    u = offset(floats(desk[STATE]), desk[VELOCITIES])
    free = floats(desk[FREE])
    total = 0.0
    for b in range(desk[BLOCKS]):
        v = places[b]
        if v >= 0:
            for j in range(width):
                total += abs(w[b * width + j] * (free[v + j] - u[v + j]))
    return total


@jit
def candidates(h, desk):
    """List the closed contacts, with directions in the middle of the step; how that ended.

    Those with g(q_M) ≤ 0, as Moreau has it. Where steps are safe, those, too, that are no further apart than what
    forces do to their bodies in a step, h², or to any body where they pressed in the last step: the contact problem
    then decides, and a resting contact rests, instead of opening every other step.
    """
    model = MODEL(desk[BLOCK])
    gaps = floats(model.gaps)
    closed = ints(desk[CLOSED])
    active = ints(desk[ACTIVE])
    near = reach(h, desk) if desk[SAFE] != 0 else 0.0
    count = 0
    for k in range(desk[CONTACTS]):
        gap = gaps[k]
        if gap > near:
            continue
        if gap != gap:
            ints(desk[COUNTS])[CULPRIT] = k
            return NOT_FINITE
        if count >= desk[ROOM]:
            return NO_ROOM
        w = normal(desk, count)
        call_direct(desk[DIRECT], k, w, model)
        if gap > 0.0 and closed[k] == 0 and gap > 0.5 * h * stir(desk, k, w):
            continue
        floats(desk[ACTIVE_GAPS])[count] = gap
        for d in range(desk[DIM]):
            floats(desk[BENDS])[count * desk[DIM] + d] = 0.0
        active[count] = k
        count += 1
    desk[ACTIVE_COUNT] = count
    return DONE_ALL


@jit
def bend(t, desk):
    """BENDS: what velocities of contacts with u_A are in the middle of the step more than at its beginning.

    It is h/2 u·g_qq·u for a gap g. Added to γ after the step, which is taken along the directions in the middle, it
    makes it the velocity at the end: a lasting contact then follows a curved path without drift. The same is taken from
    γ before the step, so that the mean of both, and with it the work of an impulse, is that in the middle. A contact
    that is struck much faster needs none.
    """
    model = MODEL(desk[BLOCK])
    state = floats(desk[STATE])
    u = offset(state, desk[VELOCITIES])
    active = ints(desk[ACTIVE])
    bends = floats(desk[BENDS])
    call_survey(desk[SURVEY], t, state, model)
    room = desk[ROOM]
    dim = desk[DIM]
    for i in range(desk[ACTIVE_COUNT]):
        k = active[i]
        call_direct(desk[DIRECT], k, normal(desk, room), model)
        for d in range(dim):
            there = velocity(desk, k, direction(desk, room, d), u)
            bends[i * dim + d] = velocity(desk, k, direction(desk, i, d), u) - there
        struck = abs(velocity(desk, k, normal(desk, i), u)) > FAST * abs(bends[i * dim])
        if ints(desk[CLOSED])[k] == 0 and struck:
            for d in range(dim):
                bends[i * dim + d] = 0.0


@jit
def velocities_before(desk):
    """γ⁻ of the active contacts, with the velocities at the beginning of the step."""
    u = offset(floats(desk[STATE]), desk[VELOCITIES])
    before = floats(desk[BEFORE])
    active = ints(desk[ACTIVE])
    dim = desk[DIM]
    for i in range(desk[ACTIVE_COUNT]):
        for d in range(dim):
            row = i * dim + d
            before[row] = velocity(desk, active[i], direction(desk, i, d), u) - floats(desk[BENDS])[row]


@jit
def after(desk, i, d, velocities):
    """γ⁺ along direction ``d`` of the ``i``-th active contact for ``velocities`` at the end of the step."""
    value = velocity(desk, ints(desk[ACTIVE])[i], direction(desk, i, d), velocities)
    return value + floats(desk[BENDS])[i * desk[DIM] + d]


@jit
def respond(desk):
    """RESPONSES: M⁻¹ w of every direction (with what the joints add to it), and the impulses in the joints."""
    model = MODEL(desk[BLOCK])
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    change = floats(model.acceleration)
    multipliers = floats(model.lam)
    active = ints(desk[ACTIVE])
    n = desk[VELOCITIES]
    m = desk[ROWS]
    dim = desk[DIM]
    width = desk[WIDTH]
    for i in range(desk[ACTIVE_COUNT]):
        places = offset(ints(desk[PLACES]), active[i] * desk[BLOCKS])
        for d in range(dim):
            for j in range(n):
                top[j] = 0.0
            for r in range(m):
                bottom[r] = 0.0
            w = direction(desk, i, d)
            for b in range(desk[BLOCKS]):
                v = places[b]
                if v >= 0:
                    for j in range(width):
                        top[v + j] = w[b * width + j]
            solve(model)
            x = offset(floats(desk[RESPONSES]), (i * dim + d) * n)
            for j in range(n):
                x[j] = change[j]
            joints = offset(floats(desk[JOINT_RESPONSES]), (i * dim + d) * m)
            for r in range(m):
                joints[r] = multipliers[r]


@jit
def delassus(desk):
    """G = Wᵀ M⁻¹ W of the active contacts."""
    problem = ints(desk[PROBLEM])
    matrix = floats(problem[MATRIX])
    active = ints(desk[ACTIVE])
    n = desk[VELOCITIES]
    dim = desk[DIM]
    count = desk[ACTIVE_COUNT]
    problem[COUNT] = count
    size = count * dim
    for i in range(count):
        for d in range(dim):
            w = direction(desk, i, d)
            row = i * dim + d
            for column in range(row, size):
                value = along(desk, active[i], w, offset(floats(desk[RESPONSES]), column * n))
                matrix[row * size + column] = value
                matrix[column * size + row] = value


@jit
def push(desk, impulses, velocities):
    """velocities += M⁻¹ W P."""
    n = desk[VELOCITIES]
    for row in range(desk[ACTIVE_COUNT] * desk[DIM]):
        p = impulses[row]
        if p != 0.0:
            x = offset(floats(desk[RESPONSES]), row * n)
            for j in range(n):
                velocities[j] += p * x[j]


@jit
def may_shorten(h, desk):
    """Whether the step may be halved to tell when a contact closes."""
    return ints(desk[COUNTS])[ADAPTIVE] != 0 and 0.5 * h >= floats(desk[CLOCK])[SMALLEST]


@jit
def hits(h, desk):
    """Whether a contact that was open is closed in the middle of a step that may be shortened."""
    found = False
    if may_shorten(h, desk):
        closed = ints(desk[CLOSED])
        active = ints(desk[ACTIVE])
        for i in range(desk[ACTIVE_COUNT]):
            approaching = floats(desk[BEFORE])[i * desk[DIM]] < 0.0
            found = found or (closed[active[i]] == 0 and approaching and floats(desk[ACTIVE_GAPS])[i] <= 0.0)
    return found


@jit
def crosses(t, h, desk):
    """Whether a contact that was open is closed at the end, in NEW, of a step that may be shortened."""
    found = False
    if desk[CONTACTS] > 0 and may_shorten(h, desk):
        model = MODEL(desk[BLOCK])
        gaps = floats(model.gaps)
        closed = ints(desk[CLOSED])
        call_survey(desk[SURVEY], t + h, floats(desk[NEW]), model)
        for k in range(desk[CONTACTS]):
            found = found or (closed[k] == 0 and gaps[k] < 0.0)
    return found
