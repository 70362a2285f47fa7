"""Capsules against planes, rectangles, triangles and cylinders: closest points, spots, and what is pierced."""

import math

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Cylinder, Plane, Rectangle, Segment, Triangle
from geometry.pairs.contacts import Motion, lowest, place, random_pose, rock, seeds, touch, touch_at
from geometry.pairs.in_space import plate, three, tin
from geometry.pairs.separations import largest_separation, separation

HERE = pose((0.0, 0.0, 0.0), 0.0)
A, B = rock("a"), rock("b")
FLOOR = Rectangle(B, (0, 0, 0), (1, 0, 0), (0, 1, 0), 1.0, 0.5)


def from_rectangle(shape, p):
    d = p - np.array(shape.at)
    u, v, h = d @ shape.axis_u, d @ shape.axis_v, d @ shape.normal
    return np.sqrt(np.maximum(abs(u) - shape.half_u, 0) ** 2 + np.maximum(abs(v) - shape.half_v, 0) ** 2 + h * h)


def from_triangle(shape, p):
    a, b, c, n = (np.array(v) for v in (shape.a, shape.b, shape.c, shape.normal))
    within = np.ones(len(p), bool)
    nearest = np.full(len(p), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        within &= (p - start) @ np.cross(along, n) <= 0.0
        t = np.clip((p - start) @ along / (along @ along), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(p - start - t[:, None] * along, axis=1))
    return np.where(within, abs((p - a) @ n), nearest)


def from_cylinder(shape, p):
    z = (p - np.array(shape.at)) @ shape.axis
    rho = np.linalg.norm(p - np.array(shape.at) - z[:, None] * np.array(shape.axis), axis=1)
    side, end = rho - shape.radius, abs(z) - shape.half_length
    if shape.inside:
        return np.where(end <= 0.0, abs(side), np.hypot(side, end))
    outside = np.hypot(np.maximum(side, 0.0), np.maximum(end, 0.0))
    return np.where((side <= 0.0) & (end <= 0.0), np.maximum(side, end), outside)


SHAPES = {
    "rectangle": (plate, from_rectangle),
    "triangle": (three, from_triangle),
    "cylinder": (tin, from_cylinder),
    "shell": (lambda rng, on: tin(rng, on, True), from_cylinder),
}
shapes = pytest.mark.parametrize("name", list(SHAPES))


def situation(name: str, rng: np.random.Generator, radius: float = 0.05, spread: float = 0.3):
    """A rod, a shape, their poses, and the distance along the rod by the shape's own definition."""
    make, distance = SHAPES[name]
    rod, shape = Segment(A, *rng.uniform(-0.8, 0.8, (2, 3)), radius), make(rng, B)
    pose_a, pose_b = random_pose(rng, spread, True), random_pose(rng, spread, True)
    start, end = place(pose_a, np.array(rod.start)), place(pose_a, np.array(rod.end))
    rotation = pose_b[3:].reshape(3, 3)

    def along(s: np.ndarray) -> np.ndarray:
        return distance(shape, (start + s[:, None] * (end - start) - pose_b[:3]) @ rotation)

    return rod, shape, pose_a, pose_b, along


def least_of(along) -> float:
    """The least value: every valley of a fine sampling, searched to the end."""
    s = np.linspace(0.0, 1.0, 401)
    f = along(s)
    step = s[1]
    near = np.flatnonzero(f <= f.min() + step * 2.0)  # the rod is at most 2.8 m long
    valleys = [k for k in near if f[k] <= f[max(k - 1, 0)] and f[k] <= f[min(k + 1, 400)]]
    return min(lowest(along, max(s[k] - step, 0.0), min(s[k] + step, 1.0)) for k in valleys)


@shapes
def test_the_gap_is_the_least_distance_along_the_line_less_the_radius(name: str):
    rng = np.random.default_rng(2)
    pierced = 0
    for _ in range(200):
        rod, shape, pose_a, pose_b, along = situation(name, rng)
        found = touch(rod, shape, pose_a, pose_b)
        brute = least_of(along)
        if name == "shell" or brute > 1e-9:
            assert found.gap == pytest.approx(brute - 0.05, abs=1e-9)
        else:  # the least translation that separates them
            assert found.gap == pytest.approx(separation(rod, shape, pose_a, pose_b, found.normal), abs=1e-12)
            assert largest_separation(rod, shape, pose_a, pose_b) <= found.gap + 1e-8
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
        assert found.point_a - found.point_b == pytest.approx(found.gap * found.normal, abs=1e-12)
        pierced += brute < 1e-9
        if brute > 1e-3:  # the normal is the steepest way off the shape
            axis = found.point_a + 0.05 * found.normal
            here = (axis + 1e-3 * found.normal - pose_b[:3]) @ pose_b[3:].reshape(3, 3)
            away = float(SHAPES[name][1](shape, here[None])[0])
            assert away - brute == pytest.approx(1e-3, abs=1e-9)
    assert pierced > 10


def test_the_nearest_place_to_a_rim_is_found():
    """Rods beyond the ends of a tube: the distance from a circle may have two valleys."""
    rng = np.random.default_rng(12)
    valleys = 0
    for _ in range(400):
        ends = np.column_stack([rng.uniform(-1.0, 1.0, (2, 2)), rng.uniform(1.0, 1.4, 2)])
        found = touch(Segment(A, *ends, 0.05), TUBE, HERE, HERE)
        s = np.linspace(0.0, 1.0, 4001)
        f = from_cylinder(TUBE, ends[0] + s[:, None] * (ends[1] - ends[0]))
        valleys += np.sum((f[1:-1] < f[:-2]) & (f[1:-1] < f[2:])) > 1
        assert found.gap == pytest.approx(f.min() - 0.05, abs=1e-6)
        assert found.gap <= f.min() - 0.05 + 1e-12
    assert valleys > 40


@shapes
@given(seed=seeds)
def test_no_spot_moves_faster_than_the_bodies(name: str, seed: int):
    rng = np.random.default_rng(seed)
    rod, shape, pose_a, pose_b, _ = situation(name, rng)
    motion = Motion.random(rng, True)
    fastest = np.linalg.norm(motion.velocity) + np.linalg.norm(motion.omega) * 1.4
    for spot in range(4):
        moved = (touch_at(spot, rod, shape, motion.moved(pose_a, t), pose_b).gap for t in np.linspace(0.0, 1.0, 101))
        gaps = np.array(list(moved))
        both = (gaps[1:] < NO_CONTACT) & (gaps[:-1] < NO_CONTACT)
        assert spot == 3 or np.all(both)
        assert np.all(np.abs(np.diff(gaps))[both] <= 0.01 * fastest + 1e-10)


@shapes
@given(seed=seeds)
def test_the_closest_of_all_is_the_closest_spot(name: str, seed: int):
    rod, shape, pose_a, pose_b, along = situation(name, np.random.default_rng(seed))
    spots = [touch_at(k, rod, shape, pose_a, pose_b).gap for k in range(4)]
    ends = along(np.array([0.0, 1.0])) - 0.05
    assert spots[1:3] == pytest.approx(ends, abs=1e-12)
    if name == "shell" or min(spots[1:]) > 1e-9 - 0.05:
        assert spots[0] == pytest.approx(min(spots[1:]), abs=1e-10)
    else:  # pierced: out again by the least translation
        assert spots[0] <= min(spots[1:]) + 1e-10
    assert spots[3] == NO_CONTACT or spots[3] < min(spots[1:3])


def test_a_rod_through_a_thin_face_is_pushed_to_the_side_where_most_of_it_is():
    for low, high, up in ((-0.1, 0.4, 1.0), (-0.4, 0.1, -1.0)):
        found = touch(Segment(A, (0.2, 0.1, low), (0.3, 0.1, high), 0.02), FLOOR, HERE, HERE)
        assert found.gap == pytest.approx(-0.12, abs=1e-14)
        assert found.normal == pytest.approx((0, 0, up), abs=1e-15)
        assert found.point_b == pytest.approx((0.2 if up > 0.0 else 0.3, 0.1, 0.0), abs=1e-14)


def test_a_rod_flat_on_a_face_is_closest_in_the_middle_and_touches_with_its_ends():
    rod = Segment(A, (-0.4, 0.1, 0.05), (0.6, 0.1, 0.05), 0.06)
    assert touch(rod, FLOOR, HERE, HERE).point_b == pytest.approx((0.1, 0.1, 0.0), abs=1e-12)
    spots = [touch_at(k, rod, FLOOR, HERE, HERE) for k in (1, 2, 3)]
    assert [spot.gap for spot in spots] == pytest.approx([-0.01, -0.01, NO_CONTACT], abs=1e-15)
    assert spots[0].point_b == pytest.approx((-0.4, 0.1, 0.0), abs=1e-15)
    assert spots[1].point_b == pytest.approx((0.6, 0.1, 0.0), abs=1e-15)
    # Half over the edge: the middle of what is above the face.
    rod = Segment(A, (0.4, 0.1, 0.05), (1.6, 0.1, 0.05), 0.06)
    assert touch(rod, FLOOR, HERE, HERE).point_b == pytest.approx((0.7, 0.1, 0.0), abs=1e-9)


def test_a_rod_leaning_on_an_edge_touches_there():
    rod = Segment(A, (0.5, 0.0, 0.5), (1.5, 0.0, -0.4), 0.05)
    spot = touch_at(3, rod, FLOOR, HERE, HERE)
    assert spot.point_b == pytest.approx((1.0, 0.0, 0.0), abs=1e-12)
    assert spot.normal == pytest.approx(np.array([0.9, 0.0, 1.0]) / math.hypot(0.9, 1.0), abs=1e-10)
    assert spot.gap == pytest.approx(0.05 / math.hypot(0.9, 1.0) - 0.05, abs=1e-12)


def test_faces_alone():
    alone = Rectangle(B, (0, 0, 0), (1, 0, 0), (0, 1, 0), 1.0, 0.5, edges="ignore")
    beside = Segment(A, (1.1, 0, 0.01), (2, 0, 0.01), 0.2)
    assert touch(beside, FLOOR, HERE, HERE).gap < 0.0
    assert all(touch_at(k, beside, alone, HERE, HERE).gap == NO_CONTACT for k in range(4))
    over = Segment(A, (0.5, 0, 0.1), (2, 0, 0.3), 0.2)
    assert touch(over, alone, HERE, HERE).gap == pytest.approx(-0.1, abs=1e-14)
    side_only = Segment(A, (0.5, 0, 0.1), (2, 0, 0.3), 0.2, edges="ignore")
    assert all(touch_at(k, side_only, FLOOR, HERE, HERE).gap == NO_CONTACT for k in range(4))


TIN = Cylinder(B, (0, 0, 0), (0, 0, 1), 0.5, 1.0)
TUBE = Cylinder(B, (0, 0, 0), (0, 0, 1), 0.5, 1.0, inside=True)


@pytest.mark.parametrize(
    ("ends", "gap", "normal"),
    [
        (((0.7, -1, 0.2), (0.7, 1, 0.2)), 0.1, (1, 0, 0)),
        (((0.7, 0, -0.5), (0.7, 0, 0.9)), 0.1, (1, 0, 0)),
        (((-1, 0.1, 1.3), (1, 0.1, 1.3)), 0.2, (0, 0, 1)),
        (((-1, 0.0, 0.0), (1, 0.0, 0.0)), -0.6, (0, 1, 0)),
        (((-1, 0.1, 0.0), (1, 0.1, 0.0)), -0.5, (0, 1, 0)),
        (((0.0, 0.0, -2.0), (0.0, 0.0, 2.0)), -0.6, None),
    ],
    ids=["across", "along", "above", "through the axis", "beside the axis", "on the axis"],
)
def test_how_a_rod_lies_at_a_cylinder(ends, gap: float, normal):
    found = touch(Segment(A, *ends, 0.1), TIN, HERE, HERE)
    assert found.gap == pytest.approx(gap, abs=1e-10)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
    if normal is not None:
        assert found.normal * math.copysign(1.0, found.normal @ normal) == pytest.approx(normal, abs=1e-9)


def test_a_rod_in_a_tube_touches_it_with_its_ends():
    rod = Segment(A, (0.0, 0.0, 0.0), (0.42, 0.0, 0.3), 0.1)
    found = touch(rod, TUBE, HERE, HERE)
    assert found.gap == pytest.approx(-0.02, abs=1e-14)
    assert found.normal == pytest.approx((-1, 0, 0), abs=1e-14)
    flat = touch(Segment(A, (0.45, 0.0, -0.2), (0.45, 0.0, 3.0), 0.1), TUBE, HERE, HERE)
    assert flat.gap == pytest.approx(-0.05, abs=1e-12)
    assert flat.point_b == pytest.approx((0.5, 0.0, 0.4), abs=1e-9)


@pytest.mark.parametrize("shape", [FLOOR, Triangle(B, (0, 0, 0), (1, 0, 0), (0, 1, 0)), TIN, TUBE, Plane(B)])
def test_degenerate_positions_give_numbers(shape):
    ends = [(0, 0, 0), (1, 0, 0), (0.5, 0, 0), (0, 0, 1), (0, 0, -1), (0.5, 0, 1), (1, 0.5, 0), (0.5, 0, 0.5)]
    for start in ends:
        for end in ends:
            if start != end:
                for spot in range(pair("test", Segment(A, start, end, 0.1), shape).contact_points + 1):
                    found = touch_at(spot, Segment(A, start, end, 0.1), shape, HERE, HERE)
                    assert all(np.all(np.isfinite(v)) for v in vars(found).values())
                    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)


