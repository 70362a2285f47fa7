"""The Jacobian of y' = f(t, y) as a dense matrix, with the derivatives of the contact forces only.

Its columns of accelerations solve M a + Φ_qᵀ λ = ∂F_c/∂y, Φ_q a = 0 with the factors of the equations of motion.
"""

from __future__ import annotations

from carom.kernels import call_contact_jacobians, floats, jit, offset
from carom.mechanics.contact_jacobian import CONTACT_JACOBIAN
from carom.mechanics.contact_records import CONTACT
from carom.mechanics.element_evaluation import update_body_records, update_constraints
from carom.mechanics.implicit_matrix import IMPLICIT_SOLVER, direction_rows, torque_rows
from carom.mechanics.kkt import factorise, solve
from carom.mechanics.linear_algebra import copy, set_zero
from carom.mechanics.spatial_body import N_ORIENTATION, N_VELOCITIES, multiply


@jit
def local_index(solver, contact, j):
    """Return the place of velocity ``j`` in the rows of a contact; −1 where it does not act on it."""
    half = solver.entry_width // 2
    if 0 <= contact.velocity_a <= j < contact.velocity_a + half:
        return j - contact.velocity_a
    if 0 <= contact.velocity_b <= j < contact.velocity_b + half:
        return half + j - contact.velocity_b
    return -1


@jit
def add_generalised_force(solver, contact, w, f_1, f_2, f_3, force):
    """Add Wᵀ f of a force in the frame of a contact, with the rows ``w``."""
    half = solver.entry_width // 2
    size = solver.row_size
    for side in range(2):
        first = contact.velocity_a if side == 0 else contact.velocity_b
        if first >= 0:
            for d in range(half):
                j = side * half + d
                force[first + d] += w[j] * f_1 + w[size + j] * f_2
                if solver.rows_per_contact == 3:
                    force[first + d] += w[2 * size + j] * f_3


@jit
def store_acceleration(model, column):
    """Solve for the accelerations of the generalised forces in the model, and store them in a column."""
    set_zero(floats(model.rhs_constraint), model.n_constraints)
    solve(model)
    copy(floats(model.acceleration), model.n_velocities, offset(column, model.n_velocities))


@jit
def store_position_column(solver, model, j, column):
    """Store the column of coordinate ``j``: normal forces, and friction and rates of its states through them."""
    force = floats(model.rhs_motion)
    set_zero(force, model.n_velocities)
    for k in range(model.n_contacts):
        jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
        contact = CONTACT(model.contacts, k)
        place = local_index(solver, contact, j)
        if jacobian.is_active != 0 and place >= 0:
            w = direction_rows(solver, k)
            push = -jacobian.stiffness * w[place]
            by_normal = jacobian.friction_by_normal
            add_generalised_force(solver, contact, w, push, by_normal[0] * push, by_normal[1] * push, force)
            if contact.friction_state_offset >= 0:
                rate = jacobian.rate_by_normal
                store_state_rate(solver, model, contact, k, rate[0] * push, rate[1] * push, column)
    store_acceleration(model, column)


@jit
def store_velocity_column(solver, model, j, column):
    """Store the column of velocity ``j``: damping, friction, resistance to rolling, and rates of friction states."""
    n = model.n_velocities
    force = floats(model.rhs_motion)
    set_zero(force, n)
    column[j] = 1.0
    for k in range(model.n_contacts):
        jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
        contact = CONTACT(model.contacts, k)
        place = local_index(solver, contact, j)
        if jacobian.is_active == 0 or place < 0:
            continue
        w = direction_rows(solver, k)
        v_t = w[solver.row_size + place]
        v_s = w[2 * solver.row_size + place] if solver.rows_per_contact == 3 else 0.0
        push = -jacobian.damping * w[place]
        by_normal = jacobian.friction_by_normal
        d = jacobian.friction_by_velocity
        f_t = by_normal[0] * push + d[0] * v_t + d[1] * v_s
        f_s = by_normal[1] * push + d[2] * v_t + d[3] * v_s
        add_generalised_force(solver, contact, w, push, f_t, f_s, force)
        if jacobian.rolling != 0.0 or jacobian.spinning != 0.0:
            w = torque_rows(solver, k)
            turn_t = -jacobian.rolling * w[place]
            turn_s = -jacobian.rolling * w[solver.row_size + place]
            turn_n = -jacobian.spinning * w[2 * solver.row_size + place]
            add_generalised_force(solver, contact, w, turn_t, turn_s, turn_n, force)
        if contact.friction_state_offset >= 0:
            rate = jacobian.rate_by_velocity
            by_normal = jacobian.rate_by_normal
            z_t = by_normal[0] * push + rate[0] * v_t + rate[1] * v_s
            z_s = by_normal[1] * push + rate[2] * v_t + rate[3] * v_s
            store_state_rate(solver, model, contact, k, z_t, z_s, column)
    store_acceleration(model, column)


