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


class LightBody:
    """A body of 1 mg whose acceleration jumps by 4e-6 m/s² at t = 0.5 s, beside other forces in the system."""

    n = 1
    mass = np.array([1e-6])

    def __init__(self, largest: float):
        self.largest = largest

    def evaluate(self, t: float, y: np.ndarray) -> tuple[np.ndarray, int]:
        return np.array([0.0, 1.0e-6 if t < 0.5 else 5.0e-6]), 0

    def largest_force(self) -> float:
        return self.largest


@pytest.mark.parametrize(("largest", "is_jump"), [(10.0, False), (1e-11, True)])
def test_rounding_of_the_force_on_a_body_of_next_to_no_mass_is_no_jump(largest: float, is_jump: bool):
    """A jump of 4e-12 N is rounding beside forces of 10 N."""
    jump = find_jump(LightBody(largest), 0.5 - 1e-9, np.zeros(2), 1e-8)  # type: ignore[arg-type]
    assert (jump is not None) == is_jump
