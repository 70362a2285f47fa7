"""Gaps and directions of contacts, as time stepping takes them from a model."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.stepping_data import stepping_data
from carom.mechanics import contact_directions
from carom.solve.model_evaluator import ModelEvaluator
from checkers import derivative

REAL, WHOLE = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
WAVE = np.linspace(-2.0, 2.0, 60)


def skins(kind: str, a: cm.Body, b: cm.Body):
    """Two shapes that nearly touch when both bodies stand at the origin, turned a little."""
    return {
        "sphere and plane": (cm.Sphere(a, 0.3, (0.1, 0.05)), cm.Plane(b, (0.0, -0.4), (0.2, 1.0))),
        "point and plane": (cm.Point(a, (0.5, -0.3)), cm.Plane(b, (0.0, -0.4), (-0.1, 1.0))),
        "two spheres": (cm.Sphere(a, 0.3, (0.1, 0.4)), cm.Sphere(b, 0.2, (-0.1, -0.1))),
        "journal in bearing": (cm.Sphere(a, 0.5, (0.1, 0.0), inside=True), cm.Sphere(b, 0.3, (0.2, 0.05))),
        "sphere and capsule": (cm.Sphere(a, 0.2, (0.1, 0.5)), cm.Segment(b, (-1.0, 0.0), (1.0, 0.2), 0.1)),
        "sphere and end of a capsule": (cm.Sphere(a, 0.2, (1.3, 0.2)), cm.Segment(b, (-1.0, 0.0), (1.0, 0.2), 0.1)),
        "two curves": (
            cm.Curve(a, np.column_stack([WAVE, 0.3 + 0.1 * WAVE**2])),
            cm.Curve(b, np.column_stack([WAVE, -0.2 * WAVE**2])[::-1]),
        ),
    }[kind]


KINDS = ("sphere and plane", "point and plane", "two spheres", "journal in bearing", "sphere and capsule",
         "sphere and end of a capsule")  # fmt: skip


class Probe:
    """One contact between two free bodies, at any state."""

    def __init__(self, kind: str, swap: bool = False, ground: bool = False):
        system = cm.System()
        a = system.add(cm.Body("a", 1.0, 1.0))
        b = system.ground if ground else system.add(cm.Body("b", 1.0, 1.0))
        shapes = skins(kind, a, b)
        system.add(cm.Contact(*(shapes[::-1] if swap else shapes), impact=cm.ImpactLaw(0.5, 0.3), name="touch"))
        self.mechanism = ModelEvaluator(system, "simulate", rigid=True)
        self.model = stepping_data(self.mechanism.tables, self.mechanism.tables.y0)
        self.count = self.mechanism.n

    def gap(self, y: np.ndarray) -> float:
        y = np.ascontiguousarray(y, float)
        self.model.gaps_kernel.call(0.0, y, self.model.record)
        return float(self.model.gaps[0])

    def rows(self, y: np.ndarray) -> np.ndarray:
        """Normal and tangent as rows over all velocities, and w̃ behind them."""
        self.gap(y)
        out = np.full((contact_directions.PLANAR_ROWS, contact_directions.PLANAR_ROW_SIZE), np.nan)
        self.model.directions_kernel.call(0, out, self.model.record)
        full = np.zeros((contact_directions.PLANAR_ROWS, self.count + 1))
        for part, place in enumerate(self.model.velocity_indices[0]):
            if place >= 0:
                full[:, place : place + 3] += out[:, 3 * part : 3 * part + 3]
        full[:, -1] = out[:, -1]
        return full

    def random_state(self, rng: np.random.Generator) -> np.ndarray:
        q, u = rng.uniform(-0.15, 0.15, self.count), rng.uniform(-2.0, 2.0, self.count)
        return np.concatenate([q, u])


def moved(probe: Probe, y: np.ndarray, time: float) -> np.ndarray:
    n = probe.count
    return np.concatenate([y[:n] + time * y[n:], y[n:]])


kinds = pytest.mark.parametrize("kind", KINDS)
orders = pytest.mark.parametrize("swap", [False, True])


@kinds
@orders
def test_normal_velocity_is_the_rate_of_the_gap(kind, swap):
    """w_N · u = dg/dt along q + u t, whichever shape is first."""
    probe, rng = Probe(kind, swap), np.random.default_rng(3)
    for _ in range(10):
        y = probe.random_state(rng)
        rate = derivative(lambda t, y=y: probe.gap(moved(probe, y, t)), 1e-3)
        w = probe.rows(y)
        assert w[0, :-1] @ y[probe.count :] == pytest.approx(float(rate), abs=1e-8)
        np.testing.assert_array_equal(w[:, -1], 0.0)


@kinds
def test_bodies_that_move_as_one_do_not_move_against_each_other(kind):
    """Rigid motions of both: no normal and no tangential velocity, so impulses keep momentum and its moment."""
    probe, rng = Probe(kind), np.random.default_rng(4)
    for _ in range(5):
        y = probe.random_state(rng)
        (ax, ay), (bx, by) = y[:2], y[3:5]
        vx, vy, omega = rng.uniform(-1.0, 1.0, 3)
        u = [vx - omega * ay, vy + omega * ax, omega, vx - omega * by, vy + omega * bx, omega]
        np.testing.assert_allclose(probe.rows(y)[:, :-1] @ u, 0.0, atol=1e-13)


@kinds
def test_order_of_the_shapes_does_not_matter(kind):
    """The normal velocity is the same; the tangent of the first body against the second, too: both turn round."""
    one, two, rng = Probe(kind), Probe(kind, swap=True), np.random.default_rng(5)
    for _ in range(5):
        y = one.random_state(rng)
        assert one.gap(y) == pytest.approx(two.gap(y), abs=1e-14)
        np.testing.assert_allclose(one.rows(y), two.rows(y), atol=1e-13)


@kinds
def test_directions_are_perpendicular_unit_vectors(kind):
    """Forces of both: along (n, t) on the first body, opposite on the second."""
    probe, rng = Probe(kind), np.random.default_rng(6)
    y = probe.random_state(rng)
    first, second = probe.rows(y)[:, 0:2], probe.rows(y)[:, 3:5]
    np.testing.assert_allclose(first @ first.T, np.eye(2), atol=1e-14)
    np.testing.assert_allclose(second, -first, atol=1e-15)
    assert np.linalg.det(first) == pytest.approx(1.0, abs=1e-14)  # the tangent is (−n_y, n_x)


def test_sphere_on_a_plane_by_hand():
    """Floor y = −0.4 fixed to b at the origin, sphere of 0.3 at (0.1, 0.05) of a: gap and levers written down."""
    system = cm.System()
    a = system.add(cm.Body("a", 1.0, 1.0))
    system.add(cm.Contact(cm.Sphere(a, 0.3, (0.1, 0.05)), cm.Plane(system.ground, (0.0, -0.4)), impact=cm.ImpactLaw()))
    probe = Probe.__new__(Probe)
    probe.mechanism = ModelEvaluator(system, "simulate", rigid=True)
    probe.model = stepping_data(probe.mechanism.tables, probe.mechanism.tables.y0)
    probe.count = 3
    x, y, phi = 0.02, 0.11, 0.3
    state = np.array([x, y, phi, 0.0, 0.0, 0.0])
    arm = np.array([0.1 * math.cos(phi) - 0.05 * math.sin(phi), 0.1 * math.sin(phi) + 0.05 * math.cos(phi)])
    assert probe.gap(state) == pytest.approx(y + arm[1] - 0.3 + 0.4, abs=1e-15)
    w = probe.rows(state)
    np.testing.assert_allclose(w[0], [0.0, 1.0, arm[0], 0.0], atol=1e-15)
    # The contact point lies on the floor, 0.4 + y below the centre of mass; the tangent is −x.
    np.testing.assert_allclose(w[1], [-1.0, 0.0, -(0.4 + y), 0.0], atol=1e-15)


@kinds
def test_nothing_acts_on_the_ground(kind):
    probe = Probe(kind, ground=True)
    assert probe.count == 3
    assert sorted(probe.model.velocity_indices[0]) == [-1, 0]
    y = np.array([0.05, 0.02, 0.1, 0.3, -0.2, 0.5])
    rate = derivative(lambda t: probe.gap(moved(probe, y, t)), 1e-3)
    assert probe.rows(y)[0, :-1] @ y[3:] == pytest.approx(float(rate), abs=1e-8)


def test_curves_touch_along_their_common_normal():
    probe = Probe("two curves")
    y = np.array([0.03, 0.2, 0.05, 0.3, -0.4, 0.2, -0.02, 0.0, -0.04, 0.1, 0.2, -0.3])
    rate = derivative(lambda t: probe.gap(moved(probe, y, t)), 1e-3)
    assert probe.rows(y)[0, :-1] @ y[6:] == pytest.approx(float(rate), abs=1e-6)
