"""Two freeform surfaces, against brute force, closed forms and the pair of a ball."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.shapes.surface import Surface
from geometry.pairs.contacts import Follower, Motion, after, random_pose, rock, seeds, touch, touch_at
from geometry.pairs.freeform import CLOSED, KINDS, apart, within_face
from quick import examples

A, B = rock("a"), rock("b")
HERE = np.concatenate([np.zeros(3), np.eye(3).ravel()])
kinds = st.sampled_from(list(KINDS))


def at(*place: float) -> np.ndarray:
    return np.concatenate([place, HERE[3:]])


def shape_of(rng: np.random.Generator, on: cm.Body, kind: str) -> Surface:
    return Surface(on, KINDS[kind](rng), rng.uniform(-0.2, 0.2, 3), rng.normal(size=4))


def pushed(p: np.ndarray, way: np.ndarray) -> np.ndarray:
    return np.concatenate([p[:3] + way, p[3:]])


@examples(20)
@given(one=kinds, other=kinds, seed=seeds)
def test_the_gap_is_the_least_distance(one: str, other: str, seed: int):
    rng = np.random.default_rng(seed)
    a, b = shape_of(rng, A, one), shape_of(rng, B, other)
    pose_a, pose_b, distance, (u, v, p, q) = apart(rng, a, b)
    found, back = touch(a, b, pose_a, pose_b), touch(b, a, pose_b, pose_a)
    if not (within_face(a, u, v) and within_face(b, p, q)):
        assert found.gap > distance - 1e-9  # surfaces touch on their faces
        return
    assert found.gap == pytest.approx(distance, abs=1e-9)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)
    assert found.point_a - found.point_b == pytest.approx(found.gap * found.normal, abs=1e-12)
    assert found.force_point == pytest.approx(0.5 * (found.point_a + found.point_b), abs=1e-14)
    # The other way about.
    assert back.gap == pytest.approx(found.gap, abs=1e-12)
    assert back.normal == pytest.approx(-found.normal, abs=1e-7)
    assert back.point_a == pytest.approx(found.point_b, abs=1e-7)
    assert back.point_b == pytest.approx(found.point_a, abs=1e-7)
    # And with a common motion, a kilometre away.
    far = random_pose(rng, 1000.0, True)
    assert touch(a, b, after(far, pose_a), after(far, pose_b)).gap == pytest.approx(found.gap, abs=1e-9)


@examples(10)
@given(one=st.sampled_from(CLOSED), other=st.sampled_from(CLOSED), seed=seeds)
def test_pushed_together_along_the_normal_the_gap_falls_by_the_push(one: str, other: str, seed: int):
    """The common normal stays where it is: the gap is linear, through touching and a little beyond."""
    rng = np.random.default_rng(seed)
    a, b = shape_of(rng, A, one), shape_of(rng, B, other)
    pose_a, pose_b, *_ = apart(rng, a, b)
    found = touch(a, b, pose_a, pose_b)
    for target in (1e-3, 0.0, -1e-4, -2e-3):
        closer = touch(a, b, pushed(pose_a, (target - found.gap) * found.normal), pose_b)
        assert closer.gap == pytest.approx(target, abs=1e-10)
        assert closer.normal == pytest.approx(found.normal, abs=1e-6)


@given(seed=seeds)
def test_two_spheres_are_spheres(seed: int):
    rng = np.random.default_rng(seed)
    r, s = rng.uniform(0.2, 0.6, 2)
    pose_a, pose_b = random_pose(rng, 0.7, True), random_pose(rng, 0.7, True)
    away = pose_a[:3] - pose_b[:3]
    distance = float(np.linalg.norm(away))
    if distance < 0.85 * (r + s):
        return
    found = touch(Surface(A, cm.surfaces.Sphere(r)), Surface(B, cm.surfaces.Sphere(s)), pose_a, pose_b)
    assert found.gap == pytest.approx(distance - r - s, abs=1e-10)
    assert found.normal == pytest.approx(away / distance, abs=1e-8)


@given(seed=seeds)
def test_a_ball_in_a_cup(seed: int):
    rng = np.random.default_rng(seed)
    pose_a, pose_b = random_pose(rng, 0.7, True), random_pose(rng, 0.7, True)
    out = rng.normal(size=3)
    out *= rng.uniform(0.2, 0.72) / np.linalg.norm(out)
    pose_a[:3] = pose_b[:3] + out
    ball, cup = Surface(A, cm.surfaces.Sphere(0.3)), Surface(B, cm.surfaces.Sphere(1.0, inside=True))
    found = touch(ball, cup, pose_a, pose_b)
    assert found.gap == pytest.approx(0.7 - np.linalg.norm(out), abs=1e-10)
    assert found.normal == pytest.approx(-out / np.linalg.norm(out), abs=1e-8)


@given(seed=seeds)
def test_a_ball_in_a_tube(seed: int):
    """The pair of a ball and a torus knows the answer."""
    rng = np.random.default_rng(seed)
    angle, side, height = rng.uniform(-3, 3), *rng.uniform(-0.12, 0.12, 2)
    if math.hypot(side, height) < 0.02:
        return
    r = 0.8 + side
    place = np.concatenate([[r * math.cos(angle), r * math.sin(angle), height], random_pose(rng, 1.0, True)[3:]])
    tube = Surface(B, cm.surfaces.Torus(0.8, 0.3, inside=True))
    found = touch(Surface(A, cm.surfaces.Sphere(0.2)), tube, place, HERE)
    other = touch(cm.Sphere(A, 0.2), cm.Torus(B, (0, 0, 0), (0, 0, 1), 0.8, 0.3, inside=True), place, HERE)
    assert found.gap == pytest.approx(other.gap, abs=1e-10)
    assert found.normal == pytest.approx(other.normal, abs=1e-8)


@examples(30)
@given(kind=st.sampled_from([*CLOSED, "paraboloid"]), seed=seeds)
def test_a_sphere_is_a_ball(kind: str, seed: int):
    """Where the ball's foot is on the face."""
    rng = np.random.default_rng(seed)
    shape, where, place = shape_of(rng, B, kind), random_pose(rng, 0.5, True), random_pose(rng, 1.0, True)
    face = Surface(B, shape.surface, shape.at, shape.orientation, edges="ignore")
    other = touch(cm.Sphere(A, 0.2), face, place, where)
    if not -0.03 < other.gap < 1.0:
        return
    found = touch(Surface(A, cm.surfaces.Sphere(0.2)), shape, place, where)
    assert found.gap == pytest.approx(other.gap, abs=1e-10)
    assert found.normal == pytest.approx(other.normal, abs=1e-7)


