"""A ball that falls on a plane, with the four ways to find the beginning of a contact."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.gallery import falling_ball
from physics.drops import relative
from physics.reference import falling_ball as reference

IMPACT = ("t_start", "t_end", "approach_speed", "separation_speed", "peak_force", "max_indentation")
FALL = math.sqrt(2.0 * 0.9 / 9.81)

pytestmark = pytest.mark.filterwarnings("ignore:.*outside the range:carom.CaromWarning")


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "tsit5"])
@pytest.mark.parametrize("restitution", [0.3, 0.7, 0.9, 1.0])
def test_impact_and_end(restitution, integrator):
    result = falling_ball(restitution).run(integrator=integrator)
    expected = reference.solve(restitution)
    assert len(result.impacts) == len(expected["impacts"])
    for impact, numbers in zip(result.impacts, expected["impacts"], strict=True):
        for name in IMPACT:
            assert getattr(impact, name) == pytest.approx(numbers[name], rel=1e-8), name
    ball = result["ball"]
    assert ball.y[-1] == pytest.approx(expected["final"]["y"], abs=1e-8)
    assert ball.vy[-1] == pytest.approx(expected["final"]["vy"], abs=1e-8)
    assert ball.x[-1] == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_array_equal(ball.vx, 1.0)


@pytest.mark.parametrize("integrator", ["adams", "bdf"])
def test_multistep_methods_agree(integrator):
    result, expected = falling_ball(0.7).run(integrator=integrator), reference.solve(0.7)
    for name in IMPACT:
        assert getattr(result.impacts[0], name) == pytest.approx(expected["impacts"][0][name], rel=1e-7), name


def test_onset_is_known_to_rounding():
    for integrator, step in (("dopri5", None), ("dop853", None), ("tsit5", None), ("rk4", 1e-3), ("adams", None)):
        impact = falling_ball(1.0).run(integrator=integrator, max_step=step).impacts[0]
        assert impact.t_start == pytest.approx(FALL, abs=1e-13), integrator
        assert impact.approach_speed == pytest.approx(math.sqrt(2.0 * 9.81 * 0.9), rel=1e-13), integrator


def test_several_elastic_bounces_follow_the_quadrature():
    result, expected = falling_ball(1.0).run(t_end=4.0), reference.elastic_bounces(5)
    assert len(result.impacts) == 5
    times = [impact.t_start for impact in result.impacts]
    np.testing.assert_allclose(times, expected["times"], rtol=1e-8)
    for impact in result.impacts:
        assert impact.duration == pytest.approx(expected["duration"], rel=1e-8)
        assert impact.peak_force == pytest.approx(expected["peak_force"], rel=1e-8)
        assert impact.restitution == pytest.approx(1.0, abs=1e-9)
    assert result["ball"].y.max() <= 1.0 + 1e-8


@pytest.mark.parametrize("height", [0.2, 5.0])
def test_other_heights(height):
    result = falling_ball(1.0, height=height).run(t_end=1.5 * math.sqrt(2.0 * height / 9.81))
    assert result.impacts[0].approach_speed == pytest.approx(math.sqrt(2.0 * 9.81 * (height - 0.1)), rel=1e-12)


# ---- how the beginning is found


def gained(result: cm.Result) -> float:
    """Energy gained over the run, relative to that of the fall."""
    return float((result.energy.total[-1] - result.energy.total[0]) / (9.81 * 0.9))


def test_contact_that_begins_too_deep_gains_energy():
    result = falling_ball(1.0, onset="none").run()
    impact = result.impacts[0]
    assert impact.initial_indentation > 1e-5
    stiffness = reference.STIFFNESS
    # The force begins with the indentation it is found at, and with what it stores.
    assert gained(result) == pytest.approx(0.4 * stiffness * impact.initial_indentation**2.5 / (9.81 * 0.9), rel=1e-3)
    assert gained(result) > 0.01


@pytest.mark.parametrize("onset", ["event", "reject", "interpolate"])
def test_contact_that_begins_in_time_gains_none(onset):
    result = falling_ball(1.0, onset=onset).run()
    assert abs(gained(result)) < (1e-9 if onset == "event" else 2e-6)
    assert result.impacts[0].initial_indentation <= 1e-6


def test_findings_of_the_case_hold_for_every_onset():
    for onset in ("event", "reject", "interpolate", "none"):
        case = falling_ball(1.0, onset=onset)
        case.check(case.run())


def test_ball_rises_as_high_as_the_energy_says():
    result = falling_ball(1.0, onset="none").run(t_end=1.2)
    top = result["ball"].y[result.t > result.impacts[0].t_end].max()
    assert top > 1.5
    assert relative(9.81 * top + 0.5, result.energy.total[-1]) < 1e-6
