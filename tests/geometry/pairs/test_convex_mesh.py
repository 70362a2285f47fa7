"""Round and thin convex shapes and meshes: the same solid as a hull, grooves, walls, a can that comes to rest."""

import math

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from carom.geometry.rotation import matrix_of
from geometry.pairs.contacts import Follower, random_pose, rock, seeds, touch
from geometry.pairs.in_space import CONVEX, OCTAHEDRON, OCTAHEDRON_FACES
from geometry.pairs.test_sphere_mesh import CUBE, CUBE_FACES
from quick import examples

A, B = rock("a"), rock("b")
KINDS = ("Cylinder", "Cone", "Disc", "Ellipsoid", "Rectangle", "Triangle")
HULL, SAME_MESH = cm.ConvexHull(B, OCTAHEDRON), cm.Mesh(B, (OCTAHEDRON, OCTAHEDRON_FACES))
STEP = [(-1.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5), (0.0, 1.0), (-1.0, 1.0)]
"""Section of a step in the xz-plane: a floor at z = 0.5 and a wall at x = 0 [m]."""


def prism(section: list[tuple[float, float]], half: float) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """Return a solid with a section in the xz-plane, counter-clockwise, between y = ± half; fans of its first point."""
    n = len(section)
    vertices = np.array([(x, y, z) for y in (-half, half) for x, z in section])
    ends = [(0, k, k + 1) for k in range(1, n - 1)] + [(n, n + k + 1, n + k) for k in range(1, n - 1)]
    sides = [f for k in range(n) for f in ((k, n + k, (k + 1) % n), ((k + 1) % n, n + k, n + (k + 1) % n))]
    return vertices, ends + sides


@pytest.mark.parametrize("kind", KINDS)
@examples(40)
@given(seed=seeds)
def test_a_mesh_of_a_hull_is_as_far_as_the_hull(kind: str, seed: int):
    rng = np.random.default_rng(seed)
    shape = CONVEX[kind](rng, A)
    pose_a, pose_b = random_pose(rng, 1.5, True), random_pose(rng, 1.0, True)
    found, expected = touch(shape, SAME_MESH, pose_a, pose_b), touch(shape, HULL, pose_a, pose_b)
    if expected.gap > 1e-6:
        assert found.gap == pytest.approx(expected.gap, abs=1e-9)
        assert np.allclose(found.normal, expected.normal, atol=1e-6)
    elif expected.gap < -1e-6:
        assert found.gap < 0.0


@pytest.mark.parametrize("kind", KINDS)
@examples(20)
@given(seed=seeds)
def test_pushed_together_they_overlap_by_the_push_at_most(kind: str, seed: int):
    """The push is the depth where a face or an edge touches; a corner on a corner may be nearer to a face."""
    rng = np.random.default_rng(seed)
    shape = CONVEX[kind](rng, A)
    pose_a, pose_b = random_pose(rng, 2.5, True), random_pose(rng, 0.5, True)
    found = touch(shape, SAME_MESH, pose_a, pose_b)
    if found.gap < 1e-6:
        return
    for depth in (1e-6, 1e-4):
        moved = pose_a.copy()
        moved[:3] -= (found.gap + depth) * found.normal
        pushed = touch(shape, SAME_MESH, moved, pose_b)
        assert -depth * (1.0 + 1e-6) - 1e-10 < pushed.gap < (depth if shape.thin else 0.0)


def test_a_lying_can_in_a_step_touches_floor_and_wall_at_both_ends():
    step = cm.Mesh(B, prism(STEP, 2.0))
    assert step.volume == pytest.approx(6.0)
    can = cm.Body("can", 1.0, (1.0, 1.0, 1.0), position=(0.3 - 1e-4, 0.0, 0.8 - 2e-4))
    found = cm.closest(cm.Cylinder(can, axis=(0, 1, 0), radius=0.3, half_length=0.5), step)
    spots = sorted((round(float(spot.point_a[1]), 6), *(spot.normal.round(6) + 0.0)) for spot in found.spots)
    assert spots == [(-0.5, 0, 0, 1), (-0.5, 1, 0, 0), (0.5, 0, 0, 1), (0.5, 1, 0, 0)]
    assert found.gap == pytest.approx(-2e-4, rel=1e-9)


