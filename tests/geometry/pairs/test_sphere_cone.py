"""Balls on and in cones and cylinders: sides, ends, rims and axes, with numbers by hand."""

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pose import pose
from carom.geometry.shapes import Cone, Cylinder, Shape, Sphere
from geometry.pairs.contacts import Touch, random_pose, rock, touch
from quick import each

B = rock("b")
HERE = pose((0.0, 0.0), 0.0)
UP = (0.0, 0.0, 1.0)
ROLLER = Cylinder(B, (0, 0, 0), UP, 0.5, 1.0)
PIPE = Cylinder(B, (0, 0, 0), UP, 0.5, 1.0, inside=True)
SPIKE = Cone(B, (0, 0, 0), UP, 1.5, 1.0)  # slope 3 : 4
CHUTE = Cone(B, (0, 0, 0), UP, 1.0, 1.0, 3.0, inside=True)  # 45°: its numbers do not round
FUNNEL = Cone(B, (0, 0, 0), UP, 0.25, 1.0, 1.75, inside=True)


def ball_at(centre, shape: Shape, radius: float = 0.1) -> Touch:
    return touch(Sphere(rock("a"), radius), shape, pose(centre, 0.3), HERE)


@pytest.mark.parametrize(
    ("shape", "centre", "gap", "normal"),
    [
        (ROLLER, (0.8, 0.0, 0.3), 0.2, (1.0, 0.0, 0.0)),
        (ROLLER, (0.0, -0.55, -0.9), -0.05, (0.0, -1.0, 0.0)),
        (ROLLER, (0.2, 0.1, 1.05), -0.05, (0.0, 0.0, 1.0)),
        (ROLLER, (0.0, 0.0, -2.0), 0.9, (0.0, 0.0, -1.0)),
        (ROLLER, (0.0, 0.8, 1.4), 0.4, (0.0, 0.6, 0.8)),
        (ROLLER, (-0.53, 0.0, -1.04), -0.05, (-0.6, 0.0, -0.8)),
        (ROLLER, (0.0, 0.4, 0.5), -0.2, (0.0, 1.0, 0.0)),
        (ROLLER, (0.1, 0.0, -0.7), -0.4, (0.0, 0.0, -1.0)),
        (PIPE, (0.3, 0.0, 0.0), 0.1, (-1.0, 0.0, 0.0)),
        (PIPE, (0.0, -0.7, 0.0), 0.1, (0.0, -1.0, 0.0)),
        (PIPE, (0.0, 0.45, 0.9), -0.05, (0.0, -1.0, 0.0)),
        (PIPE, (0.2, 0.0, 1.4), 0.4, (-0.6, 0.0, 0.8)),
        (SPIKE, (0.75 + 0.4, 0.0, 0.3), 0.4, (0.8, 0.0, 0.6)),
        (SPIKE, (0.0, 0.0, 1.5), 0.4, (0.0, 0.0, 1.0)),
        (SPIKE, (0.0, 0.3, 1.4), 0.4, (0.0, 0.6, 0.8)),
        (SPIKE, (0.3, 0.2, -1.2), 0.1, (0.0, 0.0, -1.0)),
        (SPIKE, (0.0, -0.35, 0.2), -0.3, (0.0, -0.8, 0.6)),
        (FUNNEL, (1.0 - 0.4, 0.0, 0.3), 0.4, (-0.8, 0.0, 0.6)),
        (FUNNEL, (0.0, 1.0 + 0.08, -0.06), 0.0, (0.0, 0.8, -0.6)),
        (FUNNEL, (0.25, 0.0, -1.5), 0.4, (0.0, 0.0, -1.0)),
    ],
)  # fmt: skip
def test_sides_ends_and_rims(shape: Shape, centre, gap: float, normal):
    found = ball_at(centre, shape)
    assert found.gap == pytest.approx(gap, abs=1e-15)
    assert found.normal == pytest.approx(normal, abs=1e-15)
    assert found.point_b == pytest.approx(np.array(centre) - (gap + 0.1) * np.array(normal), abs=1e-15)
    assert tuple(found.force_point) == tuple(found.point_b)


