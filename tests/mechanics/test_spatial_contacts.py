"""Forces and directions of contacts in space: action and reaction, power, momentum, and bodies between two nodes."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import carom as cm
from carom.compiled_model.stepping_data import stepping_data
from carom.mechanics import contact_directions
from carom.mechanics.contact_records import SPATIAL_SIGNAL_NAMES
from carom.solve.model_evaluator import ModelEvaluator
from checkers import derivative

REAL, WHOLE = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
TENSOR = np.array([[0.030, -0.002, 0.001], [-0.002, 0.040, 0.005], [0.001, 0.005, 0.025]])
LAW, FRICTION = cm.laws.KelvinVoigt(1e5, damping=50.0), cm.friction.Coulomb(0.3, 1e-2)

PAIRS = {
    # shapes on the bodies a and b, a few millimetres into each other as the bodies stand
    "sphere-sphere": lambda a, b: (cm.Sphere(a, 0.135, (0.02, 0.03, 0.05)), cm.Sphere(b, 0.114, (-0.055, -0.04, 0.1))),
    "capsules": lambda a, b: (
        cm.Segment(a, (0.1, -0.3, 0.05), (0.1, 0.4, 0.0), 0.085),
        cm.Segment(b, (-0.07, 0.1, -0.3), (-0.04, 0.0, 0.4), 0.079),
    ),
    "box-sphere": lambda a, b: (cm.Box(a, (0.1, 0.2, 0.15)), cm.Sphere(b, 0.22, (0.01, 0.02, 0.03))),
}
kinds = pytest.mark.parametrize("kind", PAIRS)
overlap = pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")


def overlapping(kind: str, swapped: bool = False, **laws: Any) -> cm.System:
    """Two free bodies with full tensors in motion, with a pair of shapes in contact."""
    system = cm.System(dim=3, name=kind)
    a = system.add(cm.Body("a", 2.0, TENSOR, position=(0.0, 0.0, 0.0), velocity=(0.4, -0.3, 0.1)))
    b = system.add(cm.Body("b", 3.0, TENSOR[::-1, ::-1], position=(0.3, 0.02, -0.03), velocity=(-0.2, 0.5, 0.2)))
    a.orientation, b.orientation = Rotation.from_rotvec([0.05, -0.08, 0.1]), Rotation.from_rotvec([0.1, 0.06, -0.04])
    a.angular_velocity, b.angular_velocity = (1.0, 2.0, -1.5), (-1.5, 0.7, 2.5)
    shapes = PAIRS[kind](a, b)
    system.add(cm.Contact(*(shapes[::-1] if swapped else shapes), **laws, name="touch"))
    return system


def contact_signals(mechanism: ModelEvaluator) -> dict[str, Any]:
    """Return the state of the contact at the last evaluation."""
    values = mechanism.tables["contact_state"][0]
    found: dict[str, Any] = dict(zip(SPATIAL_SIGNAL_NAMES, values.tolist(), strict=False))
    for name, parts in (("force", "fx fy fz"), ("normal", "nx ny nz"), ("point", "x y z")):
        found[name] = np.array([found[part] for part in parts.split()])
    return found


def loads(mechanism: ModelEvaluator, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Force and moment about the centre of mass on each body, in global axes, from the accelerations."""
    rate, _ = mechanism.rate(0.0, y)
    found = []
    for k, body in enumerate(mechanism.system.bodies):
        a = rate[mechanism.n + 6 * k : mechanism.n + 6 * k + 6]
        omega, tensor = np.array(body.angular_velocity), np.array(body.inertia)
        axes = mechanism.tables.kind.in_body_axes(body.inertia, np.array([[1.0, 0.0, 0.0, 0.0]]), a[None, 3:])[1][0]
        moment = tensor @ axes + np.cross(omega, tensor @ omega)
        found.append((body.mass * a[:3], body.rotation @ moment))
    return found


