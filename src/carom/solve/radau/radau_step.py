"""One step of Radau IIA: simplified Newton iterations for the stages, new state, error estimate.

With Z_i = Y_i − y, the stages satisfy Z = h A F(Z). In the variables W = T⁻¹ Z an iteration solves one real and one
complex linear system (Hairer & Wanner II, IV.8); `carom.mechanics.implicit_solution` solves them in the structure of
the equations of motion. Quadratures do not act back on the motion and are summed afterwards.
"""

from __future__ import annotations

import math

from carom.kernels import (
    STEP,
    address_of,
    call_contact_jacobians,
    call_rate,
    call_shifted_factor,
    call_shifted_solve,
    complexes,
    floats,
    jit,
    kernel,
    offset,
)
from carom.mechanics.contact_jacobian import CONTACT_JACOBIAN
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE
from carom.mechanics.element_evaluation import update_body_records, update_constraints
from carom.mechanics.implicit_matrix import IMPLICIT_SOLVER, direction_rows
from carom.mechanics.implicit_solution import frame_products
from carom.mechanics.linear_algebra import larger
from carom.mechanics.model_record import MODEL, NOT_CONVERGED, OK, SETTINGS, contact_loss
from carom.solve.radau.coefficients import ERROR, MU_COMPLEX, MU_REAL, N_STAGES, QUADRATURE_ERROR, TI, B, C, T
from carom.solve.radau.records import RADAU
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.warm_start import restore_warm_start

MAX_ITERATIONS = 8
DIVERGED = 1e10
"""Error of a step whose iterations do not converge, in units of the tolerance."""
MIN_CONVERGENCE = 1e-8
MAX_UNEVALUATED = 0.01
"""Last correction of the stages, in units of the tolerance, above which they are evaluated once more: the quadratures
are sums of powers at the stages, which contact forces make very sensitive."""
FRICTION_TOLERANCE = 0.03
"""Error of friction relative to the normal force that counts as the tolerance [-]."""
LASTING_SPEED = 0.05
"""Part of the speed of its bodies that scales the error of the energy dissipated by a contact [-]."""
SHALLOW = 0.01
"""Fraction of the largest indentation below which the error of an indentation is not resolved further [-]."""
FINEST_INDENTATION = 1e-13
"""Error of an indentation, relative to the coordinates of the contact, that is not resolved further [-]: rounding of
the coordinates must stay far below the tolerance of the iterations."""


# ---- norms


@jit
def contact_norm(radau, model, vector):
    """Return the largest change of an indentation or a friction force in units of their tolerances."""
    solver = IMPLICIT_SOLVER(radau.solver)
    worst = 0.0
    for k in range(model.n_contacts):
        jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
        if jacobian.is_active == 0:
            continue
        contact = CONTACT(model.contacts, k)
        w = direction_rows(solver, k)
        q_n, _, _ = frame_products(solver, contact, w, vector)
        deepest = max(jacobian.indentation, SHALLOW * CONTACT_HISTORY(model.contact_history, k).max_indentation)
        state = CONTACT_STATE(model.contact_state, k)
        finest = FINEST_INDENTATION * (abs(state.x) + abs(state.y) + abs(state.z))
        if deepest > 0.0:
            worst = larger(worst, abs(q_n) / max(radau.indentation_rtol * deepest, finest))
        if contact.friction_kernel != 0 and jacobian.normal_force > 0.0:
            _, v_t, v_s = frame_products(solver, contact, w, offset(vector, model.n_velocities))
            d = jacobian.friction_by_velocity
            change = max(abs(d[0] * v_t + d[1] * v_s), abs(d[2] * v_t + d[3] * v_s))
            worst = larger(worst, change / (FRICTION_TOLERANCE * jacobian.normal_force))
    return worst


@jit
def vector_norm(radau, rk, model, vector):
    """Return the size of a change of the state in units of the tolerance: that of a coordinate or of a contact.

    The largest one counts. In a mean, the other bodies would hide the error of one that moves alone.
    """
    error_scale = floats(rk.error_scale)
    worst = contact_norm(radau, model, vector)
    for j in range(rk.n_controlled):
        worst = larger(worst, abs(vector[j]) / (radau.atol + radau.rtol * error_scale[j]))
    return worst


