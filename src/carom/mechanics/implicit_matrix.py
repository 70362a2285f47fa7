"""The linear systems of implicit methods, (μ − J) x = r, in the structure of the equations of motion.

J is the Jacobian of y' = f(t, y) with the derivatives of the contact forces only (`carom.mechanics.contact_jacobian`);
μ is real or complex. With K and D, the derivatives of the contact forces by coordinates and velocities, the velocities
of x are u + r_v/μ, where

    [μ² M − μ D − K   Φ_qᵀ] [u]   [(K + μ D) r_v/μ + K r_q]
    [Φ_q               −ε ] [λ] = [0                      ]

and the coordinates of x are (x_v + r_q)/μ. Friction states z are eliminated contact by contact. The matrix is
factorised by LU without pivoting along a fixed pattern (see `carom.compiled_model.implicit_solver`): the bodies come
before the rows that hold them. A tiny ε allows for dependent rows; its error is far below that of the iterations in
which such systems are solved.
"""

from __future__ import annotations

from carom.kernels import (
    ADDRESS,
    INT,
    SHIFTED_FACTOR,
    address_of,
    complexes,
    floats,
    ints,
    jit,
    kernel,
    offset,
    record,
)
from carom.mechanics.contact_jacobian import CONTACT_JACOBIAN
from carom.mechanics.contact_records import CONTACT
from carom.mechanics.model_record import JACOBIAN_BLOCK, MODEL, TRIPLE

IMPLICIT_SOLVER = record(
    size=INT,  # velocities and rows
    n_values=INT,  # numbers of the matrix and its factors
    rows_per_contact=INT,  # 2 in the plane, 3 in space
    row_size=INT,  # numbers of a row of contact directions
    jacobians=ADDRESS,  # table of CONTACT_JACOBIAN
    mass=ADDRESS,  # diagonal of M without zeros [kg, kg m²]
    # the pattern
    position=ADDRESS,  # of every unknown (velocities, then rows) in the elimination order
    lower_start=ADDRESS,  # L row by row: columns in the order of elimination
    lower_index=ADDRESS,
    upper_start=ADDRESS,  # U row by row, without the diagonal
    upper_index=ADDRESS,
    lower_values=INT,  # offset of L in the values; the diagonal comes first, then L, then U
    upper_values=INT,
    # places of the entries in the values
    contact_entries=ADDRESS,  # of the velocities of both bodies, row by row; −1 for the ground
    jacobian_entries=ADDRESS,  # of every number of Φ_q: above, then below the diagonal
    entry_width=INT,  # velocities of both bodies
    # kernels for a real and a complex μ
    factorise_real_kernel=ADDRESS,
    factorise_complex_kernel=ADDRESS,
    solve_real_kernel=ADDRESS,
    solve_complex_kernel=ADDRESS,
    # factors and workspace
    real_values=ADDRESS,
    complex_values=ADDRESS,
    workspace=ADDRESS,  # zeros, as many complex numbers as unknowns
    real_unknowns=ADDRESS,
    complex_unknowns=ADDRESS,
    real_displacements=ADDRESS,
    complex_displacements=ADDRESS,
    row_weight=ADDRESS,  # Φ_q M⁻¹ Φ_qᵀ of every row
)

DEPENDENT_ROWS = 1e-9
"""ε relative to Φ_q M⁻¹ Φ_qᵀ/μ² of a row [-]."""


# ---- one contact


@jit
def inverse_2x2(a, b, c, d):
    """Return the inverse of [a b; c d] by rows."""
    factor = 1.0 / (a * d - b * c)
    return factor * d, -factor * b, -factor * c, factor * a


@jit
def state_factor(jacobian, mu):
    """Return ∂T/∂z (μ − ∂ż/∂z)⁻¹, by which residuals and rates of friction states become forces; 2×2 by rows."""
    g = jacobian.rate_by_state
    f = jacobian.friction_by_state
    i00, i01, i10, i11 = inverse_2x2(mu - g[0], -g[1], -g[2], mu - g[3])
    return f[0] * i00 + f[1] * i10, f[0] * i01 + f[1] * i11, f[2] * i00 + f[3] * i10, f[2] * i01 + f[3] * i11


