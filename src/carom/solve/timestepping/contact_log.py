"""Contact log: one entry per contact, from its first impulse to its last."""

from __future__ import annotations

from carom.kernels import floats, ints, jit, offset
from carom.mechanics.model_record import CONTACT_LOSS
from carom.solve.timestepping.active_contacts import after
from carom.solve.timestepping.records import CONTACT_LOG_ENTRY

MAX_PAUSE = 2
"""Steps without impulse that do not end a contact: a shorter rebound is below the resolution of the steps."""


@jit
def update_contact_log(t, h, stepper):
    """Start, continue or end the log entries of all contacts after a step from t to t + h."""
    impulses = floats(stepper.last_P)
    dim = stepper.rows_per_contact
    for k in range(stepper.n_contacts):
        entry = CONTACT_LOG_ENTRY(stepper.log_entries, k)
        if impulses[k * dim] > 0.0 or entry.is_open == 0.0:
            continue
        entry.steps_without_impulse += 1.0
        if entry.steps_without_impulse > MAX_PAUSE:
            open_at_end = 0.0
            log_contact(stepper, k, open_at_end)
    active = ints(stepper.active)
    gaps = floats(stepper.active_gaps)
    gamma_pre = floats(stepper.gamma_pre)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    d = 0 * dim
    for i in range(stepper.n_active):
        k = active[i]
        p = impulses[k * dim]
        if not p > 0.0:
            continue
        entry = CONTACT_LOG_ENTRY(stepper.log_entries, k)
        if entry.is_open == 0.0:
            start_entry(entry, k, t + 0.5 * h, gamma_pre[i * dim], gaps[i])
        if entry.steps_without_impulse > 0.0:
            entry.compressions += 1.0
        entry.steps_without_impulse = 0.0
        entry.t_end = t + 0.5 * h
        entry.separation_speed = max(after(stepper, i, d, u_new), 0.0)
        entry.peak_force = max(entry.peak_force, p / h)
        entry.max_indentation = max(entry.max_indentation, -gaps[i])
        entry.impulse += p


@jit
def start_entry(entry, k, t, gamma_N, gap):
    """Start the entry of contact ``k``; the losses before it are those at the end of its last contact."""
    entry.contact = k
    entry.is_open = 1.0
    entry.t_start = t
    entry.approach_speed = max(-gamma_N, 0.0)
    entry.initial_indentation = max(-gap, 0.0)
    entry.max_indentation = 0.0
    entry.peak_force = 0.0
    entry.impulse = 0.0
    entry.compressions = 0.0
    entry.steps_without_impulse = 1.0


@jit
def log_contact(stepper, k, open_at_end):
    """Append the entry of contact ``k`` to the log and close it."""
    loss = CONTACT_LOSS(stepper.contact_losses, k)
    entry = CONTACT_LOG_ENTRY(stepper.log_entries, k)
    row = CONTACT_LOG_ENTRY(stepper.log, stepper.n_logged)
    row.contact = entry.contact
    row.t_start = entry.t_start
    row.t_end = entry.t_end
    row.approach_speed = entry.approach_speed
    row.separation_speed = entry.separation_speed
    row.peak_force = entry.peak_force
    row.max_indentation = entry.max_indentation
    row.energy_lost = loss.normal - entry.energy_lost
    row.friction_loss = loss.friction - entry.friction_loss
    row.compressions = entry.compressions
    row.initial_indentation = entry.initial_indentation
    row.is_open = open_at_end
    row.impulse = entry.impulse
    row.steps_without_impulse = entry.steps_without_impulse
    stepper.n_logged += 1
    entry.is_open = 0.0
    entry.energy_lost = loss.normal
    entry.friction_loss = loss.friction
