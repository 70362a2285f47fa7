"""Solution of (μ − J) x = r with the factors of `carom.mechanics.implicit_matrix`: right-hand sides and all states."""

from __future__ import annotations

from carom.kernels import SHIFTED_SOLVE, complexes, floats, ints, jit, kernel, offset
from carom.mechanics.contact_jacobian import CONTACT_JACOBIAN
from carom.mechanics.contact_records import CONTACT
from carom.mechanics.implicit_matrix import (
    IMPLICIT_SOLVER,
    direction_rows,
    frame_matrix,
    friction_by_normal,
    inverse_2x2,
    state_factor,
    substitute,
    torque_rows,
)
from carom.mechanics.model_record import MODEL
from carom.mechanics.spatial_body import N_ORIENTATION, N_VELOCITIES, multiply


@jit
def store_displacements(model, y, r, out):
    """Store the residuals of the coordinates as the contacts feel them: those of orientations as rotations."""
    n = model.n_velocities
    for i in range(n):
        out[i] = r[i]
    if model.orientation_rate_kernel == 0:
        return
    for i in range(model.n_bodies):
        state = offset(y, 2 * n + i * N_ORIENTATION)
        change = offset(r, 2 * n + i * N_ORIENTATION)
        _, turn_x, turn_y, turn_z = multiply(
            state[0], -state[1], -state[2], -state[3], change[0], change[1], change[2], change[3]
        )
        phi = i * N_VELOCITIES + 3
        out[phi] += 2.0 * turn_x - change[4]
        out[phi + 1] += 2.0 * turn_y - change[5]
        out[phi + 2] += 2.0 * turn_z - change[6]


@jit
def frame_products(solver, contact, w, vector):
    """Return W ``vector`` of a contact along its rows, with the rows ``w``; the third is zero in the plane."""
    size = solver.row_size
    half = solver.entry_width // 2
    is_spatial = solver.rows_per_contact == 3
    first_row = 0.0 * vector[0]
    second_row = first_row
    third_row = first_row
    for side in range(2):
        first = contact.velocity_a if side == 0 else contact.velocity_b
        if first >= 0:
            for d in range(half):
                j = side * half + d
                value = vector[first + d]
                first_row += w[j] * value
                second_row += w[size + j] * value
                if is_spatial:
                    third_row += w[2 * size + j] * value
    return first_row, second_row, third_row


@jit
def add_directions(solver, contact, w, first_row, second_row, third_row, x):
    """Add Wᵀ times a vector in the frame of a contact to the right-hand side, with the rows ``w``."""
    size = solver.row_size
    half = solver.entry_width // 2
    is_spatial = solver.rows_per_contact == 3
    position = ints(solver.position)
    for side in range(2):
        first = contact.velocity_a if side == 0 else contact.velocity_b
        if first >= 0:
            for d in range(half):
                j = side * half + d
                value = w[j] * first_row + w[size + j] * second_row
                if is_spatial:
                    value += w[2 * size + j] * third_row
                x[position[first + d]] += value


@jit
def state_residual(solver, contact, k, model, r):
    """Return the residual of the friction state of contact ``k`` along (t, s)."""
    first = 2 * model.n_velocities + contact.friction_state_offset
    if solver.rows_per_contact == 2:
        return r[first], 0.0 * r[first]
    tangents = CONTACT_JACOBIAN(solver.jacobians, k).tangents
    along_t = 0.0 * r[first]
    along_s = along_t
    for d in range(3):
        along_t += tangents[d] * r[first + d]
        along_s += tangents[3 + d] * r[first + d]
    return along_t, along_s


@jit
def add_contact_residual(solver, contact, k, model, mu, displacements, r, x):
    """Add Wᵀ [(K + μ D) W r_v/μ + K W r_q + μ ∂T/∂z (μ − ∂ż/∂z)⁻¹ r_z] of contact ``k`` to the right-hand side."""
    jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
    has_state = contact.friction_state_offset >= 0
    w = direction_rows(solver, k)
    n_n, t_n, s_n, t_t, t_s, s_t, s_s = frame_matrix(jacobian, has_state, mu)
    q_n, _, _ = frame_products(solver, contact, w, displacements)
    v_n, v_t, v_s = frame_products(solver, contact, w, offset(r, model.n_velocities))
    v_n = v_n / mu
    v_t = v_t / mu
    v_s = v_s / mu
    along_t, along_s = friction_by_normal(jacobian, has_state, mu)
    push = jacobian.stiffness * q_n
    f_n = -n_n * v_n - push
    f_t = -t_n * v_n - t_t * v_t - t_s * v_s - along_t * push
    f_s = -s_n * v_n - s_t * v_t - s_s * v_s - along_s * push
    if has_state:
        z_t, z_s = state_residual(solver, contact, k, model, r)
        s00, s01, s10, s11 = state_factor(jacobian, mu)
        f_t += mu * (s00 * z_t + s01 * z_s)
        f_s += mu * (s10 * z_t + s11 * z_s)
    add_directions(solver, contact, w, f_n, f_t, f_s, x)
    if jacobian.rolling != 0.0 or jacobian.spinning != 0.0:
        w = torque_rows(solver, k)
        rolling = -jacobian.rolling
        turn_t, turn_s, turn_n = frame_products(solver, contact, w, offset(r, model.n_velocities))
        add_directions(solver, contact, w, rolling * turn_t, rolling * turn_s, -jacobian.spinning * turn_n, x)


