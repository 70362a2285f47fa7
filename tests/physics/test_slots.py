"""Pins in slots and on curves: Scotch yoke, quick-return mechanisms, a bead on a circular wire."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from solve.mechanisms import GRAVITY, pendulum, rod


def test_scotch_yoke_moves_as_a_pure_cosine():
    """x = r cos ωt; the force of the pin on the yoke is m ẍ, the torque r times it at the pin's lever arm."""
    radius, speed, mass = 0.3, 11.0, 4.0
    system = cm.System()
    crank = system.add(rod("crank", (0.0, 0.0), (radius, 0.0)))
    yoke = system.add(cm.Body("yoke", mass, 1.0, position=(radius, 0.0)))
    bearing = system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(cm.Prismatic(system.ground, yoke, axis=(1.0, 0.0)))
    system.add(cm.PointOnLine(yoke, crank.point(0.5 * radius, 0.0), axis=(0.0, 1.0), name="slot"))
    system.add(cm.Driver(bearing, cm.ConstantSpeed(speed), name="motor"))
    result = cm.kinematics(system, 1.0, points=101)
    phase = speed * result.t
    np.testing.assert_allclose(result["yoke"].x, radius * np.cos(phase), atol=1e-12)
    np.testing.assert_allclose(result["yoke"].vx, -speed * radius * np.sin(phase), atol=1e-11)
    np.testing.assert_allclose(result["yoke"].ax, -(speed**2) * radius * np.cos(phase), atol=1e-10)
    # On the crank's pin acts −m ẍ; the motor gives M = m ẍ ∂x/∂φ.
    np.testing.assert_allclose(result["slot"].fx, mass * speed**2 * radius * np.cos(phase), atol=1e-9)
    np.testing.assert_allclose(result["slot"].fy, 0.0, atol=1e-9)
    torque = mass * speed**2 * radius**2 * np.cos(phase) * np.sin(phase)
    np.testing.assert_allclose(result["motor"].effort, torque, atol=1e-9)


def quick_return(radius: float, distance: float) -> cm.System:
    """A crank about the origin moves a lever about (0, −distance) by a pin in the lever's slot."""
    system = cm.System(name="quick return")
    crank = system.add(rod("crank", (0.0, 0.0), (radius, 0.0)))
    direction = math.atan2(distance, radius)
    lever = system.add(cm.Body("lever", 1.0, 1.0, position=(0.0, -distance), angle=direction))
    system.add(cm.Revolute(system.ground, lever, at=(0.0, -distance)))
    bearing = system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(cm.PointOnLine(lever.marker((0.0, 0.0)), crank.point(0.5 * radius, 0.0), name="slot"))
    system.add(cm.Driver(bearing, cm.ConstantSpeed(2.0 * math.pi)))
    return system


@pytest.mark.parametrize(("radius", "distance"), [(0.1, 0.4), (0.3, 0.35), (0.5, 0.2)],
                         ids=["rocking lever", "strong quick return", "turning lever (Whitworth)"])  # fmt: skip
def test_slotted_lever_points_at_the_crank_pin(radius, distance):
    """Lever angle atan2(d + r sin θ, r cos θ); pin at √(r² + d² + 2 r d sin θ) along the slot."""
    result = cm.kinematics(quick_return(radius, distance), 1.5, points=601)
    theta = 2.0 * math.pi * result.t
    lever = np.unwrap(np.arctan2(distance + radius * np.sin(theta), radius * np.cos(theta)))
    length = np.sqrt(radius**2 + distance**2 + 2.0 * radius * distance * np.sin(theta))
    np.testing.assert_allclose(result["lever"].angle, lever, atol=1e-11)
    np.testing.assert_allclose(result["slot"].displacement, length, atol=1e-12)
    # The part of the pin's velocity across the slot turns the lever: ω_l l² = ω (r² + r d sin θ).
    rate = 2.0 * math.pi * (radius**2 + radius * distance * np.sin(theta)) / length**2
    np.testing.assert_allclose(result["lever"].omega, rate, atol=1e-10)


def test_quick_return_spends_its_time_as_its_angles_say():
    """The lever turns back while the crank goes through π − 2 asin(r/d): time ratio (π + 2β)/(π − 2β)."""
    radius, distance = 0.2, 0.4
    result = cm.kinematics(quick_return(radius, distance), 1.0, points=4001)
    forward = np.mean(result["lever"].omega[:-1] > 0.0)
    beta = math.asin(radius / distance)
    expected = (math.pi + 2.0 * beta) / (math.pi - 2.0 * beta)
    assert expected == pytest.approx(2.0)
    assert forward / (1.0 - forward) == pytest.approx(expected, rel=3e-3)


