"""Contact log of single contacts: onset, extremes and end, found from step to step.

Onset and end are not located by events: their times are interpolated in the step, and the speeds are those in the
middle of the step.
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import SINGLE_CONTACT
from carom.geometry.pairs.base import NO_CONTACT, PAIR_OUTPUT
from carom.kernels import ints, jit
from carom.mechanics.contact_log import CONTACT_LOG_ROW, store_log_row
from carom.mechanics.contact_records import FORCE_FREE, LOADED, SEPARATED
from carom.solve.many_body.records import LOG_CAPACITY, VERLET_SETTINGS


@jit
def start_tracking(contact, settings, delta, middle_rate):
    """Store the onset of a contact: when the indentation was zero, if that was in this step."""
    contact.mode = LOADED
    contact.rate_start = max(middle_rate, 0.0)
    contact.delta_start = delta
    contact.t_start = settings.t
    if middle_rate > 0.0:
        contact.t_start -= min(delta / middle_rate, settings.h)
    contact.peak_force = 0.0
    contact.max_indentation = 0.0
    contact.n_compressions = 0
    contact.normal_loss_start = contact.normal
    contact.friction_loss_start = contact.friction
    contact.indentation_rate = middle_rate


@jit
def track_contact(many_body, row, is_new, delta, middle_rate, force, normal_power, friction_power):
    """Update a single contact with the indentation [m] and the normal force [N] at the end of a step.

    ``middle_rate`` is the rate of indentation in the middle of the step [m/s]. The powers are the sums of those at both
    ends of the step [W].
    """
    settings = VERLET_SETTINGS(many_body.settings)
    contact = SINGLE_CONTACT(many_body.single_contacts, row)
    rate = middle_rate
    if is_new:
        start_tracking(contact, settings, delta, middle_rate)
    else:
        rate = 1.5 * middle_rate - 0.5 * contact.middle_rate
        if contact.indentation_rate > 0.0 and rate <= 0.0:
            contact.n_compressions += 1
    if force > 0.0:
        contact.mode = LOADED
    elif contact.mode == LOADED and contact.peak_force > 0.0:
        contact.mode = FORCE_FREE
        contact.t_release = settings.t
        contact.release_speed = -rate
    contact.peak_force = max(force, contact.peak_force)
    contact.max_indentation = max(delta, contact.max_indentation)
    contact.indentation = delta
    contact.indentation_rate = rate
    contact.middle_rate = middle_rate
    contact.normal += 0.5 * settings.h * normal_power
    contact.friction += 0.5 * settings.h * friction_power


@jit
def end_tracking(many_body, row, middle_rate, friction_energy, workspace):
    """Log a single contact that ended in this step; the elastic energy of its friction is lost [J]."""
    settings = VERLET_SETTINGS(many_body.settings)
    contact = SINGLE_CONTACT(many_body.single_contacts, row)
    contact.friction += friction_energy
    rate = middle_rate
    if PAIR_OUTPUT(workspace.pair_output).gap >= NO_CONTACT:  # there is no normal any more
        rate = contact.indentation_rate
    if contact.indentation_rate > 0.0 and rate <= 0.0:
        contact.n_compressions += 1
    t_end = settings.t
    if rate < 0.0:
        t_end = min(settings.t - settings.h - contact.indentation / rate, settings.t)
    speed = max(-rate, 0.0)
    if contact.mode == FORCE_FREE:  # it ended with its force
        t_end = contact.t_release
        speed = contact.release_speed
    contact.mode = SEPARATED
    counts = ints(many_body.n_logged)
    log_row = CONTACT_LOG_ROW(many_body.contact_log, LOG_CAPACITY * row + counts[row])
    store_log_row(log_row, row, contact, contact, t_end, speed, math.nan, 0.0)
    counts[row] += 1
    if counts[row] == LOG_CAPACITY:
        many_body.log_is_full = 1
