"""The controller aims at the tolerance: with an error C hᵖ the next step has the error SAFETYᵖ."""

from __future__ import annotations

import math

import pytest

from carom.mechanics.model_record import OK, SINGULAR
from carom.solve.runge_kutta.step_control import (
    FAILED_SHRINK,
    MAX_GROWTH,
    MAX_SHRINK,
    PI_WEIGHT,
    SAFETY,
    growth_factor,
    shrink_factor,
)


@pytest.mark.parametrize("order", [4, 5, 8])
@pytest.mark.parametrize("error", [0.3, 0.9])
def test_next_step_of_the_elementary_controller_has_the_aimed_error(order, error):
    factor = growth_factor(error, 0.01, order, 0.0)
    assert error * factor**order == pytest.approx(SAFETY**order)


@pytest.mark.parametrize("order", [5, 8])
def test_rejected_step_is_repeated_with_the_aimed_error(order):
    factor = shrink_factor(OK, 3.0, order)
    assert 3.0 * factor**order == pytest.approx(SAFETY**order)


def test_rising_error_makes_the_next_step_shorter():
    steady, rising = growth_factor(0.5, 0.5, 5, PI_WEIGHT), growth_factor(0.5, 0.05, 5, PI_WEIGHT)
    assert rising < steady


def test_factors_are_bounded():
    assert growth_factor(0.0, 1.0, 5, PI_WEIGHT) == growth_factor(1e-30, 1.0, 5, PI_WEIGHT) == MAX_GROWTH
    assert shrink_factor(OK, 1e30, 5) == MAX_SHRINK


@pytest.mark.parametrize(("status", "error"), [(SINGULAR, 0.5), (OK, math.nan), (OK, math.inf)])
def test_failed_step_is_shortened_by_a_fixed_factor(status, error):
    assert shrink_factor(status, error, 5) == FAILED_SHRINK
