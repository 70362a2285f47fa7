"""Phases of a time step that the schemes share: midpoint, free velocity, contacts, and the end of the step."""

from __future__ import annotations

from carom.kernels import call_gaps, call_project, floats, jit, offset
from carom.mechanics.element_evaluation import add_Phi_q_times
from carom.mechanics.kkt import solve
from carom.mechanics.linear_algebra import copy, set_zero, subtract_from
from carom.mechanics.model_record import FORCE_POWER, MODEL, OK
from carom.solve.timestepping.active_contacts import (
    add_joint_impulses,
    closes_by_end,
    closes_by_midpoint,
    compute_curvature_terms,
    compute_delassus_matrix,
    compute_gamma_pre,
    find_active_contacts,
    solve_directions,
)
from carom.solve.timestepping.contact_impulses import add_contact_work, copy_free_velocity, solve_impulses
from carom.solve.timestepping.contact_log import update_contact_log
from carom.solve.timestepping.contact_wear import accumulate_wear
from carom.solve.timestepping.joint_friction import (
    add_friction_work,
    apply_joint_friction_with_contacts,
    expect_change,
)
from carom.solve.timestepping.matrix_free_gauss_seidel import solve_velocities
from carom.solve.timestepping.position_projection import remove_penetration
from carom.solve.timestepping.records import (
    ENERGY_BALANCE,
    FINISHED,
    PROJECTION_FAILED,
    RANK_LOSS,
    STEP_TOO_LONG,
)


@jit(inline=True)
def set_midpoint_state(h, stepper):
    """Set ``y_mid`` to q_M = q_A + h/2 u_A with the initial velocity u_A."""
    n = stepper.n_velocities
    y = floats(stepper.y)
    y_mid = floats(stepper.y_mid)
    for i in range(n):
        y_mid[i] = y[i] + 0.5 * h * y[n + i]
        y_mid[n + i] = y[n + i]


@jit(inline=True)
def evaluate_midpoint(t, h, stepper):
    """Evaluate the model at the midpoint q_M with the initial velocity u_A; return a status."""
    set_midpoint_state(h, stepper)
    status = call_project(stepper.evaluate_kernel, t + 0.5 * h, floats(stepper.y_mid), MODEL(stepper.model))
    return FINISHED if status == OK else RANK_LOSS


@jit
def compute_free_velocity(h, stepper, with_defect):
    """Compute the velocities at the end of the step without contacts, with the current forces, and the joint impulses.

    The velocities satisfy the constraints at the midpoint, Φ_q u = ν + h/2 γ; or, ``with_defect``, they change the
    velocities at the end of the step by the ``velocity_defect`` of the joints there.
    """
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    m = stepper.n_constraints
    u = offset(floats(stepper.y), n)
    rhs_motion = floats(model.rhs_motion)
    rhs_constraint = floats(model.rhs_constraint)
    nu = floats(model.nu)
    gamma_c = floats(model.gamma_c)
    acceleration = floats(model.acceleration)
    u_free = floats(stepper.u_free)
    copy(rhs_motion, n, floats(stepper.h_mid))
    for i in range(n):
        rhs_motion[i] *= h
    set_zero(rhs_constraint, m)
    add_Phi_q_times(model, u, rhs_constraint)
    if with_defect:
        subtract_from(floats(stepper.velocity_defect), m, rhs_constraint)
        add_Phi_q_times(model, offset(floats(stepper.y_new), n), rhs_constraint)
    else:
        for r in range(m):
            rhs_constraint[r] = nu[r] + 0.5 * h * gamma_c[r] - rhs_constraint[r]
    solve(model)
    for i in range(n):
        u_free[i] = u[i] + acceleration[i]
    copy(floats(model.lam), m, floats(stepper.joint_impulses))
    if model.n_joint_frictions > 0:
        apply_joint_friction_with_contacts(h, stepper)


