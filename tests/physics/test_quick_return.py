"""Quick-return mechanism with four clearance joints: a chaotic motion, followed through 35 impacts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carom.gallery import quick_return
from physics.reference import quick_return as reference

NAMES = ("rocker pivot", "crank pin", "rocker tip", "slider pin")
"""Names of the joints, in the order of the reference."""
CLEARANCE = 5e-4


@pytest.fixture(scope="module")
def precise():
    return quick_return().run(t_end=0.065, rtol=1e-11, atol=1e-13)


def test_joints_touch_in_the_right_order(precise):
    assert [NAMES.index(impact.contact) for impact in precise.impacts] == [row[0] for row in reference.IMPACTS]


def test_times_and_speeds_of_all_impacts(precise):
    for impact, (_, start, approach, end, separation) in zip(precise.impacts, reference.IMPACTS, strict=True):
        assert impact.t_start == pytest.approx(start, abs=1e-8)
        assert impact.t_end == pytest.approx(end, abs=1e-8)
        assert impact.approach_speed == pytest.approx(approach, rel=1e-5)
        assert impact.separation_speed == pytest.approx(separation, rel=1e-5)
        assert abs(impact.initial_indentation) < 1e-15


def test_early_impacts_are_known_much_better(precise):
    """Errors grow a million times over the 35 impacts."""
    for impact, (_, start, approach, _, _) in zip(precise.impacts[:10], reference.IMPACTS[:10], strict=True):
        assert impact.t_start == pytest.approx(start, abs=1e-11)
        assert impact.approach_speed == pytest.approx(approach, rel=1e-8)


def test_default_tolerances_keep_all_impacts():
    result = quick_return().run(t_end=0.065)
    assert [NAMES.index(impact.contact) for impact in result.impacts] == [row[0] for row in reference.IMPACTS]
    for impact, (_, start, approach, _, _) in zip(result.impacts, reference.IMPACTS, strict=True):
        assert impact.t_start == pytest.approx(start, abs=1e-7)
        assert impact.approach_speed == pytest.approx(approach, rel=1e-4)


@pytest.mark.parametrize("integrator", ["dop853", "tsit5"])
def test_integrators_agree(integrator):
    result = quick_return().run(t_end=0.065, rtol=1e-11, atol=1e-13, integrator=integrator)
    starts = [impact.t_start for impact in result.impacts]
    assert starts == pytest.approx([row[1] for row in reference.IMPACTS], abs=1e-7)


def test_slider_moves_as_in_quadruple_precision(precise):
    sample = precise.sample(list(reference.SLIDER))
    expected = np.array(list(reference.SLIDER.values()))
    np.testing.assert_allclose(sample["slider"].x, expected[:, 0], atol=1e-9)
    np.testing.assert_allclose(sample["slider"].vx, expected[:, 1], atol=1e-6)


def test_journals_stay_in_their_bearings(precise):
    for name in NAMES:
        joint = precise[name]
        deepest = max(impact.max_indentation for impact in precise.impacts.of(name))
        assert joint.eccentricity.max() <= CLEARANCE + deepest + 1e-12
        np.testing.assert_allclose(joint.eccentricity - joint.indentation, CLEARANCE, atol=1e-15)
        np.testing.assert_allclose(np.hypot(joint.ex, joint.ey), joint.eccentricity, atol=1e-15)
        assert not joint.normal_force[joint.contact_mode == 0.0].any()
        pressed_twice = any(impact.compressions > 1 for impact in precise.impacts.of(name))
        assert set(joint.contact_mode) == ({0.0, 1.0, 2.0} if pressed_twice else {0.0, 1.0})


def test_journals_start_in_the_middle_of_their_bearings(precise):
    for name in NAMES:
        assert precise[name].eccentricity[0] < 1e-15


def test_motor_keeps_its_speed_and_the_ledger_closes(precise):
    np.testing.assert_allclose(precise["crank"].angle, 3.0 * precise.t, atol=1e-12)
    np.testing.assert_allclose(precise["crank"].omega, 3.0, atol=1e-11)
    assert precise.energy.drift < 1e-10


def test_ideal_joints_follow_the_closed_form():
    result = quick_return(joints="ideal").run()
    assert not result.impacts
    rocker, coupler, slider, block = (result[name] for name in ("rocker", "coupler", "slider", "block"))
    for k in range(0, len(result.t), 7):
        state = reference.ideal(3.0 * result.t[k]).astype(float)
        x, y, tilt, s, cx, cy, lean, end = state[:8]
        assert (rocker.x[k], rocker.y[k], rocker.angle[k]) == pytest.approx((x, y, tilt), abs=1e-11)
        assert (coupler.x[k], coupler.y[k], coupler.angle[k]) == pytest.approx((cx, cy, lean), abs=1e-11)
        assert slider.x[k] == pytest.approx(end, abs=1e-11)
        place = (x + s * math.cos(tilt), y + s * math.sin(tilt))
        assert (block.x[k], block.y[k]) == pytest.approx(place, abs=1e-11)
        assert rocker.omega[k] == pytest.approx(state[10], abs=1e-9)
        assert slider.vx[k] == pytest.approx(state[15], abs=1e-9)


@pytest.mark.slow
def test_whole_turn_stays_near_the_ideal_motion():
    case = quick_return()
    case.check(case.run())
