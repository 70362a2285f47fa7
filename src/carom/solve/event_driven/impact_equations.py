"""Impact equations: velocities after an impact, by the impact laws of all closed contacts."""

from __future__ import annotations

from carom.kernels import STEP, call_project, floats, kernel
from carom.mechanics.model_record import MODEL, OK
from carom.solve.event_driven.acceleration_bias import compute_directions
from carom.solve.timestepping.active_contacts import compute_delassus_matrix, compute_gamma_pre, solve_directions
from carom.solve.timestepping.contact_impulses import add_contact_work, solve_impulses
from carom.solve.timestepping.records import ENERGY_BALANCE, FINISHED, RANK_LOSS, STEPPER


@kernel(STEP, STEPPER)
def solve_impact_equations(t, h, stepper):
    """Compute ``y_new`` from ``y`` by impulses of the active contacts; ``h`` is unused, as an impact takes no time."""
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    y = floats(stepper.y)
    y_new = floats(stepper.y_new)
    u_free = floats(stepper.u_free)
    joint_impulses = floats(stepper.joint_impulses)
    nu = floats(model.nu)
    if call_project(stepper.evaluate_kernel, t, y, model) != OK:
        return RANK_LOSS
    for i in range(n):
        u_free[i] = y[n + i]
        y_new[i] = y[i]
    for r in range(stepper.n_constraints):
        joint_impulses[r] = 0.0
    compute_directions(t, y, stepper)
    compute_gamma_pre(stepper)
    solve_directions(stepper)
    compute_delassus_matrix(stepper)
    status = solve_impulses(stepper)
    if status != FINISHED:
        return status
    add_contact_work(stepper)
    for r in range(stepper.n_constraints):
        ENERGY_BALANCE(stepper.energy).driver_work -= joint_impulses[r] * nu[r]
    return FINISHED
