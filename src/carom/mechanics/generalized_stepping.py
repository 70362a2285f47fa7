"""Time stepping in generalised coordinates: mass matrix, forces, gaps and directions."""

from __future__ import annotations

import math

from carom.kernels import (
    ADDRESS,
    DIRECTIONS,
    FACTOR,
    FLOAT,
    GAPS,
    INT,
    PROJECT,
    SOLVE,
    call_general,
    floats,
    jit,
    kernel,
    offset,
    record,
)
from carom.kernels.pointers import data_pointer
from carom.mechanics.kkt import factorise
from carom.mechanics.model_record import FORCE_POWER, MIN_PIVOT_RATIO, MODEL, OK, SINGULAR

GENERALIZED = record(
    mass_kernel=ADDRESS,
    force_kernel=ADDRESS,
    gap_kernel=ADDRESS,
    direction_kernel=ADDRESS,
    potential_kernel=ADDRESS,  # 0 without a potential
    mass_matrix=ADDRESS,  # M, then its Cholesky factor below the diagonal, 1/L on it
    directions=ADDRESS,  # rows of all contacts
    direction_size=INT,  # numbers of one contact
    gap_state=ADDRESS,  # GAP_STATE of the last evaluation of the gaps, then the state itself
    has_applied_work=INT,  # the forces do work that no potential accounts for
    q_shifted=ADDRESS,  # coordinates near the current ones
    mass_matrix_shifted=ADDRESS,  # M at q_shifted
)

GAP_STATE = record(
    has_directions=INT,  # the directions belong to this state
    t=FLOAT,  # [s]
)
GAP_STATE_SIZE = GAP_STATE.size

DIFFERENCE_STEP, MAX_DIFFERENCE_TIME = 6e-6, 1e-4
"""Difference step of the coordinates, relative to their magnitude, and of time [s], for the rates of M and V."""


@jit
def kinetic_energy(f, matrix, u):
    """Return u·M u/2 [J]."""
    energy = 0.0
    for i in range(f):
        for j in range(f):
            energy += 0.5 * u[i] * matrix[i * f + j] * u[j]
    return energy


@jit
def store_applied_power(t, q, u, model):
    """Store the power of forces without a potential, u·h + u·Ṁ u/2 + V̇ [W].

    It is the rate of the energy without contacts: the second term balances the power of gyroscopic forces in h.
    """
    table = GENERALIZED(model.generalized)
    if table.has_applied_work == 0:
        return
    n = model.n_velocities
    rhs_motion = floats(model.rhs_motion)
    power = 0.0
    size = 1.0
    speed = 0.0
    for i in range(n):
        power += u[i] * rhs_motion[i]
        size = max(size, abs(q[i]))
        speed = max(speed, abs(u[i]))
    if speed > 0.0:
        q_shifted = floats(table.q_shifted)
        matrix = floats(table.mass_matrix_shifted)
        dt = min(DIFFERENCE_STEP * size / speed, MAX_DIFFERENCE_TIME)
        for sign in range(-1, 2, 2):
            for i in range(n):
                q_shifted[i] = q[i] + sign * dt * u[i]
            call_general(table.mass_kernel, t + sign * dt, q_shifted, u, matrix)
            energy = kinetic_energy(n, matrix, u)
            if table.potential_kernel != 0:
                call_general(table.potential_kernel, t + sign * dt, q_shifted, u, matrix)
                energy += matrix[0]
            power += sign * energy / (2.0 * dt)
    FORCE_POWER(model.force_power).applied = power


@kernel(PROJECT, MODEL)
def evaluate_and_factorise(t, y, model):
    """Compute the mass matrix, its factors, the forces and their power at (t, y); return a status."""
    table = GENERALIZED(model.generalized)
    u = offset(y, model.n_velocities)
    call_general(table.mass_kernel, t, y, u, floats(table.mass_matrix))
    call_general(table.force_kernel, t, y, u, floats(model.rhs_motion))
    store_applied_power(t, y, u, model)
    return factorise(model)


@kernel(PROJECT, MODEL)
def evaluate_forces(t, y, model):
    """Compute the forces alone, at other velocities."""
    table = GENERALIZED(model.generalized)
    u = offset(y, model.n_velocities)
    call_general(table.force_kernel, t, y, u, floats(model.rhs_motion))
    store_applied_power(t, y, u, model)
    return OK


@kernel(GAPS, MODEL)
def compute_gaps(t, y, model):
    """Compute the gaps of all contacts."""
    table = GENERALIZED(model.generalized)
    n = model.n_velocities
    last = GAP_STATE(table.gap_state)
    state = floats(table.gap_state)
    if model.n_contacts > 0:
        call_general(table.gap_kernel, t, y, offset(y, n), floats(model.gaps))
    last.has_directions = 0
    last.t = t
    for i in range(2 * n):
        state[GAP_STATE_SIZE + i] = y[i]


