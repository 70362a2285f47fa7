"""Contact log: one entry per contact, from its first impulse to its last."""

from __future__ import annotations

from carom.kernels import floats, ints, jit, offset
from carom.mechanics.contact_log import CONTACT_LOG_ENTRY, CONTACT_LOG_ROW, store_log_row
from carom.mechanics.model_record import CONTACT_LOSS
from carom.solve.timestepping.active_contacts import gamma_post

MAX_PAUSE = 2
"""Steps without impulse that do not end a contact: a shorter rebound is below the resolution of the steps."""


@jit(inline=True)
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
            log_contact(stepper, k, 0.0)
    active = ints(stepper.active)
    gaps = floats(stepper.active_gaps)
    gamma_pre = floats(stepper.gamma_pre)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    for i in range(stepper.n_active):
        k = active[i]
        p = impulses[k * dim]
        if not p > 0.0:
            continue
        entry = CONTACT_LOG_ENTRY(stepper.log_entries, k)
        if entry.is_open == 0.0:
            start_entry(entry, t + 0.5 * h, gamma_pre[i * dim], gaps[i])
        if entry.steps_without_impulse > 0.0:
            entry.n_compressions += 1.0
        entry.steps_without_impulse = 0.0
        entry.t_end = t + 0.5 * h
        entry.separation_speed = max(gamma_post(stepper, i, 0, u_new), 0.0)
        entry.peak_force = max(entry.peak_force, p / h)
        entry.max_indentation = max(entry.max_indentation, -gaps[i])
        entry.impulse += p


@jit
def start_entry(entry, t, gamma_N, gap):
    """Start the entry of a contact; the losses before it are those at the end of its last contact."""
    entry.is_open = 1.0
    entry.t_start = t
    entry.rate_start = max(-gamma_N, 0.0)
    entry.delta_start = max(-gap, 0.0)
    entry.max_indentation = 0.0
    entry.peak_force = 0.0
    entry.impulse = 0.0
    entry.n_compressions = 0.0
    entry.steps_without_impulse = 1.0


@jit
def log_contact(stepper, k, open_at_end):
    """Append the entry of contact ``k`` to the log and close it."""
    loss = CONTACT_LOSS(stepper.contact_losses, k)
    entry = CONTACT_LOG_ENTRY(stepper.log_entries, k)
    row = CONTACT_LOG_ROW(stepper.log, stepper.n_logged)
    store_log_row(row, k, entry, loss, entry.t_end, entry.separation_speed, entry.impulse, open_at_end)
    stepper.n_logged += 1
    entry.is_open = 0.0
    entry.normal_loss_start = loss.normal
    entry.friction_loss_start = loss.friction
