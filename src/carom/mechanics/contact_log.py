"""Contact log: one row per contact from its onset to its end, written in the same way by all methods."""

from __future__ import annotations

import inspect

from carom.kernels import FLOAT, jit, record

CONTACT_LOG_ROW = record(
    # all floats, as rows of one array
    contact=FLOAT,  # index
    t_start=FLOAT,  # [s]
    t_end=FLOAT,  # [s]; in time stepping the midpoint of the last step with an impulse
    approach_speed=FLOAT,  # [m/s]
    separation_speed=FLOAT,  # [m/s]
    peak_force=FLOAT,  # [N]
    max_indentation=FLOAT,  # [m]
    energy_lost=FLOAT,  # by the normal force [J]
    friction_loss=FLOAT,  # [J]
    compressions=FLOAT,
    initial_indentation=FLOAT,  # [m]
    is_open=FLOAT,  # the run ended before the contact
    impulse=FLOAT,  # of the normal force [N s]; NaN in compliant runs
)

CONTACT_LOG_ENTRY = record(
    # a contact of a non-smooth run, whose history this is; all floats, as rows of one array
    is_open=FLOAT,  # the contact has begun and not ended
    t_start=FLOAT,  # [s]
    t_end=FLOAT,  # midpoint of the last step with an impulse [s]
    rate_start=FLOAT,  # rate of indentation at the onset, zero where it separates [m/s]
    delta_start=FLOAT,  # indentation at the onset [m]
    separation_speed=FLOAT,  # after the last impulse [m/s]
    peak_force=FLOAT,  # so far [N]
    max_indentation=FLOAT,  # so far [m]
    n_compressions=FLOAT,  # so far
    normal_loss_start=FLOAT,  # dissipated energies at the onset [J]
    friction_loss_start=FLOAT,
    impulse=FLOAT,  # so far; in event-driven runs, of all contacts before the onset [N s]
    steps_without_impulse=FLOAT,  # since the last impulse
)


@jit
def store_log_row(row, k, history, loss, t_end, separation_speed, impulse, is_open):
    """Store the row of contact ``k``, which ends at ``t_end`` [s] or is open at the end of the run.

    ``history`` is its CONTACT_HISTORY or CONTACT_LOG_ENTRY, ``loss`` its CONTACT_LOSS since the start of the run.
    """
    row.contact = k
    row.t_start = history.t_start
    row.t_end = t_end
    row.approach_speed = history.rate_start
    row.separation_speed = separation_speed
    row.peak_force = history.peak_force
    row.max_indentation = history.max_indentation
    row.energy_lost = loss.normal - history.normal_loss_start
    row.friction_loss = loss.friction - history.friction_loss_start
    row.compressions = history.n_compressions
    row.initial_indentation = history.delta_start
    row.is_open = is_open
    row.impulse = impulse


write_log_row = inspect.unwrap(store_log_row)
"""`store_log_row` for rows in Python."""
