"""Solids and freeform surfaces: an ellipsoid as shape and as surface, bumps and grooves of terrain, bodies at rest."""

import math

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from geometry.pairs.contacts import random_pose, rock, seeds, touch
from geometry.pairs.in_space import CONVEX, octahedron
from quick import examples

A, B = rock("a"), rock("b")
AXES = (0.3, 0.4, 0.5)
SHAPE, SURFACE = cm.Ellipsoid(B, AXES), cm.Surface(B, cm.surfaces.Ellipsoid(*AXES))
MAKERS = {"Mesh": octahedron} | CONVEX
KINDS = ("Mesh", "Box", "ConvexHull", "Segment", "Triangle", "Rectangle", "Cylinder", "Cone", "Disc", "Ellipsoid")
GRID = np.linspace(-1.0, 1.0, 41)


def terrain(height) -> cm.Surface:
    x, y = np.meshgrid(GRID, GRID, indexing="ij")
    return cm.Surface(B, cm.surfaces.HeightMap(GRID, GRID, height(x, y)))


@pytest.mark.parametrize("kind", KINDS)
@examples(25)
@given(seed=seeds)
def test_an_ellipsoid_as_a_surface_is_as_far_as_the_shape(kind: str, seed: int):
    rng = np.random.default_rng(seed)
    solid = MAKERS[kind](rng, A)
    pose_a, pose_b = random_pose(rng, 1.5, True), random_pose(rng, 0.7, True)
    expected = touch(solid, SHAPE, pose_a, pose_b)
    if expected.gap < 1e-6:
        return
    for gap in (expected.gap, 1e-3, -1e-4):
        pose = pose_a.copy()
        pose[:3] -= (expected.gap - gap) * expected.normal
        found = touch(solid, SURFACE, pose, pose_b)
        assert found.gap == pytest.approx(gap, abs=1e-8)
        assert np.allclose(found.normal, expected.normal, atol=1e-5)


@pytest.mark.parametrize("kind", ["Disc", "Rectangle"])
@pytest.mark.parametrize("gap", [0.1, -1e-3])
def test_a_thin_plate_touches_an_ellipsoid_with_its_face(kind: str, gap: float):
    """The near side of the ellipsoid counts, not the far one."""
    body = cm.Body("plate", 1.0, (1.0, 1.0, 1.0), position=(0.02, 0.01, AXES[2] + gap))
    plate = (
        cm.Disc(body, radius=0.5) if kind == "Disc" else cm.Rectangle(body, (0, 0, 0), (1, 0, 0), (0, 1, 0), 0.5, 0.6)
    )
    found = cm.closest(plate, SURFACE)
    assert found.gap == pytest.approx(gap, abs=1e-9)
    assert found.normal == pytest.approx((0, 0, 1), abs=1e-6)


@pytest.mark.parametrize("kind", ["Disc", "Rectangle", "Cylinder", "Cone", "Box"])
def test_a_deep_overlap_has_a_negative_gap(kind: str):
    """Shapes that share more than 0.1 m, where often no face of the solid has the normal of the surface."""
    rng = np.random.default_rng(7)
    n_deep = 0
    for _ in range(40):
        solid = CONVEX[kind](rng, A)
        pose_a, pose_b = random_pose(rng, 0.3, True), random_pose(rng, 0.3, True)
        if touch(solid, SHAPE, pose_a, pose_b).gap < -0.1:
            n_deep += 1
            assert touch(solid, SURFACE, pose_a, pose_b).gap < 0.0
    assert n_deep > 10


def test_a_box_on_level_ground_touches_at_its_corners():
    block = cm.Body("block", 1.0, (1.0, 1.0, 1.0), position=(0.1, 0.05, 0.3 - 1e-4))
    found = cm.closest(cm.Box(block, (0.1, 0.2, 0.3)), terrain(lambda x, y: 0.0 * x))
    places = sorted((round(float(s.point_a[0]), 9), round(float(s.point_a[1]), 9)) for s in found.spots if s.gap < 0.0)
    assert places == [(0.0, -0.15), (0.0, 0.25), (0.2, -0.15), (0.2, 0.25)]
    assert found.gap == pytest.approx(-1e-4, rel=1e-9)


