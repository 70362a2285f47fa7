"""Impulses of a time step: the impact laws as a contact problem, its solution, and the velocities after it."""

from __future__ import annotations

from carom.kernels import call_contact_solver, floats, ints, jit, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.mechanics.linear_algebra import add, copy, set_zero
from carom.mechanics.model_record import CONTACT_LOSS
from carom.solve.contact_problem.friction_limits import N_LEVERS
from carom.solve.contact_problem.records import CONTACT_PROBLEM, SOLVED
from carom.solve.timestepping.active_contacts import (
    add_impulses,
    add_joint_impulses,
    direction,
    displacement_bound,
    gamma_post,
)
from carom.solve.timestepping.records import (
    CLOSED,
    ENERGY_BALANCE,
    FINISHED,
    NO_SOLUTION,
    PERSISTENT,
    SOLVER_NOT_COMPILED,
    STEP_COUNTS,
)

MAX_PIVOTING_CONTACTS = 24
"""Number of contacts above which Newton's method is faster than pivoting."""

MAX_ITERATIONS = 100
"""Limit of iterations of a solver for more contacts."""

MAX_RESIDUAL = 1e-3
"""Relative residual above which a run ends if no solver reaches it; the tolerance for more contacts [-]."""

ROUNDING = 1e-9
"""Relative rounding error of a step, in the energy that contacts create and in the speed of a resting contact [-]."""

MIN_WORK = 1e-30
"""Work that counts as zero [J]."""


@jit
def restitution(stepper, k, gamma_N):
    """Return ε of contact ``k``, whose normal velocity before the step is ``gamma_N`` [-].

    With ``no_energy_gain``, a closed contact that opens may return no faster than it opened (ε = 1): with the ε of
    impacts it would be accelerated while it opens, and gain energy.
    """
    if gamma_N > 0.0 and stepper.no_energy_gain != 0:
        return 1.0
    return IMPACT_LAW_DATA(stepper.impact_laws, k).eps_N


@jit
def formulate_problem(stepper, velocities, is_expansion):
    """Set b and μ for impulses on ``velocities``: those without contact, or those after the compression.

    Contacts with Poisson's law are compressed to rest first (ε = 0); in the expansion, ``p_offset`` has the returned
    impulses.
    """
    problem = CONTACT_PROBLEM(stepper.problem)
    b = floats(problem.b)
    mu = floats(problem.mu)
    levers = floats(problem.levers)
    p_offset = floats(problem.p_offset)
    G = floats(problem.G)
    eps_gamma = floats(stepper.eps_gamma)
    gamma_pre = floats(stepper.gamma_pre)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    count = stepper.n_active
    size = dim * count
    for i in range(count):
        k = active[i]
        law = IMPACT_LAW_DATA(stepper.impact_laws, k)
        mu[i] = law.mu
        levers[N_LEVERS * i] = law.rolling_lever
        levers[N_LEVERS * i + 1] = law.spinning_lever
        is_compression = law.is_poisson != 0 and not is_expansion
        for d in range(dim):
            row = i * dim + d
            eps = law.eps_T if d <= stepper.tangents_per_contact else 0.0
            if d == 0:
                eps = 0.0 if law.is_poisson != 0 else restitution(stepper, k, gamma_pre[row])
            eps_gamma[row] = 0.0 if is_compression else eps * gamma_pre[row]
            b[row] = gamma_post(stepper, i, d, velocities) + eps_gamma[row]
        if not is_expansion:
            p_offset[i] = 0.0
    if is_expansion:
        for i in range(count):
            if p_offset[i] != 0.0:
                for row in range(size):
                    b[row] += G[row * size + i * dim] * p_offset[i]


@jit
def guess_impulses(stepper):
    """Set the initial guess of the contact problem to the impulses of the last step."""
    P = floats(CONTACT_PROBLEM(stepper.problem).P)
    last_P = floats(stepper.last_P)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    for i in range(stepper.n_active):
        copy(offset(last_P, active[i] * dim), dim, offset(P, i * dim))


@jit
def solve_with_fallbacks(stepper):
    """Solve the contact problem with the first successful solver; return a status."""
    problem = CONTACT_PROBLEM(stepper.problem)
    counts = STEP_COUNTS(stepper.counts)
    solvers = ints(stepper.solver_kernels)
    P = floats(problem.P)
    n_rows = stepper.n_active * stepper.rows_per_contact
    counts.n_problems += 1
    guess_impulses(stepper)
    best_P = floats(stepper.P_previous)  # This array is free where the Delassus matrix is used.
    min_residual = 2.0 * MAX_RESIDUAL
    is_large = stepper.n_active > MAX_PIVOTING_CONTACTS
    order = offset(ints(stepper.solver_order), stepper.n_solvers if is_large else 0)
    problem.max_iterations = MAX_ITERATIONS if is_large else 0
    for attempt in range(stepper.n_solvers):
        s = order[attempt]
        if solvers[s] == 0:
            stepper.solver_to_compile = s
            return SOLVER_NOT_COMPILED
        counts.solver_calls[s] += 1
        status = call_contact_solver(solvers[s], problem)
        counts.n_iterations += problem.n_iterations
        if status == SOLVED:
            return FINISHED
        if problem.residual < min_residual:
            min_residual = problem.residual
            copy(P, n_rows, best_P)
        if is_large and attempt > 0 and min_residual <= MAX_RESIDUAL:
            break
    counts.n_inexact += 1
    copy(best_P, n_rows, P)
    return FINISHED if min_residual <= MAX_RESIDUAL else NO_SOLUTION


