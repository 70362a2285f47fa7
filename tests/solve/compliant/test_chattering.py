"""Forces that jump to and fro are reported, stiff ones are not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import carom as cm
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.solve.compliant import chattering
from carom.solve.compliant.chattering import find_jump
from carom.solve.model_evaluator import ModelEvaluator

DRY = 8.0


def switch(speed: float = 1.0) -> cm.System:
    """A mass on a spring with dry friction written as a switch on the sign of its velocity: it sticks for ever."""
    system = cm.System(gravity=(0.0, 0.0), name="switch")
    mass = system.add(cm.Body("mass", 2.0, 1.0, velocity=(speed, 0.0)))
    system.add(cm.SpringDamper(mass, cm.Marker(system.ground, (-1.0, 0.0)), 20.0, name="spring"))
    system.add(cm.PointForce(mass, lambda t, s: (-DRY if s.mass.vx > 0.0 else DRY, 0.0), name="rubbing"))
    return system


@pytest.mark.parametrize("integrator", ["dopri5", "bdf"])
def test_switch_on_a_velocity_is_reported_while_it_grinds(integrator):
    """The force jumps by 2 F₀ where the mass stops, and the spring cannot pull it away from there."""

    def stop(fraction: float) -> None:
        if caught:
            raise KeyboardInterrupt

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", cm.CaromWarning)
        result = cm.simulate(switch(), 20.0, integrator=integrator, progress=stop)
    assert result.outcome is cm.Outcome.INTERRUPTED
    text = str(caught[0].message)
    assert "PointForce 'rubbing', by 16, jumps" in text
    assert "tanh" in text


def test_jump_ahead_is_measured():
    """At v = 1e-6 m/s the switch is 2.5e-7 s ahead (deceleration 4 m/s²); far from it, nothing jumps."""
    mechanism = ModelEvaluator(switch(1e-6), "simulate")
    state = np.zeros(mechanism.tables.size)
    state[mechanism.n] = 1e-6
    jump = find_jump(mechanism, 0.0, state, 1e-8)
    assert jump is not None
    assert jump == pytest.approx([2.0 * DRY, 0.0, 0.0], abs=1e-4)
    assert find_jump(mechanism, 0.0, state, 1e-10) is None


def test_stiff_contacts_are_no_chatter(monkeypatch):
    """Searched all the time: a force of 1e9 N/m is steep, but smooth."""
    monkeypatch.setattr(chattering, "TRIES", 1)
    monkeypatch.setattr(chattering, "SHORT", 1.0)
    system = cm.System(gravity=(0.0, -9.81), name="stiff")
    ball = system.add(cm.Body("ball", 1.0, 0.004, (0.0, 0.10001)))
    law = KelvinVoigt(1e9, 5e3)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for integrator in ("dopri5", "bdf"):
            result = cm.simulate(system, 2e-3, integrator=integrator)
            assert result.outcome.ok
            assert result.impacts
