"""Check of runs against runs with a tighter tolerance."""

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import CaromWarning, ModelError
from carom.study.tolerance_check import growth_rate, without_spikes


def test_a_regular_motion_is_valid_to_the_end(recwarn):
    check = cm.check_tolerance("pendulum", t_end=5.0)
    assert check.valid_to_end
    assert check.horizon == 5.0
    assert "agree to" in str(check)
    assert not [warning for warning in recwarn if "depends on its tolerance" in str(warning.message)]


def test_a_chaotic_motion_is_valid_until_the_tolerances_diverge():
    with pytest.warns(CaromWarning, match="this run depends on its tolerance after t = "):
        check = cm.check_tolerance("double_pendulum", t_end=20.0, angles=(2.5, 2.5))
    assert not check.valid_to_end
    # Compared with a much tighter run, the error is small before the horizon and large beyond it.
    best = cm.gallery.double_pendulum(angles=(2.5, 2.5)).run(t_end=20.0, rtol=1e-12, atol=1e-14)
    t = np.linspace(0.0, 20.0, 400)
    first = min(check.times, key=check.times.get)
    owner, _, quantity = first.rpartition(".")
    off = np.abs(getattr(check.result.sample(t)[owner], quantity) - getattr(best.sample(t)[owner], quantity))
    size = np.ptp(getattr(best[owner], quantity))
    assert off[t < check.horizon].max() < 0.03 * size
    assert off[t > check.horizon + 2.0].max() > 0.1 * size
    # A tenth of the tolerance extends the horizon by ln 10 over the growth rate.
    with pytest.warns(CaromWarning):
        longer = cm.check_tolerance("double_pendulum", t_end=20.0, angles=(2.5, 2.5), rtol=1e-9, atol=1e-11)
    assert 0.3 < (longer.horizon - check.horizon) * check.growth / math.log(10.0) < 3.0
    assert check.plot().axes


def test_an_existing_result_is_used():
    case = cm.gallery.pendulum()
    result = case.run(t_end=1.0)
    check = cm.check_tolerance(case, t_end=1.0, result=result, series=["bob.x", "bob.vx"])
    assert check.result is result
    assert list(check.times) == ["bob.x", "bob.vx"]


def test_time_stepping_is_repeated_with_half_the_step():
    check = cm.check_tolerance("bouncing_ball", t_end=1.0, step=1e-3, threshold=0.05)
    assert check.tighter.settings["step"] == 5e-4
    assert check.settings == ("step 0.001 s", "0.0005 s")


def test_a_shifted_impact_is_not_a_difference():
    spike = np.zeros(1000)
    spike[500:503] = 1.0
    assert without_spikes(spike, "ball.vy").max() == 0.0
    assert without_spikes(spike, "ball.y").max() == 1.0


def test_growth_rate_of_an_exponential():
    t = np.linspace(0.0, 10.0, 1000)
    assert growth_rate(t, 1e-12 * np.exp(2.0 * t), 0.01) == pytest.approx(2.0, rel=1e-3)
    assert math.isnan(growth_rate(t, np.full(1000, 1e-10), 0.01))


def test_invalid_requests_raise():
    with pytest.raises(ModelError, match="tighter must be above 1"):
        cm.check_tolerance("pendulum", tighter=0.5)
    with pytest.raises(ModelError, match="nothing moves"):
        cm.check_tolerance("pendulum", t_end=0.1, series=[])


def test_deprecated_names_still_work():
    with pytest.warns(DeprecationWarning, match="use cm.check_tolerance"):
        check = cm.trust("pendulum", t_end=0.1)
    with pytest.warns(DeprecationWarning, match="use valid_to_end"):
        assert check.whole == check.valid_to_end