@jit(inline=True)
def uses_matrix_free_solver(stepper):
    """Return True if the active contacts are too many for the Delassus matrix."""
    return stepper.bodies_are_free != 0 and stepper.n_active >= stepper.dense_limit


@jit(inline=True)
def detect_contacts(t, h, stepper):
    """Find the closed contacts, their velocities before the step and the Delassus matrix; return a status."""
    stepper.n_active = 0
    if stepper.n_contacts == 0:
        return FINISHED
    call_gaps(stepper.gaps_kernel, t + 0.5 * h, floats(stepper.y_mid), MODEL(stepper.model))
    status = find_active_contacts(h, stepper)
    if status != FINISHED or stepper.n_active == 0:
        return status
    if stepper.curvature_correction != 0:
        compute_curvature_terms(t, stepper)
    compute_gamma_pre(stepper)
    if closes_by_midpoint(h, stepper):
        return STEP_TOO_LONG
    if not uses_matrix_free_solver(stepper):
        solve_directions(stepper)
        compute_delassus_matrix(stepper)
    return FINISHED


@jit
def solve_contacts(stepper):
    """Compute the velocities at the end from the free ones and the contacts; return a status."""
    if stepper.n_active == 0:
        copy_free_velocity(stepper)
        return FINISHED
    if uses_matrix_free_solver(stepper):
        return solve_velocities(stepper)
    return solve_impulses(stepper)


@jit
def expect_contacts(stepper):
    """Let the friction of joints expect the contacts of the step; return True if it expected others."""
    if MODEL(stepper.model).n_joint_frictions == 0 or stepper.repeats_with_mean_velocity == 0:
        return False
    reactions = floats(stepper.contact_reactions)
    set_zero(reactions, stepper.n_constraints)
    add_joint_impulses(stepper, floats(stepper.P), reactions)
    return expect_change(stepper)


@jit(inline=True)
def project_joints(t, stepper):
    """Project the state at the end onto the joints at time ``t``, and add the impulses of it; return a status."""
    if stepper.project_kernel == 0:
        return FINISHED
    model = MODEL(stepper.model)
    energy = ENERGY_BALANCE(stepper.energy)
    joint_impulses = floats(stepper.joint_impulses)
    if call_project(stepper.project_kernel, t, floats(stepper.y_new), model) != OK:
        return PROJECTION_FAILED
    nu = floats(model.nu)
    projection_impulses = floats(model.projection_impulses)
    for r in range(stepper.n_constraints):
        joint_impulses[r] += projection_impulses[r]
        energy.driver_work -= projection_impulses[r] * nu[r]
    return FINISHED


@jit(inline=True)
def add_applied_work(h, stepper):
    """Add the work of forces and drivers over the step, with the current powers of the forces."""
    model = MODEL(stepper.model)
    energy = ENERGY_BALANCE(stepper.energy)
    power = FORCE_POWER(model.force_power)
    nu = floats(model.nu)
    joint_impulses = floats(stepper.joint_impulses)
    energy.dissipated += h * power.dissipated
    energy.applied_work += h * power.applied
    for r in range(stepper.n_constraints):
        energy.driver_work -= joint_impulses[r] * nu[r]


@jit(inline=True)
def complete_step(t, h, stepper):
    """Complete a step with the state ``y_new``: energies, joints, contact log, penetration; return a status."""
    if closes_by_end(t, h, stepper):
        return STEP_TOO_LONG
    add_contact_work(stepper)
    if MODEL(stepper.model).n_joint_frictions > 0:
        add_friction_work(stepper)
    add_applied_work(h, stepper)
    status = project_joints(t + h, stepper)
    if status != FINISHED:
        return status
    update_contact_log(t, h, stepper)
    if stepper.n_active > 0 and MODEL(stepper.model).n_wear > 0:
        accumulate_wear(t + 0.5 * h, stepper)
    if stepper.projects_positions != 0 and stepper.n_active > 0:
        remove_penetration(t + h, stepper)
    return FINISHED
