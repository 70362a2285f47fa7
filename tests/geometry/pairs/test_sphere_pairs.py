"""The checker of the pairs of a ball: the gap is the least distance from the skin, found by brute force."""

from collections.abc import Callable

import numpy as np
import pytest

import carom as cm
from carom.geometry.closest_points import evaluate
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.registry import PAIRS, pair
from carom.geometry.pairs.sphere_common import axial_coordinates, perpendicular_to
from carom.geometry.pose import pose
from carom.geometry.shapes import (
    Box,
    Cone,
    Cylinder,
    Disc,
    Plane,
    Point,
    Rectangle,
    Segment,
    Shape,
    Sphere,
    Torus,
    Triangle,
)
from geometry.pairs.contacts import Pose, random_pose, rock, touch
from geometry.pairs.skins import heights, search, skin
from quick import each

Rng = np.random.Generator
A, B = rock("a"), rock("b")
HERE = pose((0.0, 0.0), 0.0)
SHAPES, CENTRES = 4, 15
TINY = (0.0, 1e-300, -1e-300, 1e-170, 1e-17, -1e-17, 1e-12)


def spot(rng: Rng) -> np.ndarray:
    return rng.uniform(-0.3, 0.3, 3)


def way(rng: Rng) -> np.ndarray:
    return rng.normal(size=3)


def size(rng: Rng) -> float:
    return float(rng.uniform(0.2, 0.8))


def rectangle(rng: Rng, edges: str = "contact") -> Rectangle:
    u, v = way(rng), way(rng)
    return Rectangle(B, spot(rng), u, np.cross(u, v), size(rng), size(rng), edges)


def cone(rng: Rng, last: float, inside: bool = False, edges: str = "contact") -> Cone:
    return Cone(B, spot(rng), way(rng), size(rng), size(rng), last, inside, edges)


def cylinder(rng: Rng, inside: bool = False, edges: str = "contact") -> Cylinder:
    return Cylinder(B, spot(rng), way(rng), size(rng), size(rng), inside, edges)


def torus(rng: Rng, inside: bool = False) -> Torus:
    return Torus(B, spot(rng), way(rng), 0.3 + size(rng), rng.uniform(0.15, 0.3), inside)


MAKERS: dict[str, dict[str, Callable[[Rng], Shape]]] = {
    "Sphere": {
        "ball": lambda rng: Sphere(B, size(rng), spot(rng)),
        "cavity": lambda rng: Sphere(B, 0.2 + size(rng), spot(rng), inside=True),
        "point": lambda rng: Point(B, spot(rng)),
    },
    "Plane": {"wall": lambda rng: Plane(B, spot(rng), way(rng))},
    "Segment": {
        "line": lambda rng: Segment(B, spot(rng), spot(rng) + way(rng)),
        "capsule": lambda rng: Segment(B, spot(rng), spot(rng) + way(rng), 0.5 * size(rng)),
    },
    "Triangle": {"triangle": lambda rng: Triangle(B, way(rng), way(rng), way(rng))},
    "Rectangle": {"rectangle": rectangle},
    "Disc": {"disc": lambda rng: Disc(B, spot(rng), way(rng), size(rng))},
    "Cylinder": {"solid": cylinder, "shell": lambda rng: cylinder(rng, inside=True)},
    "Cone": {
        "pointed": lambda rng: cone(rng, 0.0),
        "blunt": lambda rng: cone(rng, size(rng)),
        "shell": lambda rng: cone(rng, size(rng), inside=True),
        "pointed shell": lambda rng: cone(rng, 0.0, inside=True),
    },
    "Torus": {"ring": torus, "tube": lambda rng: torus(rng, inside=True)},
    "Box": {"box": lambda rng: Box(B, [size(rng) for _ in range(3)], spot(rng), [*way(rng).tolist(), 1.0])},
}
EDGES_IGNORED: dict[str, Callable[[Rng], Shape]] = {
    "Segment": lambda rng: Segment(B, spot(rng), spot(rng) + way(rng), 0.1, "ignore"),
    "Triangle": lambda rng: Triangle(B, way(rng), way(rng), way(rng), "ignore"),
    "Rectangle": lambda rng: rectangle(rng, "ignore"),
    "Disc": lambda rng: Disc(B, spot(rng), way(rng), size(rng), "ignore"),
    "Cylinder": lambda rng: cylinder(rng, edges="ignore"),
    "Cylinder, shell": lambda rng: cylinder(rng, inside=True, edges="ignore"),
    "Cone": lambda rng: cone(rng, size(rng), edges="ignore"),
    "Cone, shell": lambda rng: cone(rng, 0.0, inside=True, edges="ignore"),
}
CASES = [pytest.param(make, id=f"{kind}, {name}") for kind, named in MAKERS.items() for name, make in named.items()]
every = pytest.mark.parametrize("make", CASES)


