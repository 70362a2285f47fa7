"""Spheres: against each other, in a cavity, and where their centres meet."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Point, Sphere
from geometry.pairs.contacts import TURN, body, lowest, on_ball, place, random_pose, seeds, touch

radii = st.floats(0.05, 1.0)


@given(seed=seeds, ra=radii, rb=radii)
def test_outside_each_other_the_gap_is_the_least_distance_of_one_skin_from_the_other_ball(seed: int, ra, rb):
    rng = np.random.default_rng(seed)
    at_a, at_b = rng.uniform(-0.5, 0.5, (2, 2))
    a, b = Sphere(body(), ra, at_a), Sphere(body(), rb, at_b)
    pose_a, pose_b = random_pose(rng, 1.0, False), random_pose(rng, 1.0, False)
    found = touch(a, b, pose_a, pose_b)
    ca, cb = place(pose_a, np.array(a.at)), place(pose_b, np.array(b.at))
    if np.linalg.norm(ca - cb) < ra:
        return  # deeper than the centre: the nearest skin is on the other side
    brute = lowest(lambda t: np.linalg.norm(on_ball(ca, ra, t) - cb, axis=1) - rb, -TURN, TURN)
    assert found.gap == pytest.approx(brute, abs=1e-10)
    assert np.linalg.norm(found.point_a - ca) == pytest.approx(ra, abs=1e-14)
    assert np.linalg.norm(found.point_b - cb) == pytest.approx(rb, abs=1e-14)


@given(seed=seeds, hollow=st.floats(0.5, 2.0), part=st.floats(0.1, 0.95), off=st.floats(1e-3, 1.0))
def test_in_a_cavity_the_gap_is_the_least_distance_of_the_ball_from_the_wall(seed, hollow, part, off):
    rng = np.random.default_rng(seed)
    r = part * hollow
    ball, wall = Sphere(body("ball"), r), Sphere(body("cup"), hollow, inside=True)
    turn = rng.uniform(-math.pi, math.pi)
    centre = off * np.array([math.cos(turn), math.sin(turn), 0.0])
    found = touch(ball, wall, pose(centre[:2], 0.3), pose((0.0, 0.0), 2.0))
    brute = lowest(lambda t: hollow - np.linalg.norm(on_ball(centre, r, t), axis=1), -TURN, TURN)
    assert found.gap == pytest.approx(brute, abs=1e-10)
    assert found.gap == pytest.approx(hollow - r - off, abs=1e-14)  # clearance less eccentricity
    assert found.normal == pytest.approx(-centre / off, abs=1e-12)  # from the wall to the ball
    assert found.point_b == pytest.approx(hollow * centre / off, abs=1e-12)


def test_in_space_the_gap_is_the_distance_of_centres_less_the_radii():
    a, b = Sphere(body(), 0.3, (1.0, 0.0)), Sphere(body(), 0.2)
    pose_a = np.array([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0], float)  # x -> y -> z -> x
    pose_b = np.array([0, 4.0, 4.0, 1, 0, 0, 0, 1, 0, 0, 0, 1], float)
    found = touch(a, b, pose_a, pose_b)
    assert found.gap == pytest.approx(4.5, abs=1e-15)
    assert found.normal == pytest.approx((0.0, -0.6, -0.8), abs=1e-15)
    assert found.point_a == pytest.approx((0.0, 1.18, 0.24), abs=1e-15)
    assert found.point_b == pytest.approx((0.0, 3.88, 3.84), abs=1e-15)
    assert found.force_point == pytest.approx((0.0, 2.53, 2.04), abs=1e-15)


def test_the_force_acts_midway_between_the_skins():
    a, b = Sphere(body(), 1.0), Sphere(body(), 0.5)
    found = touch(a, b, pose((0.0, 0.0), 0.0), pose((1.4, 0.0), 0.0))
    assert found.gap == pytest.approx(-0.1, abs=1e-15)
    assert found.force_point == pytest.approx((0.95, 0.0, 0.0), abs=1e-15)


@pytest.mark.parametrize("inside", [False, True])
def test_concentric_spheres_have_a_fixed_normal(inside: bool):
    a, b = Sphere(body(), 0.4), Sphere(body(), 1.0, inside=inside)
    found = touch(a, b, pose((2.0, 3.0), 1.0), pose((2.0, 3.0), -1.0))
    assert found.gap == pytest.approx(0.6 if inside else -1.4, abs=1e-15)
    assert tuple(found.normal) == (1.0, 0.0, 0.0)


def test_a_point_is_a_sphere_without_radius():
    found = touch(Point(body(), (0.0, 1.0)), Sphere(body(), 0.5), pose((0.0, 0.0), 0.0), pose((0.0, 0.0), 0.0))
    assert found.gap == pytest.approx(0.5, abs=1e-15)
    assert found.point_a == pytest.approx((0.0, 1.0, 0.0), abs=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda a, b: (Sphere(a, 1.0, inside=True), Sphere(b, 2.0, inside=True)),
            r"Contact 'x': Sphere on 'a' and Sphere on 'b' are both cavities; one of them must be solid",
        ),
        (
            lambda a, b: (Point(a), Point(b)),
            r"Contact 'x': Point on 'a' and Point on 'b' are both points and can never touch; set a radius for one",
        ),
        (
            lambda a, b: (Sphere(a, 1.0, inside=True), Sphere(b, 2.0)),
            r"Contact 'x': Sphere on 'b' must fit into the cavity of Sphere on 'a', got radius 2 in 1",
        ),
    ],
    ids=["cavities", "points", "too large"],
)
def test_spheres_that_cannot_touch_are_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        pair("Contact 'x'", *make(body("a"), body("b")))


def test_concentric_spheres_of_one_size_are_mirror_images_when_exchanged():
    a, b = Sphere(body(), 0.5), Sphere(body(), 0.5, (1.0, 0.0))
    pose_a, pose_b = pose((2.0, 3.0), 0.0), pose((1.0, 3.0), 0.0)
    one, other = touch(a, b, pose_a, pose_b), touch(b, a, pose_b, pose_a)
    assert one.gap == other.gap == -1.0
    assert tuple(one.normal) == tuple(-other.normal) == (-1.0, 0.0, 0.0)
    assert tuple(one.point_a) == tuple(other.point_b)
    turned_a, turned_b = pose((2.0, 3.0), 1.0), pose((2.0, 3.0), 0.5)
    for p, q in [(turned_a, turned_b), (turned_b, turned_a)]:
        one, other = touch(a, a2 := Sphere(body(), 0.5), p, q), touch(a2, a, q, p)
        assert tuple(one.normal) == tuple(-other.normal)
