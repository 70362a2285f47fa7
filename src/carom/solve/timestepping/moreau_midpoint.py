"""Moreau's midpoint rule: one step from (q, u) at t to t + h.

    q_M = q_A + h/2 u_A,   M_M (u_E − u_A) = h(q_M, u, t_M) h + W P,   q_E = q_M + h/2 u_E

with the impulses P of the contacts that are closed in q_M. As published (Flores, Leine and Glocker, eqs (36)–(44)),
u = u_A in h, and velocities of contacts are those along the directions W in q_M: first order. With
``repeats_with_mean_velocity``, u is the mean of u_A and u_E, found by repeating the step once; with
``curvature_correction``, normal velocities are those at the ends of the step: motion without impacts is then of second
order, free or in contact. Joints prescribe the velocity at the end of the step, Φ_q(q_M) u_E = ν + h/2 γ, with an error
of order h² that a projection removes.

J.J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988.
P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190.
"""

from __future__ import annotations

from carom.kernels import STEP, call_project, floats, jit, kernel, offset
from carom.mechanics.element_evaluation import add_Phi_q_times
from carom.mechanics.linear_algebra import copy, set_zero, subtract_from
from carom.mechanics.model_record import MODEL
from carom.solve.timestepping.records import FINISHED, STEPPER
from carom.solve.timestepping.step_phases import (
    complete_step,
    compute_free_velocity,
    detect_contacts,
    evaluate_midpoint,
    expect_contacts,
    solve_contacts,
)

UNCHANGED = 1e-20
"""Ratio of the change of the forces to the largest one below which a repeated step would be the same [-]."""


@jit(inline=True)
def has_impulse(stepper):
    """Return True if a contact impulse acts in the step."""
    result = False
    for row in range(stepper.n_active * stepper.rows_per_contact):
        result = result or floats(stepper.P)[row] != 0.0
    return result


@jit(inline=True)
def update_end_position(h, stepper):
    """Compute q_E = q_M + h/2 u_E."""
    n = stepper.n_velocities
    y_mid = floats(stepper.y_mid)
    y_new = floats(stepper.y_new)
    for i in range(n):
        y_new[i] = y_mid[i] + 0.5 * h * y_new[n + i]


@jit
def compute_velocity_defect(t, h, stepper):
    """Compute ν − Φ_q u at the end of the step for the velocities of ``y_new``.

    The constraints are evaluated at the midpoint again afterwards.
    """
    model = MODEL(stepper.model)
    m = stepper.n_constraints
    y_new = floats(stepper.y_new)
    defect = floats(stepper.velocity_defect)
    update_end_position(h, stepper)
    call_project(stepper.constraints_kernel, t + h, y_new, model)
    set_zero(defect, m)
    add_Phi_q_times(model, offset(y_new, stepper.n_velocities), defect)
    subtract_from(floats(model.nu), m, defect)
    call_project(stepper.constraints_kernel, t + 0.5 * h, floats(stepper.y_mid), model)


@jit
def forces_are_unchanged(stepper):
    """Return True if the current forces are those of the first part of the step."""
    rhs_motion = floats(MODEL(stepper.model).rhs_motion)
    forces = floats(stepper.h_mid)
    largest = 0.0
    change = 0.0
    for i in range(stepper.n_velocities):
        largest = max(largest, abs(forces[i]))
        change = max(change, abs(rhs_motion[i] - forces[i]))
    return change <= UNCHANGED * largest


@jit
def repeat_with_mean_velocity(t, h, stepper, with_friction):
    """Repeat the step with improved forces and constraints; return a status.

    Forces are those at the mean of the velocities before and after; in contact, joints prescribe the velocities at the
    end of the step, which an impact may have changed. ``with_friction``, the friction of joints has changed as well.
    """
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    y = floats(stepper.y)
    y_mid = floats(stepper.y_mid)
    y_new = floats(stepper.y_new)
    with_defect = stepper.constraints_kernel != 0 and has_impulse(stepper)
    if with_defect:
        compute_velocity_defect(t, h, stepper)
    if stepper.forces_kernel != 0:
        for i in range(n):
            y_mid[n + i] = 0.5 * (y[n + i] + y_new[n + i])
        call_project(stepper.forces_kernel, t + 0.5 * h, y_mid, model)
        if not with_defect and not with_friction and forces_are_unchanged(stepper):
            return FINISHED
    else:
        copy(floats(stepper.h_mid), n, floats(model.rhs_motion))
    compute_free_velocity(h, stepper, with_defect)
    return solve_contacts(stepper)


@kernel(STEP, STEPPER)
def midpoint(t, h, stepper):
    """Make one time step of Moreau's midpoint rule; return a status."""
    status = evaluate_midpoint(t, h, stepper)
    if status != FINISHED:
        return status
    compute_free_velocity(h, stepper, False)
    status = detect_contacts(t, h, stepper)
    if status != FINISHED:
        return status
    status = solve_contacts(stepper)
    can_improve = stepper.forces_kernel != 0 or (stepper.constraints_kernel != 0 and has_impulse(stepper))
    with_friction = status == FINISHED and expect_contacts(stepper)
    if status == FINISHED and stepper.repeats_with_mean_velocity != 0 and (can_improve or with_friction):
        status = repeat_with_mean_velocity(t, h, stepper, with_friction)
        if status == FINISHED:
            expect_contacts(stepper)
    if status != FINISHED:
        return status
    update_end_position(h, stepper)
    return complete_step(t, h, stepper)
