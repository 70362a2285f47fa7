"""The impulses of one time step: the impact laws as a contact problem, its solution, and what it does to the motion."""

from __future__ import annotations

from carom.kernels import call_contact_solver, floats, ints, jit, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.mechanics.model_record import CONTACT_LOSS
from carom.solve.contact_problem.records import CONTACT_PROBLEM, SOLVED
from carom.solve.timestepping.active_contacts import after, direction, push, reach
from carom.solve.timestepping.records import (
    ENERGY_BALANCE,
    FINISHED,
    NO_SOLUTION,
    PERSISTENT,
    SOLVER_NOT_COMPILED,
    STEP_COUNTS,
)

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
def restitution(stepper, k, before):
    """ε of contact ``k``, whose normal velocity before the step is ``before``.

    Where steps are safe, a contact that is closed but opens already may come back no faster than it opened (ε = 1):
    with the ε of impacts it would be pushed on its way out, and gain energy from it.
    """
    if before > 0.0 and stepper.no_energy_gain != 0:
        return 1.0
    return IMPACT_LAW_DATA(stepper.impact_laws, k).eps_N


@jit
def pose(stepper, velocities, expanding):
    """b and μ for impulses that act on ``velocities``: those without contact, or those after a compression.

    Poisson's contacts are compressed to rest first (ε = 0); when ``expanding``, ``p_offset`` holds what they give back.
    """
    problem = CONTACT_PROBLEM(stepper.problem)
    vector = floats(problem.b)
    friction = floats(problem.mu)
    offsets = floats(problem.p_offset)
    matrix = floats(problem.G)
    target = floats(stepper.eps_gamma)
    before = floats(stepper.gamma_pre)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    count = stepper.n_active
    size = dim * count
    for i in range(count):
        k = active[i]
        law = IMPACT_LAW_DATA(stepper.impact_laws, k)
        friction[i] = law.mu
        later = law.is_poisson != 0 and not expanding
        for d in range(dim):
            row = i * dim + d
            share = law.eps_T
            if d == 0:
                share = 0.0 if law.is_poisson != 0 else restitution(stepper, k, before[row])
            target[row] = 0.0 if later else share * before[row]
            vector[row] = after(stepper, i, d, velocities) + target[row]
        if not expanding:
            offsets[i] = 0.0
    if expanding:
        for i in range(count):
            if offsets[i] != 0.0:
                for row in range(size):
                    vector[row] += matrix[row * size + i * dim] * offsets[i]


@jit
def attempt(stepper):
    """Solve the problem with the first solver that can; how that ended."""
    problem = CONTACT_PROBLEM(stepper.problem)
    counts = STEP_COUNTS(stepper.counts)
    solvers = ints(stepper.solver_kernels)
    guess = floats(problem.P)
    impulses = floats(stepper.last_P)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    counts.n_problems += 1
    for i in range(stepper.n_active):
        for d in range(dim):
            guess[i * dim + d] = impulses[active[i] * dim + d]
    best = floats(stepper.P_previous)  # free where there is a matrix
    least = 2.0 * ROUGH
    large = stepper.n_active > LARGE
    order = offset(ints(stepper.solver_order), stepper.n_solvers if large else 0)
    problem.max_iterations = PATIENCE if large else 0
    for turn in range(stepper.n_solvers):
        s = order[turn]
        if solvers[s] == 0:
            stepper.solver_to_compile = s
            return SOLVER_NOT_COMPILED
        counts.solver_calls[s] += 1
        status = call_contact_solver(solvers[s], problem)
        counts.n_iterations += problem.n_iterations
        if status == SOLVED:
            return FINISHED
        if problem.residual < least:
            least = problem.residual
            for row in range(stepper.n_active * dim):
                best[row] = guess[row]
        if large and turn > 0 and least <= ROUGH:
            break
    counts.n_inexact += 1
    for row in range(stepper.n_active * dim):
        guess[row] = best[row]
    return FINISHED if least <= ROUGH else NO_SOLUTION


