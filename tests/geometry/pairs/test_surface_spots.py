"""Freeform surfaces at several places of surfaces, spheres and planes: against closed forms, brute force and parts."""

import dataclasses
import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.closest_points import evaluate
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.registry import pair
from carom.geometry.shapes.surface import Surface
from carom.geometry.surface_reach import rolling_radii
from geometry.pairs.contacts import rock

A, B = rock("a"), rock("b")
X = np.linspace(-1.0, 1.0, 41)
GRID = np.linspace(-0.5, 0.5, 5)
VALLEY = cm.surfaces.HeightMap(X, GRID, np.tile((X * X)[:, None], (1, 5)))


def at(x: float, y: float, z: float) -> np.ndarray:
    return np.array([x, y, z, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])


HERE = at(0.0, 0.0, 0.0)


class Spots:
    """All contact points of two shapes, with the memory of their pair."""

    def __init__(self, a, b):
        self.pairing = pair("test", a, b, touching=False)
        self.memory = np.array(self.pairing.warm_start)

    def at(self, pose_a: np.ndarray, pose_b: np.ndarray = HERE) -> dict[int, np.void]:
        poses = (pose_b, pose_a) if self.pairing.swapped else (pose_a, pose_b)
        found = {}
        for k in range(1, self.pairing.contact_points + 1):
            part = dataclasses.replace(self.pairing, parameters=self.pairing.parameters_for(k))
            out = evaluate(part, *poses, self.memory)
            if out["gap"] < NO_CONTACT:
                found[k] = out
        return found


def gaps(found: dict[int, np.void]) -> list[float]:
    return sorted(float(out["gap"]) for out in found.values())


def distances_to_parabola(x: float, z: float) -> list[float]:
    """The local minima of the distance of (x, z) from z = x², from the cubic of its feet."""
    feet = np.roots([2.0, 0.0, 1.0 - 2.0 * z, -x])
    feet = feet[np.abs(feet.imag) < 1e-12].real
    return sorted(math.hypot(s - x, s * s - z) for s in feet if 6.0 * s * s + 1.0 - 2.0 * z > 0.0)


def ball_on(body: cm.Body, kind: str):
    return Surface(body, cm.surfaces.Sphere(0.9)) if kind == "surface" else cm.Sphere(body, 0.9)


kinds = pytest.mark.parametrize("kind", ["surface", "sphere"])


@kinds
@pytest.mark.parametrize(("x", "z"), [(0.0, 1.0), (0.02, 1.0), (-0.1, 1.05), (0.05, 0.98)])
def test_a_ball_in_a_trough_touches_both_walls(kind: str, x: float, z: float):
    found = Spots(ball_on(A, kind), Surface(B, VALLEY)).at(at(x, 0.0, z))
    assert gaps(found) == pytest.approx([d - 0.9 for d in distances_to_parabola(x, z)], abs=1e-10)
    for out in found.values():
        assert out["point_a"] - out["point_b"] == pytest.approx(out["gap"] * out["normal"], abs=1e-12)
    assert {int(np.sign(out["normal"][0])) for out in found.values()} == {-1, 1}


@kinds
def test_spots_keep_their_slots_while_the_ball_rolls_from_wall_to_wall(kind: str):
    """Slot, gap and normal of either wall are continuous."""
    spots = Spots(ball_on(A, kind), Surface(B, VALLEY))
    before: dict[int, np.void] = {}
    for t in np.linspace(-0.15, 0.15, 61):
        found = spots.at(at(t, 0.1 * t, 1.06 + 0.2 * t))
        expected = [d - 0.9 for d in distances_to_parabola(t, 1.06 + 0.2 * t)]
        assert gaps(found) == pytest.approx(expected, abs=1e-9)
        for k in found.keys() & before.keys():
            assert abs(found[k]["gap"] - before[k]["gap"]) < 0.02
            assert found[k]["normal"] @ before[k]["normal"] > 0.9
        before = found
        assert len(found) == 2


def test_a_cushion_lies_on_the_bumps_of_a_height_map():
    """The gap above each bump is that of a contact with this part of the height map only."""
    bumps = cm.surfaces.HeightMap(X, X, 0.05 * np.cos(6.0 * X)[:, None] * np.cos(6.0 * X)[None, :])
    cushion = cm.surfaces.Superellipsoid(0.7, 0.7, 0.1, 0.3, 0.3)
    found = Spots(Surface(A, cushion), Surface(B, bumps)).at(at(0.01, 0.02, 0.145))
    assert len(found) == 5
    for out in found.values():
        (x, y, _), r = out["point_b"], 0.2
        alone = Surface(B, bumps, parts=[(x - r, x + r, y - r, y + r)])
        only = pair("test", Surface(A, cushion), alone, touching=False)
        assert evaluate(only, at(0.01, 0.02, 0.145), HERE)["gap"] == pytest.approx(out["gap"], abs=1e-10)


