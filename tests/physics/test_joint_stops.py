"""Mechanisms with stops: toggle clamp, door with a damper, lever between random limits, explicit against implicit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom as cm

BOTH = {"compliant": {}, "midpoint": {"method": "nonsmooth", "step": 1e-4}}


def toggle(stop_angle: float, push: float):
    """Return a toggle of two rods of 0.1 m that a force pushes back at its slider, with a stop of the first rod.

    The rods are straight at the angle 0; the first rod starts 0.02 rad before the stop.
    """
    system = cm.System()
    length, angle = 0.1, stop_angle + 0.02
    c, s = math.cos(angle), math.sin(angle)
    crank = system.add(cm.Body("crank", 0.2, 2e-4, position=(0.5 * length * c, 0.5 * length * s), angle=angle))
    rod = system.add(cm.Body("rod", 0.2, 2e-4, position=(1.5 * length * c, 0.5 * length * s), angle=-angle))
    slider = system.add(cm.Body("slider", 0.5, 1e-3, position=(2.0 * length * c, 0.0)))
    hinge = system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0), limits=(stop_angle, None), name="hinge"))
    system.add(cm.Revolute(crank, rod, at=(length * c, length * s)))
    system.add(cm.Revolute(rod, slider, at=(2.0 * length * c, 0.0)))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    system.add(cm.PointForce(slider, force=(-push, 0.0)))
    return system, hinge


@pytest.mark.parametrize("options", BOTH.values(), ids=BOTH)
def test_toggle_clamp_locks_beyond_its_dead_centre(options):
    """Past the dead centre the load presses the crank on its stop, with the torque 2 F l sin φ; before it, it opens."""
    push, over = 200.0, -0.05
    system, hinge = toggle(over, push)
    result = cm.simulate(system, 0.2, **options)
    assert result[hinge].angle[-1] == pytest.approx(over, abs=1e-4)
    assert result[hinge].stop_torque[-1] == pytest.approx(2.0 * push * 0.1 * math.sin(0.05), rel=1e-3)
    if not options:
        assert result.energy.drift <= 1e-8
    system, hinge = toggle(0.05, push)
    result = cm.simulate(system, 0.02, **options)
    assert result[hinge].angle[-1] > 0.1
    assert not result.impacts


def test_door_with_closer_and_stop():
    """The closer lets the door creep as its spring and damper say, until the stop holds it with the rest."""
    stiffness, damping, inertia, limit = 12.0, 40.0, 2.0, 0.1
    system = cm.System(dim=3)
    door = system.add(cm.Body("door", 30.0, (inertia, inertia, inertia), position=(0.0, 0.0, 0.0)))
    hinge = system.add(cm.Revolute(system.ground, door, at=(0, 0, 0), axis=(0, 0, 1), limits=(limit - 1.0, None)))
    closer = cm.RotationalSpringDamper(joint=hinge, stiffness=stiffness, damping=damping, free_angle=-1.0)
    system.add(closer)
    result = cm.simulate(system, 12.0)
    a = damping / (2.0 * inertia)
    b = math.sqrt(a * a - stiffness / inertia)
    t = result.t[result.t < result.impacts[0].t_start]
    free = -1.0 + np.exp(-a * t) * (np.cosh(b * t) + a / b * np.sinh(b * t))  # I φ" + c φ' + k (φ + 1) = 0
    assert result[hinge].angle[: len(t)] == pytest.approx(free, abs=1e-8)
    assert result[hinge].stop_torque[-1] == pytest.approx(stiffness * limit, rel=1e-3)
    assert result.energy.drift <= 1e-8


def test_explicit_and_implicit_steps_agree_at_a_stop():
    """A weight dropped on a damped stop: the same motion with both kinds of steps."""

    def run(**options):
        system = cm.System(gravity=(0.0, -9.81))
        lever = system.add(cm.Body("lever", 1.0, 0.05, position=(0.3, 0.0)))
        law = cm.laws.KelvinVoigt(stiffness=2e3, damping=4.0)
        system.add(cm.Revolute(system.ground, lever, at=(0.0, 0.0), limits=(-0.4, None), law=law))
        return cm.simulate(system, 1.0, **options)

    times = np.linspace(0.0, 1.0, 101)
    explicit, implicit = (run(integrator=name).sample(times)["lever"].angle for name in ("dop853", "implicit"))
    assert implicit == pytest.approx(explicit, abs=1e-7)


@settings(max_examples=5, deadline=None)
@given(
    low=st.floats(-2.5, -0.1), high=st.floats(0.1, 2.5), speed=st.floats(-20.0, 20.0),
    restitution=st.floats(0.05, 0.95),
)  # fmt: skip
def test_random_limits_hold(low, high, speed, restitution):
    """The excess is at most the indentation of an impact with the largest speed; rigid stops have none."""
    inertia = 0.1
    law = cm.laws.KelvinVoigt(stiffness=1e6, restitution=restitution, mass=inertia)
    for options in ({}, {"method": "nonsmooth", "scheme": "event-driven"}):
        system = cm.System()
        body = system.add(cm.Body("body", 1.0, inertia, position=(0.0, 0.0), angular_velocity=speed))
        impact = cm.ImpactLaw(restitution=restitution)
        hinge = system.add(cm.Revolute(system.ground, body, at=(0.0, 0.0), limits=(low, high), law=law, impact=impact))
        result = cm.simulate(system, 0.5, **options)
        deepest = law.impact(inertia, abs(speed)).max_indentation if not options and speed else 0.0
        angle = result[hinge].angle
        assert low - 1.0001 * deepest - 1e-9 <= angle.min() <= angle.max() <= high + 1.0001 * deepest + 1e-9
        assert result.energy.kinetic[-1] <= result.energy.kinetic[0] * (1.0 + 1e-9)