class Ball:
    """A ball that is put above a shape, anywhere in the axes of the shape's body."""

    def __init__(self, shape: Shape, radius: float, rng: Rng | None = None):
        self.at = np.zeros(3) if rng is None else spot(rng)
        self.shape = Sphere(A, radius, self.at) if radius > 0.0 else Point(A, self.at)
        self.radius = radius
        self.other = shape
        self.pose_b = HERE if rng is None else random_pose(rng, 1.0, True)
        self.turn = HERE if rng is None else random_pose(rng, 1.0, True)
        self.pairing = pair("test", self.shape, shape, touching=False)

    def pose_a(self, centre: np.ndarray) -> Pose:
        """The pose of a in which the centre of the ball is at ``centre`` of b."""
        target = self.pose_b[:3] + self.pose_b[3:].reshape(3, 3) @ centre
        return np.concatenate([target - self.turn[3:].reshape(3, 3) @ self.at, self.turn[3:]])

    def above(self, centre: np.ndarray) -> np.ndarray:
        """Return the output of the kernel, with points and normal in the axes of b."""
        out = evaluate(self.pairing, self.pose_a(centre), self.pose_b)
        rotation = self.pose_b[3:].reshape(3, 3)
        out["normal"] = out["normal"] @ rotation
        for name in ("point_a", "point_b", "force_point"):
            out[name] = (out[name] - self.pose_b[:3]) @ rotation
        return out

    def gap(self, centre: np.ndarray) -> float:
        return float(evaluate(self.pairing, self.pose_a(centre), self.pose_b)["gap"])


def ball_for(shape: Shape, rng: Rng, k: int = 1) -> Ball:
    """Every third one a point; none too large for a cavity."""
    return Ball(shape, rng.uniform(0.05, 0.15) if k % 3 else 0.0, rng)


def centres_about(shape: Shape, rng: Rng, n: int = CENTRES) -> np.ndarray:
    """Half of them anywhere near the shape, the others close to its skin."""
    wide = rng.uniform(-1.2, 1.2, (n, 3))
    patches = skin(shape)
    for k in range(0, n, 2):
        patch = patches[rng.integers(len(patches))]
        inner = 0.4 if isinstance(shape, Plane) else 0.0  # only a piece of a wall is a patch
        wide[k] = patch.at(*rng.uniform(inner, 1.0 - inner, (2, 1)))[0] + 0.1 * way(rng)
    return wide


def test_every_pair_of_a_ball_is_checked():
    own = {"ConvexHull", "Curve", "Ellipsoid", "Mesh", "Polygon", "Surface"}  # have their own files
    assert set(MAKERS) == {other for one, other in PAIRS if one == "Sphere"} - own


