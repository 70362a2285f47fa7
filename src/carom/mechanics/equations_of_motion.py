"""The equations of motion as y' = f(t, y), and the projection of y onto the constraints.

y = (coordinates, velocities, orientations of spatial bodies, states of contacts, quadratures): the quadratures are the
dissipated energy, the work of applied forces, the work of drivers and the losses of each contact. They are integrated
beside the motion for the energy balance.
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
from carom.mechanics.element_evaluation import (
    add_Phi_q_times,
    to_velocity_axes,
    update_body_records,
    update_constraints,
    update_forces,
)
from carom.mechanics.joint_friction import add_joint_friction
from carom.mechanics.kkt import factorise, solve
from carom.mechanics.linear_algebra import add, copy, max_abs, negate, set_zero, subtract_from
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

MAX_ITERATIONS = 12
"""Newton steps of a projection after an integration step."""

SMALL_RESIDUAL = 4e-15
"""Ratio to the largest coordinate to which residuals are reduced, about twenty units in the last place [-]."""

MAX_RESIDUAL = 1e-12
"""Ratio to the largest coordinate above which a projection has failed [-]."""


@jit
def store_constraint_rhs(y, model):
    """Store γ − 2α Φ̇ − β² Φ, with the parameters α and β of Baumgarte's stabilisation."""
    m = model.n_constraints
    Phi = floats(model.Phi)
    nu = floats(model.nu)
    gamma_c = floats(model.gamma_c)
    rhs_constraint = floats(model.rhs_constraint)
    settings = SETTINGS(model.settings)
    alpha = settings.baumgarte_alpha
    beta = settings.baumgarte_beta
    if alpha != 0.0 or beta != 0.0:
        set_zero(rhs_constraint, m)
        add_Phi_q_times(model, offset(y, model.n_velocities), rhs_constraint)
        for r in range(m):
            rhs_constraint[r] = gamma_c[r] - 2.0 * alpha * (rhs_constraint[r] - nu[r]) - beta * beta * Phi[r]
    else:
        copy(gamma_c, m, rhs_constraint)


@jit
def evaluate(t, y, ydot, model):
    """Solve [M Φ_qᵀ; Φ_q 0] [a; λ] = [Q; γ − 2α Φ̇ − β² Φ] and store y'; return a status."""
    n = model.n_velocities
    quadratures = offset(ydot, 2 * n + model.n_extra_states)
    nu = floats(model.nu)
    lam = floats(model.lam)
    update_body_records(y, model)
    update_forces(t, model, FORCE_POWER(quadratures))
    if model.contact_forces_kernel != 0:
        losses = CONTACT_LOSS(offset(quadratures, QUADRATURES_SIZE))
        call_contact_forces(model.contact_forces_kernel, offset(y, 2 * n), offset(ydot, 2 * n), losses, model)
    to_velocity_axes(model)
    update_constraints(t, model)
    store_constraint_rhs(y, model)
    status = factorise(model)
    solve(model)
    if model.n_joint_frictions > 0 and model.contact_forces_kernel != 0:
        status = max(status, add_joint_friction(CONTACT_LOSS(offset(quadratures, QUADRATURES_SIZE)), model))
    driver_power = 0.0
    for r in range(model.n_constraints):
        driver_power -= lam[r] * nu[r]
    QUADRATURES(quadratures).driver_work = driver_power
    copy(offset(y, n), n, ydot)
    copy(floats(model.acceleration), n, offset(ydot, n))
    if model.orientation_rate_kernel != 0:
        call_orientation_rate(model.orientation_rate_kernel, y, ydot, model)
    return status


@kernel(RATE, MODEL)
def rhs(t, y, ydot, model):
    """Evaluate the equations of motion y' = f(t, y); return a status."""
    return evaluate(t, y, ydot, model)


@jit
def update_orientations(y, model):
    """Apply the corrections of rotational coordinates to the orientations of spatial bodies."""
    if model.update_orientation_kernel != 0:
        call_load(model.update_orientation_kernel, y, model)


@jit
def correct_positions(t, y, model, refactorise, iterations):
    """Solve Φ(q, t) = 0 by Newton's method with the mass-weighted least change; return a status.

    The constraints are left evaluated at the new position. With ``refactorise``, for starts far away, the matrix is
    factorised in every iteration, and orientations are updated because large rotations do not add up.
    """
    n = model.n_velocities
    m = model.n_constraints
    Phi = floats(model.Phi)
    rhs_constraint = floats(model.rhs_constraint)
    small = SMALL_RESIDUAL * (1.0 + max_abs(y, n))
    last_residual = max_abs(Phi, m)
    for _ in range(iterations):
        if last_residual <= small:
            return OK
        set_zero(floats(model.rhs_motion), n)
        copy(Phi, m, rhs_constraint)
        negate(rhs_constraint, m)
        solve(model)
        add(floats(model.acceleration), n, y)
        if refactorise:
            update_orientations(y, model)
        update_body_records(y, model)
        update_constraints(t, model)
        if refactorise:
            factorise(model)
        residual = max_abs(Phi, m)
        if not refactorise and not residual < 0.5 * last_residual:  # Rounding errors are reached.
            break
        last_residual = residual
    return OK if max_abs(Phi, m) <= MAX_RESIDUAL * (1.0 + max_abs(y, n)) else NOT_CONVERGED


