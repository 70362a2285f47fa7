"""Active contacts of a time step: closed contacts, their directions W and the Delassus matrix G."""

from __future__ import annotations

from carom.kernels import call_directions, call_gaps, floats, ints, jit, offset
from carom.mechanics.kkt import solve
from carom.mechanics.linear_algebra import add_scaled, copy, set_zero
from carom.mechanics.model_record import MODEL
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.timestepping.records import CAPACITY_EXCEEDED, FINISHED, NOT_FINITE, STEP_CLOCK, STEP_COUNTS

IMPACT_SPEED_RATIO = 8.0
"""Ratio of the normal velocity to its curvature term above which a closing contact is an impact [-]."""


@jit
def direction(stepper, i, d):
    """Return row ``d`` of the ``i``-th active contact."""
    size = stepper.bodies_per_contact * stepper.velocities_per_body + 1
    return offset(floats(stepper.W), (i * stepper.rows_per_contact + d) * size)


@jit
def normal_direction(stepper, i):
    """Return the first row of the ``i``-th active contact."""
    size = stepper.bodies_per_contact * stepper.velocities_per_body + 1
    return offset(floats(stepper.W), i * stepper.rows_per_contact * size)


@jit
def velocity_indices_of(stepper, k):
    """Return the first velocity of each body of contact ``k``; −1 for the ground."""
    return offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)


@jit
def dot_direction(stepper, k, w, vector):
    """Return w · ``vector`` for a direction w of contact ``k``."""
    size = stepper.velocities_per_body
    velocity_indices = velocity_indices_of(stepper, k)
    total = 0.0
    for b in range(stepper.bodies_per_contact):
        v = velocity_indices[b]
        if v >= 0:
            for j in range(size):
                total += w[b * size + j] * vector[v + j]
    return total


@jit
def contact_velocity(stepper, k, w, u):
    """Return γ = w · u + w̃ [m/s]."""
    return dot_direction(stepper, k, w, u) + w[stepper.bodies_per_contact * stepper.velocities_per_body]


@jit
def lever_arm_bound(stepper):
    """Return the largest coordinate, or 1 [m], as an estimate of the largest lever arm."""
    q = floats(stepper.y)
    longest = 1.0
    for i in range(stepper.n_velocities):
        longest = max(longest, abs(q[i]))
    return longest


@jit
def displacement_bound(h, stepper):
    """Estimate the displacement of a point by forces in a step [m]."""
    n = stepper.n_velocities
    u = offset(floats(stepper.y), n)
    u_free = floats(stepper.u_free)
    max_change = 0.0
    for i in range(n):
        max_change = max(max_change, abs(u_free[i] - u[i]))
    return 2.0 * h * max_change * lever_arm_bound(stepper)


@jit
def velocity_change_bound(stepper, k, w):
    """Return the change of the normal velocity of contact ``k`` by forces in a step, summed without cancellation."""
    size = stepper.velocities_per_body
    velocity_indices = velocity_indices_of(stepper, k)
    u = offset(floats(stepper.y), stepper.n_velocities)
    u_free = floats(stepper.u_free)
    total = 0.0
    for b in range(stepper.bodies_per_contact):
        v = velocity_indices[b]
        if v >= 0:
            for j in range(size):
                total += abs(w[b * size + j] * (u_free[v + j] - u[v + j]))
    return total


@jit(inline=True)
def find_active_contacts(h, stepper):
    """List the closed contacts with their directions at the midpoint of the step; return a status.

    Contacts with g(q_M) ≤ 0 are closed (Moreau). With ``no_energy_gain``, so are contacts whose gap forces can close
    in a step: the forces on their own bodies or, if the contact had an impulse in the last step, on any body. The
    contact problem then decides, and a resting contact stays at rest instead of opening every other step.
    """
    model = MODEL(stepper.model)
    gaps = floats(model.gaps)
    contact_status = ints(stepper.contact_status)
    active = ints(stepper.active)
    max_gap = displacement_bound(h, stepper) if stepper.no_energy_gain != 0 else 0.0
    count = 0
    for k in range(stepper.n_contacts):
        gap = gaps[k]
        if gap > max_gap:
            continue
        if gap != gap:
            STEP_COUNTS(stepper.counts).failed_contact = k
            return NOT_FINITE
        if count >= stepper.capacity:
            return CAPACITY_EXCEEDED
        w = normal_direction(stepper, count)
        call_directions(stepper.directions_kernel, k, w, model)
        if gap > 0.0 and contact_status[k] == 0 and gap > 0.5 * h * velocity_change_bound(stepper, k, w):
            continue
        floats(stepper.active_gaps)[count] = gap
        for d in range(stepper.rows_per_contact):
            floats(stepper.curvature_terms)[count * stepper.rows_per_contact + d] = 0.0
        active[count] = k
        count += 1
    stepper.n_active = count
    return FINISHED


