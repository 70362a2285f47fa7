"""Limits of steps that depend on the tolerance."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.solve.compliant.rk_integrator import LONGEST_AT_ONSET, implicit_step_limits, length_at_onset


def test_the_error_of_the_first_step_in_contact_follows_the_tolerance():
    """A force like δ^1.5 makes an error like h^2.5 in the speed."""
    first, looser = length_at_onset(2e-4, 1e-10), length_at_onset(2e-4, 1e-8)
    assert (looser / first) ** 2.5 == pytest.approx(100.0)


def test_steps_at_onsets_are_limited_on_both_sides():
    assert length_at_onset(2e-4, 1e-13) == 2e-4
    assert length_at_onset(5e-4, 1e-2) == LONGEST_AT_ONSET


def longest(shortest_change: float | None, rtol: float) -> float:
    return implicit_step_limits(shortest_change, 1.0, rtol)["max_implicit_step"]


def test_implicit_steps_over_unknown_loads_stay_a_small_part_of_the_run():
    assert longest(0.0, 1e-10) == 1e-3
    assert longest(0.0, 1e-2) == pytest.approx(3e-3)
    assert longest(None, 1e-10) == longest(None, 1e-2)


def test_implicit_steps_resolve_what_is_known_to_change():
    """A sine of 2 Hz is resolved by some 25 steps a period; a motion of 1 kHz is no reason for shorter steps."""
    assert longest(math.inf, 1e-10) == longest(None, 1e-10)
    assert 0.5 / longest(cm.SineMotion(0.1, 2.0).shortest_change, 1e-10) == pytest.approx(8.0 * math.pi)
    assert longest(cm.SineMotion(0.1, 1e3).shortest_change, 1e-10) == longest(0.0, 1e-10)


def driven_cam(motion: cm.Motion) -> cm.System:
    """Return a disc that is hardly eccentric, and a follower at rest on it."""
    system = cm.System(gravity=(0.0, -9.81))
    cam = system.add(cm.Body("cam", 1.0, 1e-3, angular_velocity=6.0))
    hinge = system.add(cm.Revolute(system.ground, cam, at=(0.0, 0.0)))
    system.add(cm.Driver(hinge, motion))
    follower = system.add(cm.Body("follower", 0.1, 1e-5, position=(0.0, 0.06 + 1e-9)))
    system.add(cm.Prismatic(system.ground, follower, axis=(0.0, 1.0)))
    disc = cm.Sphere(cam, 0.05, at=(0.0, 1e-9))
    system.add(cm.Contact(cm.Sphere(follower, 0.01), disc, law=cm.laws.KelvinVoigt(1e6, 500.0)))
    return system


@pytest.mark.parametrize(
    ("motion", "turn"), [(cm.ConstantSpeed(6.0), 0.05), (lambda t: 6.0 * t, 6e-3)], ids=["known", "unknown"]
)
def test_driven_bodies_turn_little_in_an_implicit_step(motion, turn):
    """Nothing else limits the steps: the follower is at rest."""
    system = driven_cam(motion)
    result = cm.simulate(system, 1.0, integrator="implicit", rtol=1e-8, progress=False)
    assert float(np.diff(result["cam"].angle).max()) == pytest.approx(turn, rel=0.02)
