"""Contact transitions (onset, separation, force zero, unloading) and the contact log."""

from __future__ import annotations

import math

from carom.kernels import CONTACT_EVENT, call_rate, floats, jit, kernel, offset
from carom.mechanics.contact import (
    MAX_RESTING_SPEED,
    normal_force,
    start_loading,
    start_unloading,
    update_turning_point,
)
from carom.mechanics.contact_duration import (
    impact_duration,
    inverse_effective_mass,
    normal_acceleration,
    resting_speed,
)
from carom.mechanics.contact_friction import stored_friction_energy
from carom.mechanics.contact_log import CONTACT_LOG_ROW, store_log_row
from carom.mechanics.contact_records import (
    CONTACT,
    CONTACT_HISTORY,
    CONTACT_WORKSPACE,
    FORCE_FREE,
    LOADED,
    SEPARATED,
    store_last_state,
)
from carom.mechanics.model_record import MODEL, contact_loss
from carom.solve.compliant.contact_interpolation import contact_at_state, resolution
from carom.solve.compliant.contact_jumps import clear_jump
from carom.solve.compliant.records import (
    EVENTS,
    FORCE_RETURN,
    FORCE_ZERO,
    ONSET,
    SEPARATION,
    UNLOADING,
)


@jit
def store_loss_at_start(model, k, y, history):
    """Store the dissipated energies at the onset."""
    loss = contact_loss(model, k, y)
    history.normal_loss_start = loss.normal
    history.friction_loss_start = loss.friction


@jit
def store_impact_duration(model, contact, history, contact_state):
    """Store effective mass and estimated duration of an impact with the approach speed of the history."""
    history.inverse_effective_mass = inverse_effective_mass(model, contact, contact_state)
    history.impact_duration = impact_duration(
        model, contact, history.approach_speed, history.inverse_effective_mass, contact_state.indentation
    )


@jit
def start_contact(t, model, k, y):
    """Start contact ``k`` in state ``y``."""
    contact = CONTACT(model.contacts, k)
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = contact_at_state(model, k, y)
    history.mode = LOADED
    history.approach_speed = contact_state.indentation_rate if contact_state.indentation_rate > 0.0 else 0.0
    history.rate_start = history.approach_speed
    start_loading(history)
    history.t_start = t
    history.delta_start = contact_state.indentation
    history.max_indentation = max(contact_state.indentation, 0.0)
    history.max_indentation_rate = abs(contact_state.indentation_rate)
    history.n_compressions = 0
    history.t_release = t
    history.release_speed = 0.0
    store_loss_at_start(model, k, y, history)
    store_impact_duration(model, contact, history, contact_state)
    normal_force(model, contact, history, contact_state)
    history.peak_force = max(contact_state.normal_force, 0.0)
    store_last_state(history, contact_state)


@jit
def log_contact(t, model, k, y, events, open_at_end):
    """Log a contact that ends, or that is open at the end of the run."""
    history = CONTACT_HISTORY(model.contact_history, k)
    loss = contact_loss(model, k, y)
    contact_state = contact_at_state(model, k, y)
    row = CONTACT_LOG_ROW(events.log, events.n_logged)
    events.n_logged += 1
    t_end = t
    separation_speed = max(-contact_state.indentation_rate, 0.0)
    if history.mode == FORCE_FREE:  # it ended with its force
        t_end = history.t_release
        separation_speed = history.release_speed
    store_log_row(row, k, history, loss, t_end, separation_speed, math.nan, open_at_end)
    if history.mode == FORCE_FREE:  # the stored energy then relaxes without work
        row.energy_lost += contact_state.stored_energy


@jit
def reset_friction_state(model, k, y):
    """Reset the friction state of a contact without force; its elastic energy is lost."""
    contact = CONTACT(model.contacts, k)
    if contact.friction_state_offset >= 0:
        first = 2 * model.n_velocities + contact.friction_state_offset
        contact_loss(model, k, y).friction += stored_friction_energy(model, contact, offset(y, first))
        for d in range(1 if model.dim == 2 else 3):
            y[first + d] = 0.0


@jit
def end_contact(t, model, k, y, events):
    """End contact ``k``."""
    history = CONTACT_HISTORY(model.contact_history, k)
    reset_friction_state(model, k, y)
    log_contact(t, model, k, y, events, 0.0)
    history.mode = SEPARATED


