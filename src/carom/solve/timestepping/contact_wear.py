"""Wear of contacts in a time step: the impulse times the mean sliding speed."""

from __future__ import annotations

import math

from carom.kernels import call_directions, call_gaps, floats, ints, jit, offset
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE, CONTACT_WORKSPACE
from carom.mechanics.model_record import MODEL
from carom.mechanics.stepping import body_in_space
from carom.mechanics.wear import WEAR, add_work
from carom.solve.timestepping.active_contacts import gamma_post


@jit
def sliding_distance_rate(stepper, i):
    """Return the mean sliding speed of the ``i``-th active contact over the step [m/s]."""
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    gamma_pre = floats(stepper.gamma_pre)
    dim = stepper.rows_per_contact
    total = 0.0
    for d in range(1, 1 + stepper.tangents_per_contact):
        mean = 0.5 * (gamma_pre[i * dim + d] + gamma_post(stepper, i, d, u_new))
        total += mean * mean
    return math.sqrt(total)


@jit
def accumulate_wear(t_mid, stepper):
    """Add the work of all contacts that wear over a step."""
    model = MODEL(stepper.model)
    active = ints(stepper.active)
    workspace = CONTACT_WORKSPACE(model.workspace)
    P = floats(stepper.P)
    for w in range(model.n_wear):
        wear = WEAR(model.wear, w)
        for i in range(stepper.n_active):
            if active[i] == wear.contact and P[i * stepper.rows_per_contact] > 0.0:
                amount = P[i * stepper.rows_per_contact] * sliding_distance_rate(stepper, i)
                call_gaps(stepper.bodies_kernel, t_mid, floats(stepper.y_mid), model)
                call_directions(stepper.gap_kernel, wear.contact, P, model)
                contact = CONTACT(model.contacts, wear.contact)
                a = body_in_space(model, contact.body_a, workspace.body_a)
                b = body_in_space(model, contact.body_b, workspace.body_b)
                add_work(model, wear, a, b, CONTACT_STATE(model.contact_state, wear.contact), amount)