@every
def test_the_gap_is_the_least_distance_from_the_skin(make):
    """Signed in solids, to 1e-9 m; the closest point is on the skin and at that distance, so it is a closest one."""
    rng = np.random.default_rng(1)
    for k in range(SHAPES):
        shape = make(rng)
        ball = ball_for(shape, rng, k)
        centres = centres_about(shape, rng)
        expected, _ = heights(shape, centres)
        out = np.array([ball.above(centre) for centre in centres])
        np.testing.assert_allclose(out["gap"], expected - ball.radius, rtol=0.0, atol=1e-9)
        normal, skin_a, skin_b = (out[name] for name in ("normal", "point_a", "point_b"))
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(skin_a, centres - ball.radius * normal, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(skin_a - skin_b, out["gap"][:, None] * normal, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(search(skin(shape), skin_b).distance, 0.0, rtol=0.0, atol=1e-8)
        middle = 0.5 * (skin_a + skin_b) if isinstance(shape, Sphere | Point) else skin_b
        np.testing.assert_allclose(out["force_point"], middle, rtol=0.0, atol=1e-14)


@every
def test_the_normal_is_the_slope_of_the_gap(make):
    rng = np.random.default_rng(2)
    kinks = 0
    for k in range(SHAPES):
        shape = make(rng)
        ball = ball_for(shape, rng, k)
        for centre in centres_about(shape, rng, 10):
            here = ball.above(centre)
            step = 1e-6 * np.eye(3)
            ahead = np.array([ball.gap(centre + d) for d in step]) - here["gap"]
            behind = here["gap"] - np.array([ball.gap(centre - d) for d in step])
            if np.abs(ahead - behind).max() > 1e-10:  # where two places are equally close, or a corner is very near
                kinks += 1
                continue
            np.testing.assert_allclose((ahead + behind) / 2e-6, here["normal"], rtol=0.0, atol=1e-7)
    assert kinks <= 2


@every
def test_the_gap_is_continuous_and_changes_no_faster_than_the_ball_moves(make):
    rng = np.random.default_rng(3)
    for k in range(4):
        shape = make(rng)
        ball = ball_for(shape, rng, k)
        patches = skin(shape)
        on_skin = patches[k % len(patches)].at(*rng.uniform(0.0, 1.0, (2, 1)))[0]
        middle = np.array(getattr(shape, "at", on_skin))
        for through in (spot(rng), on_skin, middle):
            along = way(rng) / 100.0
            gaps = np.array([ball.gap(through + s * along) for s in range(-100, 101)])
            assert np.abs(np.diff(gaps)).max() <= np.linalg.norm(along) * (1.0 + 1e-12) + 1e-15


@every
@each("moved", [False, True])
def test_centres_on_skins_edges_corners_and_axes_have_an_answer(make, moved: bool):
    rng = np.random.default_rng(4)
    shape = make(rng)
    ball = Ball(shape, 0.1, rng if moved else None)
    grid = np.array([0.0, 0.3, 0.5, 1.0])
    places = np.vstack([patch.at(*(part.ravel() for part in np.meshgrid(grid, grid))) for patch in skin(shape)])
    if hasattr(shape, "axis"):
        along = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]) * getattr(shape, "half_length", 0.5)
        places = np.vstack([places, np.array(shape.at) + along[:, None] * np.array(shape.axis)])
    if isinstance(shape, Torus):
        ring = shape._points_around(2.0 * np.pi * grid, np.full(4, shape.radius), np.zeros(4))
        places = np.vstack([places, ring])
    if isinstance(shape, Box):
        places = np.vstack([places, [shape.at], np.array(shape.at) + 0.3 * min(shape.half) * shape.axes.T])
    if isinstance(shape, Sphere | Point):
        places = np.vstack([places, [shape.at]])
    expected, _ = heights(shape, places)
    for k, place in enumerate(places):
        for tiny in TINY:
            out = ball.above(place + tiny)
            assert all(np.all(np.isfinite(value)) for value in out.item())
            assert out["gap"] == pytest.approx(expected[k] - 0.1, abs=1e-9)
            assert np.linalg.norm(out["normal"]) == pytest.approx(1.0, abs=1e-14)
            both = touch(ball.shape, shape, ball.pose_a(place + tiny), ball.pose_b)
            other = touch(shape, ball.shape, ball.pose_b, ball.pose_a(place + tiny))
            assert both.gap == other.gap
            assert np.array_equal(both.normal, -other.normal)
            assert np.array_equal(both.point_a, other.point_b)
            assert np.array_equal(both.point_b, other.point_a)


