"""Contact of a worn journal in a worn bearing: the force is the gradient of the elastic energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.pairs.worn_journal import DEEPEST, worn_journal, worn_pairing
from carom.laws.wear.removal import WornSurface

BEARING, JOURNAL, SECTORS = 10e-3, 9.9e-3, 720
CENTRE_A, CENTRE_B = np.array([0.01, 0.02]), np.array([-0.01, 0.005])


def pose(x: float, y: float, angle: float) -> np.ndarray:
    """Return the record of the pose of a planar body."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([x, y, 0.0, c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])


def turned(vector: np.ndarray, angle: float) -> np.ndarray:
    """Return a vector turned by an angle."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def worn_params(seed: int) -> np.ndarray:
    """Return the parameters of a pair with random spots on both surfaces."""
    rng = np.random.default_rng(seed)
    surfaces = [WornSurface(*radii, False, np.zeros(SECTORS)) for radii in ((BEARING, JOURNAL), (JOURNAL, BEARING))]
    angles = 2.0 * np.pi * np.arange(SECTORS) / SECTORS
    for surface in surfaces:
        surface.remove(np.exp(4.0 * np.cos(angles - 1.0)) * 5e-11 * rng.random(SECTORS), np.zeros(SECTORS))
    a, b = cm.Body("a", 1.0, 1.0), cm.Body("b", 1.0, 1.0)
    bearing, journal = cm.Sphere(a, BEARING, tuple(CENTRE_A), inside=True), cm.Sphere(b, JOURNAL, tuple(CENTRE_B))
    return np.array(worn_pairing(bearing, journal, [surface.seen for surface in surfaces]).parameters)


def contact(params: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the output of the pair for x, y, angle of both bodies."""
    out = np.zeros(PAIR_OUTPUT.size)
    worn_journal.call(pose(*q[:3]), pose(*q[3:]), params, np.zeros(DEEPEST.size), out)
    return out


def part(out: np.ndarray, name: str) -> np.ndarray:
    """Return the first two components of a vector of the output."""
    first = PAIR_OUTPUT.index(name)
    return out[first : first + 2]


def test_the_force_is_the_gradient_of_the_gap():
    """A unit force along the normal at its point does the work of the change of the gap, in all six coordinates."""
    params, rng = worn_params(0), np.random.default_rng(1)
    errors = []
    for _ in range(60):
        angle_a, angle_b, direction = rng.uniform(0.0, 2.0 * np.pi, 3)
        offset = rng.uniform(1.15e-4, 1.4e-4) * np.array([math.cos(direction), math.sin(direction)])
        place = turned(CENTRE_A, angle_a) + offset - turned(CENTRE_B, angle_b)
        q = np.array([0.0, 0.0, angle_a, *place, angle_b])
        out = contact(params, q)
        n, p = part(out, "normal"), part(out, "force_point")
        assert np.hypot(*n) == pytest.approx(1.0, rel=1e-12)
        arms = [p - q[:2], p - q[3:5]]
        torques = [arm[0] * n[1] - arm[1] * n[0] for arm in arms]
        expected = np.array([*n, torques[0], *-n, -torques[1]])
        steps = np.array([2e-9, 2e-9, 2e-7] * 2)
        for i, step in enumerate(steps):
            change = np.zeros(6)
            change[i] = step
            slope = (contact(params, q + change)[0] - contact(params, q - change)[0]) / (2.0 * step)
            errors.append(abs(slope - expected[i]) / (1.0 if i % 3 < 2 else BEARING))
    # The direction of the normal changes quickly near corners, where differences are less exact.
    assert np.median(errors) < 1e-7
    assert np.max(errors) < 1e-4


def test_the_gap_is_continuous_around_the_bearing():
    params = worn_params(2)
    directions = np.linspace(0.0, 2.0 * np.pi, 4001)
    base = -CENTRE_B + CENTRE_A
    gaps = [contact(params, np.array([0, 0, 0, *(base + 1.2e-4 * np.array([math.cos(d), math.sin(d)])), 0.0]))[0]
            for d in directions]  # fmt: skip
    assert np.abs(np.diff(gaps)).max() <= 1.2e-4 * (directions[1] - directions[0]) * 1.01


def test_without_wear_it_is_a_sphere_in_a_cavity():
    a, b = cm.Body("a", 1.0, 1.0), cm.Body("b", 1.0, 1.0)
    shapes = cm.Sphere(a, BEARING, inside=True), cm.Sphere(b, JOURNAL)
    params = np.array(worn_pairing(*shapes, np.zeros((2, SECTORS))).parameters)
    out = contact(params, np.array([0.0, 0.0, 0.3, 0.7e-4, -0.8e-4, 0.9]))
    b.position = (0.7e-4, -0.8e-4)
    expected = cm.closest(*shapes)
    assert out[0] == pytest.approx(expected.gap, abs=1e-17)
    assert part(out, "normal") == pytest.approx(expected.normal[:2], abs=1e-15)
    assert part(out, "point_a") == pytest.approx(expected.point_a[:2], abs=1e-15)
