"""Rings: the distance of two circles by brute force, chain links, and spots of contact that keep their slots."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import carom as cm
from carom.geometry.shapes import Shape
from geometry.pairs.contacts import rock, seeds

MAJOR, MINOR = 0.02, 0.004
INNER = 2.0 * (MAJOR - MINOR)
"""Distance of the centres of two links that just touch in tension [m]."""
SURFACE = cm.surfaces.Torus(MAJOR, MINOR)
LINK = Rotation.from_euler("xz", [90.0, 90.0], degrees=True)
A = rock("a")


def links(distance: float, as_surface: bool) -> tuple[Shape, Shape]:
    """Two interlocked rings, one below the other."""
    below = cm.Body(
        "ring", 0.02, (4e-6, 4e-6, 8e-6), (0.0, 0.0, -distance), orientation=Rotation.from_euler("x", 90, degrees=True)
    )
    if as_surface:
        return cm.Surface(A, SURFACE, orientation=LINK), cm.Surface(below, SURFACE)
    return cm.Torus(A, axis=(1.0, 0.0, 0.0), radius=MAJOR, tube_radius=MINOR), cm.Torus(
        below, (0, 0, 0), (0, 0, 1), MAJOR, MINOR
    )


@pytest.mark.parametrize("as_surface", [True, False])
@pytest.mark.parametrize("gap", [1e-3, 1e-7, -1e-7, -1e-5, -1e-3, -5e-3])
def test_links_in_tension_touch_on_their_inner_sides(gap: float, as_surface: bool):
    above, below = links(INNER - gap, as_surface)
    found, back = cm.closest(above, below), cm.closest(below, above)
    assert found.gap == pytest.approx(gap, abs=1e-12)
    assert back.gap == pytest.approx(gap, abs=1e-12)
    assert found.normal == pytest.approx([0.0, 0.0, -1.0], abs=1e-7)
    assert found.point_a == pytest.approx([0.0, 0.0, MINOR - MAJOR], abs=1e-9)


@pytest.mark.parametrize("as_surface", [True, False])
def test_links_that_overlap_at_the_start_are_named(as_surface: bool):
    system = cm.System(dim=3)
    above, below = links(INNER + 1e-5, as_surface)
    system.add(above.body)
    system.add(below.body)
    system.add(cm.Contact(above, below, law=cm.laws.Hertz(stiffness=1e8), name="link"))
    with pytest.warns(cm.CaromWarning, match=r"Contact 'link.*': shapes overlap by 1e-05 m at t = 0"):
        result = cm.simulate(system, t_end=1e-6)
    assert result["link"].indentation[0] == pytest.approx(1e-5, rel=1e-6)


def circle_points(shape: cm.Torus, angle: np.ndarray) -> np.ndarray:
    frame = np.linalg.svd(np.array([shape.axis]))[2][1:]
    return np.array(shape.at) + shape.radius * (np.cos(angle)[:, None] * frame[0] + np.sin(angle)[:, None] * frame[1])


@given(seed=seeds)
def test_the_gap_of_two_rings_is_the_distance_of_their_circles(seed: int):
    rng = np.random.default_rng(seed)
    rings = [
        cm.Torus(rock(name), rng.uniform(-0.3, 0.3, 3), rng.normal(size=3), rng.uniform(0.4, 0.6), 0.05)
        for name in "ab"
    ]
    angle = np.linspace(0.0, 2.0 * math.pi, 200)
    points = [circle_points(ring, angle) for ring in rings]
    between = np.linalg.norm(points[0][:, None] - points[1][None], axis=2)
    start = [angle[k] for k in np.unravel_index(between.argmin(), between.shape)]

    def squared(angles: np.ndarray) -> float:
        a, b = (circle_points(ring, np.array([t]))[0] for ring, t in zip(rings, angles, strict=True))
        return float(np.sum((a - b) ** 2))

    distance = math.sqrt(minimize(squared, start, tol=1e-15).fun)
    assert cm.closest(*rings).gap == pytest.approx(distance - 0.1, abs=1e-7)


def minima(gaps: np.ndarray) -> np.ndarray:
    """Return the negative minima of the gap around a circle, in ascending order."""
    least = (gaps < np.roll(gaps, 1)) & (gaps <= np.roll(gaps, -1)) & (gaps < 0.0)
    return np.sort(gaps[least])


def distance_of_circle(points: np.ndarray, ring: cm.Torus) -> np.ndarray:
    """Return the distances of points from the circle of a ring."""
    off = points - np.array(ring.at)
    height = off @ np.array(ring.axis)
    return np.hypot(np.sqrt(np.sum(off**2, axis=1) - height**2) - ring.radius, height)


def test_spots_a_few_degrees_apart_are_told_apart():
    """A link of a slack chain leans on the inner side of the next one, at two places 12 degrees apart."""
    turn = Rotation.from_rotvec([-0.984, 0.487798, -1.929262])
    tube = MINOR + 3e-5
    leaning = cm.Torus(A, (-0.0015165, 0.031925, -0.0001703), turn.as_matrix()[:, 2], MAJOR, tube)
    body = cm.Body("ring", 0.02, (4e-6, 4e-6, 8e-6), leaning.at, orientation=turn.as_quat(scalar_first=True))
    upright = cm.Torus(A, radius=MAJOR, tube_radius=tube)
    points = circle_points(leaning, np.linspace(0.0, 2.0 * math.pi, 20000, endpoint=False))
    expected = minima(distance_of_circle(points, upright) - 2.0 * tube)
    assert len(expected) == 2
    found = cm.closest(cm.Torus(body, radius=MAJOR, tube_radius=tube), upright).spots
    assert [spot.gap for spot in found] == pytest.approx(expected, abs=1e-9)


def test_a_ring_around_a_rod_hangs_at_its_top():
    rod = cm.Cylinder(cm.System(dim=3).ground, axis=(0.0, 1.0, 0.0), radius=0.005, half_length=0.1)
    hanging = cm.Body("ring", 0.02, (4e-6, 4e-6, 8e-6), position=(0.0, 0.0, -0.011))
    found = cm.closest(cm.Torus(hanging, axis=(0.0, 1.0, 0.0), radius=MAJOR, tube_radius=MINOR), rod)
    assert found.gap == pytest.approx(0.0, abs=1e-15)
    assert found.normal == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)


@given(seed=seeds)
def test_a_ring_meets_the_hull_of_a_box_like_the_box(seed: int):
    rng = np.random.default_rng(seed)
    ground = cm.System(dim=3).ground
    half, turn = rng.uniform(0.1, 0.4, 3), Rotation.random(random_state=seed)
    ring = cm.Torus(rock("a"), rng.uniform(-0.6, 0.6, 3), rng.normal(size=3), 0.5, 0.05)
    box = cm.Box(ground, half, orientation=turn)
    corners = half * np.stack(np.meshgrid(*[(-1.0, 1.0)] * 3), axis=-1).reshape(-1, 3)
    hull = cm.ConvexHull(ground, corners, orientation=turn)
    expected, found, back = cm.closest(ring, box), cm.closest(ring, hull), cm.closest(hull, ring)
    assert found.gap == pytest.approx(expected.gap, abs=1e-9)
    assert back.gap == pytest.approx(found.gap, abs=1e-14)
    assert back.normal == pytest.approx(-found.normal, abs=1e-12)


@given(seed=seeds)
def test_the_gap_of_a_ring_and_an_ellipsoid_is_that_of_the_nearest_points(seed: int):
    rng = np.random.default_rng(seed)
    ground = cm.System(dim=3).ground
    axes = rng.uniform(0.1, 0.35, 3)
    ring = cm.Torus(rock("a"), rng.uniform(-0.4, 0.4, 3), rng.normal(size=3), 0.5, 0.02)
    found = cm.closest(ring, cm.Ellipsoid(ground, axes))
    points = circle_points(ring, np.linspace(0.0, 2.0 * math.pi, 800))  # a point is within 2 mm of each place
    balls = [cm.closest(cm.Sphere(rock("p"), 0.02, at=p), cm.Ellipsoid(ground, axes)).gap for p in points]
    assert found.gap <= min(balls) + 1e-12
    assert found.gap == pytest.approx(min(balls), abs=2e-3)
    on_ellipsoid = np.asarray(found.point_b) / axes
    assert on_ellipsoid @ on_ellipsoid == pytest.approx(1.0, abs=1e-9)
    outward = on_ellipsoid / axes
    assert found.normal == pytest.approx(outward / np.linalg.norm(outward), abs=1e-6)


def test_a_ring_stands_on_a_hull_and_hangs_on_an_ellipsoid():
    """Weights: four spots share m g on a flat hull; a ring around an ellipsoid rests on its top."""
    for shape_of, height in (
        (lambda ground: cm.ConvexHull(ground, cm.Box(ground, (0.1, 0.1, 0.01)).triangles()[0]), 0.01 + MINOR),
        (lambda ground: cm.Ellipsoid(ground, (0.005, 0.05, 0.003)), MINOR + 0.003 - MAJOR),
    ):
        system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
        lies = height > 0.0
        ring = system.add(cm.Body("ring", 0.02, (4e-6, 4e-6, 8e-6), position=(0.0, 0.0, height)))
        torus = cm.Torus(ring, axis=(0.0, 0.0 if lies else 1.0, 1.0 if lies else 0.0), radius=MAJOR, tube_radius=MINOR)
        system.add(cm.Contact(torus, shape_of(system.ground), impact=cm.ImpactLaw(0.0), name="rest"))
        result = cm.simulate(system, 0.05, method="nonsmooth", step=1e-3)
        assert result["rest"].normal_force[-1] == pytest.approx(0.02 * 9.81, rel=1e-6)
        assert result["ring"].z[-1] == pytest.approx(height, abs=1e-8)


def test_a_ring_that_lies_on_a_box_has_four_spots():
    table = cm.Box(cm.System(dim=3).ground, (0.2, 0.2, 0.1), (0.0, 0.0, -0.1))
    lying = cm.Body("ring", 0.02, (4e-6, 4e-6, 8e-6), position=(0.0, 0.0, MINOR - 1e-6))
    spots = cm.closest(cm.Torus(lying, radius=MAJOR, tube_radius=MINOR), table).spots
    assert [spot.gap for spot in spots] == pytest.approx([-1e-6] * 4, abs=1e-15)
    assert sum(spot.point_a for spot in spots)[:2] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_a_ring_tilted_on_a_plane_touches_at_its_lowest_point():
    tilt = 0.3
    tilted = cm.Body("ring", 0.02, (4e-6, 4e-6, 8e-6), (0.0, 0.0, 0.03), orientation=Rotation.from_euler("x", tilt))
    found = cm.closest(cm.Torus(tilted, radius=MAJOR, tube_radius=MINOR), cm.Plane(cm.System(dim=3).ground))
    assert found.gap == pytest.approx(0.03 - MAJOR * math.sin(tilt) - MINOR, abs=1e-15)


def chain(count: int, **laws) -> cm.System:
    """A chain of rings, stretched out at rest, its first ring fixed."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    inertia = 0.02 * (0.5 * MAJOR**2 + 0.625 * MINOR**2), 0.02 * (MAJOR**2 + 0.75 * MINOR**2)
    last = cm.Torus(system.ground, radius=MAJOR, tube_radius=MINOR)
    for k in range(1, count + 1):
        turn = Rotation.from_euler("x", 90.0 * (k % 2), degrees=True)
        body = cm.Body(f"ring {k}", 0.02, (inertia[0], *inertia), (k * INNER, 0.0, 0.0), orientation=turn)
        ring = cm.Torus(system.add(body), radius=MAJOR, tube_radius=MINOR)
        system.add(cm.Contact(last, ring, name=f"link {k}", **laws))
        last = ring
    return system


def longest_link(result: cm.Result, count: int) -> float:
    """Return the largest distance of the centres of two neighbours."""
    series = [result[f"ring {k}"] for k in range(1, count + 1)]
    places = np.array([np.column_stack([ring.x, ring.y, ring.z]) for ring in series])
    return float(np.linalg.norm(np.diff(places, axis=0), axis=2).max())


def test_a_swinging_chain_holds_together_and_keeps_its_energy():
    count = 5
    result = cm.simulate(chain(count, law=cm.laws.Hertz(stiffness=1e7)), t_end=0.15)
    assert result.outcome.ok
    assert abs(result.energy.drift) < 1e-7
    assert longest_link(result, count) < INNER + 1e-4


def test_a_swinging_rigid_chain_holds_together():
    count = 20
    system = chain(count, impact=cm.ImpactLaw(restitution=0.0))
    result = cm.simulate(system, t_end=0.3, method="nonsmooth", step=5e-4)
    assert result.outcome.ok
    assert longest_link(result, count) < INNER + 2e-4
    assert np.all(np.diff(result.energy.total) < 1e-9)