@jit
def compute(stepper):
    """TOTAL: the impulses that the impact laws ask for; how that ended."""
    problem = CONTACT_PROBLEM(stepper.problem)
    impulse = floats(problem.P)
    offsets = floats(problem.p_offset)
    total = floats(stepper.P)
    before = floats(stepper.gamma_pre)
    new = offset(floats(stepper.y_new), stepper.n_velocities)
    free = floats(stepper.u_free)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    count = stepper.n_active
    expanding = False
    zero = 0 * dim
    pose(stepper, free, expanding)
    status = attempt(stepper)
    if status != FINISHED:
        return status
    stored = False
    for row in range(count * dim):
        total[row] = impulse[row]
    for i in range(count):
        law = IMPACT_LAW_DATA(stepper.impact_laws, active[i])
        offsets[i] = 0.0
        if law.is_poisson != 0 and before[i * dim] < 0.0:
            # What stopped the approach is stored; what held the forces of the step is not.
            closing = after(stepper, i, zero, free)
            share = min(1.0, before[i * dim] / closing) if closing < 0.0 else 0.0
            offsets[i] = law.eps_N * share * total[i * dim]
        stored = stored or offsets[i] > 0.0
    if stored:  # the expansion of Poisson's law
        for j in range(stepper.n_velocities):
            new[j] = free[j]
        push(stepper, total, new)
        expanding = True
        pose(stepper, new, expanding)
        status = attempt(stepper)
        if status != FINISHED:
            return status
        for row in range(count * dim):
            total[row] += impulse[row]
        for i in range(count):
            total[i * dim] += offsets[i]
    return FINISHED


@jit
def settle_books(stepper):
    """What the impulses did: impulses by contact, their work, and whether it was positive.

    The work of an impulse is its product with the mean of the velocities before and after: exact for the midpoint rule.
    """
    impulses = floats(stepper.last_P)
    total = floats(stepper.P)
    before = floats(stepper.gamma_pre)
    energy = ENERGY_BALANCE(stepper.energy)
    counts = STEP_COUNTS(stepper.counts)
    closed = ints(stepper.contact_status)
    active = ints(stepper.active)
    new = offset(floats(stepper.y_new), stepper.n_velocities)
    dim = stepper.rows_per_contact
    for j in range(stepper.n_contacts * dim):
        impulses[j] = 0.0
    for k in range(stepper.n_contacts):
        closed[k] = 0
    free = floats(stepper.u_free)
    zero = 0 * dim
    one = 1.0
    slack = reach(one, stepper)
    work = 0.0
    scale = 0.0
    for i in range(stepper.n_active):
        k = active[i]
        loss = CONTACT_LOSS(stepper.contact_losses, k)
        if total[i * dim] > 0.0:
            # What forces do to the gap in a step is more than its speed: it opens no further than it closes again.
            push_in = max(before[i * dim] - after(stepper, i, zero, free), 0.0)
            rounding = VISIBLE * (abs(before[i * dim]) + slack)
            closed[k] = PERSISTENT if 2.0 * after(stepper, i, zero, new) <= push_in + rounding else 1
        for d in range(dim):
            row = i * dim + d
            p = total[row]
            impulses[k * dim + d] = p
            if p != 0.0:
                mean = 0.5 * (before[row] + after(stepper, i, d, new))
                if d == 0:
                    loss.normal -= p * mean
                else:
                    loss.friction -= p * mean
                energy.driver_work -= (
                    p * direction(stepper, i, d)[stepper.bodies_per_contact * stepper.velocities_per_body]
                )  # what moves a gap works
                work += p * mean
                scale += abs(p) * (abs(before[row]) + abs(after(stepper, i, d, free)))
    energy.lost_in_step = -work
    if work > VISIBLE * scale + TINY:
        counts.n_energy_gains += 1
        energy.created += work
        if work > energy.max_created_per_step:
            energy.max_created_per_step = work
            counts.failed_contact = active[0]


@jit
def strike(stepper):
    """NEW velocities from those without contact and the impulses; how that ended."""
    free = floats(stepper.u_free)
    total = floats(stepper.P)
    joints = floats(stepper.joint_impulses)
    new = offset(floats(stepper.y_new), stepper.n_velocities)
    m = stepper.n_constraints
    status = compute(stepper)
    if status != FINISHED:
        STEP_COUNTS(stepper.counts).failed_contact = ints(stepper.active)[0]
        return status
    for j in range(stepper.n_velocities):
        new[j] = free[j]
    push(stepper, total, new)
    for row in range(stepper.n_active * stepper.rows_per_contact):
        if total[row] != 0.0:
            response = offset(floats(stepper.joint_impulse_per_unit), row * m)
            for r in range(m):
                joints[r] += total[row] * response[r]
    return FINISHED


@jit
def fly(stepper):
    """NEW velocities where no contact is closed: the free ones."""
    free = floats(stepper.u_free)
    new = offset(floats(stepper.y_new), stepper.n_velocities)
    for j in range(stepper.n_velocities):
        new[j] = free[j]
