"""Two capsules: skew, parallel, in line, crossing, and their ends."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import lsq_linear

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Segment
from geometry.pairs.contacts import Motion, body, place, random_pose, rock, seeds, touch

HERE = pose((0.0, 0.0, 0.0), 0.0)
A, B = rock("a"), rock("b")


def least(start_a, end_a, start_b, end_b) -> np.ndarray:
    """The shortest way from b to a, by least squares with bounds."""
    matrix = np.column_stack([end_a - start_a, start_b - end_b])
    found = lsq_linear(matrix, start_b - start_a, (0.0, 1.0), method="bvls", tol=1e-15)
    return start_a - start_b + matrix @ found.x


def test_the_gap_is_the_least_distance_of_the_lines_less_the_radii():
    rng = np.random.default_rng(1)
    for _ in range(200):
        ends = rng.uniform(-1.0, 1.0, (4, 3))
        radii = rng.uniform(0.01, 0.3, 2)
        rods = Segment(A, *ends[:2], radii[0]), Segment(B, *ends[2:], radii[1])
        poses = random_pose(rng, 1.0, True), random_pose(rng, 1.0, True)
        found = touch(*rods, *poses)
        points = [place(poses[k // 2], ends[k]) for k in range(4)]
        way = least(*points)
        distance = float(np.linalg.norm(way))
        assert found.gap == pytest.approx(distance - radii.sum(), abs=1e-11)
        assert found.normal == pytest.approx(way / distance, abs=1e-7)
        assert found.force_point == pytest.approx(0.5 * (found.point_a + found.point_b), abs=1e-15)
        # The points are on the skins: a radius from the lines, and from no nearer to them.
        for point, line, radius in ((found.point_a, points[:2], radii[0]), (found.point_b, points[2:], radii[1])):
            assert np.linalg.norm(least(point, point + 1e-30, *line)) == pytest.approx(radius, abs=1e-10)


LINE = (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("ends", "gap", "normal", "point"),
    [
        (((0.2, -1.0, 0.5), (0.2, 2.0, 0.5)), 0.3, (0, 0, -1), (0.2, 0.0, 0.25)),
        (((0.0, 0.4, 0.0), (4.0, 0.4, 0.0)), 0.2, (0, -1, 0), (0.5, 0.2, 0.0)),
        (((4.0, 0.4, 0.0), (-0.5, 0.4, 0.0)), 0.2, (0, -1, 0), (0.25, 0.2, 0.0)),
        (((-4.0, 0.4, 0.0), (4.0, 0.4, 0.0)), 0.2, (0, -1, 0), (0.0, 0.2, 0.0)),
        (((1.3, 0.4, 0.0), (3.0, 0.4, 0.0)), 0.3, (-0.6, -0.8, 0), (1.15, 0.2, 0.0)),
        (((1.5, 0.0, 0.0), (3.0, 0.0, 0.0)), 0.3, (-1, 0, 0), (1.25, 0.0, 0.0)),
        (((1.3, 0.4, 0.0), (3.0, 7.4, 0.0)), 0.3, (-0.6, -0.8, 0), (1.15, 0.2, 0.0)),
        (((0.5, 0.3, 0.0), (0.5, 9.0, 0.0)), 0.1, (0, -1, 0), (0.5, 0.15, 0.0)),
    ],
    ids=["skew", "overlap", "overlap, other way", "one along all", "past", "in line", "end to end", "end to side"],
)
def test_how_lines_lie(ends, gap: float, normal, point):
    found = touch(Segment(A, *LINE, 0.1), Segment(B, *ends, 0.1), HERE, HERE)
    assert found.gap == pytest.approx(gap, abs=1e-14)
    assert found.normal == pytest.approx(normal, abs=1e-14)
    assert found.force_point == pytest.approx(point, abs=1e-14)


@pytest.mark.parametrize(
    ("ends", "normal"),
    [
        (((0.1, -1.0, 0.0), (0.1, 2.0, 0.0)), (0, 0, 1)),
        (((0.1, -1.0, 1e-16), (0.1, 2.0, 1e-16)), (0, 0, 1)),
        (((0.0, 0.0, 0.0), (4.0, 0.0, 0.0)), (0, 1, 0)),
        (((1.0, 0.0, 0.0), (2.0, 0.0, 0.0)), (1, 0, 0)),
        (((0.5, 0.0, 0.0), (0.5, 1.0, 0.0)), (0, 0, 1)),
        (LINE, (0, 1, 0)),
    ],
    ids=["crossing", "all but crossing", "one in the other", "end on end", "end on side", "the same"],
)
def test_lines_without_distance_have_a_normal(ends, normal):
    one, other = Segment(A, *LINE, 0.1), Segment(B, *ends, 0.1)
    found, back = touch(one, other, HERE, HERE), touch(other, one, HERE, HERE)
    assert found.gap == pytest.approx(-0.2, abs=1e-14)
    assert np.abs(found.normal) == pytest.approx(normal, abs=1e-14)
    if ends != LINE:
        assert np.array_equal(found.normal, -back.normal)


def test_all_but_parallel_lines_keep_their_distance():
    for tilt in 10.0 ** np.arange(-17.0, 0.0):
        ends = np.array([(-0.7, 0.0, 0.3 - 0.7 * tilt), (0.9, 0.0, 0.3 + 0.9 * tilt)])
        found = touch(Segment(A, *LINE), Segment(B, *ends, 0.1), HERE, HERE)
        distance = np.linalg.norm(least(*np.array(LINE), *ends))
        assert found.gap == pytest.approx(distance - 0.1, abs=1e-10)
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)


@given(seed=seeds)
def test_the_gap_changes_no_faster_than_the_bodies_move(seed: int):
    rng = np.random.default_rng(seed)
    rods = Segment(A, *rng.uniform(-1, 1, (2, 3)), 0.1), Segment(B, *rng.uniform(-1, 1, (2, 3)), 0.1)
    p, q = random_pose(rng, 0.3, True), random_pose(rng, 0.3, True)
    motion = Motion.random(rng, True)
    gaps = [touch(*rods, motion.moved(p, t), q).gap for t in np.linspace(0.0, 1.0, 101)]
    # A point of the rod moves at most at |v| + |ω| |s'|.
    fastest = np.linalg.norm(motion.velocity) + np.linalg.norm(motion.omega) * np.sqrt(3.0)
    assert np.max(np.abs(np.diff(gaps))) <= 0.01 * fastest + 1e-12


def test_ends_that_do_not_touch():
    rod = Segment(A, *LINE, 0.1, edges="ignore")
    assert touch(rod, Segment(B, (0, 0.5, 0), (0, 1, 0)), HERE, HERE).gap == pytest.approx(0.4, abs=1e-14)
    assert touch(rod, Segment(B, (0, 0.5, 0), (9, 0.5, 0)), HERE, HERE).gap == pytest.approx(0.4, abs=1e-14)
    assert touch(rod, Segment(B, (1.2, 0.1, 0), (2, 1, 0)), HERE, HERE).gap == NO_CONTACT
    assert touch(rod, Segment(B, (-1, 1, 1), (2, -1, 0)), HERE, HERE).gap < 1.0


@pytest.mark.parametrize(
    ("ends", "normal"),
    [
        (((0.1, -0.1), (0.1, 2.0)), (0, -1)),
        (((0.1, -2.0), (0.1, 0.1)), (0, 1)),
        (((0.9, -1.0), (0.9, 1.0)), (-1, 0)),
        (((-0.9, -1.0), (-0.9, 1.0)), (1, 0)),
        (((0.1, 0.0), (0.1, 2.0)), (0, -1)),
    ],
    ids=["b a little through a", "from below", "a a little through b", "from the left", "just on it"],
)
def test_in_a_plane_crossing_lines_are_pushed_back_where_they_came_through(ends, normal):
    a, b = body("a"), body("b")
    found = cm.closest(Segment(a, (-1, 0), (1, 0), 0.1), Segment(b, *ends))
    assert found.gap == pytest.approx(-0.1, abs=1e-15)
    assert found.normal == pytest.approx(normal, abs=1e-15)
    back = cm.closest(Segment(b, *ends), Segment(a, (-1, 0), (1, 0), 0.1))
    assert np.array_equal(back.normal, -found.normal)


def test_two_lines_without_radius_are_refused():
    with pytest.raises(cm.ModelError, match=r"Contact 'x': Segment on 'a' and Segment on 'b' can never touch"):
        pair("Contact 'x'", Segment(A, *LINE), Segment(B, *LINE))
    assert cm.closest(Segment(A, *LINE), Segment(B, (0, 1, 0), (0, 2, 0))).gap == pytest.approx(1.0, abs=1e-15)