@jit
def store_returned_impulses(stepper):
    """Set ``p_offset`` to the impulses that Poisson's law returns after the compression; return True if there are any.

    The impulse that stopped the approach is returned; the impulse that balanced the forces of the step is not.
    """
    p_offset = floats(CONTACT_PROBLEM(stepper.problem).p_offset)
    P = floats(stepper.P)
    gamma_pre = floats(stepper.gamma_pre)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    has_expansion = False
    for i in range(stepper.n_active):
        law = IMPACT_LAW_DATA(stepper.impact_laws, active[i])
        p_offset[i] = 0.0
        if law.is_poisson != 0 and gamma_pre[i * dim] < 0.0:
            gamma_free = gamma_post(stepper, i, 0, floats(stepper.u_free))
            fraction = min(1.0, gamma_pre[i * dim] / gamma_free) if gamma_free < 0.0 else 0.0
            p_offset[i] = law.eps_N * fraction * P[i * dim]
        has_expansion = has_expansion or p_offset[i] > 0.0
    return has_expansion


@jit
def compute_impulses(stepper):
    """Compute the total impulses of the impact laws; return a status."""
    problem = CONTACT_PROBLEM(stepper.problem)
    P = floats(stepper.P)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    u_free = floats(stepper.u_free)
    dim = stepper.rows_per_contact
    n_rows = stepper.n_active * dim
    formulate_problem(stepper, u_free, False)
    status = solve_with_fallbacks(stepper)
    if status != FINISHED:
        return status
    copy(floats(problem.P), n_rows, P)
    if store_returned_impulses(stepper):  # The expansion of Poisson's law follows.
        copy(u_free, stepper.n_velocities, u_new)
        add_impulses(stepper, P, u_new)
        formulate_problem(stepper, u_new, True)
        status = solve_with_fallbacks(stepper)
        if status != FINISHED:
            return status
        add(floats(problem.P), n_rows, P)
        for i in range(stepper.n_active):
            P[i * dim] += floats(problem.p_offset)[i]
    return FINISHED


@jit
def status_of_closed_contact(stepper, i, velocity_scale):
    """Return CLOSED or PERSISTENT for the ``i``-th active contact after a step with an impulse.

    A contact is persistent if the forces of a step change its normal velocity by more than twice the velocity with
    which it opens: it closes again within the next step.
    """
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    gamma_N = floats(stepper.gamma_pre)[i * stepper.rows_per_contact]
    closing = max(gamma_N - gamma_post(stepper, i, 0, floats(stepper.u_free)), 0.0)
    rounding = ROUNDING * (abs(gamma_N) + velocity_scale)
    return PERSISTENT if 2.0 * gamma_post(stepper, i, 0, u_new) <= closing + rounding else CLOSED


@jit(inline=True)
def add_contact_work(stepper):
    """Store the impulses per contact and their work, and count steps in which contacts gain energy.

    The work of an impulse is its product with the mean of the velocities before and after: exact for the midpoint rule.
    """
    last_P = floats(stepper.last_P)
    P = floats(stepper.P)
    gamma_pre = floats(stepper.gamma_pre)
    energy = ENERGY_BALANCE(stepper.energy)
    counts = STEP_COUNTS(stepper.counts)
    contact_status = ints(stepper.contact_status)
    active = ints(stepper.active)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    u_free = floats(stepper.u_free)
    dim = stepper.rows_per_contact
    w_size = stepper.bodies_per_contact * stepper.velocities_per_body
    set_zero(last_P, stepper.n_contacts * dim)
    for k in range(stepper.n_contacts):
        contact_status[k] = 0
    velocity_scale = displacement_bound(1.0, stepper)
    work = 0.0
    scale = 0.0
    for i in range(stepper.n_active):
        k = active[i]
        loss = CONTACT_LOSS(stepper.contact_losses, k)
        if P[i * dim] > 0.0:
            contact_status[k] = status_of_closed_contact(stepper, i, velocity_scale)
        for d in range(dim):
            row = i * dim + d
            p = P[row]
            last_P[k * dim + d] = p
            if p != 0.0:
                mean_velocity = 0.5 * (gamma_pre[row] + gamma_post(stepper, i, d, u_new))
                if d == 0:
                    loss.normal -= p * mean_velocity
                else:
                    loss.friction -= p * mean_velocity
                energy.driver_work -= p * direction(stepper, i, d)[w_size]  # w̃: prescribed motion of the gap
                work += p * mean_velocity
                scale += abs(p) * (abs(gamma_pre[row]) + abs(gamma_post(stepper, i, d, u_free)))
    energy.lost_in_step = -work
    if work > ROUNDING * scale + MIN_WORK:
        counts.n_energy_gains += 1
        energy.created += work
        if work > energy.max_created_per_step:
            energy.max_created_per_step = work
            counts.failed_contact = active[0]


@jit
def solve_impulses(stepper):
    """Compute the velocities at the end from those without contact and the impulses; return a status."""
    P = floats(stepper.P)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    status = compute_impulses(stepper)
    if status != FINISHED:
        STEP_COUNTS(stepper.counts).failed_contact = ints(stepper.active)[0]
        return status
    copy_free_velocity(stepper)
    add_impulses(stepper, P, u_new)
    add_joint_impulses(stepper, P, floats(stepper.joint_impulses))
    return FINISHED


@jit(inline=True)
def copy_free_velocity(stepper):
    """Set the velocities at the end to those without contact impulses."""
    n = stepper.n_velocities
    copy(floats(stepper.u_free), n, offset(floats(stepper.y_new), n))