@jit
def correct_velocities(y, model):
    """Move the velocities onto Φ_q u = ν by the mass-weighted least change, with evaluated constraints and factors.

    The factors may belong to a position close by, so the correction is repeated until the residual is not halved any
    more. The impulses of the correction are stored in ``projection_impulses``.
    """
    n = model.n_velocities
    m = model.n_constraints
    u = offset(y, n)
    rhs_constraint = floats(model.rhs_constraint)
    impulses = floats(model.projection_impulses)
    set_zero(impulses, m)
    last_residual = 1e300
    for _ in range(MAX_ITERATIONS):
        set_zero(floats(model.rhs_motion), n)
        set_zero(rhs_constraint, m)
        add_Phi_q_times(model, u, rhs_constraint)
        subtract_from(floats(model.nu), m, rhs_constraint)
        residual = max_abs(rhs_constraint, m)
        if residual <= SMALL_RESIDUAL * (1.0 + max_abs(u, n)) or not residual < 0.5 * last_residual:
            return
        last_residual = residual
        solve(model)
        add(floats(model.acceleration), n, u)
        add(floats(model.lam), m, impulses)


@jit
def evaluate_matrix(t, y, model):
    """Evaluate the constraints at (t, y) and factorise the matrix."""
    update_body_records(y, model)
    update_constraints(t, model)
    factorise(model)


@jit
def project_from_nearby(t, y, model):
    """Move y onto the constraints from an integration step away, with one factorisation; return a status.

    The setting ``rows_are_current`` saves even this one, once, if the last evaluation was that of this y.
    """
    if model.n_constraints == 0:
        update_orientations(y, model)
        return OK
    settings = SETTINGS(model.settings)
    if settings.rows_are_current == 0:
        evaluate_matrix(t, y, model)
    settings.rows_are_current = 0
    status = correct_positions(t, y, model, False, MAX_ITERATIONS)
    correct_velocities(y, model)
    update_orientations(y, model)
    return status


@kernel(PROJECT, MODEL)
def project(t, y, model):
    """Project y onto the constraints; return a status."""
    return project_from_nearby(t, y, model)


@kernel(PROJECT, MODEL)
def normalise(t, y, model):
    """Normalise the orientations of spatial bodies."""
    update_orientations(y, model)
    return OK


@kernel(LOAD, MODEL)
def evaluate_bodies(y, model):
    """Compute the body records of a state."""
    update_body_records(y, model)


@kernel(RATE, MODEL)
def projected_rhs(t, y, ydot, model):
    """Evaluate f(P(y)), the equations of motion at the nearest state that satisfies the constraints; return a status.

    On the constraints it is `rhs`. Off them, near a singular position, `rhs` has a pole: an error δ of a stage gives
    accelerations of order δ/σ, where σ is the smallest singular value of Φ_q. The projection removes the pole.
    """
    state = floats(model.trial_state)
    copy(y, model.n_states, state)
    status = project_from_nearby(t, state, model)
    return max(status, evaluate(t, state, ydot, model))


@kernel(LOAD, MODEL)
def respond(force, model):
    """Replace a generalised force by the acceleration that it gives, with the last constraints and factors."""
    n = model.n_velocities
    copy(force, n, floats(model.rhs_motion))
    set_zero(floats(model.rhs_constraint), model.n_constraints)
    solve(model)
    copy(floats(model.acceleration), n, force)


@kernel(PROJECT, MODEL)
def tangential_part(t, y, model):
    """Remove from a change of y the part that the constraints would undo, with the last constraints and factors."""
    n = model.n_velocities
    m = model.n_constraints
    rhs_constraint = floats(model.rhs_constraint)
    for half in range(2):
        part = offset(y, half * n)
        set_zero(floats(model.rhs_motion), n)
        set_zero(rhs_constraint, m)
        add_Phi_q_times(model, part, rhs_constraint)
        negate(rhs_constraint, m)
        solve(model)
        add(floats(model.acceleration), n, part)
    return OK


@kernel(PROJECT, MODEL)
def assemble(t, y, model):
    """Move y onto the constraints from far away, with a new matrix in every iteration; return a status."""
    if model.n_constraints == 0:
        update_orientations(y, model)
        return OK
    evaluate_matrix(t, y, model)
    status = correct_positions(t, y, model, True, 8 * MAX_ITERATIONS)
    correct_velocities(y, model)
    update_orientations(y, model)
    return status
