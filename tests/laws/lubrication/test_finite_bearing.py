"""Film of a bearing of finite length against a second solution of Reynolds' equation, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

import carom as cm

RADIUS, CLEARANCE, VISCOSITY = 0.01, 1e-4, 0.3
SIZES = {"radius": RADIUS, "clearance": CLEARANCE}


def reynolds_force(epsilon: float, length: float, w: float, s: float, n: int, m: int) -> np.ndarray:
    """Return the force by finite differences on a plain grid of n × m cells, half the length; pressure ≥ 0."""
    step, across = 2.0 * np.pi / n, 0.5 * length / m
    theta = step * np.arange(n)
    film, between = ((1.0 + epsilon * np.cos(angle)) ** 3 for angle in (theta, theta + 0.5 * step))
    index = np.arange(n * m).reshape(n, m)
    rows, columns, values = [], [], []

    def couple(one, other, factor):
        for a, b in ((one, other), (other, one)):
            rows.extend([a, a])
            columns.extend([b, a])
            values.extend([factor, -factor])

    for j in range(m):
        couple(index[:, j], np.roll(index[:, j], -1), between / step**2)
        if j > 0:
            couple(index[:, j], index[:, j - 1], film * (RADIUS / across) ** 2)
    rows.append(index[:, -1])  # zero pressure at the end of the bearing, half a cell away
    columns.append(index[:, -1])
    values.append(-2.0 * film * (RADIUS / across) ** 2)
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    source = np.repeat(w * np.sin(theta) - s * np.cos(theta), m)
    p = np.maximum(spsolve(coo_array(entries, (n * m, n * m)).tocsr(), -source), 0.0).reshape(n, m).sum(axis=1)
    factor = 12.0 * VISCOSITY * (RADIUS / CLEARANCE) ** 2 * RADIUS * step * 2.0 * across
    return factor * np.array([p @ np.cos(theta), p @ np.sin(theta)])


@pytest.mark.parametrize("slenderness", [0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.05, 0.37, 0.8, 0.95])
def test_forces_agree_with_finite_differences(slenderness, epsilon):
    """Two grids of the second solution, extrapolated to zero cell size; 1e-3 of the force in all directions."""
    length = 2.0 * RADIUS * slenderness
    oil = cm.lubrication.FiniteBearing(VISCOSITY, length)
    for direction in (0.0, 0.9, 0.5 * np.pi, 2.4, 3.5, 1.5 * np.pi, 5.5):
        w, s = np.cos(direction), np.sin(direction)
        coarse, fine = (reynolds_force(epsilon, length, w, s, n, n // 12) for n in (180, 360))
        expected = fine + (fine - coarse) / 3.0
        found = oil.force(eccentricity=epsilon, eccentricity_rate=s, speed=2.0 * w / epsilon, **SIZES)
        assert np.hypot(*(np.array(found) - expected)) < 1e-3 * np.hypot(*expected)


def test_a_long_and_a_short_one_approach_the_closed_forms():
    """The relative differences are about R/L, in steady rotation, and (L/R)²/10."""
    state = {"eccentricity": 0.4, "speed": 4.0, **SIZES}
    long, finite = (kind(VISCOSITY, 2.0).force(**state)
                    for kind in (cm.lubrication.LongBearing, cm.lubrication.FiniteBearing))  # fmt: skip
    assert finite == pytest.approx(long, rel=0.02)
    state["eccentricity_rate"] = 0.6
    short, finite = (kind(VISCOSITY, 1e-3).force(**state)
                     for kind in (cm.lubrication.ShortBearing, cm.lubrication.FiniteBearing))  # fmt: skip
    assert finite == pytest.approx(short, rel=5e-3)


def test_the_force_is_homogeneous_and_continuous_across_directions():
    oil = cm.lubrication.FiniteBearing(VISCOSITY, 0.02)
    state = {"eccentricity": 0.6, **SIZES}
    once = oil.force(eccentricity_rate=0.7, speed=-1.3, **state)
    assert oil.force(eccentricity_rate=7.0, speed=-13.0, **state) == pytest.approx(
        tuple(10.0 * f for f in once), rel=1e-12
    )
    below, above = (oil.force(eccentricity_rate=rate, speed=-1.0, **state) for rate in (-1e-9, 1e-9))
    assert below == pytest.approx(above, rel=1e-7)
    assert oil.force(**state) == (0.0, 0.0)
