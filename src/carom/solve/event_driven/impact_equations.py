"""An impact: the velocities after it, by the impact laws of all contacts that touch."""

from __future__ import annotations

from carom.kernels import STEP, call_project, floats, kernel
from carom.mechanics.model_record import MODEL, OK
from carom.solve.event_driven.acceleration_bias import find_directions
from carom.solve.timestepping.active_contacts import delassus, respond, velocities_before
from carom.solve.timestepping.contact_impulses import settle_books, strike
from carom.solve.timestepping.records import ENERGY_BALANCE, FINISHED, RANK_LOSS, STEPPER


@kernel(STEP, STEPPER)
def collide(t, h, stepper):
    """NEW, from STATE, by impulses of the active contacts; ``h`` is not looked at: it takes no time."""
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    state = floats(stepper.y)
    new = floats(stepper.y_new)
    free = floats(stepper.u_free)
    joints = floats(stepper.joint_impulses)
    nu = floats(model.nu)
    if call_project(stepper.evaluate_kernel, t, state, model) != OK:
        return RANK_LOSS
    for i in range(n):
        free[i] = state[n + i]
        new[i] = state[i]
    for r in range(stepper.n_constraints):
        joints[r] = 0.0
    find_directions(t, state, stepper)
    velocities_before(stepper)
    respond(stepper)
    delassus(stepper)
    status = strike(stepper)
    if status != FINISHED:
        return status
    settle_books(stepper)
    for r in range(stepper.n_constraints):
        ENERGY_BALANCE(stepper.energy).driver_work -= joints[r] * nu[r]
    return FINISHED
