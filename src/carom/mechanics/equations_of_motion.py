"""The equations of motion as y' = f(t, y), and the projection of y onto the constraints.

y = (coordinates, velocities, orientations of spatial bodies, states of contacts, quadratures): the quadratures are the
dissipated energy, the work of applied forces, the work of drivers and what each contact dissipates, integrated beside
the motion so that the books of energy can be closed.
"""

from __future__ import annotations

from carom.kernels import (
    LOAD,
    PROJECT,
    RATE,
    call_contact_forces,
    call_load,
    call_orientation_rate,
    floats,
    jit,
    kernel,
    offset,
)
from carom.mechanics.element_evaluation import finish_forces, load_bodies, load_forces, load_rows, rows_times
from carom.mechanics.kkt import factor, solve
from carom.mechanics.model_record import (
    CONTACT_LOSS,
    FORCE_POWER,
    MODEL,
    NOT_CONVERGED,
    OK,
    QUADRATURES,
    QUADRATURES_SIZE,
    SETTINGS,
)

ITERATIONS = 12
"""Newton steps of a projection after an integration step."""

SLACK = 4e-15
"""Residuals are reduced to this part of the largest coordinate (about twenty units in the last place)."""


@jit
def evaluate(t, y, ydot, model):
    """Solve [M Φ_qᵀ; Φ_q 0] [a; λ] = [Q; γ − 2α Φ̇ − β² Φ]."""
    n = model.n_velocities
    m = model.n_constraints
    v = offset(y, n)
    quadratures = offset(ydot, 2 * n + model.n_extra_states)
    phi = floats(model.Phi)
    nu = floats(model.nu)
    gamma = floats(model.gamma_c)
    bottom = floats(model.rhs_constraint)
    settings = SETTINGS(model.settings)
    multipliers = floats(model.lam)
    a = floats(model.acceleration)
    load_bodies(y, model)
    load_forces(t, model, FORCE_POWER(quadratures))
    if model.contact_forces_kernel != 0:
        losses = CONTACT_LOSS(offset(quadratures, QUADRATURES_SIZE))
        call_contact_forces(model.contact_forces_kernel, offset(y, 2 * n), offset(ydot, 2 * n), losses, model)
    finish_forces(model)
    load_rows(t, model)
    alpha = settings.baumgarte_alpha
    beta = settings.baumgarte_beta
    if alpha != 0.0 or beta != 0.0:
        for r in range(m):
            bottom[r] = 0.0
        rows_times(model, v, bottom)
        for r in range(m):
            bottom[r] = gamma[r] - 2.0 * alpha * (bottom[r] - nu[r]) - beta * beta * phi[r]
    else:
        for r in range(m):
            bottom[r] = gamma[r]
    status = factor(model)
    solve(model)
    power = 0.0
    for r in range(m):
        power -= multipliers[r] * nu[r]
    QUADRATURES(quadratures).driver_work = power
    for i in range(n):
        ydot[i] = v[i]
        ydot[n + i] = a[i]
    if model.orientation_rate_kernel != 0:
        call_orientation_rate(model.orientation_rate_kernel, y, ydot, model)
    return status


@kernel(RATE, MODEL)
def rate(t, y, ydot, model):
    """Evaluate the equations of motion y' = f(t, y); return a status."""
    return evaluate(t, y, ydot, model)


@jit
def largest(values, count):
    """Return the largest absolute value; NaN if there is one."""
    result = 0.0
    for i in range(count):
        size = abs(values[i])
        if not size <= result:  # NaN counts as large
            result = size
    return result


@jit
def absorb(y, model):
    """Apply the corrections of rotational coordinates to the orientations of spatial bodies."""
    if model.update_orientation_kernel != 0:
        call_load(model.update_orientation_kernel, y, model)