def test_a_rod_on_a_plane_has_two_ends():
    rod, floor = Segment(A, (0, 0, 0.3), (0, 1, 0.1), 0.2), Plane(B)
    assert [touch_at(k, rod, floor, HERE, HERE).gap for k in range(3)] == pytest.approx([-0.1, 0.1, -0.1], abs=1e-15)
    assert touch(rod, floor, HERE, HERE).point_b == pytest.approx((0, 1, 0), abs=1e-15)
    flat = touch(Segment(A, (0, 0, 0.3), (0, 1, 0.3), 0.2), floor, HERE, HERE)
    assert flat.point_b == pytest.approx((0, 0.5, 0), abs=1e-15)
    with pytest.raises(cm.ModelError, match=r"Contact 'x': Segment on 'a' touches Plane on 'b' with its ends"):
        pair("Contact 'x'", Segment(A, (0, 0, 0), (1, 0, 0), 0.1, edges="ignore"), floor)


def test_spots_are_asked_by_number():
    one = pair("test", Segment(A, (0, 0, 0), (1, 0, 0), 0.1), FLOOR)
    assert one.contact_points == 3
    assert one.parameters_for(0) == one.parameters
    assert one.parameters_for(2) == (2.0, *one.parameters[1:])
    with pytest.raises(cm.ModelError, match=r"Rectangle on 'b': contact point must be one of 0 … 3, got 4"):
        one.parameters_for(4)
    single = pair("test", Segment(A, (0, 0, 0), (1, 0, 0), 0.1), Segment(B, (0, 0, 0), (1, 0, 0)))
    assert single.contact_points == 1
    assert single.parameters_for(0) == single.parameters_for(1) == single.parameters