@given(seed=seeds)
def test_an_ellipsoid_above_a_plane(seed: int):
    """Its lowest point: z − √(a²n_x² + b²n_y² + c²n_z²), n the vertical in its own axes."""
    rng = np.random.default_rng(seed)
    axes, place = rng.uniform(0.1, 0.3, 3), random_pose(rng, 0.2, True)
    reach = float(np.linalg.norm(axes * place[3:].reshape(3, 3)[2]))
    place[2] = reach + rng.uniform(-0.01, 0.3)
    x = np.linspace(-1.0, 1.0, 5)
    plane = Surface(B, cm.surfaces.HeightMap(x, x, np.zeros((5, 5))))
    found = touch(Surface(A, cm.surfaces.Ellipsoid(*axes)), plane, place, HERE)
    assert found.gap == pytest.approx(place[2] - reach, abs=1e-10)
    assert found.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)


def test_beside_an_open_surface_there_is_no_contact():
    x = np.linspace(-1.0, 1.0, 5)
    plane = Surface(B, cm.surfaces.HeightMap(x, x, np.zeros((5, 5))))
    ball = Surface(A, cm.surfaces.Sphere(0.3))
    assert touch(ball, plane, at(0.9, 0.0, 0.29), HERE).gap == pytest.approx(-0.01, abs=1e-10)
    assert touch(ball, plane, at(1.1, 0.0, 0.29), HERE).gap == NO_CONTACT
    follower = Follower(ball, plane)
    for x_ball in np.linspace(0.5, 1.5, 101):  # over the border and back
        found = follower.at(at(x_ball, 0.0, 0.29), HERE).gap
        assert found == (pytest.approx(-0.01, abs=1e-9) if x_ball < 0.9999 else NO_CONTACT) or abs(x_ball - 1.0) < 1e-3
    for x_ball in np.linspace(1.5, 0.5, 101):
        found = follower.at(at(x_ball, 0.0, 0.29), HERE).gap
        assert abs(x_ball - 1.0) < 0.02 or found == (pytest.approx(-0.01, abs=1e-9) if x_ball < 1.0 else NO_CONTACT)


