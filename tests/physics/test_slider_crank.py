"""The slider-crank as an engine: books, Lagrange's equation of its one coordinate, forces at a full turn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm
from solve.mechanisms import GRAVITY, slider_crank

R, L = 0.15, 0.4
CRANK, ROD, SLIDER = 2.0, 3.0, 5.0


def reduced(angle: float) -> tuple[float, float, float]:
    """Reduced inertia J(θ), its derivative, and dV/dθ, by the closed form and differences of eighth order."""

    def places(theta):
        psi = np.arcsin(-R * np.sin(theta) / L)
        rod_x = R * np.cos(theta) + 0.5 * L * np.cos(psi)
        return rod_x, 0.5 * R * np.sin(theta), psi, R * np.cos(theta) + L * np.cos(psi)

    def slope(f, x, h=1e-3):
        weights = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
        return sum(w * (np.asarray(f(x + k * h)) - np.asarray(f(x - k * h))) for k, w in enumerate(weights, 1)) / h

    def inertia(theta):
        rod_x, rod_y, psi, slider = slope(places, theta)
        return CRANK * R**2 / 3.0 + ROD * (rod_x**2 + rod_y**2 + L**2 / 12.0 * psi**2) + SLIDER * slider**2

    weight = (0.5 * CRANK + 0.5 * ROD) * GRAVITY * R * math.cos(angle)
    return float(inertia(angle)), float(slope(inertia, angle)), weight


def test_free_slider_crank_follows_lagrange_s_equation():
    """J θ'' + J' θ'²/2 = −V'."""

    def rate(t, y):
        inertia, change, weight = reduced(y[0])
        return [y[1], (-weight - 0.5 * change * y[1] ** 2) / inertia]

    times = np.linspace(0.0, 1.0, 21)
    exact = solve_ivp(rate, (0.0, 1.0), [0.7, 6.0], "DOP853", times, rtol=1e-10, atol=1e-10).y
    system = slider_crank(R, L, 0.7)
    system["crank"].angular_velocity = 6.0
    system.assemble(keep=[("crank", "angular_velocity")])
    result = cm.simulate(system, 1.0, output=times[1:])
    np.testing.assert_allclose(result["crank"].angle, exact[0], atol=1e-7)
    np.testing.assert_allclose(result["crank"].omega, exact[1], atol=1e-6)


def test_work_of_the_driver_is_the_change_of_energy_and_nothing_over_a_turn():
    speed = 20.0
    system = slider_crank(R, L, 0.7)
    system.add(cm.Driver(system["bearing"], cm.ConstantSpeed(speed), name="motor"))
    turn = 2.0 * math.pi / speed
    result = cm.simulate(system.assemble(), 3.0 * turn)
    gained = result.energy.total - result.energy.total[0]
    np.testing.assert_allclose(result.energy.driver_work, gained, atol=1e-8 * result.energy.scale)
    turns = cm.simulate(system, 3.0 * turn, output=turn)
    np.testing.assert_allclose(turns.energy.driver_work, 0.0, atol=1e-8 * result.energy.scale)


def test_torque_of_the_driver_is_that_of_the_reduced_inertia():
    """At constant speed: M = J' ω²/2 + V'."""
    speed = 20.0
    system = slider_crank(R, L, 0.7)
    system.add(cm.Driver(system["bearing"], cm.ConstantSpeed(speed), name="motor"))
    result = cm.kinematics(system, 0.3, points=31)
    for angle, effort in zip(result["crank"].angle, result["motor"].effort, strict=True):
        _, change, weight = reduced(angle)
        assert effort == pytest.approx(0.5 * change * speed**2 + weight, abs=1e-6)


def test_shaking_force_on_the_ground_is_the_rate_of_all_momentum():
    """The reactions of bearing and guide together are the sum of m a − m g over all bodies."""
    system = slider_crank(R, L, 0.7)
    system.add(cm.Driver(system["bearing"], cm.ConstantSpeed(20.0)))
    result = cm.kinematics(system, 0.3, points=31)
    total = sum(body.mass * (result[body.name].acceleration + np.array([0.0, GRAVITY])) for body in result.bodies)
    held = [np.column_stack([result[name].fx, result[name].fy]) for name in ("bearing", "guide")]
    np.testing.assert_allclose(held[0] + held[1], total, atol=1e-9)
    # A horizontal guide without friction carries no horizontal force.
    np.testing.assert_allclose(result["guide"].fx, 0.0, atol=1e-9)


def test_damped_engine_without_drive_loses_what_its_damper_takes():
    system = slider_crank(R, L, 0.7)
    system["crank"].angular_velocity = 15.0
    system.assemble(keep=[("crank", "angular_velocity")])
    system.add(cm.RotationalSpringDamper(system.ground, system["crank"], damping=0.2))
    result = cm.simulate(system, 1.0)
    lost = result.energy.total[0] - result.energy.total
    np.testing.assert_allclose(result.energy.dissipated, lost, atol=1e-8 * result.energy.scale)
    assert np.all(np.diff(result.energy.dissipated) >= 0.0)
    assert lost[-1] > 1.0