def test_a_can_on_the_edge_of_a_table_stands_on_rim_and_edge():
    table = cm.Mesh(B, (CUBE, CUBE_FACES))
    can = cm.Body("can", 1.0, (1.0, 1.0, 1.0), position=(0.5, 0.0, 0.7 - 1e-4))
    spots = cm.closest(cm.Cylinder(can, radius=0.2, half_length=0.2), table).spots
    on_edge = sorted(float(spot.point_b[1]) for spot in spots if abs(spot.point_b[0] - 0.5) < 1e-9)
    assert (on_edge[0], on_edge[-1]) == pytest.approx((-0.2, 0.2))
    assert all(spot.normal == pytest.approx((0, 0, 1)) and spot.gap == pytest.approx(-1e-4) for spot in spots)


@pytest.mark.parametrize("angle", [0.3, 1.0, 0.5 * math.pi])
def test_a_can_across_a_ridge_touches_it_at_one_spot(angle: float):
    """A ridge along y, a can turned from it by an angle: the depth is that of the two lines."""
    ridge = cm.Mesh(B, prism([(-1.0, 0.0), (1.0, 0.0), (0.0, 1.0)], 2.0))
    can = cm.Body("can", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.1, 1.3 - 1e-3))
    found = cm.closest(cm.Cylinder(can, axis=(math.sin(angle), math.cos(angle), 0), radius=0.3, half_length=0.5), ridge)
    assert found.gap == pytest.approx(-1e-3, rel=1e-9)
    assert found.normal == pytest.approx((0, 0, 1), abs=1e-9)
    assert found.point_b == pytest.approx((0.0, 0.1, 1.0), abs=1e-9)


def test_a_shape_that_goes_through_a_wall_is_moved_back():
    wall = cm.Mesh(B, (CUBE * (2.0, 2.0, 0.01), CUBE_FACES))
    nail = cm.Body("nail", 1.0, (1.0, 1.0, 1.0), position=(0.1, 0.2, 0.1))
    found = cm.closest(cm.Cone(nail, axis=(0, 0, -1), radius=0.05, half_length=0.2), wall)
    assert found.gap == pytest.approx(-0.105)
    assert found.normal == pytest.approx((0, 0, 1))


def test_a_rolling_can_keeps_its_spots():
    step = cm.Mesh(B, prism(STEP, 2.0))
    can = cm.Cylinder(A, axis=(0, 1, 0), radius=0.3, half_length=0.5)
    followers = [Follower(can, step, k) for k in range(1, 17)]
    here = np.array([0.0, 0, 0, *np.eye(3).ravel()])
    rows = []
    for x in np.linspace(0.31, 0.9, 60):
        pose = np.array([x, 0.0, 0.8 - 1e-4, *matrix_of((math.cos(x / 0.6), 0.0, math.sin(x / 0.6), 0.0)).ravel()])
        touches = [follower.at(pose, here) for follower in followers]
        rows.append([t.point_a[1] if t.gap < 0.0 else np.nan for t in touches])
    assert np.array_equal(np.array(rows), np.array([rows[0]] * len(rows)), equal_nan=True)
    assert np.sum(~np.isnan(rows[0])) == 2


def test_a_dropped_can_comes_to_rest_on_a_mesh_without_gain_of_energy():
    energies = []
    for on_mesh in (False, True):
        system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
        floor = (
            cm.Mesh(system.ground, (CUBE * (1.0, 1.0, 0.1) - (0.0, 0.0, 0.05), CUBE_FACES))
            if on_mesh
            else cm.Plane(system.ground, normal=(0, 0, 1))
        )
        radius, half, mass = 0.033, 0.06, 0.35
        across = mass * (3.0 * radius**2 + 4.0 * half**2) / 12.0
        turn = (math.cos(0.15), 0.05, math.sin(0.15), 0.0)
        can = system.add(
            cm.Body("can", mass, (across, across, 0.5 * mass * radius**2), (0.0, 0.0, 0.1), orientation=turn)
        )
        system.add(
            cm.Contact(
                cm.Cylinder(can, radius=radius, half_length=half), floor, cm.laws.HuntCrossley(1e6, 0.7),
                friction=cm.friction.Coulomb(0.3), impact=cm.ImpactLaw(0.2, 0.3), name="floor",
            )
        )  # fmt: skip
        result = cm.simulate(system, 0.3)
        total = result.energy.total
        assert result.energy.drift < 1e-7
        assert total.max() <= total[0] + 1e-9
        energies.append(total[-1] - total[0])
        rigid = cm.simulate(system, 1.5, method="nonsmooth", step=1e-3)
        assert rigid["can"].z[-1] == pytest.approx(half, abs=2e-4)
        assert np.linalg.norm(rigid["can"].velocity[-1]) < 0.02
    assert energies[1] == pytest.approx(energies[0], rel=0.02)