# ---- parts


def test_parts_touch_at_spots_of_their_own():
    """A ball on two hills, as the condyles of a femur on a tibia."""
    x = np.linspace(-1.0, 1.0, 41)
    valley = cm.surfaces.HeightMap(x, np.linspace(-0.5, 0.5, 5), np.tile((x * x)[:, None], (1, 5)))
    halves = [(-1.0, 0.0, -0.5, 0.5), (0.0, 1.0, -0.5, 0.5)]
    ball, two = Surface(A, cm.surfaces.Sphere(0.9)), Surface(B, valley, parts=halves)
    left, right = (touch_at(k, ball, two, at(0.0, 0.0, 1.0), HERE) for k in (1, 2))
    assert left.gap == pytest.approx(math.sqrt(0.75) - 0.9, abs=1e-6)
    assert right.gap == pytest.approx(left.gap, abs=1e-10)
    assert left.point_b[0] == pytest.approx(-right.point_b[0], abs=1e-8)
    assert left.point_b[0] < 0.0
    small = Surface(A, cm.surfaces.Sphere(0.2))
    assert touch_at(1, small, two, at(0.5, 0.0, 0.45), HERE).gap == NO_CONTACT
    assert touch_at(2, small, two, at(0.5, 0.0, 0.45), HERE).gap < 0.0


def test_parts_of_both_make_a_spot_for_every_two():
    x = np.linspace(-1.0, 1.0, 5)
    plane = Surface(B, cm.surfaces.HeightMap(x, x, np.zeros((5, 5))),
                    parts=[(-1.0, 0.0, -1.0, 1.0), (0.0, 1.0, -1.0, 1.0)])  # fmt: skip
    halves = [(-0.5 * math.pi, 0.5 * math.pi, 0.0, math.pi), (-0.5 * math.pi, 0.5 * math.pi, math.pi, 2.0 * math.pi)]
    ball = Surface(A, cm.surfaces.Sphere(0.3), parts=halves, orientation=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))
    gaps = [touch_at(k, ball, plane, at(0.5, 0.0, 0.28), HERE).gap for k in range(5)]
    assert gaps[0] == pytest.approx(-0.02, abs=1e-10)
    assert sorted(gaps[1:])[0] == pytest.approx(-0.02, abs=1e-10)
    assert sorted(gaps[1:])[1:] == [NO_CONTACT] * 3
    assert gaps[1] == gaps[3] == NO_CONTACT  # the spots of the first half of the plane


# ---- along a way


