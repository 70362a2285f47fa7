"""Adaptive steps: impacts are located to the smallest step, and everything else is left as it is."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from physics.reference import nonsmooth_closed_forms as exact
from solve.timestepping.scenes import GRAVITY, STEPPING, ball_above_floor, block, deepest, feet, run, two_discs, world

schemes = pytest.mark.parametrize("scheme", STEPPING)


@schemes
@pytest.mark.parametrize("smallest", [1e-5, 1e-7, 1e-9])
def test_impacts_are_located_to_the_smallest_step(scheme, smallest):
    r = run(ball_above_floor(0.8), 3.0, step=1e-2, scheme=scheme, adaptive=True, min_step=smallest)
    known = exact.bouncing_ball_heights(1.0, 0.8, GRAVITY, 6)
    times = np.array([impact.t_start for impact in r.impacts])
    np.testing.assert_allclose(times, known["times"], atol=20.0 * smallest)
    np.testing.assert_allclose([i.approach_speed for i in r.impacts], known["speeds"], atol=100.0 * smallest)
    assert deepest(r) < 10.0 * smallest
    height, _ = exact.bouncing_ball_state(r.t, 1.0, 0.8, GRAVITY)
    np.testing.assert_allclose(r["ball"].y - 0.1, height, atol=50.0 * smallest)


def test_steps_are_short_near_impacts_only():
    r = run(ball_above_floor(0.8), 3.0, adaptive=True, min_step=1e-7)
    steps = np.diff(r.t)
    assert r.stats["steps"] == len(steps) < 3300
    assert r.stats["rejected"] > 6 * 10
    assert steps.max() == pytest.approx(1e-3)
    assert steps.min() < 2e-7
    near = np.abs(r.t[1:, None] - [impact.t_start for impact in r.impacts]).min(axis=1)
    assert steps[near > 2.1e-3].min() == pytest.approx(1e-3)


def test_fixed_steps_without_it():
    r = run(ball_above_floor(0.8), 1.0)
    assert r.stats["rejected"] == 0
    np.testing.assert_allclose(np.diff(r.t), 1e-3, rtol=1e-9)


def test_smallest_step_above_the_step_changes_nothing():
    fixed = run(ball_above_floor(0.8), 1.0)
    adaptive = run(ball_above_floor(0.8), 1.0, adaptive=True, min_step=0.01)
    np.testing.assert_array_equal(fixed.q, adaptive.q)
    assert adaptive.stats["rejected"] == 0


@schemes
def test_impact_between_bodies_happens_where_they_meet(scheme):
    """The discs meet where their centres are 0.25 m apart: |d + w t| = 0.25 with d = (0.4, 0.09), w = (−3, 0.2)."""
    r = run(two_discs(cm.ImpactLaw(0.6, 0.2)), 0.15, step=1e-2, scheme=scheme, adaptive=True, min_step=1e-9)
    a, b, c = 9.04, 2.0 * (-1.2 + 0.018), 0.16 + 0.0081 - 0.0625
    meet = (-b - np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    assert r.impacts[0].t_start == pytest.approx(meet, abs=1e-8)
    assert r.energy.drift < 1e-13


@pytest.mark.parametrize("scheme", ["midpoint", "theta"])
def test_lasting_contact_is_not_stepped_through_slowly(scheme):
    system = world()
    body = block(system, "block", (0.0, 0.1), velocity=(1.0, 0.0))
    feet(system, body, cm.Plane(system.ground), cm.ImpactLaw(0.3, 0.3))
    r = run(system, 1.0, scheme=scheme, adaptive=True)
    assert r.stats["steps"] < 1050
    assert r[body].x[-1] == pytest.approx(exact.slide_to_stop(1.0, 0.3, GRAVITY)["distance"], abs=1e-6)


def test_accumulating_impacts_end():
    """Bounces shorter and shorter: the ball comes to rest, and the run to its end, without ever shorter steps."""
    r = run(ball_above_floor(0.5), 3.0, adaptive=True)
    assert r.outcome.ok
    assert r.stats["steps"] < 6000
    assert r["floor"].normal_force[-1] == pytest.approx(GRAVITY, rel=1e-9)
    rest = 3.0 * np.sqrt(2.0 / GRAVITY)  # √(2h/g) (1 + ε)/(1 − ε)
    assert r.impacts[-1].persistent
    assert r.impacts[-1].t_start == pytest.approx(rest, abs=5e-3)


def test_output_times_are_met():
    r = run(ball_above_floor(0.8), 1.0, step=1e-2, adaptive=True, output=0.1)
    np.testing.assert_array_equal(r.t, [0.1 * k for k in range(10)] + [1.0])
