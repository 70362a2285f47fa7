"""Smooth motion with closed contacts: y' = f(t, y), and projection of a state onto joints and closed contacts.

    M u̇ = h + Φ_qᵀ λ_Φ + W λ,   Φ_q u̇ = γ_Φ,   dγ/dt = w·u̇ + (ẇ·u + dw̃/dt) = 0

in the normal rows of closed contacts and the tangential rows of those that stick; where a contact slides,
λ_T = −μ λ_N γ_T/|γ_T|. The term in brackets is the acceleration bias. With rolling or spinning resistance, rows of
relative rotation are treated as the tangential ones, with limits of their own (`contact_limits`).
"""

from __future__ import annotations

from carom.kernels import (
    PROJECT,
    RATE,
    call_gaps,
    call_load,
    call_orientation_rate,
    call_project,
    floats,
    ints,
    jit,
    kernel,
    offset,
)
from carom.mechanics.kkt import solve
from carom.mechanics.linear_algebra import add, copy, set_zero
from carom.mechanics.model_record import FORCE_POWER, MODEL, OK
from carom.solve.event_driven.acceleration_bias import (
    compute_acceleration_bias,
    compute_contact_directions,
    compute_directions,
)
from carom.solve.event_driven.contact_forces import solve_contact_forces, update_slip_directions
from carom.solve.event_driven.contact_limits import is_open
from carom.solve.event_driven.records import EVENT_DRIVEN, SHARED, SLOWEST
from carom.solve.timestepping.active_contacts import (
    add_impulses,
    add_joint_impulses,
    compute_delassus_matrix,
    contact_velocity,
    direction,
    dot_direction,
    normal_direction,
    solve_directions,
)
from carom.solve.timestepping.records import STEPPER

MAX_CLOSED_GAP = 1e-15
"""Gap of closed contacts that the projection leaves [m]."""


