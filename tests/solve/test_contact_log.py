"""Rows of the contact log as records of a result."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.mechanics.contact_log import CONTACT_LOG_ROW
from carom.solve.contact_log import impacts_of


def test_open_contact_has_no_separation_speed():
    rows = CONTACT_LOG_ROW.zeros(2)
    rows["contact"], rows["separation_speed"], rows["is_open"] = [1.0, 0.0], 3.0, [1.0, 0.0]
    rows["impulse"] = [math.nan, 0.5]
    first, second = impacts_of(["floor", "wall"], [rows.view(float).reshape(2, -1)])
    assert (first.contact, first.separation_speed, first.finished, first.impulse) == ("wall", 0.0, False, None)
    assert (second.contact, second.separation_speed, second.finished, second.impulse) == ("floor", 3.0, True, 0.5)
    assert impacts_of([], [np.zeros((0, CONTACT_LOG_ROW.size))]) == []


def test_compliant_and_nonsmooth_runs_log_the_same_impact():
    """A ball that falls on a floor: speeds by the law of impact, and the lost energy is that of the ball."""
    mass, restitution, height, radius = 0.2, 0.6, 0.1, 0.05
    speed = math.sqrt(2.0 * 9.81 * height)
    for options in ({}, {"method": "nonsmooth", "step": 1e-4}):
        system = cm.System(gravity=(0.0, -9.81))
        ball = system.add(cm.Body("ball", mass, 1e-4, (0.0, radius + height)))
        law = cm.laws.ExactRestitution(1e10, restitution)
        shapes = cm.Sphere(ball, radius), cm.Plane(system.ground)
        system.add(cm.Contact(*shapes, law, impact=cm.ImpactLaw(restitution), name="floor"))
        impact = cm.simulate(system, 0.2, **options).impacts[0]
        assert (impact.contact, impact.finished, impact.compressions) == ("floor", True, 1)
        assert impact.approach_speed == pytest.approx(speed, rel=2e-3)
        assert impact.restitution == pytest.approx(restitution, rel=2e-3)
        assert impact.energy_lost == pytest.approx(0.5 * mass * speed**2 * (1.0 - restitution**2), rel=5e-3)
        assert (impact.impulse is None) == (not options)
    assert impact.impulse == pytest.approx(mass * speed * (1.0 + restitution), rel=2e-3)