def bead(points: int, offset: float = 0.0) -> cm.System:
    """A point mass on a closed wire through ``points`` points of the unit circle, from the horizontal."""
    around = np.linspace(0.0, 2.0 * math.pi, points, endpoint=False) + offset
    system = cm.System(gravity=(0.0, -GRAVITY))
    grain = system.add(cm.Body("bead", 1.0, position=(1.0, 0.0)))
    wire = np.column_stack([np.cos(around), np.sin(around)])
    system.add(cm.PointOnCurve(system.ground, grain, wire, closed=True, name="wire"))
    return system


def test_bead_on_a_circular_wire_swings_as_a_pendulum_to_the_accuracy_of_the_spline():
    """The spline's error falls with the fourth power of the spacing of its points, and so does the bead's."""
    times = np.linspace(0.0, 2.0, 41)
    exact = cm.simulate(pendulum(), 2.0, output=times[1:], rtol=1e-11, atol=1e-12)["bob"].position
    errors = []
    for points in (32, 64, 128):
        result = cm.simulate(bead(points), 2.0, output=times[1:], rtol=1e-9, atol=1e-11)
        errors.append(np.abs(result["bead"].position - exact).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 3.6)
    assert errors[-1] < 1e-6


def test_bead_keeps_its_energy_over_many_rounds():
    system = bead(64)
    system["bead"].velocity = (0.0, 7.5)  # more than √(2g): it goes round and round
    result = cm.simulate(system, 6.0)
    angle = np.unwrap(np.arctan2(result["bead"].y, result["bead"].x))
    assert angle[-1] > 4.0 * math.pi
    assert result.energy.drift < 1e-7


def test_wire_presses_the_bead_as_a_pendulum_s_rod_would():
    """Towards the centre with m (v²/r + g sin θ), to the accuracy of the spline's curvature (second order)."""
    result = cm.simulate(bead(256), 1.0)
    grain, wire = result["bead"], result["wire"]
    radial = wire.fx * grain.x + wire.fy * grain.y
    speed_squared = grain.vx**2 + grain.vy**2
    np.testing.assert_allclose(radial, GRAVITY * grain.y - speed_squared, atol=5e-3)


def test_pin_in_a_moving_curved_slot_follows_the_slot():
    """A plate with a parabolic slot is pushed past a follower that slides up and down: y = (x₀ − vt)²/2."""
    points = [(x, 0.5 * x**2) for x in np.linspace(-2.0, 2.0, 201)]
    system = cm.System()
    plate = system.add(cm.Body("plate", 1.0, 1.0))
    follower = system.add(cm.Body("follower", 1.0, 1.0, position=(0.5, 0.125)))
    system.add(cm.Prismatic(system.ground, plate, axis=(1.0, 0.0), name="table"))
    system.add(cm.Prismatic(system.ground, follower, axis=(0.0, 1.0)))
    system.add(cm.PointOnCurve(plate, follower, points))
    system.add(cm.Driver(system["table"], cm.ConstantSpeed(0.8)))
    result = cm.kinematics(system, 1.0, points=51)
    inside = 0.5 - 0.8 * result.t
    # Points 0.02 m apart: a hundredth of the fourth power of that.
    np.testing.assert_allclose(result["follower"].y, 0.5 * inside**2, atol=3e-9)
    np.testing.assert_allclose(result["follower"].vy, -0.8 * inside, atol=5e-7)
    np.testing.assert_allclose(result["follower"].ay, 0.64, atol=2e-4)


def test_a_bead_keeps_its_speed_through_a_spiral_slot():
    """The force across the slot does no work, and every node knows on which turn of the spiral the bead is."""
    turns = np.linspace(0.0, 8.0 * math.pi, 321)
    points = np.column_stack([(0.3 + 0.1 * turns) * np.cos(turns), (0.3 + 0.1 * turns) * np.sin(turns)])
    system = cm.System()
    k = 60
    along = points[k + 1] - points[k - 1]
    bead = system.add(cm.Body("bead", 0.5, position=points[k], velocity=6.0 * along / np.hypot(*along)))
    system.add(cm.PointOnCurve(system.ground, bead, points, name="slot"))
    system.assemble(keep=[(bead, "position")])
    result = cm.simulate(system, 3.0, rtol=1e-9, atol=1e-11)
    speed = np.hypot(result["bead"].vx, result["bead"].vy)
    np.testing.assert_allclose(speed, speed[0], rtol=1e-8)
    assert np.all(np.diff(result["slot"].parameter) > 0.0)
    power = result["slot"].fx * result["bead"].vx + result["slot"].fy * result["bead"].vy
    np.testing.assert_allclose(power, 0.0, atol=1e-8)
