"""The θ-method of Moreau and Jean: one step from (q, u) at t to t + h, implicit in the forces.

    M (u_E − u_A) = h [θ F(q_E, u_E, t_E) + (1 − θ) F(q_A, u_A, t_A)] + W P,   q_E = q_A + h [θ u_E + (1 − θ) u_A]

M, W and the closed contacts are those of q_A + h/2 u_A. Newton's method, with the derivatives of the forces from one
difference for every velocity: stiff springs and dampers do not limit the step. θ = 1/2 keeps energy, θ = 1 damps.

M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999) 235–257.
"""

from __future__ import annotations

from carom.kernels import STEP, call_project, floats, jit, kernel, offset
from carom.mechanics.model_record import FORCE_POWER, MODEL
from carom.solve.timestepping.active_contacts import arm, crosses
from carom.solve.timestepping.contact_impulses import settle_books
from carom.solve.timestepping.contact_log import update_contact_log
from carom.solve.timestepping.moreau_midpoint import find_contacts, fly_free, go_to_middle, hold, keep_books, touch
from carom.solve.timestepping.position_projection import lift
from carom.solve.timestepping.records import FINISHED, MOREAU_JEAN, NOT_CONVERGED, STEP_TOO_LONG, STEPPER

ITERATIONS = 25
SETTLED, FALLEN = 1e-12, 1e-9
"""Of the largest velocity: change that ends the iteration, and what it may be at most when it stops falling."""
ROUNDING = 1e-13
"""Change of coordinates relative to the largest one, or to 1, below which iterations do not improve them [-]."""
NUDGE = 1e-7
"""Difference step relative to a velocity, or to 1, for derivatives [-]."""


@jit
def force_at(t, h, stepper, share, u, out):
    """Store in ``out`` the forces at the coordinates after the fraction θ of the step with velocities ``u``."""
    n = stepper.n_velocities
    model = MODEL(stepper.model)
    state = floats(stepper.y)
    middle = floats(stepper.y_mid)
    top = floats(model.rhs_motion)
    for i in range(n):
        middle[i] = state[i] + h * (share * u[i] + (1.0 - share) * state[n + i])
        middle[n + i] = u[i]
    call_project(stepper.forces_kernel, t, middle, model)
    for i in range(n):
        out[i] = top[i]


@jit
def stiffen(t, h, stepper, u, force, trial, other, stiffness):
    """Compute h θ dF/du_E, column by column; u_E determines q_E."""
    n = stepper.n_velocities
    theta = MOREAU_JEAN(stepper.scheme_workspace).theta
    for j in range(n):
        for i in range(n):
            trial[i] = u[i]
        step = NUDGE * max(abs(u[j]), 1.0)
        trial[j] += step
        force_at(t + h, h, stepper, theta, trial, other)
        for i in range(n):
            stiffness[i * n + j] = h * theta * (other[i] - force[i]) / step


@jit
def solve_step(t, h, stepper):
    """Compute the velocities at the end of the step; return a status."""
    n = stepper.n_velocities
    model = MODEL(stepper.model)
    top = floats(model.rhs_motion)
    state = floats(stepper.y)
    new = floats(stepper.y_new)
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    theta = scheme.theta
    implicit = stepper.forces_kernel != 0
    u = offset(state, n)
    before = floats(scheme.force_begin)
    force = floats(scheme.force_end)
    guess = floats(scheme.u_guess)
    trial = floats(scheme.u_trial)
    other = floats(scheme.force_trial)
    stiffness = floats(scheme.force_jacobian)
    for i in range(n):
        guess[i] = u[i]
    if implicit:
        none = 0.0
        force_at(t, none, stepper, theta, u, before)
        power = FORCE_POWER(model.force_power)
        scheme.dissipated_power = power.dissipated
        scheme.applied_power = power.applied
        force_at(t + h, h, stepper, theta, guess, force)
        stiffen(t, h, stepper, guess, force, trial, other, stiffness)
    status = go_to_middle(t, h, stepper)
    if status != FINISHED:
        return status
    last = 1e300
    longest = arm(stepper)
    aimed = False
    for k in range(ITERATIONS):
        if implicit:
            if k > 0:
                force_at(t + h, h, stepper, theta, guess, force)
            for i in range(n):
                top[i] = theta * force[i] + (1.0 - theta) * before[i]
                for j in range(n):
                    top[i] -= stiffness[i * n + j] * (guess[j] - u[j]) / h
        fly_free(h, stepper, aimed)
        if k == 0:
            go_back(h, stepper)
            status = find_contacts(t, h, stepper)
            if status != FINISHED:
                return status
        status = touch(stepper)
        if status != FINISHED or not implicit:
            return status
        change = 0.0
        for i in range(n):
            change = max(change, abs(new[n + i] - guess[i]))
            scheme.max_velocity = max(scheme.max_velocity, abs(new[n + i]))
            guess[i] = new[n + i]
        largest = scheme.max_velocity
        stalled = change >= 0.5 * last and change <= FALLEN * largest + ROUNDING * longest / h
        if change <= SETTLED * largest or stalled:
            return FINISHED
        last = change
    return NOT_CONVERGED


@jit
def go_back(h, stepper):
    """Set the midpoint state for the detection of contacts."""
    n = stepper.n_velocities
    state = floats(stepper.y)
    middle = floats(stepper.y_mid)
    for i in range(n):
        middle[i] = state[i] + 0.5 * h * state[n + i]
        middle[n + i] = state[n + i]


@kernel(STEP, STEPPER)
def theta_step(t, h, stepper):
    """Make one time step of the Moreau–Jean scheme; return a status."""
    n = stepper.n_velocities
    state = floats(stepper.y)
    new = floats(stepper.y_new)
    scheme = MOREAU_JEAN(stepper.scheme_workspace)
    theta = scheme.theta
    status = solve_step(t, h, stepper)
    if status != FINISHED:
        return status
    for i in range(n):
        new[i] = state[i] + h * (theta * new[n + i] + (1.0 - theta) * state[n + i])
    if crosses(t, h, stepper):
        return STEP_TOO_LONG
    settle_books(stepper)
    if stepper.forces_kernel != 0:
        power = FORCE_POWER(MODEL(stepper.model).force_power)
        power.dissipated = theta * power.dissipated + (1.0 - theta) * scheme.dissipated_power
        power.applied = theta * power.applied + (1.0 - theta) * scheme.applied_power
    keep_books(h, stepper)
    status = hold(t + h, stepper)
    if status != FINISHED:
        return status
    update_contact_log(t, h, stepper)
    if stepper.projects_positions != 0 and stepper.n_active > 0:
        lift(t + h, stepper)
    return FINISHED
