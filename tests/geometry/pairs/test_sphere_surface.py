"""A ball and a freeform surface, against brute force, closed forms and the shapes that have their own pairs."""

import math

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.shapes.surface import Surface
from checkers import assert_close
from geometry.pairs.contacts import Follower, after, random_pose, rock, seeds, touch, touch_at
from geometry.pairs.freeform import KINDS, ball_distance, within_face
from quick import examples, slow_but

A, B = rock("a"), rock("b")
HERE = np.concatenate([np.zeros(3), np.eye(3).ravel()])
RADIUS = 0.1
BALL = cm.Sphere(A, RADIUS)
SOME = ("ellipsoid", "paraboloid", "height map")


def at(*place: float) -> np.ndarray:
    return np.concatenate([place, HERE[3:]])


def shape_of(rng: np.random.Generator, kind: str, **more) -> Surface:
    return Surface(B, KINDS[kind](rng), rng.uniform(-0.2, 0.2, 3), rng.normal(size=4), **more)


@pytest.mark.parametrize("kind", slow_but(SOME, KINDS))
@examples(6)
@given(seed=seeds)
def test_the_gap_is_the_least_distance(kind: str, seed: int):
    rng = np.random.default_rng(seed)
    shape, where = shape_of(rng, kind), random_pose(rng, 1.0, True)
    centre = rng.uniform(-1.2, 1.2, 3)
    found = touch(BALL, shape, at(*centre), where)
    distance, (u, v) = ball_distance(shape, where, centre)
    assert abs(found.gap + RADIUS) == pytest.approx(distance, abs=1e-9)
    if within_face(shape, u, v):
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)
        assert found.point_a - found.point_b == pytest.approx(found.gap * found.normal, abs=1e-14)


ALIKE = {
    "sphere": (lambda: cm.surfaces.Sphere(0.5), lambda: cm.Sphere(B, 0.5)),
    "cup": (lambda: cm.surfaces.Sphere(0.9, inside=True), lambda: cm.Sphere(B, 0.9, inside=True)),
    "torus": (lambda: cm.surfaces.Torus(0.7, 0.2), lambda: cm.Torus(B, (0, 0, 0), (0, 0, 1), 0.7, 0.2)),
    "tube": (
        lambda: cm.surfaces.Torus(0.7, 0.3, inside=True),
        lambda: cm.Torus(B, (0, 0, 0), (0, 0, 1), 0.7, 0.3, inside=True),
    ),
    "ellipsoid of equal axes": (lambda: cm.surfaces.Ellipsoid(0.5, 0.5, 0.5), lambda: cm.Sphere(B, 0.5)),
    "superellipsoid that is round": (
        lambda: cm.surfaces.Superellipsoid(0.5, 0.5, 0.5, 1.0, 1.0),
        lambda: cm.Sphere(B, 0.5),
    ),
}


@pytest.mark.parametrize("name", ALIKE)
@given(seed=seeds)
def test_surfaces_that_are_shapes_too_give_the_same(name: str, seed: int):
    rng = np.random.default_rng(seed)
    surface, shape = Surface(B, ALIKE[name][0]()), ALIKE[name][1]()
    where, place = random_pose(rng, 1.0, True), random_pose(rng, 1.0, True)
    if name in ("cup", "tube"):  # the ball is in the cavity
        angle = rng.uniform(-math.pi, math.pi)
        inner = 0.7 * np.array([math.cos(angle), math.sin(angle), 0.0]) if name == "tube" else np.zeros(3)
        place[:3] = where[:3] + where[3:].reshape(3, 3) @ (inner + 0.15 * rng.normal(size=3) / math.sqrt(3.0))
    one, other = touch(BALL, surface, place, where), touch(BALL, shape, place, where)
    assert one.gap == pytest.approx(other.gap, abs=1e-10)
    assert one.normal == pytest.approx(other.normal, abs=1e-8)
    assert one.point_a == pytest.approx(other.point_a, abs=1e-8)
    assert one.point_b == pytest.approx(other.point_b, abs=1e-8)