@jit
def loss_norm(h, radau, rk, model):
    """Return the largest error of the energy that a contact dissipates, relative to that of its motion."""
    solver = IMPLICIT_SOLVER(radau.solver)
    f0 = floats(rk.stages)
    F = floats(radau.stage_rhs)
    worst = 0.0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if CONTACT_JACOBIAN(solver.jacobians, k).is_active == 0 or not history.inverse_effective_mass > 0.0:
            continue
        start = contact_loss(model, k, f0)
        first = contact_loss(model, k, F)
        second = contact_loss(model, k, offset(F, rk.n_states))
        third = contact_loss(model, k, offset(F, 2 * rk.n_states))
        w0, w1, w2, w3 = QUADRATURE_ERROR
        normal = w0 * start.normal + w1 * first.normal + w2 * second.normal + w3 * third.normal
        friction = w0 * start.friction + w1 * first.friction + w2 * second.friction + w3 * third.friction
        speed = contact_speed(model, rk, CONTACT(model.contacts, k), history)
        energy = 0.5 * speed * speed / history.inverse_effective_mass
        worst = larger(worst, h * (abs(normal) + abs(friction)) / (radau.rtol * energy + radau.atol))
    return worst


@jit
def contact_speed(model, rk, contact, history):
    """Return the largest speed of a contact and, to a part, of its bodies so far [m/s]."""
    error_scale = floats(rk.error_scale)
    fastest = 0.0
    for side in range(2):
        first = contact.velocity_a if side == 0 else contact.velocity_b
        if first >= 0:
            for d in range(model.dim):
                fastest = max(fastest, error_scale[model.n_velocities + first + d])
    return max(history.max_indentation_rate, LASTING_SPEED * fastest)


# ---- Jacobian and factors


@jit
def update_jacobian(t, radau, rk, model):
    """Evaluate the derivatives of the contact forces, and the constraints, at the beginning of the step."""
    y = floats(rk.y)
    update_body_records(y, model)
    update_constraints(t, model)
    if model.n_contacts > 0:
        solver = IMPLICIT_SOLVER(radau.solver)
        states = offset(y, 2 * model.n_velocities)
        call_contact_jacobians(radau.jacobians_kernel, states, CONTACT_JACOBIAN(solver.jacobians), model)
    radau.memory.needs_jacobian = 0
    radau.memory.has_fresh_jacobian = 1
    radau.memory.h_factored = 0.0
    radau.memory.convergence = 1.0
    radau.memory.n_jacobians += 1


@jit
def update_factors(h, radau, model):
    """Factorise the real and the complex matrix for a step of length ``h`` [s]."""
    solver = IMPLICIT_SOLVER(radau.solver)
    real = MU_REAL / h
    pair = MU_COMPLEX / h
    call_shifted_factor(solver.factorise_real_kernel, real, 0.0, solver, model)
    call_shifted_factor(solver.factorise_complex_kernel, pair.real, pair.imag, solver, model)
    radau.memory.h_factored = h
    radau.memory.n_factorisations += 1


@jit
def solve_real(h, radau, rk, model, r):
    """Replace ``r`` by (μ₁ − J)⁻¹ r."""
    solver = IMPLICIT_SOLVER(radau.solver)
    call_shifted_solve(solver.solve_real_kernel, MU_REAL / h, 0.0, floats(rk.y), address_of(r), solver, model)


@jit
def solve_complex(h, radau, rk, model, r):
    """Replace ``r`` by (μ₂ − J)⁻¹ r."""
    solver = IMPLICIT_SOLVER(radau.solver)
    mu = MU_COMPLEX / h
    call_shifted_solve(solver.solve_complex_kernel, mu.real, mu.imag, floats(rk.y), address_of(r), solver, model)


# ---- stages