@kernel(DIRECTIONS, MODEL)
def contact_directions(k, out, model):
    """Store the generalised directions of contact ``k``; one call computes those of all contacts of a state."""
    table = GENERALIZED(model.generalized)
    last = GAP_STATE(table.gap_state)
    rows = floats(table.directions)
    count = table.direction_size
    if last.has_directions == 0 and model.n_contacts > 0:
        q = offset(floats(table.gap_state), GAP_STATE_SIZE)
        call_general(table.direction_kernel, last.t, q, offset(q, model.n_velocities), rows)
        last.has_directions = 1
    for j in range(count):
        out[j] = rows[k * count + j]


@kernel(FACTOR, MODEL)
def factorise_mass_matrix(model):
    """Replace M by its Cholesky factors; return a status."""
    matrix = floats(GENERALIZED(model.generalized).mass_matrix)
    n = model.n_velocities
    for j in range(n):
        pivot = matrix[j * n + j]
        min_pivot = MIN_PIVOT_RATIO * abs(pivot)
        for k in range(j):
            pivot -= matrix[j * n + k] * matrix[j * n + k]
        if not pivot > min_pivot:
            return SINGULAR
        inverse = 1.0 / math.sqrt(pivot)
        for i in range(j + 1, n):
            value = matrix[i * n + j]
            for k in range(j):
                value -= matrix[i * n + k] * matrix[j * n + k]
            matrix[i * n + j] = value * inverse
        matrix[j * n + j] = inverse
    return OK


@kernel(SOLVE, MODEL)
def solve_with_mass_matrix(model):
    """Replace the residual by M⁻¹ times it, with the Cholesky factors."""
    matrix = floats(GENERALIZED(model.generalized).mass_matrix)
    x = floats(model.residual_motion)
    n = model.n_velocities
    for i in range(n):
        value = x[i]
        for k in range(i):
            value -= matrix[i * n + k] * x[k]
        x[i] = value * matrix[i * n + i]
    for i in range(n - 1, -1, -1):
        value = x[i]
        for k in range(i + 1, n):
            value -= matrix[k * n + i] * x[k]
        x[i] = value * matrix[i * n + i]


# Signals of a contact in generalised coordinates; the sliding speed in two tangential directions is a magnitude.
CONTACT_SIGNAL_NAMES = (
    "indentation",
    "indentation_rate",
    "normal_force",
    "friction_force",
    "sliding_velocity",
    "contact_mode",
)
SPATIAL_CONTACT_SIGNAL_NAMES = (*CONTACT_SIGNAL_NAMES[:-2], "sliding_speed", "contact_mode")
CONTACT_SIGNAL_UNITS = ("m", "m/s", "N", "N", "m/s", "1")
N_CONTACT_SIGNALS = len(CONTACT_SIGNAL_NAMES)


@jit
def velocity_of_row(row, u, f):
    """Return w · u + w̃ for a row (w, w̃)."""
    velocity = row[f]
    for j in range(f):
        velocity += row[j] * u[j]
    return velocity


@jit
def store_contact_signals(forces, rows, u, f, dim, signals):
    """Store rate, forces and sliding velocity of a contact; ``rows`` are its directions."""
    for d in range(min(dim, 3)):
        velocity = velocity_of_row(offset(rows, d * (f + 1)), u, f)
        if d == 0:
            signals[1] = -velocity
            signals[2] = forces[0]
        elif dim == 2:
            signals[3] = forces[1]
            signals[4] = velocity
        else:
            signals[3] = math.hypot(signals[3], forces[d])
            signals[4] = math.hypot(signals[4], velocity)


@jit
def evaluate_nodes(t, y, addresses, sizes, forces, workspace, poses, rates, contacts, energies):
    """Evaluate at every node the bodies, their velocities, the contacts (with ``forces``) and the energies.

    ``addresses`` are those of mass, potential, gaps, directions, bodies and body rates (0: none); ``sizes`` the numbers
    of coordinates, contacts, directions and bodies; ``workspace`` is large enough for any of them.
    """
    f, count, dim, bodies = sizes[0], sizes[1], sizes[2], sizes[3]
    out = data_pointer(workspace)
    for node in range(t.shape[0]):
        q = data_pointer(y[node])
        u = offset(q, f)
        call_general(addresses[0], t[node], q, u, out)
        energies[node, 0] = kinetic_energy(f, out, u)
        if addresses[1] != 0:
            call_general(addresses[1], t[node], q, u, out)
            energies[node, 1] = out[0]
        if addresses[2] != 0:
            call_general(addresses[2], t[node], q, u, out)
            for k in range(count):
                contacts[node, k, 0] = -out[k]
            call_general(addresses[3], t[node], q, u, out)
            for k in range(count):
                rows = offset(out, k * dim * (f + 1))
                store_contact_signals(forces[node, k], rows, u, f, dim, contacts[node, k])
        if addresses[4] != 0:
            call_general(addresses[4], t[node], q, u, out)
            for j in range(3 * bodies):
                poses[node, j] = out[j]
            call_general(addresses[5], t[node], q, u, out)
            for j in range(3 * bodies):
                rates[node, j] = velocity_of_row(offset(out, j * (f + 1)), u, f)
