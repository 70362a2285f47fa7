"""Wear of contacts over an accepted step: the work of the normal force, by Gauss's quadrature on the step's quintic."""

from __future__ import annotations

from carom.kernels import CONTACT_EVENT, jit, kernel
from carom.mechanics.contact_records import CONTACT_HISTORY, CONTACT_WORKSPACE, LOADED, SEPARATED, store_last_state
from carom.mechanics.model_record import MODEL
from carom.mechanics.wear import WEAR, add_work
from carom.solve.compliant.contact_interpolation import contact_at_state, contact_in_step
from carom.solve.compliant.contact_transitions import end_contact
from carom.solve.compliant.records import EVENTS

INNER_POINT, INNER_WEIGHT = 0.33998104358485626, 0.6521451548625461
OUTER_POINT, OUTER_WEIGHT = 0.8611363115940526, 0.34785484513745385
"""Points and weights of Gauss's quadrature with four points on [−1, 1]."""


@jit
def add_at_fraction(model, wear, y0, f0, y1, f1, h, point, weight):
    """Add the work at a point of the quadrature."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    contact_state = contact_in_step(model, wear.contact, y0, f0, y1, f1, h, 0.5 * (1.0 + point))
    force = contact_state.normal_force
    if force > 0.0:
        amount = 0.5 * h * weight * force * abs(contact_state.sliding_speed)
        add_work(model, wear, workspace.body_a, workspace.body_b, contact_state, amount)


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def accumulate_wear(t, h, y0, f0, y1, f1, model, events):
    """Add the work of all contacts that wear over a step; return 0."""
    for w in range(model.n_wear):
        wear = WEAR(model.wear, w)
        if CONTACT_HISTORY(model.contact_history, wear.contact).mode == LOADED:
            for sign in range(-1, 2, 2):
                add_at_fraction(model, wear, y0, f0, y1, f1, h, sign * INNER_POINT, INNER_WEIGHT)
                add_at_fraction(model, wear, y0, f0, y1, f1, h, sign * OUTER_POINT, OUTER_WEIGHT)
    return 0


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def follow_worn_geometry(t, h, y0, f0, y1, f1, model, events):
    """End the contacts in state ``y1`` that the removal of material has opened; store the gaps of all that wear."""
    for w in range(model.n_wear):
        k = WEAR(model.wear, w).contact
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = contact_at_state(model, k, y1)
        if history.mode != SEPARATED and contact_state.indentation <= 0.0:
            end_contact(t, model, k, y1, events)
            contact_state = contact_at_state(model, k, y1)
        store_last_state(history, contact_state)
    return 0