@jit
def add_contact_forces(t, y, run):
    """Compute the forces λ of the active contacts, and add their effects to u̇ and to the multipliers of the joints."""
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    u_dot = floats(stepper.u_free)
    multipliers = floats(stepper.joint_impulses)
    gamma_dot_free = floats(run.gamma_dot_free)
    bias = floats(run.acceleration_bias)
    lam = floats(run.lam)
    compute_directions(t, y, stepper)
    update_slip_directions(run, offset(y, stepper.n_velocities))
    solve_directions(stepper)
    compute_delassus_matrix(stepper)
    compute_acceleration_bias(t, y, run)
    rows = stepper.n_active * dim
    for row in range(rows):
        w = direction(stepper, row // dim, row % dim)
        gamma_dot_free[row] = dot_direction(stepper, active[row // dim], w, u_dot) + bias[row]
    solve_contact_forces(run, gamma_dot_free, lam, False)
    add_impulses(stepper, lam, u_dot)
    add_joint_impulses(stepper, lam, multipliers)


@jit
def solve_without_contacts(t, y, stepper):
    """Compute u̇ and the multipliers of the joints without contact forces; return a `Status`."""
    model = MODEL(stepper.model)
    m = stepper.n_constraints
    status = call_project(stepper.evaluate_kernel, t, y, model)
    copy(floats(model.gamma_c), m, floats(model.rhs_constraint))
    solve(model)
    copy(floats(model.acceleration), stepper.n_velocities, floats(stepper.u_free))
    copy(floats(model.lam), m, floats(stepper.joint_impulses))
    return status


@kernel(RATE, EVENT_DRIVEN)
def smooth_rhs(t, y, derivative, run):
    """Compute y'; leave u̇ in ``u_free``, the multipliers in ``joint_impulses`` and the contact forces in ``lam``."""
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    dim = stepper.rows_per_contact
    n_contacts = stepper.n_contacts
    u_dot = floats(stepper.u_free)
    multipliers = floats(stepper.joint_impulses)
    power = FORCE_POWER(model.force_power)
    nu = floats(model.nu)
    status = solve_without_contacts(t, y, stepper)
    if model.orientation_rate_kernel != 0:
        call_orientation_rate(model.orientation_rate_kernel, y, derivative, model)
    quadratures = offset(derivative, 2 * n + stepper.n_orientation)
    quadratures[0] = power.dissipated
    quadratures[1] = power.applied
    losses = offset(quadratures, 3)
    impulses = offset(losses, 2 * n_contacts)
    for k in range(n_contacts):
        losses[2 * k] = 0.0
        losses[2 * k + 1] = 0.0
        impulses[k] = 0.0
    if stepper.n_active > 0:
        add_contact_forces(t, y, run)
        lam = floats(run.lam)
        active = ints(stepper.active)
        u = offset(y, n)
        for i in range(stepper.n_active):
            k = active[i]
            impulses[k] = lam[i * dim]
            for d in range(1, dim):
                losses[2 * k + 1] -= lam[i * dim + d] * contact_velocity(stepper, k, direction(stepper, i, d), u)
    driver_power = 0.0
    for r in range(stepper.n_constraints):
        driver_power -= multipliers[r] * nu[r]
    quadratures[2] = driver_power
    copy(offset(y, n), n, derivative)
    copy(u_dot, n, offset(derivative, n))
    return status


@jit
def compute_gaps_and_velocities(t, y, run):
    """Compute gaps, velocities γ and bounds of the gap rates of all contacts."""
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    dim = stepper.rows_per_contact
    size = stepper.velocities_per_body
    gaps = floats(run.gaps)
    gamma = floats(run.gamma)
    bounds = floats(run.gap_rate_bound)
    model_gaps = floats(model.gaps)
    u = offset(y, stepper.n_velocities)
    spare = stepper.capacity
    call_gaps(stepper.gaps_kernel, t, y, model)
    for k in range(stepper.n_contacts):
        gaps[k] = model_gaps[k]
        compute_contact_directions(stepper, k, spare)
        w = normal_direction(stepper, spare)
        velocity_indices = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
        bound = abs(w[stepper.bodies_per_contact * size])
        for b in range(stepper.bodies_per_contact):
            v = velocity_indices[b]
            if v >= 0:
                for j in range(size):
                    bound += abs(w[b * size + j] * u[v + j])
        for d in range(dim):
            gamma[k * dim + d] = contact_velocity(stepper, k, direction(stepper, spare, d), u)
            if d > 0:
                bound += abs(gamma[k * dim + d])
        bounds[k] = bound


@kernel(PROJECT, EVENT_DRIVEN)
def evaluate_contacts(t, y, run):
    """Compute gaps, velocities γ and bounds of the gap rates of all contacts, and the largest bounds so far.

    Contacts act on each other: where one is fast, the rounding of its velocity reaches all others.
    """
    compute_gaps_and_velocities(t, y, run)
    bounds = floats(run.gap_rate_bound)
    max_gap_rate = floats(run.max_gap_rate)
    n_contacts = STEPPER(run.stepper).n_contacts
    largest = SLOWEST
    for k in range(n_contacts):
        largest = max(largest, bounds[k])
    for k in range(n_contacts):
        max_gap_rate[k] = max(max_gap_rate[k], bounds[k], SHARED * largest)
    return OK


@jit
def project_onto_joints(t, y, stepper):
    """Project y onto the joints, if there are any; return a `Status`."""
    if stepper.project_kernel == 0:
        return OK
    return call_project(stepper.project_kernel, t, y, MODEL(stepper.model))


@jit
def add_impulse_sum(stepper, impulses, vector):
    """Add M⁻¹ W P to ``vector`` after all its terms are summed, so that small terms are not lost in rounding."""
    change = floats(stepper.delta_q)
    set_zero(change, stepper.n_velocities)
    add_impulses(stepper, impulses, change)
    add(change, stepper.n_velocities, vector)


@jit
def close_gaps(t, y, run):
    """Project the coordinates onto joints and closed contacts by Newton's method; return a `Status`."""
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    active = ints(stepper.active)
    rhs = floats(run.gamma_dot_free)
    lam = floats(run.lam)
    gaps = floats(model.gaps)
    status = OK
    last_gap = 1e300
    for _ in range(8):
        status = max(status, call_project(stepper.evaluate_kernel, t, y, model))
        compute_directions(t, y, stepper)
        max_gap = 0.0
        for i in range(stepper.n_active):
            rhs[i * stepper.rows_per_contact] = gaps[active[i]]
            if not is_open(run, active[i]):
                max_gap = max(max_gap, abs(gaps[active[i]]))
        solve_directions(stepper)
        compute_delassus_matrix(stepper)
        if max_gap <= MAX_CLOSED_GAP or not max_gap < 0.5 * last_gap:
            break
        last_gap = max_gap
        solve_contact_forces(run, rhs, lam, True)
        add_impulse_sum(stepper, lam, y)
        status = max(status, project_onto_joints(t, y, stepper))
    return status


@kernel(PROJECT, EVENT_DRIVEN)
def project_state(t, y, run):
    """Project y onto joints and closed contacts, and its velocities onto the admissible ones; return a `Status`.

    The velocities change by impulses of the closed contacts, with the friction of those that slide.
    """
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    rhs = floats(run.gamma_dot_free)
    lam = floats(run.lam)
    u = offset(y, stepper.n_velocities)
    status = project_onto_joints(t, y, stepper)
    if stepper.n_active == 0:
        update_orientations(y, stepper)
        return status
    status = max(status, close_gaps(t, y, run))
    update_slip_directions(run, u)
    for row in range(stepper.n_active * dim):
        rhs[row] = contact_velocity(stepper, active[row // dim], direction(stepper, row // dim, row % dim), u)
    solve_contact_forces(run, rhs, lam, False)
    add_impulse_sum(stepper, lam, u)
    update_orientations(y, stepper)
    return status


@jit
def update_orientations(y, stepper):
    """Move corrections of rotational coordinates into the orientations of spatial bodies, if there are any."""
    if stepper.update_orientation_kernel != 0:
        call_load(stepper.update_orientation_kernel, y, MODEL(stepper.model))
