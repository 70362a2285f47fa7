"""Time at equal accuracy is read off a front of measured points."""

from __future__ import annotations

import math

import pytest

from precision import Point, front, ratio_at_best, reliable, time_for


def way(name: str, *pairs: tuple[float, float]) -> list[Point]:
    return [Point(name, f"setting {k}", seconds, error) for k, (seconds, error) in enumerate(pairs)]


SECOND_ORDER = way("second order", (1e-3, 1e-2), (1e-2, 1e-4), (1e-1, 1e-6))
"""Ten times the work, a hundredth of the error."""


def test_a_power_law_is_interpolated_exactly():
    for exponent in (-2.0, -2.7, -3.0, -5.3, -6.0):
        assert time_for(SECOND_ORDER, 10.0**exponent) == pytest.approx(10.0 ** (-2.0 - exponent / 2.0 - 2.0), rel=1e-12)


def test_coarser_than_the_coarsest_costs_as_much_and_finer_than_the_finest_cannot_be_had():
    assert time_for(SECOND_ORDER, 0.5) == 1e-3
    assert time_for(SECOND_ORDER, 9e-7) == math.inf
    assert time_for([], 1.0) == math.inf


def test_a_lucky_setting_counts_as_its_finer_ones_do():
    lucky = way("lucky", (1.0, 1e-2), (2.0, 1e-9), (4.0, 1e-3))
    assert [point.error for point in reliable(lucky)] == [1e-2, 1e-3, 1e-3]
    assert time_for(lucky, 1e-3) == 2.0
    assert time_for(lucky, 1e-4) == math.inf


def test_a_run_that_broke_off_at_the_finest_setting_leaves_nothing_to_trust():
    assert front(way("broken", (1.0, 1e-2), (2.0, math.inf))) == []


def test_a_run_that_broke_off_at_a_coarse_setting_spoils_coarser_ones_only():
    assert [point.seconds for point in front(way("unstable", (1.0, math.nan), (2.0, 1e-3), (3.0, 1e-4)))] == [2.0, 3.0]


def test_the_front_takes_the_better_of_two_ways():
    slow_but_fine = way("fine", (5.0, 1e-3), (6.0, 1e-8))
    quick = way("quick", (1.0, 1e-2), (2.0, 1e-3))
    assert [(point.way, point.seconds) for point in front([*slow_but_fine, *quick])] == [
        ("quick", 1.0), ("quick", 2.0), ("fine", 6.0),
    ]  # fmt: skip


def test_the_ratio_is_taken_where_both_can_go():
    ours = way("ours", (1e-3, 1e-4), (2e-3, 1e-8))
    assert ratio_at_best(ours, SECOND_ORDER) == (1e-6, pytest.approx(0.1 / time_for(ours, 1e-6)))
    finer = way("finer", (1.0, 1e-8), (2.0, 1e-12))
    assert ratio_at_best(ours, finer) == (1e-8, pytest.approx(1.0 / 2e-3))
