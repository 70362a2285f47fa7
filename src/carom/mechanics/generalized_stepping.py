"""Time stepping in generalised coordinates: mass matrix, forces, gaps and directions."""

from __future__ import annotations

import math

from carom.kernels import (
    ADDRESS,
    DIRECTIONS,
    EVALUATION,
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
from carom.mechanics.contact_records import N_STORED
from carom.mechanics.kkt import factorise
from carom.mechanics.model_record import (
    CONTACT_LOSS,
    FORCE_POWER,
    MIN_PIVOT_RATIO,
    MODEL,
    OK,
    QUADRATURES,
    QUADRATURES_SIZE,
    SINGULAR,
)

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


GENERALIZED_NODES = record(
    n_nodes=INT,
    freedom=INT,  # number of coordinates
    n_contacts=INT,
    n_directions=INT,
    n_bodies=INT,
    node_size=INT,  # numbers of a node: coordinates, velocities, and what follows
    n_signals=INT,
    has_accelerations=INT,  # nodes end with the accelerations of the coordinates
    # kernels of the system, 0 if it does not have the function
    mass_kernel=ADDRESS,
    potential_kernel=ADDRESS,
    gap_kernel=ADDRESS,
    direction_kernel=ADDRESS,
    body_kernel=ADDRESS,
    body_rate_kernel=ADDRESS,
    workspace=ADDRESS,  # large enough for the output of any kernel
    # tables, one row per node
    t=ADDRESS,  # [s]
    nodes=ADDRESS,  # coordinates, velocities, `QUADRATURES`, `CONTACT_LOSS` and stored forces of each contact
    poses=ADDRESS,  # of the bodies
    rates=ADDRESS,  # velocities of the bodies
    signals=ADDRESS,  # MOTION of the coordinates, then signals of the contacts; 0: positions and rates alone
    energies=ADDRESS,  # GENERALIZED_ENERGIES [J]
)
CONTACT_LOSS_SIZE = CONTACT_LOSS.size
GENERALIZED_ENERGIES = record("kinetic potential elastic dissipated friction driver_work applied_work")
N_MOTION = 3
"""Signals of a coordinate: value, rate, acceleration."""


@jit
def evaluate_contact_signals(nodes, t, q, u, forces, signals, out):
    """Store the signals of all contacts at a node."""
    f = nodes.freedom
    call_general(nodes.gap_kernel, t, q, u, out)
    for k in range(nodes.n_contacts):
        signals[k * N_CONTACT_SIGNALS] = -out[k]
    call_general(nodes.direction_kernel, t, q, u, out)
    for k in range(nodes.n_contacts):
        rows = offset(out, k * nodes.n_directions * (f + 1))
        of_contact = offset(signals, k * N_CONTACT_SIGNALS)
        force = offset(forces, k * N_STORED)
        store_contact_signals(force, rows, u, f, nodes.n_directions, of_contact)
        of_contact[N_CONTACT_SIGNALS - 1] = 1.0 if force[0] != 0.0 else 0.0


@jit
def evaluate_bodies(nodes, node, t, q, u, out):
    """Store the poses of all bodies and their rates at a node."""
    f = nodes.freedom
    size = 3 * nodes.n_bodies
    poses = offset(floats(nodes.poses), node * size)
    rates = offset(floats(nodes.rates), node * size)
    call_general(nodes.body_kernel, t, q, u, out)
    for j in range(size):
        poses[j] = out[j]
    call_general(nodes.body_rate_kernel, t, q, u, out)
    for j in range(size):
        rates[j] = velocity_of_row(offset(out, j * (f + 1)), u, f)


@jit
def store_generalized_energies(nodes, t, q, u, sums, energies, out):
    """Store the energies at a node; ``sums`` are its quadratures and, behind them, the losses of the contacts."""
    call_general(nodes.mass_kernel, t, q, u, out)
    energies.kinetic = kinetic_energy(nodes.freedom, out, u)
    if nodes.potential_kernel != 0:
        call_general(nodes.potential_kernel, t, q, u, out)
        energies.potential = out[0]
    for k in range(nodes.n_contacts):
        loss = CONTACT_LOSS(offset(sums, QUADRATURES_SIZE), k)
        energies.dissipated += loss.normal
        energies.friction += loss.friction
    quadratures = QUADRATURES(sums)
    energies.driver_work = quadratures.driver_work
    energies.applied_work = quadratures.applied_work


@kernel(EVALUATION, GENERALIZED_NODES)
def evaluate_nodes(nodes):
    """Evaluate the bodies, their velocities, the coordinates, the contacts and the energies at every node."""
    f = nodes.freedom
    out = floats(nodes.workspace)
    for node in range(nodes.n_nodes):
        t = floats(nodes.t)[node]
        row = offset(floats(nodes.nodes), node * nodes.node_size)
        u = offset(row, f)
        sums = offset(row, 2 * f)
        forces = offset(sums, QUADRATURES_SIZE + CONTACT_LOSS_SIZE * nodes.n_contacts)
        if nodes.body_kernel != 0:
            evaluate_bodies(nodes, node, t, row, u, out)
        if nodes.signals != 0:
            store_generalized_energies(nodes, t, row, u, sums, GENERALIZED_ENERGIES(nodes.energies, node), out)
            signals = offset(floats(nodes.signals), node * nodes.n_signals)
            for i in range(f):
                signals[N_MOTION * i] = row[i]
                signals[N_MOTION * i + 1] = u[i]
                if nodes.has_accelerations != 0:
                    signals[N_MOTION * i + 2] = row[nodes.node_size - f + i]
            if nodes.gap_kernel != 0:
                evaluate_contact_signals(nodes, t, row, u, forces, offset(signals, N_MOTION * f), out)