@jit
def compute_curvature_terms(t, stepper):
    """Compute the differences of γ with u_A between the midpoint and the beginning of the step [m/s].

    They are h/2 u·g_qq·u for a gap g. Added to γ after the step along the directions at the midpoint, they give the
    velocity at the end: a persistent contact then follows a curved path without drift. They are subtracted from γ
    before the step, so that the mean of both, and with it the work of an impulse, is that at the midpoint. They are
    zero for impacts, which are much faster.
    """
    model = MODEL(stepper.model)
    y = floats(stepper.y)
    u = offset(y, stepper.n_velocities)
    active = ints(stepper.active)
    terms = floats(stepper.curvature_terms)
    spare = stepper.capacity  # The rows behind those of the last contact are free.
    dim = stepper.rows_per_contact
    update_active_gaps(t, y, stepper)
    for i in range(stepper.n_active):
        k = active[i]
        call_directions(stepper.directions_kernel, k, normal_direction(stepper, spare), model)
        for d in range(dim):
            gamma_begin = contact_velocity(stepper, k, direction(stepper, spare, d), u)
            terms[i * dim + d] = contact_velocity(stepper, k, direction(stepper, i, d), u) - gamma_begin
        gamma_N = contact_velocity(stepper, k, normal_direction(stepper, i), u)
        is_impact = abs(gamma_N) > IMPACT_SPEED_RATIO * abs(terms[i * dim])
        if ints(stepper.contact_status)[k] == 0 and is_impact:
            for d in range(dim):
                terms[i * dim + d] = 0.0


@jit
def compute_gamma_pre(stepper):
    """Compute γ⁻ of the active contacts, with the velocities at the beginning of the step."""
    u = offset(floats(stepper.y), stepper.n_velocities)
    gamma_pre = floats(stepper.gamma_pre)
    terms = floats(stepper.curvature_terms)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    for i in range(stepper.n_active):
        for d in range(dim):
            row = i * dim + d
            gamma_pre[row] = contact_velocity(stepper, active[i], direction(stepper, i, d), u) - terms[row]


@jit
def gamma_post(stepper, i, d, u):
    """Return γ⁺ along direction ``d`` of the ``i``-th active contact for velocities ``u`` at the end of the step."""
    value = contact_velocity(stepper, ints(stepper.active)[i], direction(stepper, i, d), u)
    return value + floats(stepper.curvature_terms)[i * stepper.rows_per_contact + d]


@jit
def solve_directions(stepper):
    """Compute M⁻¹ w of every direction, subject to the joints, and the joint impulses of a unit contact impulse."""
    model = MODEL(stepper.model)
    rhs_motion = floats(model.rhs_motion)
    active = ints(stepper.active)
    n = stepper.n_velocities
    m = stepper.n_constraints
    dim = stepper.rows_per_contact
    size = stepper.velocities_per_body
    for i in range(stepper.n_active):
        velocity_indices = velocity_indices_of(stepper, active[i])
        for d in range(dim):
            set_zero(rhs_motion, n)
            set_zero(floats(model.rhs_constraint), m)
            w = direction(stepper, i, d)
            for b in range(stepper.bodies_per_contact):
                v = velocity_indices[b]
                if v >= 0:
                    for j in range(size):
                        rhs_motion[v + j] = w[b * size + j]
            solve(model)
            row = i * dim + d
            copy(floats(model.acceleration), n, offset(floats(stepper.inv_M_W), row * n))
            copy(floats(model.lam), m, offset(floats(stepper.joint_impulse_per_unit), row * m))