@given(seed=seeds)
def test_the_sides_of_cylinders_and_cones_are_those_of_the_shapes(seed: int):
    """Beside them: the surfaces have no lids."""
    rng = np.random.default_rng(seed)
    angle, z, away = rng.uniform(-3, 3), rng.uniform(-0.3, 0.3), rng.uniform(0.45, 0.8)
    place = at(away * math.cos(angle), away * math.sin(angle), z)
    tin, side = cm.Cylinder(B, (0, 0, 0), (0, 0, 1), 0.4, 0.5), Surface(B, cm.surfaces.Cylinder(0.4, 0.5))
    assert touch(BALL, side, place, HERE).gap == pytest.approx(touch(BALL, tin, place, HERE).gap, abs=1e-10)
    # A cone of radii 0.5 at z = −0.5 and 0.3 at z = 0.5, by hand: distance from the line in the plane of the axis.
    slope = math.hypot(1.0, 0.2)
    cone = Surface(B, cm.surfaces.Cone(0.5, 0.3, 0.5))
    expected = (away - 0.4 + 0.2 * z) / slope - RADIUS
    found = touch(BALL, cone, place, HERE)
    middle = float(cone.surface.point(*(0.5 * sum(r) for r in (cone.surface.u_range, cone.surface.v_range)))[2])
    assert middle == pytest.approx(0.0, abs=1e-12)
    assert found.gap == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("surface", "centre", "gap"),
    [
        (cm.surfaces.Sphere(1.0, inside=True), (0.0, 0.0, 0.0), 0.9),
        (cm.surfaces.Torus(1.0, 0.3, inside=True), (1.0, 0.0, 0.0), 0.2),
        (cm.surfaces.Cylinder(0.5, 4.0, inside=True), (0.0, 0.0, 0.1), 0.4),
        (cm.surfaces.Sphere(1.0), (0.0, 0.0, 0.0), -1.1),
    ],
)
def test_in_the_middle_of_what_is_round_every_foot_is_as_near(surface, centre, gap: float):
    assert touch(BALL, Surface(B, surface), at(*centre), HERE).gap == pytest.approx(gap, abs=1e-12)


# ---- borders


def rim(**more) -> Surface:
    """A shallow dish: a round border of radius 1 at z = 0.1."""
    return Surface(B, cm.surfaces.Revolution([(0.0, 0.0), (0.3, 0.01), (0.6, 0.05), (1.0, 0.1)]), **more)


@pytest.mark.parametrize("away", [1.05, 1.5, 1.9, 1.99, 2.0, 2.01, 3.0, 30.0])
@given(seed=seeds)
@examples(10)
def test_a_round_border_pushes_from_any_distance(away: float, seed: int):
    """However the border bends in the surface, against how far the ball is."""
    angle = np.random.default_rng(seed).uniform(-math.pi, math.pi)
    out = np.array([math.cos(angle), math.sin(angle), 0.0])
    found = touch(BALL, rim(), at(*(away * out + (0, 0, 0.1))), HERE)
    assert found.gap == pytest.approx(away - 1.0 - RADIUS, abs=1e-10)
    assert found.normal == pytest.approx(out, abs=1e-7)
    assert found.point_b == pytest.approx((out[0], out[1], 0.1), abs=1e-7 * away)
    assert touch(BALL, rim(edges="ignore"), at(*(away * out + (0, 0, 0.1))), HERE).gap == NO_CONTACT


PLATE = cm.surfaces.HeightMap(np.linspace(-1.0, 1.0, 5), np.linspace(-0.5, 0.5, 5), np.zeros((5, 5)))


