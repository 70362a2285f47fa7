"""The θ-method of Moreau and Jean: one step from (q, u) at t to t + h, implicit in the forces.

    M (u_E − u_A) = h [θ F(q_E, u_E, t_E) + (1 − θ) F(q_A, u_A, t_A)] + W P,   q_E = q_A + h [θ u_E + (1 − θ) u_A]

M, W and the closed contacts are those of q_A + h/2 u_A. The equations are solved by Newton's method, with derivatives
of the forces from one difference per velocity: stiff springs and dampers do not limit the step. θ = 1/2 conserves
energy, θ = 1 damps.

M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999) 235–257.
"""

from __future__ import annotations

from carom.kernels import STEP, call_project, floats, jit, kernel, offset
from carom.mechanics.linear_algebra import copy
from carom.mechanics.model_record import FORCE_POWER, MODEL
from carom.solve.timestepping.active_contacts import lever_arm_bound
from carom.solve.timestepping.records import FINISHED, MOREAU_JEAN, NOT_CONVERGED, STEPPER
from carom.solve.timestepping.step_phases import (
    complete_step,
    compute_free_velocity,
    detect_contacts,
    evaluate_midpoint,
    set_midpoint_state,
    solve_contacts,
)

MAX_ITERATIONS = 25

CONVERGED_CHANGE = 1e-12
"""Ratio of the change of the velocities to the largest velocity that ends the iteration [-]."""

STALLED_CHANGE = 1e-9
"""Ratio of the change to the largest velocity that is accepted when the changes do not decrease any more [-]."""

ROUNDING = 1e-13
"""Change of coordinates relative to the largest one, or to 1, below which iterations do not improve them [-]."""

DIFFERENCE_STEP = 1e-7
"""Difference step relative to a velocity, or to 1, for derivatives [-]."""


@jit
def store_force(t, h, stepper, u, out):
    """Store in ``out`` the forces with velocities ``u`` at the end of a step of length ``h``."""
    n = stepper.n_velocities
    theta = MOREAU_JEAN(stepper.scheme_workspace).theta
    model = MODEL(stepper.model)
    y = floats(stepper.y)
    y_mid = floats(stepper.y_mid)
    for i in range(n):
        y_mid[i] = y[i] + h * (theta * u[i] + (1.0 - theta) * y[n + i])
        y_mid[n + i] = u[i]
    call_project(stepper.forces_kernel, t, y_mid, model)
    copy(floats(model.rhs_motion), n, out)


@jit
def store_force_jacobian(t, h, stepper):
    """Compute h θ dF/du_E at the current guess, column by column; u_E determines q_E."""
    n = stepper.n_velocities
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    theta = scheme.theta
    u_guess = floats(scheme.u_guess)
    u_trial = floats(scheme.u_trial)
    force = floats(scheme.force_end)
    force_trial = floats(scheme.force_trial)
    jacobian = floats(scheme.force_jacobian)
    for j in range(n):
        copy(u_guess, n, u_trial)
        step = DIFFERENCE_STEP * max(abs(u_guess[j]), 1.0)
        u_trial[j] += step
        store_force(t + h, h, stepper, u_trial, force_trial)
        for i in range(n):
            jacobian[i * n + j] = h * theta * (force_trial[i] - force[i]) / step


@jit
def linearise_forces(t, h, stepper):
    """Evaluate the forces at both ends of the step with the initial velocity, and their Jacobian."""
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    power = FORCE_POWER(MODEL(stepper.model).force_power)
    u = offset(floats(stepper.y), stepper.n_velocities)
    store_force(t, 0.0, stepper, u, floats(scheme.force_begin))
    scheme.dissipated_power = power.dissipated
    scheme.applied_power = power.applied
    store_force(t + h, h, stepper, floats(scheme.u_guess), floats(scheme.force_end))
    store_force_jacobian(t, h, stepper)


@jit
def store_mean_force(h, stepper):
    """Store the mean force of the step minus its linear part, which is in the matrix of the equations of motion."""
    n = stepper.n_velocities
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    theta = scheme.theta
    rhs_motion = floats(MODEL(stepper.model).rhs_motion)
    u = offset(floats(stepper.y), n)
    u_guess = floats(scheme.u_guess)
    force_begin = floats(scheme.force_begin)
    force_end = floats(scheme.force_end)
    jacobian = floats(scheme.force_jacobian)
    for i in range(n):
        rhs_motion[i] = theta * force_end[i] + (1.0 - theta) * force_begin[i]
        for j in range(n):
            rhs_motion[i] -= jacobian[i * n + j] * (u_guess[j] - u[j]) / h


@jit
def update_guess(stepper):
    """Replace the guess of the velocities at the end by the new ones; return the largest change."""
    n = stepper.n_velocities
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    u_guess = floats(scheme.u_guess)
    u_new = offset(floats(stepper.y_new), n)
    change = 0.0
    for i in range(n):
        change = max(change, abs(u_new[i] - u_guess[i]))
        scheme.max_velocity = max(scheme.max_velocity, abs(u_new[i]))
        u_guess[i] = u_new[i]
    return change


@jit
def solve_step(t, h, stepper):
    """Compute the velocities at the end of the step; return a status."""
    n = stepper.n_velocities
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    u_guess = floats(scheme.u_guess)
    is_implicit = stepper.forces_kernel != 0
    copy(offset(floats(stepper.y), n), n, u_guess)
    if is_implicit:
        linearise_forces(t, h, stepper)
    status = evaluate_midpoint(t, h, stepper)
    if status != FINISHED:
        return status
    last_change = 1e300
    position_rounding = ROUNDING * lever_arm_bound(stepper) / h
    for k in range(MAX_ITERATIONS):
        if is_implicit:
            if k > 0:
                store_force(t + h, h, stepper, u_guess, floats(scheme.force_end))
            store_mean_force(h, stepper)
        compute_free_velocity(h, stepper, False)
        if k == 0:
            set_midpoint_state(h, stepper)
            status = detect_contacts(t, h, stepper)
            if status != FINISHED:
                return status
        status = solve_contacts(stepper)
        if status != FINISHED or not is_implicit:
            return status
        change = update_guess(stepper)
        max_velocity = scheme.max_velocity
        is_small = change <= STALLED_CHANGE * max_velocity + position_rounding
        if change <= CONVERGED_CHANGE * max_velocity or (change >= 0.5 * last_change and is_small):
            return FINISHED
        last_change = change
    return NOT_CONVERGED


@kernel(STEP, STEPPER)
def theta_step(t, h, stepper):
    """Make one time step of the Moreau–Jean scheme; return a status."""
    n = stepper.n_velocities
    y = floats(stepper.y)
    y_new = floats(stepper.y_new)
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    theta = scheme.theta
    status = solve_step(t, h, stepper)
    if status != FINISHED:
        return status
    for i in range(n):
        y_new[i] = y[i] + h * (theta * y_new[n + i] + (1.0 - theta) * y[n + i])
    if stepper.forces_kernel != 0:
        power = FORCE_POWER(MODEL(stepper.model).force_power)
        power.dissipated = theta * power.dissipated + (1.0 - theta) * scheme.dissipated_power
        power.applied = theta * power.applied + (1.0 - theta) * scheme.applied_power
    return complete_step(t, h, stepper)