@jit
def compute_delassus_matrix(stepper):
    """Compute G = Wᵀ M⁻¹ W of the active contacts."""
    problem = CONTACT_PROBLEM(stepper.problem)
    G = floats(problem.G)
    active = ints(stepper.active)
    n = stepper.n_velocities
    dim = stepper.rows_per_contact
    count = stepper.n_active
    problem.n_contacts = count
    size = count * dim
    for i in range(count):
        for j in range(i, count):
            # Contacts of free bodies act on each other if they have a body in common.
            is_coupled = stepper.bodies_are_free == 0 or have_common_body(stepper, active[i], active[j])
            for d in range(dim):
                w = direction(stepper, i, d)
                row = i * dim + d
                for column in range(max(row, j * dim), (j + 1) * dim):
                    value = 0.0
                    if is_coupled:
                        value = dot_direction(stepper, active[i], w, offset(floats(stepper.inv_M_W), column * n))
                    G[row * size + column] = value
                    G[column * size + row] = value


@jit
def have_common_body(stepper, k, other):
    """Return True if two contacts act on one group of velocities."""
    mine = velocity_indices_of(stepper, k)
    others = velocity_indices_of(stepper, other)
    result = False
    for b in range(stepper.bodies_per_contact):
        for c in range(stepper.bodies_per_contact):
            result = result or (mine[b] >= 0 and mine[b] == others[c])
    return result


@jit
def update_active_gaps(t, y, stepper):
    """Compute gaps and contact points of the active contacts at a state; those of the others are not valid any more."""
    model = MODEL(stepper.model)
    if stepper.gap_kernel == 0:
        call_gaps(stepper.gaps_kernel, t, y, model)
        return
    call_gaps(stepper.bodies_kernel, t, y, model)
    for i in range(stepper.n_active):
        call_directions(stepper.gap_kernel, ints(stepper.active)[i], normal_direction(stepper, stepper.capacity), model)


@jit
def add_impulses(stepper, P, velocities):
    """Add M⁻¹ W P to ``velocities``."""
    n = stepper.n_velocities
    for row in range(stepper.n_active * stepper.rows_per_contact):
        if P[row] != 0.0:
            add_scaled(P[row], offset(floats(stepper.inv_M_W), row * n), n, velocities)


@jit
def add_joint_impulses(stepper, P, joint_impulses):
    """Add the joint impulses that balance the contact impulses P to ``joint_impulses``."""
    m = stepper.n_constraints
    for row in range(stepper.n_active * stepper.rows_per_contact):
        if P[row] != 0.0:
            add_scaled(P[row], offset(floats(stepper.joint_impulse_per_unit), row * m), m, joint_impulses)


@jit(inline=True)
def may_shorten(h, stepper):
    """Return True if the step may be halved to locate the closing of a contact."""
    return STEP_COUNTS(stepper.counts).is_adaptive != 0 and 0.5 * h >= STEP_CLOCK(stepper.clock).min_step


@jit(inline=True)
def closes_by_midpoint(h, stepper):
    """Return True if a contact that was open is closed at the midpoint of a step that may be shortened."""
    closes = False
    if may_shorten(h, stepper):
        contact_status = ints(stepper.contact_status)
        active = ints(stepper.active)
        for i in range(stepper.n_active):
            approaches = floats(stepper.gamma_pre)[i * stepper.rows_per_contact] < 0.0
            is_closed = floats(stepper.active_gaps)[i] <= 0.0
            closes = closes or (contact_status[active[i]] == 0 and approaches and is_closed)
    return closes


@jit(inline=True)
def closes_by_end(t, h, stepper):
    """Return True if a contact that was open is closed at the end of a step that may be shortened."""
    closes = False
    if stepper.n_contacts > 0 and may_shorten(h, stepper):
        model = MODEL(stepper.model)
        gaps = floats(model.gaps)
        contact_status = ints(stepper.contact_status)
        call_gaps(stepper.gaps_kernel, t + h, floats(stepper.y_new), model)
        for k in range(stepper.n_contacts):
            closes = closes or (contact_status[k] == 0 and gaps[k] < 0.0)
    return closes
