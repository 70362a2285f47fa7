"""The checker of pairs: every registered pair, in every pose, gives a gap that is true to its points and its motion."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from carom.geometry.mesh.tables import MESH
from carom.geometry.pairs.base import parameters_of_both
from carom.geometry.pairs.convex_mesh import convex_mesh
from carom.geometry.pairs.mesh_mesh import mesh_mesh
from carom.geometry.pairs.registry import GENERAL_PAIRS, PAIRS, pair
from carom.geometry.pairs.segment_shape import segment_shape
from carom.geometry.pairs.torus_shape import torus_shape
from carom.geometry.pose import pose
from carom.geometry.shapes import (
    Box,
    Cone,
    Cylinder,
    Disc,
    Ellipsoid,
    Plane,
    Point,
    Polygon,
    Rectangle,
    Segment,
    Shape,
    Sphere,
    Torus,
    Triangle,
)
from carom.geometry.shapes.box import BOX
from carom.geometry.shapes.cone import CONE
from carom.geometry.shapes.curve import Curve
from carom.geometry.shapes.disc import DISC
from carom.geometry.shapes.plane import PLANE
from carom.geometry.shapes.rectangle import RECTANGLE
from carom.geometry.shapes.segment import SEGMENT
from carom.geometry.shapes.sphere import SPHERE
from carom.geometry.shapes.torus import TORUS
from carom.geometry.shapes.triangle import TRIANGLE
from checkers import assert_close, derivative
from geometry.pairs.contacts import TURN, Follower, Motion, after, body, random_pose, rock, seeds, touch
from geometry.pairs.in_space import IN_SPACE

Rng = np.random.Generator
Example = Callable[[Rng, cm.Body, cm.Body], tuple[Shape, Shape]]


def spot(rng: Rng) -> np.ndarray:
    return rng.uniform(-0.4, 0.4, 2)


def egg(on: cm.Body, size: float, inside: bool = False) -> Curve:
    def f(t: float) -> tuple[float, float]:
        return size * (1.0 + 0.1 * math.cos(t)) * math.cos(t), 0.7 * size * math.sin(t)

    return Curve.function(on, f, (0.0, TURN), closed=True, inside=inside)


def ball(rng: Rng, on: cm.Body) -> Sphere:
    return Sphere(on, 0.3, spot(rng))


def axis(rng: Rng) -> np.ndarray:
    return rng.normal(size=3)


def block(on: cm.Body, radius: float = 0.0) -> Polygon:
    return Polygon(on, [(-0.3, -0.2), (0.4, -0.25), (0.3, 0.3), (-0.35, 0.2)], radius)


def hook(on: cm.Body) -> Polygon:
    return Polygon(on, [(0.0, 0.0), (1.0, 0.0), (1.0, 0.3), (0.35, 0.3), (0.3, 1.0), (0.0, 1.0)])


A, B = body("a"), body("b")
FLOOR = Plane(B, (0.0, 0.0), (0.2, 1.0))
OUTLINES = {"Curve", "Polygon"}
"""Kinds with an outline in the plane."""
ROCKS = rock("a"), rock("b")
EGGS = egg(A, 0.5), egg(B, 0.3)
DISH = Curve.polynomial(B, (0.0, 1.0), (-1.0, 0.0, 0.4), (-4.0, 4.0))

EXAMPLES: dict[tuple[str, str], dict[str, Example]] = {
    ("Sphere", "Sphere"): {
        "balls": lambda rng, a, b: (Sphere(a, rng.uniform(0.1, 0.5), spot(rng)), Sphere(b, 0.3, spot(rng))),
        "ball in a cavity": lambda rng, a, b: (Sphere(a, 0.3, spot(rng)), Sphere(b, 1.5, spot(rng), inside=True)),
        "cavity round a ball": lambda rng, a, b: (Sphere(a, 1.5, spot(rng), inside=True), Sphere(b, 0.3, spot(rng))),
        "point": lambda rng, a, b: (Point(a, spot(rng)), Sphere(b, 0.3, spot(rng))),
    },
    ("Sphere", "Plane"): {
        "ball": lambda rng, a, b: (Sphere(a, 0.3, spot(rng)), Plane(b, spot(rng), rng.uniform(0.1, 1.0, 2))),
        "point": lambda rng, a, b: (Point(a, spot(rng)), Plane(b, spot(rng), rng.uniform(0.1, 1.0, 2))),
    },
    ("Sphere", "Segment"): {
        "ball and line": lambda rng, a, b: (Sphere(a, 0.3, spot(rng)), Segment(b, spot(rng), spot(rng) + 1.0)),
        "ball and capsule": lambda rng, a, b: (Sphere(a, 0.3, spot(rng)), Segment(b, spot(rng), spot(rng) + 1.0, 0.1)),
        "point and capsule": lambda rng, a, b: (Point(a, spot(rng)), Segment(b, spot(rng), spot(rng) + 1.0, 0.1)),
    },
    ("Sphere", "Triangle"): {
        "ball": lambda rng, a, b: (ball(rng, a), Triangle(b, axis(rng), axis(rng), axis(rng))),
    },
    ("Sphere", "Rectangle"): {
        "ball": lambda rng, a, b: (ball(rng, a), Rectangle(b, spot(rng), (3, 0, 4), (4, 0, -3), 0.5, 0.8)),
    },
    ("Sphere", "Disc"): {
        "ball": lambda rng, a, b: (ball(rng, a), Disc(b, spot(rng), axis(rng), 0.5)),
    },
    ("Sphere", "Cylinder"): {
        "solid": lambda rng, a, b: (ball(rng, a), Cylinder(b, spot(rng), axis(rng), 0.4, 0.6)),
        "shell": lambda rng, a, b: (ball(rng, a), Cylinder(b, spot(rng), axis(rng), 0.8, 0.6, inside=True)),
        "point": lambda rng, a, b: (Point(a, spot(rng)), Cylinder(b, spot(rng), axis(rng), 0.4, 0.6)),
    },
    ("Sphere", "Cone"): {
        "solid": lambda rng, a, b: (ball(rng, a), Cone(b, spot(rng), axis(rng), 0.4, 0.6)),
        "shell": lambda rng, a, b: (ball(rng, a), Cone(b, spot(rng), axis(rng), 0.8, 0.6, 0.5, inside=True)),
        "point": lambda rng, a, b: (Point(a, spot(rng)), Cone(b, spot(rng), axis(rng), 0.4, 0.6, 0.7)),
    },
    ("Sphere", "Torus"): {
        "ring": lambda rng, a, b: (ball(rng, a), Torus(b, spot(rng), axis(rng), 0.7, 0.2)),
        "tube": lambda rng, a, b: (Sphere(a, 0.2, spot(rng)), Torus(b, spot(rng), axis(rng), 0.7, 0.4, inside=True)),
    },
    ("Sphere", "Box"): {
        "ball": lambda rng, a, b: (ball(rng, a), Box(b, (0.3, 0.4, 0.5), spot(rng), (0.1, 0.2, 0.3, 0.4))),
        "point": lambda rng, a, b: (Point(a, spot(rng)), Box(b, (0.3, 0.4, 0.5), spot(rng))),
    },
    ("Curve", "Curve"): {
        "eggs": lambda rng, a, b: EGGS,
        "egg in a dish": lambda rng, a, b: (EGGS[0], DISH),
    },
    ("Curve", "Plane"): {"egg": lambda rng, a, b: (EGGS[0], FLOOR)},
    ("Segment", "Curve"): {"capsule": lambda rng, a, b: (Segment(a, spot(rng), spot(rng) + 1.0, 0.1), EGGS[1])},
    ("Polygon", "Plane"): {
        "block": lambda rng, a, b: (block(a), Plane(b, spot(rng), rng.uniform(0.1, 1.0, 2))),
        "rounded": lambda rng, a, b: (block(a, 0.1), Plane(b, spot(rng), rng.uniform(0.1, 1.0, 2))),
    },
    ("Sphere", "Polygon"): {
        "ball": lambda rng, a, b: (Sphere(a, 0.3, spot(rng)), block(b)),
        "hook": lambda rng, a, b: (Sphere(a, 0.3, spot(rng)), hook(b)),
    },
    ("Segment", "Polygon"): {"capsule": lambda rng, a, b: (Segment(a, spot(rng), spot(rng) + 1.0, 0.1), block(b))},
    ("Polygon", "Curve"): {"egg": lambda rng, a, b: (block(a, 0.05), EGGS[1])},
    ("Polygon", "Polygon"): {
        "blocks": lambda rng, a, b: (block(a), block(b)),
        "hook": lambda rng, a, b: (block(a, 0.1), hook(b)),
    },
}
EXAMPLES |= IN_SPACE
SMOOTH = ("Sphere", "Plane", "Curve", "Torus", "Surface")
"""Second shapes whose closest feature never changes: the gap has all derivatives."""
DEEP = -0.099
"""Gap of the deepest overlaps that are checked [m]."""
CASES = [(kinds, name) for kinds, named in EXAMPLES.items() for name in named]
cases = pytest.mark.parametrize(("kinds", "name"), CASES, ids=["–".join(k) + ", " + n for k, n in CASES])


def is_outline_pair(kinds: tuple[str, str]) -> bool:
    """Return whether a pair is that of two planar outlines; a sphere and a curve have another one."""
    return bool(OUTLINES & set(kinds)) and kinds != ("Sphere", "Curve")


def is_solid_on_surface(kinds: tuple[str, str]) -> bool:
    """Return whether a solid with vertices, edges or rims is above a freeform surface."""
    return kinds[1] == "Surface" and kinds[0] not in ("Sphere", "Ellipsoid", "Surface")


def is_deep(kinds: tuple[str, str], name: str, a: Shape, b: Shape, pose_a: np.ndarray, pose_b: np.ndarray) -> bool:
    """Return whether a solid is deep in an ellipsoid: the deepest place may then jump from one side to another."""
    if not is_solid_on_surface(kinds) or name == "ring":
        return False
    semi_axes = b.surface.a, b.surface.b, b.surface.c
    return touch(a, Ellipsoid(b.body, semi_axes, b.at, b.orientation), pose_a, pose_b).gap < DEEP


def in_touch(kinds: tuple[str, str], name: str, seed: int):
    """Two shapes and two poses in which they are close together or a little indented, in space where they may be."""
    rng = np.random.default_rng(seed)
    planar = all(kind in ("Sphere", "Plane", "Segment", "Curve", "Polygon") for kind in kinds) and name not in (
        "wire",
        "tube",
    )
    spatial = not is_outline_pair(kinds) and name != "roller" and (not planar or bool(rng.integers(2)))
    a, b = EXAMPLES[kinds][name](rng, *(ROCKS if spatial else (A, B)))
    if name == "egg in a dish":
        x = rng.uniform(-0.8, 0.8)
        outer = random_pose(rng, 2.0, False)
        return rng, spatial, a, b, after(outer, pose((x, 0.4 * x * x - 0.3), rng.uniform(-3, 3))), outer
    while True:
        pose_a, pose_b = random_pose(rng, 0.7, spatial), random_pose(rng, 0.7, spatial)
        found = touch(a, b, pose_a, pose_b)
        if is_deep(kinds, name, a, b, pose_a, pose_b):
            continue
        if DEEP < found.gap < 0.5 and np.linalg.norm(found.point_a - found.point_b) > 1e-3:
            return rng, spatial, a, b, pose_a, pose_b


def test_every_pair_is_checked():
    assert set(EXAMPLES) == set(PAIRS)


RECORDS = {
    "Sphere": SPHERE, "Segment": SEGMENT, "Plane": PLANE, "Triangle": TRIANGLE, "Rectangle": RECTANGLE, "Disc": DISC,
    "Cylinder": CONE, "Cone": CONE, "Torus": TORUS, "Box": BOX, "Mesh": MESH,
}  # fmt: skip
"""Records of the shapes with a fixed number of parameters."""


@cases
def test_parameters_fill_the_record_of_the_kernel(kinds, name: str):
    """Shapes, registry and kernel agree on the parameters; those of variable size follow a head."""
    rng = np.random.default_rng(1)
    planar = is_outline_pair(kinds) or name == "roller"
    pairing = pair("test", *EXAMPLES[kinds][name](rng, *((A, B) if planar else ROCKS)), touching=False)
    entry = PAIRS[kinds]
    plain = kinds not in GENERAL_PAIRS and not is_outline_pair(kinds)
    plain = plain and all(kind in RECORDS for kind in kinds) and entry.kernel not in (torus_shape, convex_mesh)
    if entry.kernel is segment_shape:  # a shell is not convex
        assert (len(pairing.parameters) > entry.params.size) == (pairing.shapes[1].convex() is not None)
    elif plain or entry.kernel is mesh_mesh:
        assert len(pairing.parameters) == entry.params.size
    else:
        is_convex = kinds in GENERAL_PAIRS or entry.kernel is convex_mesh
        has_tables = not is_convex or {"Triangle", "ConvexHull"} & set(kinds)
        assert len(pairing.parameters) > entry.params.size - (not has_tables)
    for shape in pairing.shapes:
        if shape.kind in RECORDS:
            assert len(shape.parameters) == RECORDS[shape.kind].size
    assert entry.kernel.signature.arguments[2] is entry.params
    assert (entry.params.names[0] == "point_index") == (entry.contact_points != 1)


PLAIN_PAIRS = {
    kinds for kinds, entry in PAIRS.items() if entry.parameters_of is parameters_of_both and set(kinds) <= set(RECORDS)
}
PLAIN_CASES = [(kinds, name) for kinds, name in CASES if kinds in PLAIN_PAIRS]


@pytest.mark.parametrize(("kinds", "name"), PLAIN_CASES, ids=["–".join(k) + ", " + n for k, n in PLAIN_CASES])
def test_fields_of_the_record_have_the_values_of_the_shapes(kinds, name: str):
    """The record of each shape in the parameters of a pair has the values of that shape, under the same names."""
    pairing = pair("test", *EXAMPLES[kinds][name](np.random.default_rng(1), *ROCKS), touching=False)
    entry = PAIRS[kinds]
    row = np.array(pairing.parameters)[: entry.params.size].view(entry.params.dtype)[0]
    names = [field for field in entry.params.names if entry.params.dtype[field].fields]
    for field, shape in zip(names, pairing.shapes, strict=True):
        assert entry.params.dtype[field].names == RECORDS[shape.kind].names
        assert row[field].item() == tuple(shape.parameters)


@cases
@given(seed=seeds)
def test_the_gap_is_the_way_between_the_points_along_the_unit_normal(kinds, name: str, seed: int):
    _, _, a, b, pose_a, pose_b = in_touch(kinds, name, seed)
    found = touch(a, b, pose_a, pose_b)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)
    assert_close(found.point_a - found.point_b, found.gap * found.normal, 1e-12, "along the normal")
    middle = (found.force_point - found.point_b) @ found.normal
    assert middle == pytest.approx(0.0, abs=1e-12) or middle == pytest.approx(0.5 * found.gap, abs=1e-12)


@cases
@given(seed=seeds)
def test_swapping_the_shapes_swaps_the_answer_to_the_last_digit(kinds, name: str, seed: int):
    _, _, a, b, pose_a, pose_b = in_touch(kinds, name, seed)
    one, other = touch(a, b, pose_a, pose_b), touch(b, a, pose_b, pose_a)
    if (
        kinds in (("Surface", "Surface"), ("Torus", "Torus"), ("Mesh", "Mesh")) or "Polygon" in kinds
    ):  # one of them is in the axes of the other
        assert one.gap == pytest.approx(other.gap, abs=1e-12)
        assert_close(one.normal, -other.normal, 1e-7, "normal")
        assert_close(one.point_a, other.point_b, 1e-7, "point")
        return
    assert one.gap == other.gap
    assert np.array_equal(one.normal, -other.normal)
    assert np.array_equal(one.point_a, other.point_b)
    assert np.array_equal(one.point_b, other.point_a)
    assert np.array_equal(one.force_point, other.force_point)


@cases
@given(seed=seeds)
def test_a_common_motion_changes_nothing(kinds, name: str, seed: int):
    rng, spatial, a, b, pose_a, pose_b = in_touch(kinds, name, seed)
    outer = random_pose(rng, 3.0, spatial)
    one, other = touch(a, b, pose_a, pose_b), touch(a, b, after(outer, pose_a), after(outer, pose_b))
    rotation = outer[3:].reshape(3, 3)
    assert other.gap == pytest.approx(one.gap, abs=1e-13)
    assert_close(other.normal, rotation @ one.normal, 1e-11, "normal")
    assert_close(other.point_a, outer[:3] + rotation @ one.point_a, 1e-11, "point")


@cases
@given(seed=seeds)
def test_the_gap_changes_at_the_speed_of_its_points_along_the_normal(kinds, name: str, seed: int):
    """ġ = n·(v_a(p_a) − v_b(p_b)): the points may slide along the skins, but that does not change the gap."""
    rng, spatial, a, b, pose_a, pose_b = in_touch(kinds, name, seed)
    move_a, move_b = Motion.random(rng, spatial), Motion.random(rng, spatial)
    follower = Follower(a, b)
    found = follower.at(pose_a, pose_b)

    def gap(time: float) -> float:
        return follower.at(move_a.moved(pose_a, time), move_b.moved(pose_b, time)).gap

    if is_solid_on_surface(kinds):
        before, after_it = (follower.at(move_a.moved(pose_a, t), move_b.moved(pose_b, t)) for t in (-4e-6, 4e-6))
        # Of two equally deep places with different normals, one is the deeper before and the other one after: a kink.
        if abs(before.gap - after_it.gap) < 1e-4 and before.normal @ after_it.normal < 0.9:
            return
    speed = found.normal @ (move_a.speed(pose_a, found.point_a) - move_b.speed(pose_b, found.point_b))
    # The second derivative jumps where the closest feature changes, the third one at the knots of a spline.
    if (
        kinds[1] not in SMOOTH
        or is_solid_on_surface(kinds)
        or kinds == ("Sphere", "Curve")
        or "Mesh" in kinds
        or (is_outline_pair(kinds) and kinds != ("Curve", "Curve"))
    ):
        assert derivative(gap, 1e-6) == pytest.approx(speed, abs=1e-4)
    else:
        assert derivative(gap, 1e-4) == pytest.approx(speed, abs=1e-9)


def test_the_order_of_the_kernel_is_found():
    ball, wall = Sphere(A, 0.1), Plane(B)
    one, other = pair("test", ball, wall), pair("test", wall, ball)
    assert (one.swapped, other.swapped) == (False, True)
    assert one.shapes == other.shapes == (ball, wall)
    assert one.parameters == other.parameters == (*ball.parameters, *wall.parameters)
    assert one.kernel is other.kernel
    assert one.warm_start == ()
    assert not pair("test", Point(A), Sphere(B, 1.0)).swapped
    assert len(pair("test", *EGGS).warm_start) > 2


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            (Plane(A), FLOOR),
            r"Contact 'x': no pair for Plane on 'a' and Plane on 'b'; Plane has pairs with Sphere, Segment, Curve, "
            r"Polygon \(a Point is a Sphere\)",
        ),
        ((Sphere(A, 1.0), Plane(A)), r"Contact 'x': Sphere on 'a' and Plane on 'a' are on one body and cannot touch"),
        ((A, Plane(B)), r"Contact 'x': expected a shape such as Sphere or Plane, got <Body 'a'"),
    ],
    ids=["no pair", "one body", "no shape"],
)
def test_shapes_that_make_no_pair_are_refused(shapes, message: str):
    with pytest.raises(cm.ModelError, match=message):
        pair("Contact 'x'", *shapes)
