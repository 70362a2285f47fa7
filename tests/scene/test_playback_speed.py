"""Playback speeds of an animation."""

import pytest

from carom.scene.playback_speed import round_factor, speed_choices, speed_label


@pytest.mark.parametrize(("factor", "expected"), [(0.0123, 0.01), (0.016, 0.02), (0.6, 0.5), (8.0, 10.0), (0.0, 1.0)])
def test_speeds_are_round(factor, expected):
    assert round_factor(factor) == pytest.approx(expected)


def test_default_speed_shows_a_run_in_a_few_seconds():
    choices, default = speed_choices(0.08)
    assert default == 0.01
    assert speed_label(default) == "1/100 of real time"
    assert choices["real time"] == 1.0
