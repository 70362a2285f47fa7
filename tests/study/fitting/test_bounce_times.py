"""Restitution from impact times: closed form, simulation and noise."""

import warnings

import numpy as np
import pytest

import carom as cm
from carom.errors import CaromWarning, ModelError
from quick import slow_but

G = 9.81


def times(restitution, height=1.0, count=10):
    """Return the impact times of a ball released at t = 0; ``restitution`` may be a function of the approach speed."""
    v = np.sqrt(2.0 * G * height)
    result = [v / G]
    for _ in range(count - 1):
        v *= restitution(v) if callable(restitution) else restitution
        result.append(result[-1] + 2.0 * v / G)
    return np.array(result)


def power_law(v):
    return 1.0 - 0.12 * v**0.25


def fit_quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        return cm.fit_bounce(*arguments, **options)


def test_exact_times_give_restitution_height_and_speeds():
    fit = cm.fit_bounce(times(0.8))
    assert fit["restitution"] == pytest.approx(0.8, abs=1e-12)
    assert fit["height"] == pytest.approx(1.0, abs=1e-11)
    assert fit.heights == pytest.approx(0.8 ** (2.0 * np.arange(10)), rel=1e-9)
    assert fit.warnings == ()


def test_restitution_that_decreases_with_speed():
    fit = cm.fit_bounce(times(power_law, count=12), model="power")
    assert (fit["a"], fit["p"]) == pytest.approx((0.12, 0.25), rel=1e-6)
    assert fit.restitution(2.0) == pytest.approx(power_law(2.0), rel=1e-8)
    assert len(fit.plot().axes) == 2


def test_bouncing_ball_of_the_gallery():
    result = cm.gallery.bouncing_ball(restitution=0.75).run(scheme="event-driven")
    random = np.random.default_rng(0)
    measured = np.array([impact.t_start for impact in result.impacts[:10]])
    assert cm.fit_bounce(measured)["restitution"] == pytest.approx(0.75, abs=1e-9)
    fit = cm.fit_bounce(measured + 2e-4 * random.normal(size=10))
    assert 0.75 in fit.estimate("restitution")
    assert 1.0 in fit.estimate("height")
    assert fit.sigma == pytest.approx(2e-4, rel=0.6)


@pytest.mark.parametrize(
    ("options", "count", "least"),
    slow_but(
        [({}, 10, 0.9), ({"sigma": 1e-4}, 10, 0.9)],
        [({}, 10, 0.9), ({"loss": "cauchy"}, 14, 0.9), ({"sigma": 1e-4}, 10, 0.9), ({"model": "power"}, 12, 0.86)],
    ),
)
def test_intervals_contain_the_true_value(options, count, least):
    """Fewer than 88 of 100 intervals of 95 % are right with 0.4 % probability; nonlinear models are slightly worse."""
    power = options.get("model") == "power"
    exact = times(power_law if power else 0.8, count=count)
    n_right = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        measured = exact + 1e-4 * random.normal(size=count)
        if options.get("loss"):
            measured[[3, 9]] += (0.02, -0.01)
        fit = fit_quietly(measured, **options)
        n_right += (0.12 in fit.estimate("a")) if power else (0.8 in fit.estimate("restitution"))
    assert n_right >= 100 * least - 2


@pytest.mark.parametrize("restitution", [0.95, 0.8, 0.5])
@pytest.mark.parametrize("missing", [(1,), (3,), (2, 5), (4, 5)])
def test_missing_impacts_are_detected(restitution, missing):
    random = np.random.default_rng(1)
    measured = np.delete(times(restitution), missing) + 1e-4 * random.normal(size=10 - len(missing))
    with pytest.warns(CaromWarning, match="missing between"):
        fit = cm.fit_bounce(measured)
    assert fit.number.tolist() == np.delete(np.arange(10), missing).tolist()
    assert fit["restitution"] == pytest.approx(restitution, abs=1e-3)


def test_a_second_signal_of_an_impact_is_ignored():
    exact = times(0.8)
    with pytest.warns(CaromWarning, match="too soon after an impact"):
        fit = cm.fit_bounce([*exact, exact[4] + 0.01])
    assert fit.left_out == pytest.approx([exact[4] + 0.01])
    assert fit["restitution"] == pytest.approx(0.8, abs=1e-10)


def test_known_height_or_release_time_reduces_the_error():
    random = np.random.default_rng(5)
    measured = times(0.8, count=5) + 1e-3 * random.normal(size=5)
    free, height, released = (
        fit_quietly(measured, sigma=1e-3, **options) for options in ({}, {"height": 1.0}, {"released": 0.0})
    )  # fmt: skip
    assert height.estimate("restitution").error < free.estimate("restitution").error
    assert released.estimate("restitution").error < free.estimate("restitution").error
    assert cm.fit_bounce(times(0.8, count=2), height=1.0, sigma=1e-4)["restitution"] == pytest.approx(0.8)


def test_times_that_do_not_fit_a_bouncing_motion_are_reported():
    with pytest.warns(CaromWarning, match="from a bouncing motion with this restitution"):
        cm.fit_bounce([1.0, 1.9, 2.9, 3.6, 4.6, 5.2, 6.2])


@pytest.mark.parametrize(
    ("measured", "message"),
    [([1.0, 2.0], "at least 3 impacts, got 2"), ([1.0, 2.0, 2.0, 2.5], "same time"), ("nothing.csv", "cannot read")],
)
def test_invalid_times_raise(measured, message):
    with pytest.raises(ModelError, match=message):
        cm.fit_bounce(measured)


def test_an_unknown_estimate_raises():
    with pytest.raises(cm.ModelError, match=r"BounceFit: unknown parameter 'mass'; choose from restitution"):
        cm.fit_bounce([1.0, 2.0, 2.8, 3.44])["mass"]