@pytest.mark.parametrize("shape", ["surface", "solid"])
def test_a_long_ellipsoid_in_a_bowl_touches_with_both_ends(shape: str):
    axes = (0.4, 0.2, 0.1)
    body = Surface(A, cm.surfaces.Ellipsoid(*axes)) if shape == "surface" else cm.Ellipsoid(A, axes)
    bowl = Surface(B, cm.surfaces.Sphere(1.0, inside=True))
    found = Spots(body, bowl).at(at(0.0, 0.0, -0.88))
    t = np.linspace(0.0, math.pi, 200_001)  # the ends are in the plane of the longest and the shortest axis
    gap = (1.0 - np.hypot(axes[0] * np.cos(t), axes[2] * np.sin(t) + 0.88)).min()
    assert gaps(found) == pytest.approx([gap, gap], abs=1e-9)
    assert sum(out["normal"][0] for out in found.values()) == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize(
    ("surface", "rolls", "reach"),
    [
        (cm.surfaces.Sphere(0.3), 0.3, math.inf),
        (cm.surfaces.Sphere(1.0, inside=True), math.inf, 1.0),
        (cm.surfaces.Ellipsoid(0.1, 0.2, 0.4), 1.6, math.inf),
        (cm.surfaces.Torus(0.8, 0.3), math.inf, 0.5),
        (cm.surfaces.Torus(0.8, 0.3, inside=True), math.inf, 0.3),
        (VALLEY, math.inf, 0.5),
    ],
    ids=["ball", "bowl", "ellipsoid", "ring", "tube", "valley"],
)
def test_radii_of_balls_that_roll(surface, rolls: float, reach: float):
    assert rolling_radii(Surface(A, surface)) == pytest.approx((rolls, reach), rel=0.05)


def test_surfaces_that_touch_at_one_place_have_one_contact_point():
    bowl = Surface(B, cm.surfaces.Sphere(1.0, inside=True))
    assert pair("test", Surface(A, cm.surfaces.Sphere(0.3)), bowl).contact_points == 1
    assert pair("test", Surface(A, cm.surfaces.Sphere(0.95)), bowl).contact_points == 8
    assert (
        pair("test", Surface(A, cm.surfaces.Sphere(0.3)), Surface(B, cm.surfaces.Ellipsoid(1, 1, 1))).contact_points
        == 1
    )
    halves = [(-1.0, 0.0, -0.5, 0.5), (0.0, 1.0, -0.5, 0.5)]
    assert pair("test", Surface(A, cm.surfaces.Sphere(0.9)), Surface(B, VALLEY, parts=halves)).contact_points == 2


def test_a_sphere_that_fits_into_the_dents_of_a_surface_has_one_contact_point():
    assert pair("test", cm.Sphere(A, 0.4), Surface(B, VALLEY)).contact_points == 1
    assert pair("test", cm.Sphere(A, 5.0), Surface(B, cm.surfaces.Ellipsoid(1, 2, 3))).contact_points == 1


def test_a_sphere_above_a_thin_plate_touches_its_near_side_only():
    plate = Surface(B, cm.surfaces.Superellipsoid(1.0, 1.0, 0.02, 0.2, 0.2), edges="ignore")
    ring = Surface(B, cm.surfaces.Torus(0.8, 0.3))
    assert len(Spots(cm.Sphere(A, 0.3), plate).at(at(0.1, 0.2, 0.31))) == 1
    found = Spots(cm.Sphere(A, 0.9), ring).at(at(0.8, 0.0, 1.19))
    assert gaps(found)[0] == pytest.approx(-0.01, abs=1e-12)
    assert all(out["normal"][2] > 0.3 for out in found.values())


def bumps(x: np.ndarray) -> np.ndarray:
    """Five bumps of 0.1 on a square, one in its middle, and four dents between them."""
    wave = np.cos(1.5 * math.pi * x)
    return 0.1 * wave[:, None] * wave[None, :]


def test_an_egg_tray_touches_a_plane_with_all_its_bumps():
    """Each bump has the height of its lowest point, also in a tilt by θ about y."""
    x = np.linspace(-1.0, 1.0, 121)
    upside_down = np.diag([1.0, -1.0, -1.0])
    spots = Spots(Surface(A, cm.surfaces.HeightMap(x, x, bumps(x))), cm.Plane(B, (0, 0, 0), (0, 0, 1)))
    grid = np.linspace(-0.95, 0.95, 1901)
    for theta in np.linspace(0.0, 0.02, 5):
        c, s = math.cos(theta), math.sin(theta)
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ upside_down
        heights = 0.099 - s * grid[:, None] - c * bumps(grid)
        lowest = []
        for k in (-2.0 / 3.0, 0.0, 2.0 / 3.0):
            for m in (-2.0 / 3.0, 0.0, 2.0 / 3.0):
                if (k == 0.0) == (m == 0.0):
                    near = np.ix_(abs(grid - k) < 0.25, abs(grid - m) < 0.25)
                    lowest.append(float(heights[near].min()))
        found = spots.at(np.concatenate([[0.0, 0.0, 0.099], turn.ravel()]))
        assert gaps(found) == pytest.approx(sorted(lowest), abs=2e-6)


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
@kinds
def test_a_ball_comes_to_rest_on_both_walls_of_a_trough(method: str, kind: str):
    """Each wall carries m g / (2 cos α), α the slope of the wall: on z = x² the ball rests at z = r² + 1/4."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -10.0))
    body = system.add(cm.Body("ball", 1.0, (0.3, 0.3, 0.3), position=(0.0, 0.0, 1.0601)))
    touch = cm.Contact(
        ball_on(body, kind), cm.Surface(system.ground, VALLEY),
        law=cm.laws.KelvinVoigt(1e6, 2e3), impact=cm.ImpactLaw(restitution=0.0), name="touch",
    )  # fmt: skip
    system.add(touch)
    options = {"step": 1e-3} if method == "nonsmooth" else {}
    result = cm.simulate(system, t_end=0.3, method=method, **options)
    assert result["touch"].touching[-1] == 2
    forces = sorted(result[part].normal_force[-1] for part in touch.parts)[-2:]
    assert forces == pytest.approx([10.0 / (2.0 * 0.5 / 0.9)] * 2, rel=1e-3)
    assert result[body].x[-1] == pytest.approx(0.0, abs=1e-6)