@jit
def friction_damping(jacobian, has_state, mu):
    """Return the derivative of friction by the sliding velocity, through the friction state, too; 2×2 by rows."""
    d = jacobian.friction_by_velocity
    d00 = d[0] + 0.0 * mu
    d01 = d[1] + 0.0 * mu
    d10 = d[2] + 0.0 * mu
    d11 = d[3] + 0.0 * mu
    if has_state:
        s00, s01, s10, s11 = state_factor(jacobian, mu)
        r = jacobian.rate_by_velocity
        d00 += s00 * r[0] + s01 * r[2]
        d01 += s00 * r[1] + s01 * r[3]
        d10 += s10 * r[0] + s11 * r[2]
        d11 += s10 * r[1] + s11 * r[3]
    return d00, d01, d10, d11


@jit
def friction_by_normal(jacobian, has_state, mu):
    """Return the derivative of friction by the normal force, through the friction state, too; along (t, s)."""
    by_normal = jacobian.friction_by_normal
    along_t = by_normal[0] + 0.0 * mu
    along_s = by_normal[1] + 0.0 * mu
    if has_state:
        s00, s01, s10, s11 = state_factor(jacobian, mu)
        r = jacobian.rate_by_normal
        along_t += s00 * r[0] + s01 * r[1]
        along_s += s10 * r[0] + s11 * r[1]
    return along_t, along_s


@jit
def frame_matrix(jacobian, has_state, mu):
    """Return the entries of −(K + μ D) in the frame of a contact that are not zero: column n, then the tangents."""
    normal = jacobian.stiffness + mu * jacobian.damping
    d00, d01, d10, d11 = friction_damping(jacobian, has_state, mu)
    along_t, along_s = friction_by_normal(jacobian, has_state, mu)
    # ∂N/∂x_n = −∂N/∂δ, as the gap grows along the normal.
    return normal, along_t * normal, along_s * normal, -mu * d00, -mu * d01, -mu * d10, -mu * d11


# ---- the matrix


@jit
def direction_rows(solver, k):
    """Return W of contact ``k`` by rows."""
    return floats(address_of(CONTACT_JACOBIAN(solver.jacobians, k).directions))


@jit
def torque_rows(solver, k):
    """Return the generalised directions of torques of contact ``k`` by rows."""
    return floats(address_of(CONTACT_JACOBIAN(solver.jacobians, k).torque_directions))


@jit
def add_contact(solver, contact, k, mu, values):
    """Add −Wᵀ (K + μ D) W of contact ``k``."""
    width = solver.entry_width
    entries = offset(ints(solver.contact_entries), k * width * width)
    w_n = direction_rows(solver, k)
    w_t = offset(w_n, solver.row_size)
    w_s = offset(w_n, (solver.rows_per_contact - 1) * solver.row_size)
    is_spatial = solver.rows_per_contact == 3
    jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
    n_n, t_n, s_n, t_t, t_s, s_t, s_s = frame_matrix(jacobian, contact.friction_state_offset >= 0, mu)
    for j in range(width):
        f_n = n_n * w_n[j]
        f_t = t_n * w_n[j] + t_t * w_t[j]
        f_s = s_n * w_n[j] + s_t * w_t[j]
        if is_spatial:
            f_t += t_s * w_s[j]
            f_s += s_s * w_s[j]
        for i in range(width):
            entry = entries[i * width + j]
            if entry >= 0:
                value = w_n[i] * f_n + w_t[i] * f_t
                if is_spatial:
                    value += w_s[i] * f_s
                values[entry] += value


@jit
def add_rolling(solver, k, mu, values):
    """Add μ times the resistance to rolling and spinning of contact ``k``."""
    width = solver.entry_width
    entries = offset(ints(solver.contact_entries), k * width * width)
    jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
    for row in range(solver.rows_per_contact):
        factor = mu * (jacobian.rolling if row < 2 else jacobian.spinning)
        w = offset(torque_rows(solver, k), row * solver.row_size)
        for i in range(width):
            for j in range(width):
                entry = entries[i * width + j]
                if entry >= 0:
                    values[entry] += factor * w[i] * w[j]


