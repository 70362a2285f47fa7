"""Moreau's midpoint rule: one step from (q, u) at t to t + h.

    q_M = q_A + h/2 u_A,   M_M (u_E − u_A) = h(q_M, u, t_M) h + W P,   q_E = q_M + h/2 u_E

with the impulses P of the contacts that are closed in q_M. As published (paper N (36)–(44)) u = u_A in h, and
velocities of contacts are taken along the directions W in q_M: first order. With RENEWED, u is the mean of u_A and u_E,
found by repeating the step once; with CURVED, normal velocities are those at the ends of the step: motion without
impacts is then of second order, free or in contact. Joints hold the velocity at the end of the step,
Φ_q(q_M) u_E = ν + h/2 γ, which is what they ask for there up to h²; the rest is taken away afterwards.

J.J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988.
"""

from __future__ import annotations

from carom.kernels import STEP, call_gaps, call_project, floats, jit, kernel, offset
from carom.mechanics.element_evaluation import rows_times
from carom.mechanics.kkt import solve
from carom.mechanics.model_record import FORCE_POWER, MODEL, OK
from carom.solve.timestepping.active_contacts import (
    bend,
    candidates,
    crosses,
    delassus,
    hits,
    respond,
    velocities_before,
)
from carom.solve.timestepping.contact_impulses import fly, settle_books, strike
from carom.solve.timestepping.contact_log import update_contact_log
from carom.solve.timestepping.matrix_free_gauss_seidel import sweep_bodies
from carom.solve.timestepping.position_projection import lift
from carom.solve.timestepping.records import (
    ENERGY_BALANCE,
    FINISHED,
    PROJECTION_FAILED,
    RANK_LOSS,
    STEP_TOO_LONG,
    STEPPER,
)


@jit
def go_to_middle(t, h, stepper):
    """Evaluate the model at the midpoint q_M with the initial velocity u_A; return a status."""
    n = stepper.n_velocities
    state = floats(stepper.y)
    middle = floats(stepper.y_mid)
    for i in range(n):
        middle[i] = state[i] + 0.5 * h * state[n + i]
        middle[n + i] = state[n + i]
    status = call_project(stepper.evaluate_kernel, t + 0.5 * h, middle, MODEL(stepper.model))
    return FINISHED if status == OK else RANK_LOSS


@jit
def fly_free(h, stepper, aimed):
    """FREE: velocities after the step without contacts, with the forces at hand; and JOINT_IMPULSES.

    ``aimed``: the joints are to have what AIM says the NEW velocities miss at the end of the step.
    """
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    m = stepper.n_constraints
    u = offset(floats(stepper.y), n)
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    nu = floats(model.nu)
    gamma = floats(model.gamma_c)
    change = floats(model.acceleration)
    multipliers = floats(model.lam)
    free = floats(stepper.u_free)
    forces = floats(stepper.h_mid)
    joints = floats(stepper.joint_impulses)
    for i in range(n):
        forces[i] = top[i]
        top[i] *= h
    for r in range(m):
        bottom[r] = 0.0
    rows_times(model, u, bottom)
    if aimed:
        aim = floats(stepper.velocity_defect)
        for r in range(m):
            bottom[r] = aim[r] - bottom[r]
        rows_times(model, offset(floats(stepper.y_new), n), bottom)
    else:
        for r in range(m):
            bottom[r] = nu[r] + 0.5 * h * gamma[r] - bottom[r]
    solve(model)
    for i in range(n):
        free[i] = u[i] + change[i]
    for r in range(m):
        joints[r] = multipliers[r]


@jit
def find_contacts(t, h, stepper):
    """Find the closed contacts, their velocities before the step and the Delassus matrix; return a status."""
    stepper.n_active = 0
    if stepper.n_contacts == 0:
        return FINISHED
    call_gaps(stepper.gaps_kernel, t + 0.5 * h, floats(stepper.y_mid), MODEL(stepper.model))
    status = candidates(h, stepper)
    if status != FINISHED or stepper.n_active == 0:
        return status
    if stepper.curvature_correction != 0:
        bend(t, stepper)
    velocities_before(stepper)
    if hits(h, stepper):
        return STEP_TOO_LONG
    if stepper.bodies_are_free == 0 or stepper.n_active < stepper.dense_limit:
        respond(stepper)
        delassus(stepper)
    return FINISHED


@jit
def touch(stepper):
    """Compute the velocities at the end from the free ones and the contacts; return a status."""
    if stepper.n_active == 0:
        fly(stepper)
        return FINISHED
    if stepper.bodies_are_free != 0 and stepper.n_active >= stepper.dense_limit:
        return sweep_bodies(stepper)
    return strike(stepper)