@jit
def solve_states(solver, contact, k, model, mu, displacements, r):
    """Replace the residual of the friction state of contact ``k`` by its solution; the velocities are solved.

    ``displacements`` contains the residuals of the coordinates as the contacts feel them.
    """
    jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
    first = 2 * model.n_velocities + contact.friction_state_offset
    z_t, z_s = state_residual(solver, contact, k, model, r)
    w = direction_rows(solver, k)
    q_n, _, _ = frame_products(solver, contact, w, displacements)
    v_n, v_t, v_s = frame_products(solver, contact, w, offset(r, model.n_velocities))
    push = -jacobian.stiffness * (v_n + q_n) / mu - jacobian.damping * v_n
    by_normal = jacobian.rate_by_normal
    rate = jacobian.rate_by_velocity
    g = jacobian.rate_by_state
    i00, i01, i10, i11 = inverse_2x2(mu - g[0], -g[1], -g[2], mu - g[3])
    b_t = by_normal[0] * push + rate[0] * v_t + rate[1] * v_s + z_t
    b_s = by_normal[1] * push + rate[2] * v_t + rate[3] * v_s + z_s
    x_t = i00 * b_t + i01 * b_s
    x_s = i10 * b_t + i11 * b_s
    if solver.rows_per_contact == 2:
        r[first] = x_t
        return
    tangents = jacobian.tangents
    for d in range(3):
        out_of_plane = r[first + d] - z_t * tangents[d] - z_s * tangents[3 + d]
        r[first + d] = x_t * tangents[d] + x_s * tangents[3 + d] + out_of_plane / (mu + jacobian.return_rate)


@jit
def solve_orientations(model, mu, y, r):
    """Replace the residuals of the orientations of spatial bodies by the solution; the velocities are solved."""
    n = model.n_velocities
    for i in range(model.n_bodies):
        state = offset(y, 2 * n + i * N_ORIENTATION)
        x = offset(r, 2 * n + i * N_ORIENTATION)
        omega = offset(r, n + i * N_VELOCITIES + 3)
        w, qx, qy, qz = multiply(state[0], state[1], state[2], state[3], 0.0, omega[0], omega[1], omega[2])
        x[0] = (0.5 * w + x[0]) / mu
        x[1] = (0.5 * qx + x[1]) / mu
        x[2] = (0.5 * qy + x[2]) / mu
        x[3] = (0.5 * qz + x[3]) / mu
        for d in range(3):
            x[4 + d] = (omega[d] + x[4 + d]) / mu


@jit
def solve_shifted(solver, model, mu, values, y, r, x, displacements):
    """Replace ``r`` by the solution of (μ − J) x = r, with the factors for μ and two arrays of workspace."""
    n = model.n_velocities
    position = ints(solver.position)
    zero = 0.0 * mu
    for i in range(solver.size):
        x[i] = zero
    store_displacements(model, y, r, displacements)
    for k in range(model.n_contacts):
        if CONTACT_JACOBIAN(solver.jacobians, k).is_active != 0:
            add_contact_residual(solver, CONTACT(model.contacts, k), k, model, mu, displacements, r, x)
    substitute(solver, values, x)
    for i in range(n):
        r[n + i] = x[position[i]] + r[n + i] / mu
        r[i] = (r[n + i] + r[i]) / mu
    if model.orientation_rate_kernel != 0:
        solve_orientations(model, mu, y, r)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        if contact.friction_state_offset >= 0:
            if CONTACT_JACOBIAN(solver.jacobians, k).is_active != 0:
                solve_states(solver, contact, k, model, mu, displacements, r)
            else:
                first = 2 * n + contact.friction_state_offset
                for d in range(1 if solver.rows_per_contact == 2 else 3):
                    r[first + d] = r[first + d] / mu


@kernel(SHIFTED_SOLVE, IMPLICIT_SOLVER, MODEL)
def solve_real(mu, unused, y, residual, solver, model):
    """Replace the residual at an address by the solution for a real μ."""
    values = floats(solver.real_values)
    unknowns = floats(solver.real_unknowns)
    solve_shifted(solver, model, mu, values, y, floats(residual), unknowns, floats(solver.real_displacements))


@kernel(SHIFTED_SOLVE, IMPLICIT_SOLVER, MODEL)
def solve_complex(real_part, imaginary_part, y, residual, solver, model):
    """Replace the residual at an address by the solution for a complex μ."""
    mu = complex(real_part, imaginary_part)
    values = complexes(solver.complex_values)
    unknowns = complexes(solver.complex_unknowns)
    solve_shifted(solver, model, mu, values, y, complexes(residual), unknowns, complexes(solver.complex_displacements))