@given(seed=seeds)
def test_the_border_of_a_flat_height_map_is_that_of_a_rectangle(seed: int):
    x, y, z = np.random.default_rng(seed).uniform((-1.8, -1.2, 0.01), (1.8, 1.2, 1.0))
    away = np.array([max(abs(x) - 1.0, 0.0), max(abs(y) - 0.5, 0.0), z])
    found = touch(BALL, Surface(B, PLATE), at(x, y, z), HERE)
    assert found.gap == pytest.approx(np.linalg.norm(away) - RADIUS, abs=1e-10)
    assert found.normal == pytest.approx(away * np.sign([x, y, z]) / np.linalg.norm(away), abs=1e-7)
    face = touch(BALL, Surface(B, PLATE, edges="ignore"), at(x, y, z), HERE)
    assert face.gap == (found.gap if away[0] == away[1] == 0.0 else NO_CONTACT)


def test_behind_a_surface_is_its_solid():
    found = touch(BALL, Surface(B, PLATE), at(0.2, 0.1, -0.05), HERE)
    assert found.gap == pytest.approx(-0.15, abs=1e-12)
    assert found.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)


# ---- parts


def test_every_part_has_a_spot_of_its_own():
    """Two hills: a ball between them touches both."""
    parts = [(-1.0, 0.0, -0.5, 0.5), (0.0, 1.0, -0.5, 0.5)]
    x = np.linspace(-1.0, 1.0, 41)
    hills = cm.surfaces.HeightMap(x, np.linspace(-0.5, 0.5, 5), np.tile((x * x)[:, None], (1, 5)))
    valley, ball = Surface(B, hills, parts=parts), cm.Sphere(A, 0.9)
    left, right = (touch_at(k, ball, valley, at(0.0, 0.0, 1.0), HERE) for k in (1, 2))
    # z = x²: the nearest points of (0, 1) are x² = 1/2, at a distance of √3/2.
    assert left.gap == pytest.approx(math.sqrt(0.75) - 0.9, abs=1e-6)
    assert right.gap == pytest.approx(left.gap, abs=1e-12)
    assert left.point_b[0] == pytest.approx(-right.point_b[0], abs=1e-9)
    assert left.point_b[0] == pytest.approx(-math.sqrt(0.5), abs=1e-5)
    # To one side only that part has a foot.
    assert touch_at(1, ball, valley, at(0.5, 0.0, 0.4), HERE).gap == NO_CONTACT
    assert touch_at(2, ball, valley, at(0.5, 0.0, 0.4), HERE).gap < 0.0


def test_one_part_leaves_the_rest_of_the_surface_out():
    half = Surface(B, PLATE, parts=[(0.0, 1.0, -0.5, 0.5)])
    assert touch(BALL, half, at(0.5, 0.0, 0.05), HERE).gap == pytest.approx(-0.05)
    assert touch(BALL, half, at(-0.5, 0.0, 0.05), HERE).gap == NO_CONTACT


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([(0.0, 1.0)], "parts must be rows"),
        ([(0.0, 2.0, 0.0, 0.1)], "a part must lie within u = -1 … 1, v = -0.5 … 0.5"),
        ([(0.5, 0.2, 0.0, 0.1)], "a part must lie within"),
        ("ab", "parts must be rows"),
        ([(0.0, math.nan, 0.0, 0.1)], "parts must be rows"),
    ],
)
def test_parts_must_be_pieces_of_the_surface(parts, message: str):
    with pytest.raises(cm.ModelError, match=message):
        Surface(B, PLATE, parts=parts)


# ---- along a way