@jit
def pressed(stepper):
    """Return True if an impulse acts."""
    found = False
    for row in range(stepper.n_active * stepper.rows_per_contact):
        found = found or floats(stepper.P)[row] != 0.0
    return found


@jit
def take_aim(t, h, stepper):
    """AIM: ν − Φ_q u at the end of the step that the NEW velocities lead to; the joints are left in its middle."""
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    m = stepper.n_constraints
    middle = floats(stepper.y_mid)
    new = floats(stepper.y_new)
    aim = floats(stepper.velocity_defect)
    nu = floats(model.nu)
    for i in range(n):
        new[i] = middle[i] + 0.5 * h * new[n + i]
    call_project(stepper.constraints_kernel, t + h, new, model)
    for r in range(m):
        aim[r] = 0.0
    rows_times(model, offset(new, n), aim)
    for r in range(m):
        aim[r] = nu[r] - aim[r]
    call_project(stepper.constraints_kernel, t + 0.5 * h, middle, model)


@jit
def renew(t, h, stepper):
    """Repeat the step with improved forces and constraints; return a status.

    Forces are those at the mean of the velocities before and after; in contact, joints hold the velocities at the end
    of the step, which an impact may have changed.
    """
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    state = floats(stepper.y)
    middle = floats(stepper.y_mid)
    forces = floats(stepper.h_mid)
    top = floats(model.rhs_motion)
    new = floats(stepper.y_new)
    aimed = stepper.constraints_kernel != 0 and pressed(stepper)
    if aimed:
        take_aim(t, h, stepper)
    if stepper.forces_kernel != 0:
        for i in range(n):
            middle[n + i] = 0.5 * (state[n + i] + new[n + i])
        call_project(stepper.forces_kernel, t + 0.5 * h, middle, model)
    else:
        for i in range(n):
            top[i] = forces[i]
    fly_free(h, stepper, aimed)
    return touch(stepper)


@jit
def hold(t, stepper):
    """Project the state at the end onto the joints at time ``t``, with their impulses; return a status."""
    if stepper.project_kernel == 0:
        return FINISHED
    model = MODEL(stepper.model)
    energy = ENERGY_BALANCE(stepper.energy)
    joints = floats(stepper.joint_impulses)
    if call_project(stepper.project_kernel, t, floats(stepper.y_new), model) != OK:
        return PROJECTION_FAILED
    nu = floats(model.nu)
    reactions = floats(model.projection_impulses)
    for r in range(stepper.n_constraints):
        joints[r] += reactions[r]
        energy.driver_work -= reactions[r] * nu[r]
    return FINISHED


@jit
def keep_books(h, stepper):
    """Add the work of forces and drivers over the step, at its midpoint."""
    model = MODEL(stepper.model)
    energy = ENERGY_BALANCE(stepper.energy)
    power = FORCE_POWER(model.force_power)
    nu = floats(model.nu)
    joints = floats(stepper.joint_impulses)
    energy.dissipated += h * power.dissipated
    energy.applied_work += h * power.applied
    for r in range(stepper.n_constraints):
        energy.driver_work -= joints[r] * nu[r]


@kernel(STEP, STEPPER)
def midpoint(t, h, stepper):
    """Make one time step of Moreau's midpoint rule; return a status."""
    n = stepper.n_velocities
    middle = floats(stepper.y_mid)
    new = floats(stepper.y_new)
    status = go_to_middle(t, h, stepper)
    if status != FINISHED:
        return status
    aimed = False
    fly_free(h, stepper, aimed)
    status = find_contacts(t, h, stepper)
    if status != FINISHED:
        return status
    status = touch(stepper)
    again = stepper.forces_kernel != 0 or (stepper.constraints_kernel != 0 and pressed(stepper))
    if status == FINISHED and stepper.repeats_with_mean_velocity != 0 and again:
        status = renew(t, h, stepper)
    if status != FINISHED:
        return status
    for i in range(n):
        new[i] = middle[i] + 0.5 * h * new[n + i]
    if crosses(t, h, stepper):
        return STEP_TOO_LONG
    settle_books(stepper)
    keep_books(h, stepper)
    status = hold(t + h, stepper)
    if status != FINISHED:
        return status
    update_contact_log(t, h, stepper)
    if stepper.projects_positions != 0 and stepper.n_active > 0:
        lift(t + h, stepper)
    return FINISHED