@each("make", EDGES_IGNORED.values())
def test_only_faces_touch_where_edges_do_not_push(make):
    rng = np.random.default_rng(5)
    ended = 0
    for k in range(SHAPES):
        shape = make(rng)
        ball = ball_for(shape, rng, k)
        centres = centres_about(shape, rng)
        expected, found = heights(shape, centres)
        if isinstance(shape, Segment):  # a capsule has no edges; its ends begin where its side ends
            start, end = np.array(shape.start), np.array(shape.end)
            part = (centres - start) @ (end - start) / np.sum((end - start) ** 2)
            on_edge = (part < 0.0) | (part > 1.0)
        else:
            on_edge = found.on_edge
        gaps = np.array([ball.gap(centre) for centre in centres])
        np.testing.assert_array_equal(gaps[on_edge], NO_CONTACT)
        np.testing.assert_allclose(gaps[~on_edge], expected[~on_edge] - ball.radius, rtol=0.0, atol=1e-9)
        ended += np.count_nonzero(on_edge)
    assert 0.1 <= ended / (SHAPES * CENTRES) <= 0.9


@every
def test_closest_answers_for_points_that_can_touch_nothing(make):
    shape = make(np.random.default_rng(6))
    found = cm.closest(Point(rock("p"), (0.3, 0.1, 0.2)), shape)
    expected, _ = heights(shape, np.array([[0.3, 0.1, 0.2]]))
    assert found.gap == pytest.approx(expected[0], abs=1e-9)


@each("kind", ["Segment", "Triangle", "Rectangle", "Disc", "Cylinder", "Cone"])
def test_a_point_in_contact_with_what_is_thin_is_refused(kind: str):
    thin = {"Segment": "line", "Cylinder": "shell", "Cone": "shell"}.get(kind, kind.lower())
    shape = MAKERS[kind][thin](np.random.default_rng(7))
    message = rf"Contact 'x': Point on 'a' and {kind} on 'b' can never touch, as neither has a radius; set a radius"
    with pytest.raises(cm.ModelError, match=message):
        pair("Contact 'x'", shape, Point(A))
    pair("Contact 'x'", shape, Sphere(A, 0.1))


@each("kind", [kind for kind in MAKERS if kind != "Sphere"])
def test_a_cavity_holds_nothing_but_balls(kind: str):
    shape = next(iter(MAKERS[kind].values()))(np.random.default_rng(8))
    message = rf"Sphere on 'a' is a cavity, which only a sphere can touch; {kind} on 'b' cannot"
    for touching in (False, True):
        with pytest.raises(cm.ModelError, match=message):
            pair("test", shape, Sphere(A, 5.0, inside=True), touching)


@each("dim", [2, 3])
def test_the_way_off_an_axis_is_across_it_even_on_the_axis(dim: int):
    """A vector that is zero up to rounding has any direction, also that of the axis."""
    rng = np.random.default_rng(9)
    for _ in range(20000):
        axis = np.zeros(3)
        axis[:dim] = rng.normal(size=dim)
        axis /= np.linalg.norm(axis)
        height = rng.normal()
        along, radius, *way_off = axial_coordinates(*(height * axis), *axis)
        assert along == pytest.approx(height, abs=1e-14)
        assert radius <= 1e-14
        assert abs(way_off @ axis) <= 1e-15
        assert abs(np.linalg.norm(way_off) - 1.0) <= 1e-15
        assert not any(way_off[dim:])


def test_the_way_across_the_axes_themselves():
    assert perpendicular_to(1.0, 0.0, 0.0) == (0.0, 1.0, 0.0)
    assert perpendicular_to(0.0, 1.0, 0.0) == (-1.0, 0.0, 0.0)
    assert perpendicular_to(0.0, 0.0, 1.0) == (1.0, 0.0, 0.0)
    assert axial_coordinates(3.0, 4.0, 5.0, 0.0, 0.0, 1.0) == (5.0, 5.0, 0.6, 0.8, 0.0)
