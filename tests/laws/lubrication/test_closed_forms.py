"""Films of long and short bearings against quadratures of the pressure, and against the textbooks' formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import cumulative_simpson, quad

import carom as cm

VISCOSITY, LENGTH, RADIUS, CLEARANCE = 0.4, 0.04, 0.01, 1e-4
SIZES = {"radius": RADIUS, "clearance": CLEARANCE}
LONG = 12.0 * VISCOSITY * LENGTH * RADIUS * (RADIUS / CLEARANCE) ** 2
SHORT = VISCOSITY * LENGTH * RADIUS * (LENGTH / CLEARANCE) ** 2

eccentricities = st.one_of(st.floats(1e-3, 0.97), st.floats(1e-9, 0.1))
rates = st.floats(-1e3, 1e3)


def long_pressure(film: str, epsilon: float, w: float, s: float, n: int = 20_001) -> tuple[np.ndarray, np.ndarray]:
    """Return θ and the pressure over 12 μ (R/c)², integrated numerically over the half that carries."""
    circle = np.linspace(0.0, 2.0 * np.pi, n)
    slope = (w * np.cos(circle) + s * np.sin(circle)) / (1.0 + epsilon * np.cos(circle)) ** 3
    if film == "pi":  # a full film is periodic; its pressure is cut where it is equal on opposite sides
        cube = cumulative_simpson(1.0 / (1.0 + epsilon * np.cos(circle)) ** 3, x=circle, initial=0.0)
        pressure = cumulative_simpson(slope, x=circle, initial=0.0)
        pressure -= pressure[-1] / cube[-1] * cube
        opposite = np.interp((circle + np.pi) % (2.0 * np.pi), circle, pressure)
        difference = pressure - opposite
        change = np.flatnonzero(np.diff(np.sign(difference)))[0]
        start = circle[change] - difference[change] * (circle[1] / (difference[change + 1] - difference[change]))
        theta = start + np.linspace(0.0, np.pi, n)
        p = np.interp(theta % (2.0 * np.pi), circle, pressure)
        p -= p[0]
        return (theta, p) if p.mean() > 0.0 else (theta + np.pi, opposite_half(theta, circle, pressure))
    theta = np.arctan2(s, w) + np.linspace(0.0, np.pi, n)
    cube = cumulative_simpson(1.0 / (1.0 + epsilon * np.cos(theta)) ** 3, x=theta, initial=0.0)
    slope = (w * np.cos(theta) + s * np.sin(theta)) / (1.0 + epsilon * np.cos(theta)) ** 3
    p = cumulative_simpson(slope, x=theta, initial=0.0)
    return theta, p - p[-1] / cube[-1] * cube


def opposite_half(theta: np.ndarray, circle: np.ndarray, pressure: np.ndarray) -> np.ndarray:
    """Return the pressure on the other half of the circumference, above its ends."""
    p = np.interp((theta + np.pi) % (2.0 * np.pi), circle, pressure)
    return p - p[0]


@pytest.mark.parametrize("film", ["pi", "arc"])
@pytest.mark.parametrize("epsilon", [0.02, 0.3, 0.9])
@pytest.mark.parametrize(("w", "s"), [(1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.7, 0.6), (-0.5, 0.9), (-0.4, -1.0)])
def test_the_force_of_a_long_bearing_is_that_of_its_pressure(film, epsilon, w, s):
    theta, p = long_pressure(film, epsilon, w, s)
    assert p.min() > -1e-6 * p.max()
    expected = np.array([np.trapezoid(p * np.cos(theta), theta), np.trapezoid(p * np.sin(theta), theta)])
    oil = cm.lubrication.LongBearing(VISCOSITY, LENGTH, film=film)
    found = oil.force(eccentricity=epsilon, eccentricity_rate=s, speed=2.0 * w / epsilon, **SIZES)
    assert np.array(found) / LONG == pytest.approx(expected, abs=2e-6 * np.hypot(*expected))


@given(eccentricities, rates, rates)
def test_the_force_of_a_long_bearing_agrees_with_quadrature(epsilon, w, s):
    """The integrals of ∫ p' sin θ and ∫ p' cos θ over the half that carries, by adaptive quadrature."""
    assume(np.hypot(w, s) > 1e-3)

    def integral(function, start):
        return quad(lambda x: function(x) / (1.0 + epsilon * np.cos(x)) ** 3, start, start + np.pi, epsrel=1e-12)[0]

    for film in ("pi", "arc"):
        if film == "pi":
            start, K = np.arctan2(s * (2.0 + epsilon**2), 2.0 * w), -3.0 * epsilon * w / (2.0 + epsilon**2)
        else:
            start = np.arctan2(s, w)
            K = integral(lambda x: w * np.cos(x) + s * np.sin(x), start) / integral(lambda x: 1.0, start)
        radial = -integral(lambda x, K=K: (w * np.cos(x) + s * np.sin(x) - K) * np.sin(x), start)
        tangential = integral(lambda x, K=K: (w * np.cos(x) + s * np.sin(x) - K) * np.cos(x), start)
        oil = cm.lubrication.LongBearing(VISCOSITY, LENGTH, film=film)
        # The wedge ε (ω/2 − γ̇) from both speeds.
        found = oil.force(eccentricity=epsilon, eccentricity_rate=s, speed=w / epsilon, line_speed=-0.5 * w / epsilon,
                          **SIZES)  # fmt: skip
        size = np.hypot(radial, tangential)
        assert np.array(found) / LONG == pytest.approx([radial, tangential], abs=1e-9 * size)


@given(eccentricities, rates, rates)
def test_the_force_of_a_short_bearing_agrees_with_quadrature(epsilon, w, s):
    assume(np.hypot(w, s) > 1e-3)
    start = np.arctan2(s, w)

    def integral(function):
        def integrand(x):
            return (w * np.sin(x) - s * np.cos(x)) * function(x) / (1.0 + epsilon * np.cos(x)) ** 3

        return quad(integrand, start, start + np.pi, epsrel=1e-12)[0]

    expected = [integral(np.cos), integral(np.sin)]
    oil = cm.lubrication.ShortBearing(VISCOSITY, LENGTH)
    found = oil.force(eccentricity=epsilon, eccentricity_rate=s, speed=2.0 * w / epsilon, **SIZES)
    assert np.array(found) / SHORT == pytest.approx(expected, abs=1e-9 * np.hypot(*expected))


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 0.7, 0.95])
def test_steady_rotation_has_the_forces_of_the_textbooks(epsilon):
    """Gümbel's half film of a long bearing, and Ocvirk's short bearing."""
    omega, rest = 100.0, 1.0 - epsilon**2
    unit = VISCOSITY * LENGTH * RADIUS * (RADIUS / CLEARANCE) ** 2 * omega
    both = 2.0 + epsilon**2
    expected = (-12.0 * epsilon**2 / (both * rest), 6.0 * np.pi * epsilon / (both * rest**0.5))
    for film in ("pi", "arc", "pinkus-sternlicht"):
        found = cm.lubrication.LongBearing(VISCOSITY, LENGTH, film=film).force(
            eccentricity=epsilon, speed=omega, **SIZES
        )
        assert found == pytest.approx(tuple(unit * number for number in expected), rel=1e-12)
    found = cm.lubrication.ShortBearing(VISCOSITY, LENGTH).force(eccentricity=epsilon, speed=omega, **SIZES)
    expected = (-(epsilon**2) / rest**2, 0.25 * np.pi * epsilon / rest**1.5)
    assert found == pytest.approx(tuple(SHORT * omega * number for number in expected), rel=1e-12)


def test_the_approximation_of_the_literature_is_off_as_known():
    """Pure squeeze: 10 to 25 % off for an approaching journal, five times too large for one that leaves the wall."""
    exact, approximate = (cm.lubrication.LongBearing(VISCOSITY, LENGTH, film=film)
                          for film in ("pi", "pinkus-sternlicht"))  # fmt: skip
    for rate, epsilon, low, high in ((1.0, 0.3, 1.1, 1.25), (1.0, 0.6, 1.1, 1.25), (-1.0, 0.9, 5.0, 6.0)):
        forces = [oil.force(eccentricity=epsilon, eccentricity_rate=rate, **SIZES)[0] for oil in (approximate, exact)]
        assert low < forces[0] / forces[1] < high


def test_arrays_and_a_line_of_centres_that_turns():
    """At half the speed of the journal the wedge vanishes: the load capacity of a whirling journal."""
    oil = cm.lubrication.LongBearing(VISCOSITY, LENGTH)
    radial, tangential = oil.force(
        eccentricity=[0.2, 0.5, 0.8], eccentricity_rate=[0.0, 1.0, 0.0], speed=100.0, line_speed=[50.0, 50.0, 0.0],
        **SIZES,
    )  # fmt: skip
    assert (radial[0], tangential[0]) == (0.0, 0.0)
    assert tangential[1] == pytest.approx(0.0, abs=1e-12 * abs(radial[1]))
    assert radial[1] < 0.0 < tangential[2]
    assert radial.shape == (3,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eccentricity": 1.0}, "eccentricity must be from 0 to below 1, got 1"),
        ({"eccentricity": -0.1}, "eccentricity must be from 0 to below 1, got -0.1"),
        ({"eccentricity": 0.5, "clearance": 0.0}, "clearance must be positive"),
        ({"eccentricity": 0.5, "speed": np.nan}, "speed must be finite"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.lubrication.ShortBearing(VISCOSITY, LENGTH).force(**{**SIZES, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"viscosity": 0.0, "length": 0.04}, "viscosity must be positive"),
        ({"viscosity": 0.1, "length": -0.04}, "length must be positive"),
        ({"viscosity": 0.1, "length": 0.04, "film": "half"}, "film must be .*pinkus-sternlicht"),
    ],
)
def test_wrong_lubricants_are_named(arguments, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.lubrication.LongBearing(**arguments)
