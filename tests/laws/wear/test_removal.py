"""Removal of material from journal and bearing, against the geometry of two circles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carom.laws.wear.removal import WornSurface

BEARING, JOURNAL, SECTORS = 10e-3, 9.9e-3, 720
CLEARANCE = BEARING - JOURNAL


def lune(travel: float) -> float:
    """Return the area of the journal's circle outside the bearing's, moved by ``travel`` [m²]."""
    a = BEARING**2 * math.acos((travel**2 + BEARING**2 - JOURNAL**2) / (2.0 * travel * BEARING))
    b = JOURNAL**2 * math.acos((travel**2 + JOURNAL**2 - BEARING**2) / (2.0 * travel * JOURNAL))
    sides = (BEARING + JOURNAL - travel) * (travel + CLEARANCE) * (travel - CLEARANCE) * (travel + BEARING + JOURNAL)
    return math.pi * JOURNAL**2 - (a + b - 0.5 * math.sqrt(sides))


def loads(area: float, sector: int = 100) -> np.ndarray:
    """Return an area removed by a load towards one sector."""
    areas = np.zeros(SECTORS)
    areas[sector] = area
    return areas


def surface(radius: float, partner: float, is_pressure: bool = False) -> WornSurface:
    """Return a surface without wear."""
    return WornSurface(radius, partner, is_pressure, np.zeros(SECTORS))


@pytest.mark.parametrize("depth", [2e-5, 5e-5])
@pytest.mark.parametrize("radii", [(BEARING, JOURNAL), (JOURNAL, BEARING)])
def test_a_constant_load_cuts_a_lune(radii, depth):
    """The worn spot is the lune between the two circles: depth and width by its area in closed form."""
    worn = surface(*radii)
    for _ in range(5):  # any number of updates gives one lune
        worn.remove(loads(lune(CLEARANCE + depth) / 5.0), np.zeros(SECTORS))
    assert worn.removed_area == pytest.approx(lune(CLEARANCE + depth), rel=1e-12)
    assert worn.depth.max() == pytest.approx(depth, rel=1e-4)
    travel = CLEARANCE + depth
    edge = math.acos((BEARING**2 + travel**2 - JOURNAL**2) / (2.0 * BEARING * travel))
    worn_sectors = np.count_nonzero(worn.depth) * 2.0 * math.pi / SECTORS
    assert worn_sectors == pytest.approx(2.0 * edge, abs=2.0 * 2.0 * math.pi / SECTORS + 2.0 * travel / JOURNAL)
    assert worn.depth.argmax() == 100


def test_the_contact_sees_a_conforming_spot_as_a_corner():
    """In a spot with the journal's radius its centre can reach one point: the support function is a cosine."""
    worn = surface(BEARING, JOURNAL)
    worn.remove(loads(lune(CLEARANCE + 5e-5)), np.zeros(SECTORS))
    angles = 2.0 * np.pi * (np.arange(SECTORS) - 100) / SECTORS
    inside = np.abs(angles) < 0.4
    expected = (CLEARANCE + 5e-5) * np.cos(angles) - CLEARANCE
    assert np.abs(worn.seen - expected)[inside].max() < 2e-3 * 5e-5


@pytest.mark.parametrize("is_pressure", [False, True])
def test_equal_loads_all_around_wear_evenly(is_pressure):
    worn = surface(BEARING, JOURNAL, is_pressure)
    area = np.full(SECTORS, 1e-6 * 2.0 * math.pi * BEARING / SECTORS)
    worn.remove(area, np.full(SECTORS, 1e-6))
    assert worn.depth.mean() == pytest.approx(1e-6, rel=5e-3)
    assert np.ptp(worn.seen) < 0.06 * 1e-6  # of one update; they do not add up
    if not is_pressure:
        assert worn.removed_area == pytest.approx(area.sum(), rel=1e-10)


def test_a_pressure_wears_in_proportion_to_the_overlap():
    """Local law: depth ∝ pressure ∝ overlap of two circles, whose resultant is the load."""
    worn = surface(BEARING, JOURNAL, is_pressure=True)
    overlap, area = 1e-5, 1e-12
    worn.remove(loads(area), np.full(SECTORS, overlap))
    angles = 2.0 * np.pi * (np.arange(SECTORS) - 100) / SECTORS
    travel = CLEARANCE + overlap
    expected = np.maximum(travel * np.cos(angles) + np.sqrt(JOURNAL**2 - (travel * np.sin(angles)) ** 2) - BEARING, 0.0)
    expected[np.abs(np.angle(np.exp(1j * angles))) > 1.5] = 0.0
    assert worn.depth / worn.depth.max() == pytest.approx(expected / expected.max(), abs=1e-3)
    resultant = np.sum(worn.depth * np.cos(angles)) * BEARING * 2.0 * math.pi / SECTORS
    assert resultant == pytest.approx(area, rel=1e-4)
    assert worn.removed_area > area


def test_wear_does_not_depend_on_where_the_angles_begin():
    first, turned = surface(BEARING, JOURNAL), surface(BEARING, JOURNAL)
    first.remove(loads(1e-9, 10), np.zeros(SECTORS))
    turned.remove(loads(1e-9, 715), np.zeros(SECTORS))
    assert np.allclose(np.roll(first.depth, 705), turned.depth, rtol=1e-9, atol=1e-18)