@jit
def start_stages(h, radau, rk):
    """Start the iteration with the polynomial of the last step, or with the state at the beginning."""
    size = rk.n_controlled
    Z = floats(radau.increments)
    W = floats(radau.transformed)
    last = floats(radau.last_increments)
    for s in range(N_STAGES):
        l0 = 0.0
        l1 = 0.0
        l2 = 0.0
        if radau.memory.h_last > 0.0:
            x = 1.0 + C[s] * h / radau.memory.h_last
            l0 = x * (x - C[1]) * (x - 1.0) / (C[0] * (C[0] - C[1]) * (C[0] - 1.0))
            l1 = x * (x - C[0]) * (x - 1.0) / (C[1] * (C[1] - C[0]) * (C[1] - 1.0))
            l2 = x * (x - C[0]) * (x - C[1]) / ((1.0 - C[0]) * (1.0 - C[1])) - 1.0
        for j in range(size):
            Z[s * size + j] = l0 * last[j] + l1 * last[size + j] + l2 * last[2 * size + j]
    for s in range(N_STAGES):
        for j in range(size):
            W[s * size + j] = TI[s][0] * Z[j] + TI[s][1] * Z[size + j] + TI[s][2] * Z[2 * size + j]


@jit
def evaluate_stages(t, h, radau, rk, model):
    """Evaluate the equations of motion at the stages; return the worst status."""
    y = floats(rk.y)
    y_stage = floats(radau.y_stage)
    Z = floats(radau.increments)
    settings = SETTINGS(model.settings)
    status = OK
    for s in range(N_STAGES):
        for j in range(rk.n_controlled):
            y_stage[j] = y[j] + Z[s * rk.n_controlled + j]
        derivative = offset(floats(radau.stage_rhs), s * rk.n_states)
        t_stage = min(t + C[s] * h, radau.t_latest)
        status = max(status, call_rate(rk.rhs_kernel, t_stage, y_stage, derivative, floats(rk.rhs_data)))
        radau.min_pivot_ratio = min(radau.min_pivot_ratio, settings.min_pivot_ratio)
    radau.memory.n_evaluations += N_STAGES
    return status


@jit
def iterate(h, radau, rk, model):
    """Correct the stages by one Newton iteration; return the size of the correction in units of the tolerance."""
    size = rk.n_controlled
    n_states = rk.n_states
    Z = floats(radau.increments)
    W = floats(radau.transformed)
    F = floats(radau.stage_rhs)
    real = floats(radau.real_residual)
    pair = complexes(radau.complex_residual)
    change = floats(radau.change)
    error_scale = floats(rk.error_scale)
    for j in range(size):
        f0 = F[j]
        f1 = F[n_states + j]
        f2 = F[2 * n_states + j]
        real[j] = TI[0][0] * f0 + TI[0][1] * f1 + TI[0][2] * f2 - MU_REAL / h * W[j]
        second = TI[1][0] * f0 + TI[1][1] * f1 + TI[1][2] * f2
        third = TI[2][0] * f0 + TI[2][1] * f1 + TI[2][2] * f2
        pair[j] = complex(second, third) - MU_COMPLEX / h * complex(W[size + j], W[2 * size + j])
    solve_real(h, radau, rk, model, real)
    solve_complex(h, radau, rk, model, pair)
    largest = 0.0
    for j in range(size):
        scale = radau.atol + radau.rtol * error_scale[j]
        dw0 = real[j]
        dw1 = pair[j].real
        dw2 = pair[j].imag
        largest = larger(largest, math.sqrt((dw0 * dw0 + dw1 * dw1 + dw2 * dw2) / N_STAGES) / scale)
        change[j] = T[2][0] * dw0 + T[2][1] * dw1 + T[2][2] * dw2
        W[j] += dw0
        W[size + j] += dw1
        W[2 * size + j] += dw2
        for s in range(N_STAGES):
            Z[s * size + j] = T[s][0] * W[j] + T[s][1] * W[size + j] + T[s][2] * W[2 * size + j]
    return larger(largest, contact_norm(radau, model, change))