@each("moved", [False, True])
@pytest.mark.parametrize(
    ("shape", "height", "gap", "slope"),
    [(ROLLER, 0.2, -0.6, 0.0), (PIPE, 0.7, 0.4, 0.0), (SPIKE, 0.5, -0.4, 0.6), (FUNNEL, -0.5, 0.4, 0.6)],
    ids=["roller", "pipe", "spike", "funnel"],
)
def test_a_centre_on_the_axis_is_pushed_one_way_across_it(shape: Cone, height: float, gap: float, slope: float, moved):
    rng = np.random.default_rng(3)
    pose_b = random_pose(rng, 1.0, True) if moved else HERE
    axis = pose_b[3:].reshape(3, 3) @ UP
    found = touch(Sphere(rock("a"), 0.1), shape, np.concatenate([pose_b[:3] + height * axis, HERE[3:]]), pose_b)
    assert found.gap == pytest.approx(gap, abs=1e-15)
    assert found.normal @ axis == pytest.approx(slope, abs=1e-15)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-15)


@each(
    "shape, centre, normal",
    [
        (PIPE, (0.5, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        (PIPE, (0.0, 0.5, 1.0), (0.0, -1.0, 0.0)),
        (CHUTE, (2.0, 0.0, 0.0), (-math.sqrt(0.5), 0.0, math.sqrt(0.5))),
        (ROLLER, (0.5, 0.0, 0.0), (1.0, 0.0, 0.0)),
        (ROLLER, (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)),
    ],
)
def test_a_centre_on_the_skin_is_pushed_along_its_normal_and_into_a_shell(shape: Shape, centre, normal):
    found = ball_at(centre, shape)
    assert found.gap == pytest.approx(-0.1, abs=1e-15)
    assert found.normal == pytest.approx(normal, abs=1e-15)


def test_a_cylinder_is_a_cone_of_two_equal_radii():
    rng = np.random.default_rng(4)
    cone = Cone(B, (0, 0, 0), UP, 0.5, 1.0, 0.5)
    for _ in range(50):
        centre = rng.uniform(-1.5, 1.5, 3)
        assert ball_at(centre, cone).gap == ball_at(centre, ROLLER).gap


def test_a_cone_turned_round_is_the_same_cone():
    rng = np.random.default_rng(5)
    turned = Cone(B, (0, 0, 0), (0, 0, -1), 0.0, 1.0, 1.5)
    for _ in range(50):
        centre = rng.uniform(-1.5, 1.5, 3)
        assert ball_at(centre, turned).gap == pytest.approx(ball_at(centre, SPIKE).gap, abs=1e-15)


def test_funnel_and_tube_meet_without_a_step():
    """The gap of the funnel of the gallery, at the rim where cone and tube join, from both of them."""
    cone = Cone(B, (0, 0, 0.1425), UP, 0.035, 0.0575, 0.15, inside=True)
    tube = Cylinder(B, (0, 0, 0.0425), UP, 0.035, 0.0425, inside=True)
    for azimuth in np.linspace(0.0, 6.0, 7):
        centre = (0.02 * math.cos(azimuth), 0.02 * math.sin(azimuth), 0.085)
        assert ball_at(centre, cone, 0.015).gap == pytest.approx(0.0, abs=1e-15)
        assert ball_at(centre, tube, 0.015).gap == pytest.approx(0.0, abs=1e-15)


def test_rims_do_not_touch_when_only_faces_do():
    open_pipe = Cylinder(B, (0, 0, 0), UP, 0.5, 1.0, inside=True, edges="ignore")
    assert ball_at((0.45, 0.0, 0.99), open_pipe).gap == pytest.approx(-0.05, abs=1e-15)
    assert ball_at((0.45, 0.0, 1.01), open_pipe).gap == NO_CONTACT
    assert ball_at((0.45, 0.0, 1.01), PIPE).gap == pytest.approx(math.hypot(0.05, 0.01) - 0.1, abs=1e-15)
    roller = Cylinder(B, (0, 0, 0), UP, 0.5, 1.0, edges="ignore")
    assert ball_at((0.45, 0.0, 1.01), roller).gap == pytest.approx(-0.09, abs=1e-15)
    assert ball_at((0.51, 0.0, 1.01), roller).gap == NO_CONTACT
    assert cm.closest(Sphere(rock("a"), 0.1, (0.51, 0.0, 1.01)), roller).gap == NO_CONTACT
