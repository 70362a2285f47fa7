"""Efforts of drivers: what the energy equation d(T + V)/dt = M ω asks for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from solve.mechanisms import GRAVITY, FourBar, pendulum, slider_crank


def energy_rate(result: cm.Result) -> np.ndarray:
    """d(T + V)/dt from the motion alone: Σ m v·a + I ω α + m g v_y."""
    total = np.zeros(len(result.t))
    for body in result.bodies:
        motion = result[body.name]
        total += body.mass * np.sum(motion.velocity * motion.acceleration, axis=1)
        total += body.inertia * motion.omega * motion.alpha + body.mass * GRAVITY * motion.vy
    return total


def driven_four_bar(motion: cm.Motion) -> cm.System:
    system = FourBar(0.5, 1.5, 1.2, 1.6).system(0.4)
    system.add(cm.Driver((system["crank"], "angle"), motion, name="motor"))
    return system


def driven_slider_crank(motion: cm.Motion) -> cm.System:
    system = slider_crank(angle=0.4)
    system.add(cm.Driver(system["bearing"], motion, name="motor"))
    return system


@pytest.mark.parametrize("make", [driven_four_bar, driven_slider_crank])
@pytest.mark.parametrize("motion", [cm.ConstantSpeed(9.0), cm.SineMotion(0.6, 1.5)], ids=["steady", "to and fro"])
def test_effort_of_the_driver_gives_the_power_the_motion_takes(make, motion):
    result = cm.kinematics(make(motion), 1.0, points=201)
    motor, crank = result["motor"], result["crank"]
    power = energy_rate(result)
    np.testing.assert_allclose(motor.effort * crank.omega, power, rtol=0.0, atol=1e-9 * np.abs(power).max())
    np.testing.assert_allclose(motor.power, power, rtol=0.0, atol=1e-9 * np.abs(power).max())


def test_torque_that_turns_a_pendulum_is_known():
    """M = (I + m L²) φ'' + m g L cos φ."""
    system = pendulum(mass=2.0, inertia=0.3)
    system.add(cm.Driver((system["bob"], "angle"), cm.SineMotion(1.2, 0.8), name="motor"))
    result = cm.kinematics(system, 2.0, points=101)
    w = 2.0 * math.pi * 0.8
    angle = 1.2 * np.sin(w * result.t)
    expected = -2.3 * 1.2 * w**2 * np.sin(w * result.t) + 2.0 * GRAVITY * np.cos(angle)
    np.testing.assert_allclose(result["motor"].effort, expected, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(result["motor"].angle, angle, rtol=0.0, atol=1e-14)


def test_force_that_lifts_a_mass_is_known():
    system = cm.System(gravity=(0.0, -GRAVITY))
    body = system.add(cm.Body("load", 4.0, 1.0))
    system.add(cm.Prismatic(system.ground, body, axis=(0.0, 1.0), name="guide"))
    system.add(cm.Driver(system["guide"], cm.PolynomialMotion([0.0, 0.0, 0.75]), name="hoist"))
    result = cm.kinematics(system, 1.0, points=5)
    np.testing.assert_allclose(result["hoist"].effort, 4.0 * (GRAVITY + 1.5), rtol=1e-13)
    np.testing.assert_allclose(result["hoist"].power, 4.0 * (GRAVITY + 1.5) * 1.5 * result.t, rtol=1e-12, atol=1e-12)


def test_driver_on_a_coordinate_or_on_its_joint_needs_the_same_effort():
    efforts = []
    for target in ("joint", "body"):
        system = slider_crank(angle=0.4)
        where = system["bearing"] if target == "joint" else (system["crank"], "angle")
        system.add(cm.Driver(where, cm.ConstantSpeed(5.0), name="motor"))
        efforts.append(cm.kinematics(system, 1.0, points=21)["motor"].effort)
    np.testing.assert_allclose(efforts[0], efforts[1], rtol=1e-12)


def test_books_of_a_driven_mechanism_close():
    """Work of the driver over a run is the change of energy, and what a damper takes."""
    system = driven_slider_crank(cm.ConstantSpeed(9.0))
    system.add(cm.SpringDamper(system.ground.point(1.0, 0.0), system["slider"], 300.0, damping=20.0, name="brake"))
    result = cm.simulate(system.assemble(), 1.0)
    gained = result.energy.total - result.energy.total[0]
    np.testing.assert_allclose(
        result.energy.driver_work, gained + result.energy.dissipated, rtol=0.0, atol=1e-7 * result.energy.scale
    )
    assert result.energy.dissipated[-1] > 1.0
    assert result.energy.drift < 1e-8


def test_books_of_a_kinematic_analysis_close():
    """The driver's work is the integral of its power, for a mechanism moved through its positions alone."""
    result = cm.kinematics(driven_slider_crank(cm.ConstantSpeed(9.0)), 1.0, points=2001)
    gained = result.energy.total - result.energy.total[0]
    np.testing.assert_allclose(result.energy.driver_work, gained, rtol=0.0, atol=1e-5 * np.ptp(gained))