@jit
def correct_positions(t, y, model, refactor, iterations):
    """Newton's method on Φ(q, t) = 0 with mass-weighted least change; leaves the rows at the new position."""
    n = model.n_velocities
    m = model.n_constraints
    phi = floats(model.Phi)
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    change = floats(model.acceleration)
    small = SLACK * (1.0 + largest(y, n))
    before = largest(phi, m)
    for _ in range(iterations):
        if before <= small:
            return OK
        for i in range(n):
            top[i] = 0.0
        for r in range(m):
            bottom[r] = -phi[r]
        solve(model)
        for i in range(n):
            y[i] += change[i]
        if refactor:  # from afar: large rotations do not add up
            absorb(y, model)
        load_bodies(y, model)
        load_rows(t, model)
        if refactor:
            factor(model)
        now = largest(phi, m)
        if not refactor and not now < 0.5 * before:  # roundoff reached
            break
        before = now
    return OK if largest(phi, m) <= 1e-12 * (1.0 + largest(y, n)) else NOT_CONVERGED


@jit
def correct_velocities(y, model):
    """Mass-weighted least change of the velocities onto Φ_q v = ν, with the rows loaded and factorised.

    The factors may belong to a position close by, so the correction is repeated until it gains nothing. The impulses
    it takes are left in REACTIONS.
    """
    n = model.n_velocities
    m = model.n_constraints
    v = offset(y, n)
    nu = floats(model.nu)
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    change = floats(model.acceleration)
    multipliers = floats(model.lam)
    reactions = floats(model.projection_impulses)
    for r in range(m):
        reactions[r] = 0.0
    before = 1e300
    for _ in range(ITERATIONS):
        for i in range(n):
            top[i] = 0.0
        for r in range(m):
            bottom[r] = 0.0
        rows_times(model, v, bottom)
        for r in range(m):
            bottom[r] = nu[r] - bottom[r]
        now = largest(bottom, m)
        if now <= SLACK * (1.0 + largest(v, n)) or not now < 0.5 * before:
            return
        before = now
        solve(model)
        for i in range(n):
            v[i] += change[i]
        for r in range(m):
            reactions[r] += multipliers[r]


@jit
def move(t, y, model):
    """Move y onto the constraints from close by (an integration step away): one factorisation.

    None where the setting ``rows_are_current`` says, once, that the last evaluation was that of this y.
    """
    if model.n_constraints == 0:
        absorb(y, model)
        return OK
    settings = SETTINGS(model.settings)
    if settings.rows_are_current == 0:
        load_bodies(y, model)
        load_rows(t, model)
        factor(model)
    settings.rows_are_current = 0
    status = correct_positions(t, y, model, False, ITERATIONS)
    correct_velocities(y, model)
    absorb(y, model)
    return status


@kernel(PROJECT, MODEL)
def project(t, y, model):
    """Project y onto the constraints; return a status."""
    return move(t, y, model)


@kernel(PROJECT, MODEL)
def normalise(t, y, model):
    """Normalise the orientations of spatial bodies."""
    absorb(y, model)
    return OK


@kernel(LOAD, MODEL)
def load(y, model):
    """Compute the body records of a state."""
    load_bodies(y, model)


@kernel(RATE, MODEL)
def careful_rate(t, y, ydot, model):
    """f(P(y)): the equations of motion at the nearest state that satisfies the constraints.

    On the constraints it is `rate`. Off them, near a singular position, `rate` has a pole: an error δ of a stage
    gives accelerations of order δ/σ, σ the smallest singular value of Φ_q; here it does not.
    """
    state = floats(model.trial_state)
    for i in range(model.n_states):
        state[i] = y[i]
    status = move(t, state, model)
    return max(status, evaluate(t, state, ydot, model))


@kernel(PROJECT, MODEL)
def tangential(t, y, model):
    """Take from a change of y what the constraints would undo, at the rows loaded and factorised last."""
    n = model.n_velocities
    m = model.n_constraints
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    change = floats(model.acceleration)
    for half in range(2):
        part = offset(y, half * n)
        for i in range(n):
            top[i] = 0.0
        for r in range(m):
            bottom[r] = 0.0
        rows_times(model, part, bottom)
        for r in range(m):
            bottom[r] = -bottom[r]
        solve(model)
        for i in range(n):
            part[i] += change[i]
    return OK


@kernel(PROJECT, MODEL)
def assemble(t, y, model):
    """Move y onto the constraints from afar: the matrix is renewed in every iteration."""
    if model.n_constraints == 0:
        absorb(y, model)
        return OK
    load_bodies(y, model)
    load_rows(t, model)
    factor(model)
    status = correct_positions(t, y, model, True, 8 * ITERATIONS)
    correct_velocities(y, model)
    absorb(y, model)
    return status
