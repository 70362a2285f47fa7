"""How contacts begin, change and end, and what is written down of them."""

from __future__ import annotations

import math

from carom.kernels import WATCH, floats, jit, kernel, offset
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, FORCE_FREE, LOADED, SEPARATED
from carom.mechanics.contacts import (
    AT_REST,
    LAW_OUT,
    LAW_STATE,
    mobility,
    note,
    press,
    pull_along,
    resting_speed,
    typical_duration,
)
from carom.mechanics.model_record import MODEL, contact_loss
from carom.solve.compliant.desk import (
    CONTACT as EVENT_CONTACT,
)
from carom.solve.compliant.desk import (
    ENGAGE,
    FIRST_LOG,
    KIND,
    LOG_APPROACH,
    LOG_COLUMNS,
    LOG_CONTACT,
    LOG_END,
    LOG_FIRST_DEPTH,
    LOG_FRICTION_LOSS,
    LOG_LARGEST,
    LOG_NORMAL_LOSS,
    LOG_OPEN,
    LOG_PEAK,
    LOG_SEPARATION,
    LOG_START,
    LOG_TURNS,
    LOGGED,
    ONSET,
    RELEASE,
    SEPARATION,
    SHORTEST,
    TURN,
)
from carom.solve.compliant.look import resolution, view


@jit
def note_loss(model, k, y, history):
    loss = contact_loss(model, k, y)
    history.normal_loss_start = loss.normal
    history.friction_loss_start = loss.friction


@jit
def begin(t, model, k, y):
    """Contact ``k`` begins in state ``y``."""
    contact = CONTACT(model.contacts, k)
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = view(model, k, y)
    history.mode = LOADED
    history.approach_speed = contact_state.indentation_rate if contact_state.indentation_rate > 0.0 else 0.0
    history.rate_start = history.approach_speed
    history.delta_turn = 0.0
    history.is_unloading = 0.0
    history.t_start = t
    history.delta_start = contact_state.indentation
    history.max_indentation = max(contact_state.indentation, 0.0)
    history.max_indentation_rate = abs(contact_state.indentation_rate)
    history.n_compressions = 0.0
    history.t_release = t
    history.release_speed = 0.0
    note_loss(model, k, y, history)
    history.impact_duration = typical_duration(model, contact, history, contact_state)
    press(model, contact, history, contact_state)
    history.peak_force = max(contact_state.normal_force, 0.0)
    note(history, contact_state)


@jit
def log(t, model, k, y, desk, still_open):
    """Write down a contact that ends, or is still there at the end of the run."""
    history = CONTACT_HISTORY(model.contact_history, k)
    loss = contact_loss(model, k, y)
    contact_state = view(model, k, y)
    row = offset(desk, FIRST_LOG + LOG_COLUMNS * int(desk[LOGGED]))
    desk[LOGGED] += 1.0
    row[LOG_CONTACT] = k
    row[LOG_START] = history.t_start
    row[LOG_END] = t
    row[LOG_APPROACH] = history.rate_start
    row[LOG_SEPARATION] = max(-contact_state.indentation_rate, 0.0)
    if history.mode == FORCE_FREE:  # it ended when its force did
        row[LOG_END] = history.t_release
        row[LOG_SEPARATION] = history.release_speed
    row[LOG_PEAK] = history.peak_force
    row[LOG_LARGEST] = history.max_indentation
    row[LOG_NORMAL_LOSS] = loss.normal - history.normal_loss_start
    if history.mode == FORCE_FREE:  # what is stored then relaxes without work
        row[LOG_NORMAL_LOSS] += contact_state.stored_energy
    row[LOG_FRICTION_LOSS] = loss.friction - history.friction_loss_start
    row[LOG_TURNS] = history.n_compressions
    row[LOG_FIRST_DEPTH] = history.delta_start
    row[LOG_OPEN] = still_open


@jit
def forget_slip(model, k, y):
    """A contact that lets go loses the state of its friction."""
    contact = CONTACT(model.contacts, k)
    if contact.friction_state_offset >= 0:
        y[2 * model.n_velocities + contact.friction_state_offset] = 0.0


