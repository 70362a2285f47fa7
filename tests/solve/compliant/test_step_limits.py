"""Limits of steps that depend on the tolerance."""

from __future__ import annotations

import pytest

from carom.solve.compliant.rk_integrator import LONGEST_AT_ONSET, length_at_onset, longest_implicit_step


def test_the_error_of_the_first_step_in_contact_follows_the_tolerance():
    """A force like δ^1.5 makes an error like h^2.5 in the speed."""
    first, looser = length_at_onset(2e-4, 1e-10), length_at_onset(2e-4, 1e-8)
    assert (looser / first) ** 2.5 == pytest.approx(100.0)


def test_steps_at_onsets_are_limited_on_both_sides():
    assert length_at_onset(2e-4, 1e-13) == 2e-4
    assert length_at_onset(5e-4, 1e-2) == LONGEST_AT_ONSET


def test_implicit_steps_over_motions_in_time_stay_a_small_part_of_the_run():
    assert longest_implicit_step(True, 1.0, 1e-10) == 1e-3
    assert longest_implicit_step(True, 1.0, 1e-2) == pytest.approx(3e-3)
    assert longest_implicit_step(False, 1.0, 1e-10) == longest_implicit_step(False, 1.0, 1e-2)
