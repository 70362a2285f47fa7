"""Places of smooth outlines that are followed without a search: the same ones as those of a search."""

import math

import numpy as np
import pytest

from carom.geometry.closest_points import evaluate
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.outline_outline import WORKSPACE
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from geometry.pairs.contacts import body
from geometry.pairs.test_curve_curve import WAVE, ellipse, rose

A, B = body("a"), body("b")
HERE = pose((0.0, 0.0), 0.0)
WHEEL, BALL = ellipse(A, 4.0, 4.0), ellipse(A, 0.4, 0.3)
HILL = 0.1
FAR = 0.5 * NO_CONTACT


def places(pairing, pose_a, pose_b, warm_start):
    """Return gap, normal and point of all places, in the order of their gaps and positions."""
    found = [
        evaluate(pairing.at_contact_point(k), pose_a, pose_b, warm_start) for k in range(1, pairing.contact_points + 1)
    ]
    rows = [
        np.hstack([spot["gap"], spot["normal"][:2], spot["force_point"][:2]]) for spot in found if spot["gap"] < FAR
    ]
    return np.array(sorted(rows, key=lambda row: tuple(np.round(row[[0, 3, 4]], 6))))


def compare(a, b, poses):
    """Compare the places over a motion with those of searches; return the numbers of places and of steps followed."""
    pairing = pair("test", a, b)
    warm_start = np.array(pairing.warm_start)
    counts, followed = [], 0
    for pose_a in poses:
        fresh = places(pairing, pose_a, HERE, np.array(pairing.warm_start))
        seen = places(pairing, pose_a, HERE, warm_start)
        assert seen.shape == fresh.shape
        np.testing.assert_allclose(seen, fresh, atol=1e-7)
        counts.append(len(seen))
        followed += warm_start[WORKSPACE.index("is_followed")] != 0.0
    return counts, followed


@pytest.mark.parametrize("gap", [-0.02, 0.03])
def test_wheel_on_waves_has_one_place_on_a_crest_and_two_above_a_hollow(gap):
    crest, hollow = math.pi / 4.0, 3.0 * math.pi / 4.0
    steps = np.linspace(0.0, 1.0, 150)
    poses = [pose((crest + (hollow - crest) * s, 4.0 + HILL + gap - 0.06 * s), 0.3 * s) for s in steps]
    counts, followed = compare(WHEEL, WAVE, poses)
    assert counts[0] == 1
    assert counts[-1] == 2
    assert followed > 10


def test_ball_that_rolls_through_a_hollow_is_followed():
    x = np.linspace(0.8, 4.0, 150)
    poses = [pose((s, 0.1 * math.sin(2.0 * s) + 0.335), -s / 0.35) for s in x]
    counts, followed = compare(BALL, WAVE, poses)
    assert set(counts) == {1}
    assert followed > 100


@pytest.mark.parametrize("seed", range(3))
def test_shapes_with_hollows_that_roll_on_each_other(seed):
    rng = np.random.default_rng(seed)
    a = rose(A, 1.0, rng.uniform(0.05, 0.2), int(rng.integers(2, 5)))
    b = rose(B, 0.6, rng.uniform(0.05, 0.2), int(rng.integers(2, 5)))
    steps = np.linspace(0.0, 1.0, 120)
    way, start = rng.uniform(1.3, 1.7), rng.uniform(0.0, 6.0)
    poses = [pose(way * np.array([math.cos(start + s), math.sin(start + s)]), start + 2.0 * s) for s in steps]
    compare(a, b, poses)
