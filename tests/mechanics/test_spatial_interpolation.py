"""Interpolation inside a step."""

import pytest

from carom.mechanics.spatial_interpolation import quintic


def test_the_rate_in_a_very_short_step_does_not_see_the_rounding_of_the_position():
    """Over 1e-12 s the last bit of a position is a rate of 1e-5 m/s."""
    h, x0, v0, a = 1e-12, 0.1, 8.4e-3, -9.81
    x1, v1 = x0 + v0 * h, v0 + a * h
    for s in (0.1, 0.5, 0.9, 1.0):
        x, v = quintic(h, s, x0, v0, a, x1, v1, a, 2.0 * x0)
        assert v == pytest.approx(v0 + s * h * a, rel=1e-15)
        assert x == pytest.approx(x0, abs=1e-14)


def test_it_is_exact_for_a_polynomial_of_fifth_degree():
    """Value and rate of 1 − 2 t + 3 t³ − t⁵ at fractions of a step of 0.7 s."""

    def exact(t):
        return 1 - 2 * t + 3 * t**3 - t**5, -2 + 9 * t**2 - 5 * t**4, 18 * t - 20 * t**3

    h = 0.7
    for s in (0.0, 0.3, 0.8, 1.0):
        value = quintic(h, s, *exact(0.0), *exact(h), 1.0)
        assert value == pytest.approx(exact(s * h)[:2], rel=1e-14)
