"""Up to when a run can be trusted."""

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import CaromWarning, ModelError
from carom.study.trust import growth, lasting


def test_a_regular_motion_is_trusted_to_its_end(recwarn):
    found = cm.trust("pendulum", t_end=5.0)
    assert found.whole
    assert found.horizon == 5.0
    assert "agree to" in str(found)
    assert not [warning for warning in recwarn if "depends on its tolerance" in str(warning.message)]


def test_a_chaotic_motion_is_trusted_until_tolerances_part():
    with pytest.warns(CaromWarning, match="this run depends on its tolerance after t = "):
        found = cm.trust("double_pendulum", t_end=20.0, angles=(2.5, 2.5))
    assert not found.whole
    # A much tighter run says who is right: the error is small before the horizon, and not beyond.
    best = cm.gallery.double_pendulum(angles=(2.5, 2.5)).run(t_end=20.0, rtol=1e-12, atol=1e-14)
    t = np.linspace(0.0, 20.0, 400)
    first = min(found.times, key=found.times.get)
    owner, _, quantity = first.rpartition(".")
    off = np.abs(getattr(found.result.sample(t)[owner], quantity) - getattr(best.sample(t)[owner], quantity))
    size = np.ptp(getattr(best[owner], quantity))
    assert off[t < found.horizon].max() < 0.03 * size
    assert off[t > found.horizon + 2.0].max() > 0.1 * size
    # A tolerance ten times tighter is trusted longer, by ln 10 over the rate of growth.
    with pytest.warns(CaromWarning):
        longer = cm.trust("double_pendulum", t_end=20.0, angles=(2.5, 2.5), rtol=1e-9, atol=1e-11)
    assert 0.3 < (longer.horizon - found.horizon) * found.growth / math.log(10.0) < 3.0
    assert found.plot().axes


def test_a_run_that_is_there_is_used():
    case = cm.gallery.pendulum()
    result = case.run(t_end=1.0)
    found = cm.trust(case, t_end=1.0, result=result, series=["bob.x", "bob.vx"])
    assert found.result is result
    assert list(found.times) == ["bob.x", "bob.vx"]


def test_time_stepping_is_compared_with_half_its_step():
    found = cm.trust("bouncing_ball", t_end=1.0, step=1e-3, threshold=0.05)
    assert found.tighter.settings["step"] == 5e-4
    assert found.settings == ("step 0.001 s", "0.0005 s")


def test_a_moment_of_an_impact_does_not_count():
    spike = np.zeros(1000)
    spike[500:503] = 1.0
    assert lasting(spike, "ball.vy").max() == 0.0
    assert lasting(spike, "ball.y").max() == 1.0


def test_the_rate_of_growth():
    t = np.linspace(0.0, 10.0, 1000)
    assert growth(t, 1e-12 * np.exp(2.0 * t), 0.01) == pytest.approx(2.0, rel=1e-3)
    assert math.isnan(growth(t, np.full(1000, 1e-10), 0.01))


def test_wrong_requests_are_refused():
    with pytest.raises(ModelError, match="tighter must be above 1"):
        cm.trust("pendulum", tighter=0.5)
    with pytest.raises(ModelError, match="nothing moves"):
        cm.trust("pendulum", t_end=0.1, series=[])