@examples(8)
@given(one=st.sampled_from(CLOSED), other=st.sampled_from(CLOSED), seed=seeds)
def test_on_their_way_surfaces_know_the_nearest_spot_of_all(one: str, other: str, seed: int):
    rng = np.random.default_rng(seed)
    a, b = shape_of(rng, A, one), shape_of(rng, B, other)
    pose_a, pose_b = random_pose(rng, 0.1, True), random_pose(rng, 0.1, True)
    out = rng.normal(size=3)
    out /= np.linalg.norm(out)
    pose_a[:3] += 1.9 * out
    motion = Motion(1.5 * np.cross(out, rng.normal(size=3)) - 0.3 * out, rng.uniform(-2.0, 2.0, 3))
    follower = Follower(a, b)
    for k in range(80):
        moved = motion.moved(pose_a, 0.01 * k)
        warm, cold = follower.at(moved, pose_b), touch(a, b, moved, pose_b)
        if cold.gap < 0.0:
            break
        assert warm.gap == pytest.approx(cold.gap, abs=1e-10)


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("inside", [False, True])
def test_over_poles(step: float, inside: bool):
    """Pole upon pole, or pole in pole."""
    ball, other = Surface(A, cm.surfaces.Sphere(0.3)), Surface(B, cm.surfaces.Sphere(1.0, inside=inside))
    follower, height = Follower(ball, other), 0.71 if inside else 1.29
    for k in range(-20, 21):
        centre = np.array([0.6 * k * step, -0.8 * k * step, height])
        found, away = follower.at(at(*centre), HERE), float(np.linalg.norm(centre))
        assert found.gap == pytest.approx(0.7 - away if inside else away - 1.3, abs=1e-12)
        assert found.normal == pytest.approx((-centre if inside else centre) / away, abs=1e-8)


def test_round_the_seams_of_a_ring():
    ring, ball = Surface(B, cm.surfaces.Torus(1.0, 0.3)), Surface(A, cm.surfaces.Sphere(0.2))
    follower = Follower(ball, ring)
    for angle in np.linspace(-7.0, 7.0, 300):
        tube = np.array([math.cos(angle), math.sin(angle), 0.0])
        centre = tube + 0.49 * (math.cos(2.0 * angle) * tube + math.sin(2.0 * angle) * np.array([0.0, 0.0, 1.0]))
        found = follower.at(at(*centre), HERE)
        assert found.gap == pytest.approx(-0.01, abs=1e-12)
        assert found.normal == pytest.approx((centre - tube) / 0.49, abs=1e-8)


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_tables_against_what_they_were_made_of(tmp_path, interpolation: str):
    one, other = cm.surfaces.Ellipsoid(0.4, 0.5, 0.6), cm.surfaces.Torus(0.7, 0.2)
    shapes, tables = [], []
    for k, (on, surface) in enumerate(((A, one), (B, other))):
        path = tmp_path / f"{k}.lut"
        table = cm.lookup.build(surface, (401, 401), (27, 27), path, interpolation=interpolation)
        shapes.append(Surface(on, surface))
        tables.append(Surface(on, table))
    rng, h, n_compared = np.random.default_rng(4), 2.0 * math.pi / 400, 0
    bound = 2.0 * 0.9 * h * h / 4.0 if interpolation == "bilinear" else 0.9 * h**4
    for _ in range(40):
        pose_a, pose_b = random_pose(rng, 0.8, True), random_pose(rng, 0.8, True)
        exact = touch(*shapes, pose_a, pose_b)
        if 0.0 < exact.gap < NO_CONTACT:
            n_compared += 1
            assert touch(*tables, pose_a, pose_b).gap == pytest.approx(exact.gap, abs=bound)
    assert n_compared > 10


def test_a_pose_that_is_no_number_touches_nothing():
    follower = Follower(Surface(A, cm.surfaces.Sphere(0.3)), Surface(B, cm.surfaces.Torus(0.7, 0.2)))
    lost = at(math.nan, 0.0, 0.0)
    assert follower.at(lost, HERE).gap == NO_CONTACT
    assert follower.at(at(1.3, 0.0, 0.0), HERE).gap == pytest.approx(0.1, abs=1e-12)
    assert follower.at(lost, HERE).gap == NO_CONTACT