@pytest.mark.parametrize("swapped", [False, True])
@kinds
def test_force_acts_on_both_bodies_at_the_contact_point(kind: str, swapped: bool):
    system = overlapping(kind, swapped, law=LAW, friction=FRICTION)
    mechanism = ModelEvaluator(system)
    on = loads(mechanism, mechanism.tables.y0)
    shown = contact_signals(mechanism)
    assert 1e-4 < shown["indentation"] < 2e-2
    first, second = (1, 0) if swapped else (0, 1)
    np.testing.assert_allclose(on[first][0], shown["force"], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(on[second][0], -shown["force"], rtol=1e-12, atol=1e-9)
    for body, (force, moment) in zip(system.bodies, on, strict=True):
        np.testing.assert_allclose(moment, np.cross(shown["point"] - body.position, force), rtol=0.0, atol=1e-9)
    # Velocities at the contact point, by hand.
    speeds = [np.array(body.velocity) + np.cross(body.rotation @ body.angular_velocity, shown["point"] - body.position)
              for body in system.bodies]  # fmt: skip
    relative = speeds[first] - speeds[second]
    slip = relative - (relative @ shown["normal"]) * shown["normal"]
    assert np.linalg.norm(shown["normal"]) == pytest.approx(1.0)
    assert shown["indentation_rate"] == pytest.approx(-relative @ shown["normal"], rel=1e-12)
    assert shown["sliding_speed"] == pytest.approx(np.linalg.norm(slip), rel=1e-12)
    # A push along the normal, and friction against the slip.
    push = 1e5 * shown["indentation"] + 50.0 * shown["indentation_rate"]
    pull = FRICTION.force(push, shown["sliding_speed"]) * slip / shown["sliding_speed"]
    np.testing.assert_allclose(shown["force"], push * shown["normal"] + pull, rtol=1e-10, atol=1e-9)
    assert shown["friction_force"] == pytest.approx(np.linalg.norm(pull), rel=1e-10)
    assert pull @ slip < 0.0


@overlap
@kinds
def test_momentum_is_kept_and_the_books_close(kind: str):
    result = cm.simulate(overlapping(kind, law=LAW, friction=FRICTION), 0.05, rtol=1e-10, atol=1e-12)
    energy, contact = result.energy, result["touch"]
    linear, angular = np.zeros((len(result.t), 3)), np.zeros((len(result.t), 3))
    for name, mass, tensor in (("a", 2.0, TENSOR), ("b", 3.0, TENSOR[::-1, ::-1])):
        body = result[name]
        linear += mass * body.velocity
        angular += mass * np.cross(body.position, body.velocity)
        angular += np.einsum("nij,jk,nk->ni", body.rotation, tensor, body.omega)
    np.testing.assert_allclose(linear, linear[[0]].repeat(len(result.t), 0), rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(angular, angular[[0]].repeat(len(result.t), 0), rtol=0.0, atol=1e-10)
    pressing = contact.normal_force > 0.0
    np.testing.assert_allclose(energy.elastic[pressing], 0.5e5 * contact.indentation[pressing] ** 2, rtol=1e-10)
    assert energy.drift < 1e-10
    assert energy.friction[-1] > 0.0
    assert energy.dissipated[-1] > 0.0


# ---- directions


class Probe:
    """One contact between two bodies as time stepping sees it, at any state."""

    def __init__(self, kind: str, swapped: bool = False):
        system = overlapping(kind, swapped, impact=cm.ImpactLaw(0.5, 0.3))
        self.bodies = system.bodies
        self.mechanism = ModelEvaluator(system, "simulate", rigid=True)
        self.y = self.mechanism.tables.y0.copy()
        self.model = stepping_data(self.mechanism.tables, self.y)
        self.u = self.y[12:24]

    def gap(self, time: float) -> float:
        """After ``time`` at constant velocities: φ turns about the axes the body has."""
        y = self.y.copy()
        y[:12] += time * self.u
        self.model.gaps_kernel.call(0.0, y, self.model.record)
        return float(self.model.gaps[0])

    def rows(self) -> np.ndarray:
        """Normal and two tangents over the velocities of both bodies."""
        self.gap(0.0)
        out = np.full((contact_directions.SPATIAL_ROWS, contact_directions.SPATIAL_ROW_SIZE), np.nan)
        self.model.directions_kernel.call(0, out, self.model.record)
        full = np.zeros((3, 12))
        for part, place in enumerate(self.model.velocity_indices[0]):
            full[:, place : place + 6] += out[:, 6 * part : 6 * part + 6]
        np.testing.assert_array_equal(out[:, -1], 0.0)
        return full


@pytest.mark.parametrize("swapped", [False, True])
@kinds
def test_normal_velocity_is_the_rate_of_the_gap(kind: str, swapped: bool):
    probe = Probe(kind, swapped)
    assert probe.rows()[0] @ probe.u == pytest.approx(float(derivative(probe.gap, 1e-3)), abs=1e-8)


@kinds
def test_directions_are_perpendicular_and_move_nothing_that_is_rigid(kind: str):
    probe = Probe(kind)
    rows = probe.rows()
    first, second = rows[:, :3], rows[:, 6:9]
    np.testing.assert_allclose(first @ first.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(second, -first, atol=1e-15)
    rng = np.random.default_rng(7)
    velocity, spin = rng.uniform(-1.0, 1.0, (2, 3))
    u = []
    for k, body in enumerate(probe.bodies):
        w, x, y, z = probe.mechanism.tables["reference_orientation"].reshape(2, 7)[k, :4]
        principal = Rotation.from_quat([x, y, z, w])
        u += [*(velocity + np.cross(spin, body.position)), *principal.inv().apply(spin)]
    np.testing.assert_allclose(rows @ u, 0.0, atol=1e-13)


def bounce_along(direction: tuple[float, float, float], friction: Any) -> np.ndarray:
    """Velocity of a ball after several impacts with a floor, sliding along ``direction``."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    velocity = (0.5 * direction[0], 0.5 * direction[1], -0.5)
    ball = system.add(cm.Body("ball", 0.1, (4e-5, 4e-5, 4e-5), (0.0, 0.0, 0.06), velocity=velocity))
    shapes = cm.Sphere(ball, 0.05), cm.Plane(system.ground)
    system.add(cm.Contact(*shapes, law=cm.laws.HuntCrossley(1e6, 0.8), friction=friction))
    result = cm.simulate(system, 0.5)
    assert len(result.impacts) > 3
    return np.array([result["ball"].vx[-1], result["ball"].vy[-1], result["ball"].vz[-1]])


@pytest.mark.parametrize("friction", [cm.friction.Dahl(0.3, 1e4), cm.friction.LuGre(0.4, 0.3, 0.1, 1e4)], ids=repr)
def test_friction_with_a_state_is_the_same_in_all_directions(friction):
    """The state of the friction law vanishes with the force, whichever way the ball slides."""
    vx, _, vz = bounce_along((1.0, 0.0, 0.0), friction)
    np.testing.assert_allclose(bounce_along((0.0, 1.0, 0.0), friction), [0.0, vx, vz], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(bounce_along((0.6, -0.8, 0.0), friction), [0.6 * vx, -0.8 * vx, vz], atol=1e-8)
