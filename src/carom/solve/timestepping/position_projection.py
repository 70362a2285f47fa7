"""Position projection: what a step leaves of an overlap is taken back, and paid for.

The coordinates move by the mass-weighted smallest change that opens the gaps of the closed contacts:

    Δq = M⁻¹ W_N λ,   0 ≤ g(q_E) + G_NN λ ⊥ λ ≥ 0.

To be lifted out of an overlap takes energy (paper N, 6.4: "special attention should be paid to the conservation of the
system's energy"): what an impact has left is taken back in the step in which it lost more than that.
"""

from __future__ import annotations

from carom.kernels import call_directions, call_gaps, call_project, floats, ints, jit, offset
from carom.mechanics.model_record import CONTACT_LOSS, MODEL
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.timestepping.active_contacts import arm, delassus, normal, respond
from carom.solve.timestepping.contact_impulses import attempt
from carom.solve.timestepping.matrix_free_gauss_seidel import sweep_positions
from carom.solve.timestepping.records import ENERGY_BALANCE, FINISHED, PERSISTENT

ROUNDING = 1e-14
"""Of the largest coordinate, or of 1 m: an overlap that is none."""


@jit
def lift(t, stepper):
    """Move NEW out of the overlap of contacts that neither open nor close; nothing of the step's problem is left.

    Others are let alone, but pushed no deeper: what opens clears itself, and what closes is about to be stopped.
    """
    model = MODEL(stepper.model)
    gaps = floats(model.gaps)
    closed = ints(stepper.contact_status)
    active = ints(stepper.active)
    quiet = False
    for i in range(stepper.n_active):
        quiet = quiet or closed[active[i]] == PERSISTENT
    if not quiet:
        return
    call_gaps(stepper.gaps_kernel, t, floats(stepper.y_new), model)
    deepest = 0.0
    for i in range(stepper.n_active):
        if closed[active[i]] == PERSISTENT:
            deepest = min(deepest, gaps[active[i]])
    if not deepest < -ROUNDING * arm(stepper):
        return
    count = 0
    for k in range(stepper.n_contacts):
        if gaps[k] < -deepest and count < stepper.capacity:
            call_directions(stepper.directions_kernel, k, normal(stepper, count), model)
            active[count] = k
            if closed[k] != PERSISTENT:
                gaps[k] = max(gaps[k], 0.0)
            count += 1
    stepper.n_active = count
    if stepper.bodies_are_free != 0 and count >= stepper.dense_limit:
        sweep_positions(stepper)
    else:
        respond(stepper)
        delassus(stepper)
        lift_together(stepper)
    move(stepper)
    if stepper.project_kernel != 0:  # the shift holds the joints to first order
        call_project(stepper.project_kernel, t, floats(stepper.y_new), model)


@jit
def lift_together(stepper):
    """Through the Delassus matrix."""
    n = stepper.n_velocities
    dim = stepper.rows_per_contact
    count = stepper.n_active
    gaps = floats(MODEL(stepper.model).gaps)
    active = ints(stepper.active)
    problem = CONTACT_PROBLEM(stepper.problem)
    lengths = floats(problem.P)
    shift = floats(stepper.delta_q)
    for i in range(count):
        floats(problem.mu)[i] = 0.0
        floats(problem.p_offset)[i] = 0.0
        for d in range(dim):
            floats(problem.b)[i * dim + d] = gaps[active[i]] if d == 0 else 0.0
    for j in range(n):
        shift[j] = 0.0
    if attempt(stepper) != FINISHED:
        return
    for i in range(count):
        share = lengths[i * dim]
        if share > 0.0:
            x = offset(floats(stepper.inv_M_W), i * dim * n)
            for j in range(n):
                shift[j] += share * x[j]


@jit
def move(stepper):
    """Add SHIFT to the coordinates. What it costs, and the contacts of the step did not lose, is noted."""
    n = stepper.n_velocities
    energy = ENERGY_BALANCE(stepper.energy)
    forces = floats(stepper.h_mid)
    shift = floats(stepper.delta_q)
    new = floats(stepper.y_new)
    cost = 0.0
    for j in range(n):
        cost -= forces[j] * shift[j]
        new[j] += shift[j]
    if stepper.no_gyroscopic_forces == 0:
        return
    if cost > energy.lost_in_step:
        energy.projection_work += cost - max(energy.lost_in_step, 0.0)
    CONTACT_LOSS(stepper.contact_losses, ints(stepper.active)[0]).normal -= cost  # the contact lost that much less