@pytest.mark.parametrize("kind", slow_but(SOME, KINDS))
@examples(4)
@given(seed=seeds)
def test_on_its_way_a_ball_knows_the_nearest_foot_of_all(kind: str, seed: int):
    rng = np.random.default_rng(seed)
    shape, where = shape_of(rng, kind), random_pose(rng, 0.5, True)
    start, end = rng.uniform(-1.2, 1.2, (2, 3))
    follower, before = Follower(BALL, shape), None
    for share in np.linspace(0.0, 1.0, 200):
        centre = start + share * (end - start)
        warm, cold = follower.at(at(*centre), where), touch(BALL, shape, at(*centre), where)
        assert abs(warm.gap + RADIUS) == pytest.approx(abs(cold.gap + RADIUS), abs=1e-10)
        if before is not None and kind in ("sphere", "ellipsoid", "torus", "revolution") and warm.gap > 0.0:
            assert abs(warm.gap - before) <= 1.01 * np.linalg.norm(end - start) / 199
        before = warm.gap


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (0.6, -0.8)])
@pytest.mark.parametrize("table", [False, True])
def test_over_a_pole_and_along_a_seam(tmp_path, step: float, direction, table: bool):
    surface, bound = cm.surfaces.Sphere(1.0), 1e-12
    if table:
        surface, bound = cm.lookup.build(surface, (201, 201), (27, 27), tmp_path / "x.lut"), 1e-7
    for top in (1.0, -1.0):
        follower = Follower(BALL, Surface(B, surface))
        for k in range(-20, 21):
            centre = np.array([k * step * direction[0], k * step * direction[1], 1.09 * top])
            found = follower.at(at(*centre), HERE)
            assert found.gap == pytest.approx(np.linalg.norm(centre) - 1.1, abs=bound)
            assert_close(found.normal, centre / np.linalg.norm(centre), 1e5 * bound if table else 1e-9, "normal")
    follower = Follower(BALL, Surface(B, surface))
    for k in range(-20, 21):  # v = 0 is the seam
        centre = 1.09 * np.array([math.cos(0.3) * math.cos(k * step), math.cos(0.3) * math.sin(k * step), 0.3])
        found = follower.at(at(*centre), HERE)
        assert found.gap == pytest.approx(np.linalg.norm(centre) - 1.1, abs=bound)


@pytest.mark.parametrize("kind", slow_but(SOME, KINDS))
def test_far_from_the_origin(kind: str):
    rng = np.random.default_rng(5)
    shape, where = shape_of(rng, kind), random_pose(rng, 0.5, True)
    place = at(*rng.uniform(-1.0, 1.0, 3))
    far = at(1000.0, -800.0, 600.0)
    one, other = touch(BALL, shape, place, where), touch(BALL, shape, after(far, place), after(far, where))
    assert other.gap == pytest.approx(one.gap, abs=1e-9)


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_a_table_is_as_good_as_its_interpolation(tmp_path, interpolation: str):
    surface = cm.surfaces.Ellipsoid(0.4, 0.5, 0.6)
    table = cm.lookup.build(surface, (401, 401), (27, 27), tmp_path / "x.lut", interpolation=interpolation)
    rng, h = np.random.default_rng(3), 2.0 * math.pi / 400
    bound = 0.6 * h * h / 4.0 if interpolation == "bilinear" else 0.6 * h**4
    for _ in range(50):
        place = random_pose(rng, 0.9, True)
        exact = touch(BALL, Surface(B, surface), place, HERE)
        found = touch(BALL, Surface(B, table), place, HERE)
        if exact.gap > -0.2:
            assert found.gap == pytest.approx(exact.gap, abs=bound)


def test_a_centre_that_is_no_number_touches_nothing(tmp_path):
    table = cm.lookup.build(cm.surfaces.Sphere(1.0), (30, 30), (9, 9), tmp_path / "x.lut")
    for surface in (table, cm.lookup.LookupTable(table.path, (2, 2), "bilinear"), cm.surfaces.Sphere(1.0)):
        follower = Follower(BALL, Surface(B, surface))
        assert follower.at(at(math.nan, 0.0, 0.0), HERE).gap == NO_CONTACT
        assert follower.at(at(0.0, 0.3, 1.09), HERE).gap < 0.1
        assert follower.at(at(math.nan, 0.0, 0.0), HERE).gap == NO_CONTACT


def test_a_cavity_does_not_touch_a_surface():
    with pytest.raises(cm.ModelError, match="is a cavity"):
        cm.Contact(cm.Sphere(A, 1.0, inside=True), Surface(B, PLATE), law=cm.laws.Hertz(1e6))


@pytest.mark.parametrize("surface", ["none", 3, None, cm.Sphere(A, 1.0)])
def test_a_surface_must_be_one(surface):
    with pytest.raises(cm.ModelError):
        Surface(B, surface)