@jit
def min_impact_duration(model):
    """Return the shortest impact duration of the loaded contacts [s]."""
    shortest = math.inf
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == LOADED:
            shortest = min(shortest, history.impact_duration)
    return shortest


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def apply_event(t, h, y0, f0, y1, f1, model, events):
    """Apply the stored event in state ``y1``; other events at the same time follow one by one."""
    k = events.contact
    kind = events.kind
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = contact_at_state(model, k, y1)
    if kind == ONSET:
        start_contact(t, model, k, y1)
    elif kind == SEPARATION:
        end_contact(t, model, k, y1, events)
    elif kind == FORCE_ZERO:
        history.t_release = t
        history.release_speed = -contact_state.indentation_rate
        history.mode = FORCE_FREE
        reset_friction_state(model, k, y1)
    elif kind == FORCE_RETURN:
        history.mode = LOADED
    elif kind == UNLOADING:
        start_unloading(history, contact_state.indentation)
    else:
        history.is_unloading = 0
    events.min_impact_duration = min_impact_duration(model)
    return 0


@jit
def initialise_contacts(t, y1, model):
    """Set the modes of all contacts in the first state; return whether some are closed at rest.

    Contacts that overlap, or touch and approach, are loaded.
    """
    rests = False
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        history.mode = SEPARATED
        contact_state = contact_at_state(model, k, y1)
        store_last_state(history, contact_state)
        known = resolution(contact_state)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        if delta > known or (delta >= -known and rate > 0.0) or (delta >= 0.0 and rate == 0.0):
            start_contact(t, model, k, y1)
            rests = rests or history.last_rate <= MAX_RESTING_SPEED
    return rests


@jit
def rate_without_contacts(t, y1, slope, modes, model, rhs_kernel):
    """Evaluate y' without contact forces; ``modes`` is room for the modes of the contacts, which do not change."""
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        modes[k] = history.mode
        history.mode = SEPARATED
    call_rate(rhs_kernel, t, y1, slope, model)
    for k in range(model.n_contacts):
        CONTACT_HISTORY(model.contact_history, k).mode = int(modes[k])


@jit
def damp_resting_contacts(y1, f1, model):
    """Give the contacts that are closed at the start, and do not approach, the damping of bodies that settle on them.

    ``f1`` contains the accelerations without contacts. Otherwise such a contact would be elastic, and a body that is
    placed on its floor would bounce for ever.
    """
    workspace = CONTACT_WORKSPACE(model.workspace)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == LOADED and history.last_rate <= MAX_RESTING_SPEED:
            contact_state = contact_at_state(model, k, y1)
            history.approach_speed = resting_speed(
                contact.law_kernel, offset(floats(model.params), contact.law_params),
                workspace.law_input, workspace.law_output, contact_state.indentation,
                normal_acceleration(model, contact, contact_state, offset(f1, model.n_velocities)),
                inverse_effective_mass(model, contact, contact_state),
            )  # fmt: skip
            store_impact_duration(model, contact, history, contact_state)


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def start_contacts(t, h, y0, f0, y1, f1, model, events):
    """Start the contacts in the first state ``y1``; ``f0`` and ``f1`` are room for modes and slopes.

    Where some are closed at rest, `EVENTS` receives the largest acceleration without contacts.
    """
    events.free_acceleration = 0.0
    if initialise_contacts(t, y1, model):
        rate_without_contacts(t, y1, f1, f0, model, events.rhs_kernel)
        n = model.n_velocities
        for j in range(n, 2 * n):
            events.free_acceleration = max(events.free_acceleration, abs(f1[j]))
        damp_resting_contacts(y1, f1, model)
    events.min_impact_duration = min_impact_duration(model)
    events.n_logged = 0
    clear_jump(events)
    return 0


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def log_open_contacts(t, h, y0, f0, y1, f1, model, events):
    """Log the contacts that are open at the end of the run."""
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode != SEPARATED:
            open_at_end = 0.0 if history.mode == FORCE_FREE else 1.0  # overlapping without force: it has ended
            log_contact(t, model, k, y1, events, open_at_end)
    return 0


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def update_modes(t, h, y0, f0, y1, f1, model, events):
    """Update the modes by the indentations at the end of a step, in runs without event location; return the changes."""
    changes = 0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = contact_at_state(model, k, y1)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        if history.mode == SEPARATED and delta > 0.0:
            start_contact(t, model, k, y1)
            changes += 1
        elif history.mode == LOADED and delta <= 0.0 and rate <= 0.0:
            end_contact(t, model, k, y1, events)
            changes += 1
        elif history.mode == LOADED and contact.has_unloading_curve:
            changes += update_turning_point(history, delta, rate)
    events.min_impact_duration = min_impact_duration(model)
    return changes