@jit
def fill_matrix(solver, model, mu, values):
    """Store the matrix of the linear system for μ."""
    zero = 0.0 * mu
    for i in range(solver.n_values):
        values[i] = zero
    mass = floats(solver.mass)
    position = ints(solver.position)
    weight = floats(solver.row_weight)
    n = model.n_velocities
    for i in range(n):
        values[position[i]] = mu * mu * mass[i]
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        jacobian = CONTACT_JACOBIAN(solver.jacobians, k)
        if jacobian.is_active != 0:
            add_contact(solver, contact, k, mu, values)
            if jacobian.rolling != 0.0 or jacobian.spinning != 0.0:
                add_rolling(solver, k, mu, values)
    for r in range(model.n_constraints):
        weight[r] = 0.0
    Phi_q = floats(model.Phi_q)
    entries = ints(solver.jacobian_entries)
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        for d in range(TRIPLE):
            value = Phi_q[block.jacobian_offset + d]
            place = 2 * (TRIPLE * k + d)
            values[entries[place]] = value + zero
            values[entries[place + 1]] = value + zero
            weight[block.row] += value * value / mass[block.velocity_index + d]
    for r in range(model.n_constraints):
        values[position[n + r]] = -DEPENDENT_ROWS * weight[r] / (mu * mu)


@jit
def factorise(solver, values, w):
    """Replace the matrix by its factors L U, with the inverse pivots on the diagonal; ``w`` are zeros before and after.

    Row by row: row i of L and U is row i of the matrix less the multiples of the rows of U before it.
    """
    lower_start = ints(solver.lower_start)
    lower_index = ints(solver.lower_index)
    upper_start = ints(solver.upper_start)
    upper_index = ints(solver.upper_index)
    lower = offset(values, solver.lower_values)
    upper = offset(values, solver.upper_values)
    zero = 0.0 * w[0]
    for i in range(solver.size):
        for p in range(lower_start[i], lower_start[i + 1]):
            w[lower_index[p]] = lower[p]
        for p in range(upper_start[i], upper_start[i + 1]):
            w[upper_index[p]] = upper[p]
        w[i] = values[i]
        for p in range(lower_start[i], lower_start[i + 1]):
            k = lower_index[p]
            factor = w[k] * values[k]
            lower[p] = factor
            w[k] = zero
            for q in range(upper_start[k], upper_start[k + 1]):
                w[upper_index[q]] -= factor * upper[q]
        values[i] = 1.0 / w[i]
        w[i] = zero
        for p in range(upper_start[i], upper_start[i + 1]):
            upper[p] = w[upper_index[p]]
            w[upper_index[p]] = zero


@jit
def substitute(solver, values, x):
    """Solve with the factors; ``x`` are the unknowns in the order of elimination."""
    lower_start = ints(solver.lower_start)
    lower_index = ints(solver.lower_index)
    upper_start = ints(solver.upper_start)
    upper_index = ints(solver.upper_index)
    lower = offset(values, solver.lower_values)
    upper = offset(values, solver.upper_values)
    for i in range(solver.size):
        total = x[i]
        for p in range(lower_start[i], lower_start[i + 1]):
            total -= lower[p] * x[lower_index[p]]
        x[i] = total
    for i in range(solver.size - 1, -1, -1):
        total = x[i]
        for p in range(upper_start[i], upper_start[i + 1]):
            total -= upper[p] * x[upper_index[p]]
        x[i] = total * values[i]


@kernel(SHIFTED_FACTOR, IMPLICIT_SOLVER, MODEL)
def factorise_real(mu, unused, solver, model):
    """Factorise the matrix for a real μ."""
    values = floats(solver.real_values)
    fill_matrix(solver, model, mu, values)
    factorise(solver, values, floats(solver.workspace))


@kernel(SHIFTED_FACTOR, IMPLICIT_SOLVER, MODEL)
def factorise_complex(real_part, imaginary_part, solver, model):
    """Factorise the matrix for a complex μ."""
    values = complexes(solver.complex_values)
    fill_matrix(solver, model, complex(real_part, imaginary_part), values)
    factorise(solver, values, complexes(solver.workspace))