@jit
def store_state_rate(solver, model, contact, k, along_t, along_s, column):
    """Add a rate of the friction state of contact ``k``, given along its tangents, to a column."""
    rates = offset(column, 2 * model.n_velocities + contact.friction_state_offset)
    if solver.rows_per_contact == 2:
        rates[0] += along_t
        return
    tangents = CONTACT_JACOBIAN(solver.jacobians, k).tangents
    for d in range(3):
        rates[d] += along_t * tangents[d] + along_s * tangents[3 + d]


@jit
def store_return_rate(model, contact, jacobian, i, column):
    """Add the return of a friction state to the tangent plane to the column of its component ``i``."""
    rates = offset(column, 2 * model.n_velocities + contact.friction_state_offset)
    tangents = jacobian.tangents
    for d in range(3):
        out_of_plane = -tangents[i] * tangents[d] - tangents[3 + i] * tangents[3 + d]
        if d == i:
            out_of_plane += 1.0
        rates[d] -= jacobian.return_rate * out_of_plane


@jit
def store_state_columns(solver, model, k, columns, n_states):
    """Store the columns of the friction state of contact ``k``."""
    contact = CONTACT(model.contacts, k)
    jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
    count = 1 if solver.rows_per_contact == 2 else 3
    force = floats(model.rhs_motion)
    f = jacobian.friction_by_state
    g = jacobian.rate_by_state
    zero = 0.0
    for i in range(count):
        column = offset(columns, (2 * model.n_velocities + contact.friction_state_offset + i) * n_states)
        z_t = 1.0 if count == 1 else jacobian.tangents[i]
        z_s = 0.0 if count == 1 else jacobian.tangents[3 + i]
        set_zero(force, model.n_velocities)
        w = direction_rows(solver, k)
        add_generalised_force(solver, contact, w, zero, f[0] * z_t + f[1] * z_s, f[2] * z_t + f[3] * z_s, force)
        store_acceleration(model, column)
        store_state_rate(solver, model, contact, k, g[0] * z_t + g[1] * z_s, g[2] * z_t + g[3] * z_s, column)
        if count == 3:
            store_return_rate(model, contact, jacobian, i, column)


@jit
def store_orientation_columns(model, y, columns, n_states):
    """Store the columns of the orientations of spatial bodies, from those of their rotations, and their rates."""
    n = model.n_velocities
    for i in range(model.n_bodies):
        q = offset(y, 2 * n + i * N_ORIENTATION)
        first = 2 * n + i * N_ORIENTATION
        rotation = i * N_VELOCITIES + 3
        for d in range(4 + 3):
            column = offset(columns, (first + d) * n_states)
            x = 0.0
            y_ = 0.0
            z = 0.0
            if d < 4:
                e0 = 1.0 if d == 0 else 0.0
                e1 = 1.0 if d == 1 else 0.0
                e2 = 1.0 if d == 2 else 0.0
                e3 = 1.0 if d == 3 else 0.0
                _, x, y_, z = multiply(q[0], -q[1], -q[2], -q[3], e0, e1, e2, e3)
                x *= 2.0
                y_ *= 2.0
                z *= 2.0
            elif d == 4:
                x = -1.0
            elif d == 5:
                y_ = -1.0
            else:
                z = -1.0
            about_x = offset(columns, rotation * n_states)
            about_y = offset(columns, (rotation + 1) * n_states)
            about_z = offset(columns, (rotation + 2) * n_states)
            for r in range(n, 2 * n):
                column[r] = x * about_x[r] + y_ * about_y[r] + z * about_z[r]
        for d in range(3):
            column = offset(columns, (n + rotation + d) * n_states)
            e1 = 0.5 if d == 0 else 0.0
            e2 = 0.5 if d == 1 else 0.0
            e3 = 0.5 if d == 2 else 0.0
            w, qx, qy, qz = multiply(q[0], q[1], q[2], q[3], 0.0, e1, e2, e3)
            column[first] = w
            column[first + 1] = qx
            column[first + 2] = qy
            column[first + 3] = qz
            column[first + 4 + d] = 1.0


@jit
def store_motion_jacobian(t, y, solver_address, jacobians_kernel, model, columns, n_states):
    """Store the Jacobian at (t, y), column by column; rows and columns of the quadratures are zero."""
    solver = IMPLICIT_SOLVER(solver_address)
    n = model.n_velocities
    set_zero(columns, n_states * n_states)
    update_body_records(y, model)
    update_constraints(t, model)
    factorise(model)
    call_contact_jacobians(jacobians_kernel, offset(y, 2 * n), CONTACT_JACOBIAN(solver.jacobians), model)
    for j in range(n):
        store_position_column(solver, model, j, offset(columns, j * n_states))
        store_velocity_column(solver, model, j, offset(columns, (n + j) * n_states))
    if model.orientation_rate_kernel != 0:
        store_orientation_columns(model, y, columns, n_states)
    for k in range(model.n_contacts):
        if CONTACT(model.contacts, k).friction_state_offset >= 0:
            if CONTACT_JACOBIAN(solver.jacobians, k).is_active != 0:
                store_state_columns(solver, model, k, columns, n_states)
