"""The contact log: rows of a contact from its history."""

from __future__ import annotations

import math

import pytest

from carom.mechanics.contact_log import CONTACT_LOG_ENTRY, CONTACT_LOG_ROW, write_log_row
from carom.mechanics.contact_records import CONTACT_HISTORY
from carom.mechanics.model_record import CONTACT_LOSS


@pytest.mark.parametrize("kind", [CONTACT_HISTORY, CONTACT_LOG_ENTRY], ids=["compliant", "non-smooth"])
def test_losses_of_a_row_are_those_since_the_onset(kind):
    history = kind.new(t_start=0.1, rate_start=2.0, peak_force=30.0, max_indentation=1e-4, delta_start=1e-9)
    history.n_compressions, history.normal_loss_start, history.friction_loss_start = 2, 5.0, 7.0
    row = CONTACT_LOG_ROW.new()
    write_log_row(row, 3, history, CONTACT_LOSS.new(normal=5.5, friction=7.25), 0.4, 1.5, math.nan, False)
    assert (row.contact, row.t_start, row.t_end, row.is_open) == (3.0, 0.1, 0.4, 0.0)
    assert (row.approach_speed, row.separation_speed) == (2.0, 1.5)
    assert (row.energy_lost, row.friction_loss) == (0.5, 0.25)
    assert (row.peak_force, row.max_indentation, row.initial_indentation) == (30.0, 1e-4, 1e-9)
    assert row.compressions == 2.0
    assert math.isnan(row.impulse)
