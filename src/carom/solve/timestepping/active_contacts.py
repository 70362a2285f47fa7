"""Active contacts of a time step: closed contacts, their directions and the Delassus matrix."""

from __future__ import annotations

from carom.kernels import call_directions, call_gaps, floats, ints, jit, offset
from carom.mechanics.kkt import solve
from carom.mechanics.model_record import MODEL
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.timestepping.records import CAPACITY_EXCEEDED, FINISHED, NOT_FINITE, STEP_CLOCK, STEP_COUNTS

FAST = 8.0
"""Times what the curvature of its path does in half a step: approach that makes an impact."""


@jit
def direction(stepper, i, d):
    """Return row ``d`` of the ``i``-th active contact."""
    size = stepper.bodies_per_contact * stepper.velocities_per_body + 1
    return offset(floats(stepper.W), (i * stepper.rows_per_contact + d) * size)


@jit
def normal(stepper, i):
    """Return the first row of the ``i``-th active contact."""
    return offset(
        floats(stepper.W), i * stepper.rows_per_contact * (stepper.bodies_per_contact * stepper.velocities_per_body + 1)
    )


@jit
def along(stepper, k, w, vector):
    """Return w · ``vector`` for a direction w of contact ``k``."""
    width = stepper.velocities_per_body
    places = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
    total = 0.0
    for b in range(stepper.bodies_per_contact):
        v = places[b]
        if v >= 0:
            for j in range(width):
                total += w[b * width + j] * vector[v + j]
    return total


@jit
def velocity(stepper, k, w, vector):
    """Return γ = w · u + w̃."""
    return along(stepper, k, w, vector) + w[stepper.bodies_per_contact * stepper.velocities_per_body]


@jit
def arm(stepper):
    """Return the largest coordinate, or 1 [m], as an estimate of the largest lever arm."""
    state = floats(stepper.y)
    longest = 1.0
    for i in range(stepper.n_velocities):
        longest = max(longest, abs(state[i]))
    return longest


@jit
def reach(h, stepper):
    """Estimate the displacement of a point by forces in a step [m]."""
    n = stepper.n_velocities
    u = offset(floats(stepper.y), n)
    free = floats(stepper.u_free)
    gain = 0.0
    for i in range(n):
        gain = max(gain, abs(free[i] - u[i]))
    return 2.0 * h * gain * arm(stepper)


@jit
def stir(stepper, k, w):
    """Return the change of the normal velocity of contact ``k`` by forces in a step, summed without cancellation."""
    width = stepper.velocities_per_body
    places = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
    u = offset(floats(stepper.y), stepper.n_velocities)
    free = floats(stepper.u_free)
    total = 0.0
    for b in range(stepper.bodies_per_contact):
        v = places[b]
        if v >= 0:
            for j in range(width):
                total += abs(w[b * width + j] * (free[v + j] - u[v + j]))
    return total


@jit
def candidates(h, stepper):
    """List the closed contacts, with directions in the middle of the step; how that ended.

    Those with g(q_M) ≤ 0, as Moreau has it. Where steps are safe, those, too, that are no further apart than what
    forces do to their bodies in a step, h², or to any body where they pressed in the last step: the contact problem
    then decides, and a resting contact rests, instead of opening every other step.
    """
    model = MODEL(stepper.model)
    gaps = floats(model.gaps)
    closed = ints(stepper.contact_status)
    active = ints(stepper.active)
    near = reach(h, stepper) if stepper.no_energy_gain != 0 else 0.0
    count = 0
    for k in range(stepper.n_contacts):
        gap = gaps[k]
        if gap > near:
            continue
        if gap != gap:
            STEP_COUNTS(stepper.counts).failed_contact = k
            return NOT_FINITE
        if count >= stepper.capacity:
            return CAPACITY_EXCEEDED
        w = normal(stepper, count)
        call_directions(stepper.directions_kernel, k, w, model)
        if gap > 0.0 and closed[k] == 0 and gap > 0.5 * h * stir(stepper, k, w):
            continue
        floats(stepper.active_gaps)[count] = gap
        for d in range(stepper.rows_per_contact):
            floats(stepper.curvature_terms)[count * stepper.rows_per_contact + d] = 0.0
        active[count] = k
        count += 1
    stepper.n_active = count
    return FINISHED


@jit
def bend(t, stepper):
    """BENDS: what velocities of contacts with u_A are in the middle of the step more than at its beginning.

    It is h/2 u·g_qq·u for a gap g. Added to γ after the step, which is taken along the directions in the middle, it
    makes it the velocity at the end: a lasting contact then follows a curved path without drift. The same is taken from
    γ before the step, so that the mean of both, and with it the work of an impulse, is that in the middle. A contact
    that is struck much faster needs none.
    """
    model = MODEL(stepper.model)
    state = floats(stepper.y)
    u = offset(state, stepper.n_velocities)
    active = ints(stepper.active)
    bends = floats(stepper.curvature_terms)
    call_gaps(stepper.gaps_kernel, t, state, model)
    room = stepper.capacity
    dim = stepper.rows_per_contact
    for i in range(stepper.n_active):
        k = active[i]
        call_directions(stepper.directions_kernel, k, normal(stepper, room), model)
        for d in range(dim):
            there = velocity(stepper, k, direction(stepper, room, d), u)
            bends[i * dim + d] = velocity(stepper, k, direction(stepper, i, d), u) - there
        struck = abs(velocity(stepper, k, normal(stepper, i), u)) > FAST * abs(bends[i * dim])
        if ints(stepper.contact_status)[k] == 0 and struck:
            for d in range(dim):
                bends[i * dim + d] = 0.0


