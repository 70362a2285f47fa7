"""Event-driven runs where sliding passes through zero: reversal, stick, and mechanisms that do both all the time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom import Outcome
from solve.event_driven.event_runs import G, obeys_the_laws, run

MU = 0.3
LIMIT = MU * G
"""Friction limit of a block of 1 kg [N]."""


@pytest.mark.parametrize("excess", [1e-2, 1e-4, 1e-6])
def test_reversal_much_shorter_than_a_step(excess):
    """A block of 1 kg slides backward under F = c − k t, and stops at t₀ with F ``excess`` above the friction limit.

    It slides forward until t₁ = t₀ + 2 excess/k, sticks until F = −μ m g at t₂, and slides backward again, with
    v = −k (t − t₂)²/2.
    """
    fall, stop = 10.0, 0.2
    first = LIMIT + excess + fall * stop
    system = cm.System(gravity=(0.0, -G), name="reversal")
    speed = (first + LIMIT) * stop - 0.5 * fall * stop**2
    block = system.add(cm.Body("block", 1.0, 0.01, velocity=(-speed, 0.0)))
    system.add(cm.Contact(cm.Point(block), cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, MU), name="floor"))
    system.add(cm.PointForce(block, lambda t: (first - fall * t, 0.0), name="pull"))
    result = run(system, 1.0)
    slip = stop + 2.0 * excess / fall
    again = (first + LIMIT) / fall
    obeys_the_laws(result, MU)
    stuck = (result.t > slip + 1e-9) & (result.t < again - 1e-9)
    assert np.abs(result["block"].vx[stuck]).max() < 1e-10
    pull = first - fall * result.t[stuck]
    assert np.abs(result["floor"].friction_force[stuck]) == pytest.approx(np.abs(pull), abs=1e-8)
    assert result["block"].vx[-1] == pytest.approx(-0.5 * fall * (1.0 - again) ** 2, abs=1e-9)
    assert result.stats["events"] < 12


def press(radius: float, rod: float, speed: float, angle: float, density: float, slider_mass: float) -> cm.System:
    """A driven slider-crank, upright, with clearance between rod and slider."""
    system = cm.System(gravity=(0.0, -G), name="press")
    pin = np.array([math.cos(angle), math.sin(angle)]) * radius
    low = np.array([0.0, pin[1] - math.sqrt(rod**2 - pin[0] ** 2)])
    bars = []
    for name, start, end in (("crank", np.zeros(2), pin), ("rod", pin, low)):
        length = float(np.hypot(*(end - start)))
        mass, turned = density * length, math.atan2(*(end - start)[::-1])
        bars.append(system.add(cm.Body(name, mass, mass * length**2 / 12.0, tuple(0.5 * (start + end)), turned)))
    slider = system.add(cm.Body("slider", slider_mass, 1e-3, tuple(low)))
    bearing = system.add(cm.Revolute(system.ground, bars[0], (0.0, 0.0), name="bearing"))
    system.add(cm.Revolute(bars[0], bars[1], tuple(pin), name="crank pin"))
    law = cm.ImpactLaw(0.5, 0.05)
    system.add(cm.RevoluteClearance(bars[1], slider, tuple(low), 0.01, 0.01 + 2.4e-5, impact=law, name="wrist pin"))
    system.add(cm.Prismatic(slider, system.ground, axis=(0.0, 1.0), at=tuple(low), name="guide"))
    system.add(cm.Driver(bearing, cm.ConstantSpeed(speed), name="motor"))
    system.assemble(keep=[(bars[0], "angle")])
    return system


def test_sliding_in_a_clearance_reverses_and_agrees_with_time_stepping():
    """The journal rolls and slides in its bearing; sliding passes through zero and back within part of a step."""
    model = press(0.066, 0.395, 91.0, 4.53, 3.0, 1.0)
    result = run(model, 0.03)
    obeys_the_laws(result, 0.05)
    stepped = cm.simulate(model, 0.03, method="nonsmooth", step=2e-6, output=[0.03])
    for name in ("rod", "slider"):
        assert result[name].y[-1] == pytest.approx(stepped[name].y[-1], abs=2e-6)
        assert result[name].vy[-1] == pytest.approx(stepped[name].vy[-1], rel=1e-3)


def test_newton_impact_without_solution_says_what_to_change():
    """A rod on a pin whose tip wedges against the floor: γ_N and γ_T are one velocity, which friction stops."""
    results = []
    for law in ("newton", "poisson"):
        system = cm.System(gravity=(0.0, -G), name="wedge")
        middle = (0.5 * math.sin(0.5), -0.5 * math.cos(0.5))
        rod = system.add(cm.Body("rod", 1.0, 1.0 / 12.0, middle, 0.5 - math.pi / 2))
        rod.angular_velocity = -1.0
        rod.velocity = (-0.5 * math.cos(0.5), -0.5 * math.sin(0.5))
        system.add(cm.Revolute(system.ground, rod, (0.0, 0.0), name="pin"))
        floor = cm.Plane(system.ground, (0.0, -math.cos(0.45)))
        tip = cm.Point(rod, (0.5, 0.0))
        system.add(cm.Contact(tip, floor, impact=cm.ImpactLaw(0.5, 2.5, law=law), name="tip"))
        results.append(cm.simulate(system, 0.5, method="nonsmooth", scheme="event-driven"))
    assert results[0].outcome is Outcome.CONTACT_UNSOLVED
    assert "contact 'tip'" in results[0].message
    assert "poisson" in results[0].message
    assert results[1].outcome is Outcome.FINISHED
    assert np.abs(results[1]["rod"].omega[-1]) < 1e-12
