"""Balls and straight pieces: sides, ends, and a centre on the line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Point, Segment, Sphere
from geometry.pairs.contacts import body, lowest, place, random_pose, seeds, touch

HERE = pose((0.0, 0.0), 0.0)


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
@given(seed=seeds, radius=st.floats(0.0, 1.0), thickness=st.floats(0.01, 0.5))
def test_the_gap_is_the_least_distance_from_the_line_less_the_radii(spatial: bool, seed: int, radius, thickness):
    rng = np.random.default_rng(seed)
    on = body()
    ball = Sphere(on, radius, rng.uniform(-0.5, 0.5, 2)) if radius > 0.0 else Point(on, rng.uniform(-0.5, 0.5, 2))
    rod = Segment(body(), *rng.uniform(-1.0, 1.0, (2, 2)), thickness)
    pose_a, pose_b = random_pose(rng, 1.0, spatial), random_pose(rng, 1.0, spatial)
    found = touch(ball, rod, pose_a, pose_b)
    centre = place(pose_a, np.array(ball.at))
    start, end = (place(pose_b, np.array(at)) for at in (rod.start, rod.end))

    def distance(u: np.ndarray) -> np.ndarray:
        return np.linalg.norm(start + u[:, None] * (end - start) - centre, axis=1)

    brute = lowest(distance, 0.0, 1.0)
    assert found.gap == pytest.approx(brute - radius - thickness, abs=1e-10)
    assert np.linalg.norm(found.point_a - centre) == pytest.approx(radius, abs=1e-14)
    assert lowest(lambda u: np.linalg.norm(start + u[:, None] * (end - start) - found.point_b, axis=1), 0.0, 1.0) == (
        pytest.approx(thickness, abs=1e-10)
    )
    assert tuple(found.force_point) == tuple(found.point_b)


@pytest.mark.parametrize(
    ("centre", "gap", "normal"),
    [
        ((0.5, 0.4), 0.25, (0.0, 1.0)),
        ((0.5, -0.12), -0.03, (0.0, -1.0)),
        ((1.3, 0.4), 0.35, (0.6, 0.8)),
        ((-0.4, -0.3), 0.35, (-0.8, -0.6)),
        ((1.1, 0.0), -0.05, (1.0, 0.0)),
    ],
    ids=["above", "indented from below", "past the end", "before the start", "on the line, past the end"],
)
def test_sides_and_ends(centre, gap: float, normal):
    found = touch(Sphere(body(), 0.1), Segment(body(), (0, 0), (1, 0), 0.05), pose(centre, 0.4), HERE)
    assert found.gap == pytest.approx(gap, abs=1e-15)
    assert found.normal == pytest.approx((*normal, 0.0), abs=1e-15)


def test_a_centre_on_the_line_is_pushed_across_it():
    found = touch(Sphere(body(), 0.1), Segment(body(), (0, 0), (3, 4)), pose((1.5, 2.0), 0.0), HERE)
    assert found.gap == pytest.approx(-0.1, abs=1e-15)
    assert found.normal == pytest.approx((-0.8, 0.6, 0.0), abs=1e-15)
    along_z = np.array([0, 0, 0, 0, 0, 1, 0, 1, 0, -1, 0, 0], float)
    found = touch(Sphere(body(), 0.1), Segment(body(), (-1, 0), (1, 0)), HERE, along_z)
    assert found.normal == pytest.approx((1.0, 0.0, 0.0), abs=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda a, b: (Point(a), Segment(b, (0, 0), (1, 0))),
            r"Contact 'x': Point on 'a' and Segment on 'b' can never touch, as neither has a radius; set a radius",
        ),
        (
            lambda a, b: (Segment(b, (0, 0), (1, 0)), Sphere(a, 1.0, inside=True)),
            r"Contact 'x': Sphere on 'a' is a cavity, which only a sphere can touch; Segment on 'b' cannot",
        ),
    ],
    ids=["no radius", "cavity"],
)
def test_what_can_never_touch_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        pair("Contact 'x'", *make(body("a"), body("b")))