@jit
def velocities_before(stepper):
    """γ⁻ of the active contacts, with the velocities at the beginning of the step."""
    u = offset(floats(stepper.y), stepper.n_velocities)
    before = floats(stepper.gamma_pre)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    for i in range(stepper.n_active):
        for d in range(dim):
            row = i * dim + d
            before[row] = (
                velocity(stepper, active[i], direction(stepper, i, d), u) - floats(stepper.curvature_terms)[row]
            )


@jit
def after(stepper, i, d, velocities):
    """γ⁺ along direction ``d`` of the ``i``-th active contact for ``velocities`` at the end of the step."""
    value = velocity(stepper, ints(stepper.active)[i], direction(stepper, i, d), velocities)
    return value + floats(stepper.curvature_terms)[i * stepper.rows_per_contact + d]


@jit
def respond(stepper):
    """RESPONSES: M⁻¹ w of every direction (with what the joints add to it), and the impulses in the joints."""
    model = MODEL(stepper.model)
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    change = floats(model.acceleration)
    multipliers = floats(model.lam)
    active = ints(stepper.active)
    n = stepper.n_velocities
    m = stepper.n_constraints
    dim = stepper.rows_per_contact
    width = stepper.velocities_per_body
    for i in range(stepper.n_active):
        places = offset(ints(stepper.velocity_indices), active[i] * stepper.bodies_per_contact)
        for d in range(dim):
            for j in range(n):
                top[j] = 0.0
            for r in range(m):
                bottom[r] = 0.0
            w = direction(stepper, i, d)
            for b in range(stepper.bodies_per_contact):
                v = places[b]
                if v >= 0:
                    for j in range(width):
                        top[v + j] = w[b * width + j]
            solve(model)
            x = offset(floats(stepper.inv_M_W), (i * dim + d) * n)
            for j in range(n):
                x[j] = change[j]
            joints = offset(floats(stepper.joint_impulse_per_unit), (i * dim + d) * m)
            for r in range(m):
                joints[r] = multipliers[r]


@jit
def delassus(stepper):
    """Compute G = Wᵀ M⁻¹ W of the active contacts."""
    problem = CONTACT_PROBLEM(stepper.problem)
    matrix = floats(problem.G)
    active = ints(stepper.active)
    n = stepper.n_velocities
    dim = stepper.rows_per_contact
    count = stepper.n_active
    problem.n_contacts = count
    size = count * dim
    for i in range(count):
        for d in range(dim):
            w = direction(stepper, i, d)
            row = i * dim + d
            for column in range(row, size):
                value = along(stepper, active[i], w, offset(floats(stepper.inv_M_W), column * n))
                matrix[row * size + column] = value
                matrix[column * size + row] = value


@jit
def push(stepper, impulses, velocities):
    """Add M⁻¹ W P to ``velocities``."""
    n = stepper.n_velocities
    for row in range(stepper.n_active * stepper.rows_per_contact):
        p = impulses[row]
        if p != 0.0:
            x = offset(floats(stepper.inv_M_W), row * n)
            for j in range(n):
                velocities[j] += p * x[j]


@jit
def may_shorten(h, stepper):
    """Return True if the step may be halved to locate the closing of a contact."""
    return STEP_COUNTS(stepper.counts).is_adaptive != 0 and 0.5 * h >= STEP_CLOCK(stepper.clock).min_step


@jit
def hits(h, stepper):
    """Return True if a contact that was open is closed at the midpoint of a step that may be shortened."""
    found = False
    if may_shorten(h, stepper):
        closed = ints(stepper.contact_status)
        active = ints(stepper.active)
        for i in range(stepper.n_active):
            approaching = floats(stepper.gamma_pre)[i * stepper.rows_per_contact] < 0.0
            found = found or (closed[active[i]] == 0 and approaching and floats(stepper.active_gaps)[i] <= 0.0)
    return found


@jit
def crosses(t, h, stepper):
    """Return True if a contact that was open is closed at the end of a step that may be shortened."""
    found = False
    if stepper.n_contacts > 0 and may_shorten(h, stepper):
        model = MODEL(stepper.model)
        gaps = floats(model.gaps)
        closed = ints(stepper.contact_status)
        call_gaps(stepper.gaps_kernel, t + h, floats(stepper.y_new), model)
        for k in range(stepper.n_contacts):
            found = found or (closed[k] == 0 and gaps[k] < 0.0)
    return found