def test_a_box_and_a_can_on_a_bump_touch_its_top():
    bump = terrain(lambda x, y: 0.2 * np.exp(-10.0 * ((x - 0.1) ** 2 + y**2)))
    body = cm.Body("body", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.2 + 0.3 - 1e-4))
    solids = cm.Box(body, (0.3, 0.3, 0.3)), cm.Cylinder(body, radius=0.4, half_length=0.3)
    for solid in (*solids, cm.Cylinder(body, axis=(1, 0, 0), radius=0.3, half_length=0.5)):
        found = cm.closest(solid, bump)
        assert found.gap == pytest.approx(-1e-4, abs=1e-8)
        assert found.point_b == pytest.approx((0.1, 0.0, 0.2), abs=1e-6)
        assert found.normal == pytest.approx((0, 0, 1), abs=1e-6)


def test_a_bar_over_a_ridge_touches_with_its_edge():
    """The edge of a wedge that points down lies across a ridge along y."""
    ridge = terrain(lambda x, y: 0.2 * np.exp(-10.0 * x**2))
    body = cm.Body("bar", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.2 - 1e-4))
    wedge = [(x, y, z) for x in (-0.4, 0.4) for y, z in ((0.0, 0.0), (-0.2, 0.3), (0.2, 0.3))]
    found = cm.closest(cm.ConvexHull(body, wedge), ridge)
    assert found.gap == pytest.approx(-1e-4, abs=1e-8)
    assert found.point_b == pytest.approx((0.0, 0.0, 0.2), abs=1e-6)


def test_a_lying_can_in_a_valley_touches_both_sides_with_each_rim():
    valley = terrain(lambda x, y: 2.0 * x**2)
    radius = 0.4
    # The circle about (0, h) touches z = 2 x² where 1 + 4 (z − h) = 0 and x² + (z − h)² = r².
    x = math.sqrt(radius**2 - 0.0625)
    body = cm.Body("can", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 2.0 * x**2 + 0.25 - 1e-4))
    spots = cm.closest(cm.Cylinder(body, axis=(0, 1, 0), radius=radius, half_length=0.3), valley).spots
    places = sorted((round(float(s.point_b[0]), 3) + 0.0, round(float(s.point_b[1]), 6)) for s in spots if s.gap < 0.0)
    assert places == [(-round(x, 3), -0.3), (-round(x, 3), 0.3), (round(x, 3), -0.3), (round(x, 3), 0.3)]


@pytest.mark.parametrize("kind", ["Box", "Cylinder"])
def test_bodies_come_to_rest_on_uneven_ground_without_gain_of_energy(kind: str):
    grid = np.linspace(-0.5, 0.5, 21)
    x, y = np.meshgrid(grid, grid, indexing="ij")
    height = 0.03 * (2.0 - np.cos(6.0 * x) - np.cos(6.0 * y)) + 0.003 * np.sin(20.0 * x) * np.sin(17.0 * y)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ground = cm.Surface(system.ground, cm.surfaces.HeightMap(grid, grid, height))
    turn = np.array((1.0, 0.1, 0.05, 0.0)) / math.sqrt(1.0125)
    body = system.add(cm.Body("body", 0.35, (4e-4, 4e-4, 4e-4), (0.02, 0.01, 0.09), orientation=tuple(turn)))
    solid = cm.Box(body, (0.04, 0.03, 0.05)) if kind == "Box" else cm.Cylinder(body, radius=0.033, half_length=0.05)
    system.add(
        cm.Contact(
            solid, ground, cm.laws.HuntCrossley(1e6, 0.7), friction=cm.friction.Coulomb(0.5),
            impact=cm.ImpactLaw(0.1, 0.5), name="terrain",
        )
    )  # fmt: skip
    result = cm.simulate(system, 0.15)
    assert result.energy.drift < 1e-7
    assert result.energy.total.max() <= result.energy.total[0] + 1e-9
    rigid = cm.simulate(system, 1.0, method="nonsmooth", step=1e-3)
    assert rigid.energy.total.max() <= rigid.energy.total[0] + 1e-9
    assert cm.closest(solid, ground).gap > -1e-3
    assert np.linalg.norm(rigid["body"].velocity[-1]) < 0.05
