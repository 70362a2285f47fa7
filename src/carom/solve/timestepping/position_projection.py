"""Position projection: removes penetration and accounts for its work.

The coordinates move by the mass-weighted smallest change that opens the gaps of the closed contacts:

    Δq = M⁻¹ W_N λ,   0 ≤ g(q_E) + G_NN λ ⊥ λ ≥ 0.

To remove penetration takes energy (Flores, Leine and Glocker, 6.4: "special attention should be paid to the
conservation of the system's energy"). The work is subtracted from the loss of the contacts in the step; a part that
exceeds this loss is reported as work of the projection.
"""

from __future__ import annotations

from carom.kernels import call_directions, call_gaps, call_project, floats, ints, jit, offset
from carom.mechanics.linear_algebra import add_scaled, set_zero
from carom.mechanics.model_record import CONTACT_LOSS, MODEL
from carom.solve.contact_problem.friction_limits import N_LEVERS
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.timestepping.active_contacts import (
    compute_delassus_matrix,
    lever_arm_bound,
    normal_direction,
    solve_directions,
    update_active_gaps,
)
from carom.solve.timestepping.contact_impulses import solve_with_fallbacks
from carom.solve.timestepping.matrix_free_gauss_seidel import solve_positions
from carom.solve.timestepping.records import ENERGY_BALANCE, FINISHED, PERSISTENT

ROUNDING = 1e-14
"""Ratio to the largest coordinate, or to 1 m, below which a penetration counts as zero [-]."""


@jit
def has_persistent_contact(stepper):
    """Return True if an active contact is persistent."""
    active = ints(stepper.active)
    result = False
    for i in range(stepper.n_active):
        result = result or ints(stepper.contact_status)[active[i]] == PERSISTENT
    return result


@jit
def find_near_contacts(stepper, max_gap):
    """Make all contacts active whose gap is less than ``max_gap`` [m], as far as there is capacity."""
    model = MODEL(stepper.model)
    gaps = floats(model.gaps)
    active = ints(stepper.active)
    count = 0
    for k in range(stepper.n_contacts):
        if gaps[k] < max_gap and count < stepper.capacity:
            call_directions(stepper.directions_kernel, k, normal_direction(stepper, count), model)
            active[count] = k
            if ints(stepper.contact_status)[k] != PERSISTENT:
                gaps[k] = max(gaps[k], 0.0)
            count += 1
    stepper.n_active = count


@jit
def remove_penetration(t, stepper):
    """Move ``y_new`` out of the penetration of persistent contacts; the contact problem of the step is overwritten.

    The penetration of other contacts stays, but does not increase: contacts that open separate by themselves, and
    contacts that close are stopped by an impact.
    """
    if not has_persistent_contact(stepper):
        return
    model = MODEL(stepper.model)
    gaps = floats(model.gaps)
    active = ints(stepper.active)
    update_active_gaps(t, floats(stepper.y_new), stepper)
    min_gap = 0.0
    for i in range(stepper.n_active):
        if ints(stepper.contact_status)[active[i]] == PERSISTENT:
            min_gap = min(min_gap, gaps[active[i]])
    if not min_gap < -ROUNDING * lever_arm_bound(stepper):
        return
    call_gaps(stepper.gaps_kernel, t, floats(stepper.y_new), model)
    find_near_contacts(stepper, -min_gap)
    if stepper.bodies_are_free != 0 and stepper.n_active >= stepper.dense_limit:
        solve_positions(stepper)
    else:
        solve_directions(stepper)
        compute_delassus_matrix(stepper)
        solve_positions_dense(stepper)
    apply_position_change(stepper)
    if stepper.project_kernel != 0:  # The change satisfies the constraints of the joints to first order only.
        call_project(stepper.project_kernel, t, floats(stepper.y_new), model)


@jit
def solve_positions_dense(stepper):
    """Compute Δq by the contact problem with the Delassus matrix; zero if it is not solved."""
    n = stepper.n_velocities
    dim = stepper.rows_per_contact
    gaps = floats(MODEL(stepper.model).gaps)
    active = ints(stepper.active)
    problem = CONTACT_PROBLEM(stepper.problem)
    lam = floats(problem.P)
    delta_q = floats(stepper.delta_q)
    for i in range(stepper.n_active):
        floats(problem.mu)[i] = 0.0
        for d in range(N_LEVERS):
            floats(problem.levers)[N_LEVERS * i + d] = 0.0
        floats(problem.p_offset)[i] = 0.0
        for d in range(dim):
            floats(problem.b)[i * dim + d] = gaps[active[i]] if d == 0 else 0.0
    set_zero(delta_q, n)
    if solve_with_fallbacks(stepper) != FINISHED:
        return
    for i in range(stepper.n_active):
        if lam[i * dim] > 0.0:
            add_scaled(lam[i * dim], offset(floats(stepper.inv_M_W), i * dim * n), n, delta_q)


@jit
def apply_position_change(stepper):
    """Add Δq to the coordinates, and its work, as far as the contacts of the step did not lose it, to the energies."""
    energy = ENERGY_BALANCE(stepper.energy)
    forces = floats(stepper.h_mid)
    delta_q = floats(stepper.delta_q)
    q_new = floats(stepper.y_new)
    work = 0.0
    for j in range(stepper.n_velocities):
        work -= forces[j] * delta_q[j]
        q_new[j] += delta_q[j]
    if stepper.no_gyroscopic_forces == 0:
        return
    if work > energy.lost_in_step:
        energy.projection_work += work - max(energy.lost_in_step, 0.0)
    CONTACT_LOSS(stepper.contact_losses, ints(stepper.active)[0]).normal -= work
