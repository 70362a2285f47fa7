"""Conservation laws of free systems, and Newton's third law inside them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from quick import examples

SPEED = st.floats(-2.0, 2.0)


def momentum(result: cm.Result) -> tuple[np.ndarray, np.ndarray]:
    """Linear (n, 2) and angular momentum (n,) about the origin."""
    linear = np.zeros((len(result.t), 2))
    angular = np.zeros(len(result.t))
    for body in result.bodies:
        motion = result[body.name]
        linear += body.mass * motion.velocity
        angular += body.inertia * motion.omega
        angular += body.mass * (motion.x * motion.vy - motion.y * motion.vx)
    return linear, angular


def free_bodies(speeds: tuple[float, ...], masses: tuple[float, float, float]) -> cm.System:
    system = cm.System(name="free")
    for k, (mass, at) in enumerate(zip(masses, ((0.0, 0.0), (1.5, 0.4), (0.6, 1.4)), strict=True)):
        vx, vy, spin = speeds[3 * k : 3 * k + 3]
        system.add(cm.Body(f"body {k}", mass, 0.2 * mass, at, 0.3 * k, (vx, vy), spin))
    return system


@examples(15)
@given(st.tuples(*[SPEED] * 9), st.tuples(*[st.floats(0.2, 5.0)] * 3), st.floats(1.0, 200.0), st.floats(0.0, 5.0))
def test_internal_springs_and_dampers_change_no_momentum(speeds, masses, stiffness, damping):
    system = free_bodies(speeds, masses)
    a, b, c = system.bodies
    system.add(cm.SpringDamper(a.point(0.2, 0.1), b.point(-0.1, 0.2), stiffness, damping))
    system.add(cm.SpringDamper(b.point(0.1, 0.3), c.point(0.0, -0.2), stiffness, damping))
    system.add(cm.Bushing(a, c, (stiffness, 0.5 * stiffness, 2.0), (damping, damping, 0.1), at=(0.3, 0.7)))
    system.add(cm.RotationalSpringDamper(a, b, 3.0, damping))
    system.add(cm.Torque(b, 0.7, reaction_body=c))
    linear, angular = momentum(cm.simulate(system, 1.0))
    size = sum(masses) * 4.0
    np.testing.assert_allclose(linear, np.broadcast_to(linear[0], linear.shape), rtol=0.0, atol=1e-9 * size)
    np.testing.assert_allclose(angular, angular[0], rtol=0.0, atol=1e-9 * size)


@examples(15)
@given(st.tuples(*[SPEED] * 9), st.tuples(*[st.floats(0.2, 5.0)] * 3), st.sampled_from(["projection", "augmented"]))
def test_internal_joints_change_neither_momentum_nor_energy(speeds, masses, constraints):
    system = free_bodies(speeds, masses)
    a, b, c = system.bodies
    system.add(cm.Revolute(a, b, at=(0.8, 0.3)))
    system.add(cm.Distance(b.point(0.1, 0.3), c.point(0.0, -0.2)))
    system.assemble()
    result = cm.simulate(system, 1.0, constraints=constraints)
    linear, angular = momentum(result)
    size = sum(masses) * 4.0
    np.testing.assert_allclose(linear, np.broadcast_to(linear[0], linear.shape), rtol=0.0, atol=1e-9 * size)
    np.testing.assert_allclose(angular, angular[0], rtol=0.0, atol=1e-9 * size)
    assert np.abs(result.energy.total - result.energy.total[0]).max() < 1e-8 * size


def test_centre_of_mass_of_a_thrown_system_flies_a_parabola():
    system = free_bodies((1.0, 4.0, 2.0, 0.5, 5.0, -3.0, 0.0, 3.0, 1.0), (1.0, 2.0, 0.5))
    system.gravity = (0.0, -9.81)
    a, b, c = system.bodies
    system.add(cm.SpringDamper(a, b, 50.0, damping=1.0))
    system.add(cm.SpringDamper(b.point(0.2, 0.0), c, 50.0))
    result = cm.simulate(system, 1.0)
    centre = sum(body.mass * result[body.name].position for body in result.bodies) / 3.5
    speed = sum(body.mass * result[body.name].velocity[0] for body in result.bodies) / 3.5
    expected = centre[0] + np.outer(result.t, speed) + np.outer(0.5 * result.t**2, (0.0, -9.81))
    np.testing.assert_allclose(centre, expected, atol=1e-10)


def test_free_rotation_about_a_pin_between_two_bodies_is_steady():
    """Two equal rods pinned at their common end and spun as one straight rod keep turning straight, by symmetry."""
    system = cm.System()
    left = system.add(cm.Body("left", 1.0, 1.0 / 12.0, (-0.5, 0.0), 0.0, (0.0, -1.0), 2.0))
    right = system.add(cm.Body("right", 1.0, 1.0 / 12.0, (0.5, 0.0), 0.0, (0.0, 1.0), 2.0))
    system.add(cm.Revolute(left, right, at=(0.0, 0.0), name="pin"))
    result = cm.simulate(system, 3.0)
    np.testing.assert_allclose(result["left"].angle, 2.0 * result.t, atol=1e-8)
    np.testing.assert_allclose(result["right"].angle, 2.0 * result.t, atol=1e-8)
    # Each half is held by m ω² L/2.
    np.testing.assert_allclose(result["pin"].force, 2.0, rtol=1e-8)


def test_angular_momentum_makes_a_drawn_in_mass_spin_faster():
    """A mass on a cord whose length is drawn from 2 m to 1 m: ω grows fourfold, and the winch does the work."""
    system = cm.System()
    mass = system.add(cm.Body("mass", 1.5, position=(2.0, 0.0), velocity=(0.0, 1.0)))
    system.add(cm.Distance(system.ground, mass, cm.StepMotion(0.2, 2.0, 1.2, 1.0), name="cord"))
    result = cm.simulate(system, 1.5)
    x, y, vx, vy = result["mass"].x, result["mass"].y, result["mass"].vx, result["mass"].vy
    np.testing.assert_allclose(x * vy - y * vx, 2.0, atol=1e-9)
    assert np.hypot(vx, vy)[-1] == pytest.approx(2.0, abs=1e-9)
    assert result.energy.driver_work[-1] == pytest.approx(0.5 * 1.5 * (2.0**2 - 1.0**2), abs=1e-8)