@jit
def solve_stages(t, h, radau, rk, model):
    """Iterate until the stages have converged; return a status. ``radau.error`` tells why they have not."""
    if radau.memory.h_factored != h:
        update_factors(h, radau, model)
    start_stages(h, radau, rk)
    convergence = max(radau.memory.convergence, MIN_CONVERGENCE) ** 0.8
    last = 0.0
    for iteration in range(MAX_ITERATIONS):
        status = evaluate_stages(t, h, radau, rk, model)
        if status != OK:
            return status
        size = iterate(h, radau, rk, model)
        radau.error = DIVERGED if math.isfinite(size) else math.nan
        if not math.isfinite(size):
            return NOT_CONVERGED
        if iteration > 0:
            contraction = size / last if last > 0.0 else 0.0
            radau.memory.contraction = contraction
            left = MAX_ITERATIONS - 1 - iteration
            if contraction >= 0.99 or size * contraction**left / (1.0 - contraction) > radau.newton_tolerance * 10.0:
                return NOT_CONVERGED
            convergence = contraction / (1.0 - contraction)
        if convergence * size <= radau.newton_tolerance:
            radau.memory.convergence = convergence
            return evaluate_stages(t, h, radau, rk, model) if size > MAX_UNEVALUATED else OK
        last = size
    return NOT_CONVERGED


# ---- the step


@jit
def store_new_state(h, radau, rk):
    """Store the state at the end of the step: the last stage, and the sums of the quadratures."""
    y = floats(rk.y)
    y_out = floats(radau.y_out)
    Z = floats(radau.increments)
    F = floats(radau.stage_rhs)
    size = rk.n_controlled
    for j in range(size):
        y_out[j] = y[j] + Z[2 * size + j]
    for j in range(size, rk.n_states):
        y_out[j] = y[j] + h * (B[0] * F[j] + B[1] * F[rk.n_states + j] + B[2] * F[2 * rk.n_states + j])


@jit
def store_error_residual(h, radau, rk, derivative, out):
    """Store f + Σ e_i Z_i/h, with the derivative f at the beginning of the step."""
    Z = floats(radau.increments)
    size = rk.n_controlled
    for j in range(size):
        out[j] = derivative[j] + (ERROR[0] * Z[j] + ERROR[1] * Z[size + j] + ERROR[2] * Z[2 * size + j]) / h


@jit
def estimate_error(t, h, radau, rk, model):
    """Return the error of the step in units of the tolerance, (μ₁ − J)⁻¹ (f + Σ e_i Z_i/h).

    From an estimate above the tolerance, the part that the stiff equations damp is removed by the factor
    μ₁ (μ₁ − J)⁻¹. Hairer and Wanner evaluate f at y + error instead; where sliding reverses in the step, friction there
    is already that of its end, and the estimate would miss the jump.
    """
    change = floats(radau.change)
    loss_error = loss_norm(h, radau, rk, model)
    store_error_residual(h, radau, rk, floats(rk.stages), change)
    solve_real(h, radau, rk, model, change)
    error = vector_norm(radau, rk, model, change)
    if error >= 1.0:
        for j in range(rk.n_controlled):
            change[j] *= MU_REAL / h
        solve_real(h, radau, rk, model, change)
        error = vector_norm(radau, rk, model, change)
    return larger(error, loss_error)


@kernel(STEP, RADAU)
def radau_step(t, h, radau):
    """Take one step of length ``h`` [s] from the current state to ``y_out``; return a status.

    The field ``error`` is large if the iterations diverge, and NaN if they are not finite.
    """
    rk = RUNGE_KUTTA(radau.rk)
    model = MODEL(rk.model)
    restore_warm_start(model)
    radau.min_pivot_ratio = 1.0
    if radau.memory.needs_jacobian != 0:
        update_jacobian(t, radau, rk, model)
    status = solve_stages(t, h, radau, rk, model)
    if status != OK and radau.memory.has_fresh_jacobian == 0:
        update_jacobian(t, radau, rk, model)
        status = solve_stages(t, h, radau, rk, model)
    if status != OK:
        radau.memory.h_last = 0.0
        return status
    store_new_state(h, radau, rk)
    radau.error = estimate_error(t, h, radau, rk, model)
    return OK