@jit
def end(t, model, k, y, desk):
    """Contact ``k`` is over."""
    history = CONTACT_HISTORY(model.contact_history, k)
    closed = 0.0
    log(t, model, k, y, desk, closed)
    history.mode = SEPARATED
    forget_slip(model, k, y)


@jit
def shortest_contact(model):
    """Shortest duration of the contacts that press [s]."""
    shortest = math.inf
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == LOADED:
            shortest = min(shortest, history.impact_duration)
    return shortest


@kernel(WATCH, MODEL)
def switch(t, h, y0, f0, y1, f1, model, desk):
    """Carry out the event on the desk in state ``y1``; others at the same time follow, each on its own."""
    k = int(desk[EVENT_CONTACT])
    kind = int(desk[KIND])
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = view(model, k, y1)
    if kind == ONSET:
        begin(t, model, k, y1)
    elif kind == SEPARATION:
        end(t, model, k, y1, desk)
    elif kind == RELEASE:
        history.t_release = t
        history.release_speed = -contact_state.indentation_rate
        history.mode = FORCE_FREE
        forget_slip(model, k, y1)
    elif kind == ENGAGE:
        history.mode = LOADED
    elif kind == TURN:
        history.delta_turn = contact_state.indentation
        history.is_unloading = 1.0
    else:
        history.is_unloading = 0.0
    desk[SHORTEST] = shortest_contact(model)
    return 0


@kernel(WATCH, MODEL)
def start(t, h, y0, f0, y1, f1, model, desk):
    """Modes of all contacts in the first state: those that overlap, or touch and approach, press. Answers how many."""
    count = 0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        history.mode = SEPARATED
        contact_state = view(model, k, y1)
        note(history, contact_state)
        known = resolution(contact_state)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        if delta > known or (delta >= -known and rate > 0.0) or (delta >= 0.0 and rate == 0.0):
            begin(t, model, k, y1)
            count += 1
    desk[SHORTEST] = shortest_contact(model)
    desk[LOGGED] = 0.0
    return count


@kernel(WATCH, MODEL)
def rest(t, h, y0, f0, y1, f1, model, desk):
    """Give the contacts that began at rest the damping of the bodies that settle on them.

    ``f1`` has the accelerations without contacts. Without it such a contact is elastic, and a body that is put on its
    floor bounces for ever.
    """
    scratch = floats(model.workspace)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == LOADED and abs(history.last_rate) <= AT_REST:
            contact_state = view(model, k, y1)
            history.approach_speed = resting_speed(
                contact.law_kernel, offset(floats(model.params), contact.law_params),
                LAW_INPUT(offset(scratch, LAW_STATE)), LAW_OUTPUT(offset(scratch, LAW_OUT)), contact_state.indentation,
                pull_along(model, contact, contact_state, offset(f1, model.n_velocities)),
                mobility(model, contact, contact_state),
            )  # fmt: skip
            history.impact_duration = typical_duration(model, contact, history, contact_state)
    desk[SHORTEST] = shortest_contact(model)
    return 0


@kernel(WATCH, MODEL)
def finish(t, h, y0, f0, y1, f1, model, desk):
    """Write down the contacts that are still there at the end of the run."""
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode != SEPARATED:
            still = 0.0 if history.mode == FORCE_FREE else 1.0  # overlapping without force: it has ended
            log(t, model, k, y1, desk, still)
    return 0


@kernel(WATCH, MODEL)
def settle(t, h, y0, f0, y1, f1, model, desk):
    """Contacts by their indentation at the end of a step, for runs that do not locate events; answers what changed."""
    changes = 0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = view(model, k, y1)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        if history.mode == SEPARATED and delta > 0.0:
            begin(t, model, k, y1)
            changes += 1
        elif history.mode == LOADED and delta <= 0.0 and rate <= 0.0:
            end(t, model, k, y1, desk)
            changes += 1
        elif history.mode == LOADED and contact.has_unloading_curve:
            if history.is_unloading == 0.0 and rate < 0.0:
                history.delta_turn = max(delta, history.max_indentation)
                history.is_unloading = 1.0
                changes += 1
            elif history.is_unloading != 0.0 and delta > history.delta_turn:
                history.is_unloading = 0.0
                changes += 1
    desk[SHORTEST] = shortest_contact(model)
    return changes
