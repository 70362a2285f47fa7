"""Restitution from times of impacts: closed form, simulation, and noise."""

import warnings

import numpy as np
import pytest

import carom as cm
from carom.errors import CaromWarning, ModelError
from quick import slow_but

G = 9.81


def times(restitution, height=1.0, count=10):
    """Of a ball dropped at t = 0; ``restitution`` is a number or a function of the approach speed."""
    v = np.sqrt(2.0 * G * height)
    found = [v / G]
    for _ in range(count - 1):
        v *= restitution(v) if callable(restitution) else restitution
        found.append(found[-1] + 2.0 * v / G)
    return np.array(found)


def falling(v):
    return 1.0 - 0.12 * v**0.25


def quiet(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        return cm.fit_bounce(*given, **options)


def test_exact_times_give_restitution_height_and_speeds():
    found = cm.fit_bounce(times(0.8))
    assert found["restitution"] == pytest.approx(0.8, abs=1e-12)
    assert found["height"] == pytest.approx(1.0, abs=1e-11)
    assert found.heights == pytest.approx(0.8 ** (2.0 * np.arange(10)), rel=1e-9)
    assert found.warnings == ()


def test_a_restitution_that_falls_with_speed():
    found = cm.fit_bounce(times(falling, count=12), model="power")
    assert (found["a"], found["p"]) == pytest.approx((0.12, 0.25), rel=1e-6)
    assert found.restitution(2.0) == pytest.approx(falling(2.0), rel=1e-8)
    assert len(found.plot().axes) == 2


def test_the_bouncing_ball_of_the_gallery():
    result = cm.gallery.bouncing_ball(restitution=0.75).run(scheme="event-driven")
    random = np.random.default_rng(0)
    seen = np.array([impact.t_start for impact in result.impacts[:10]])
    assert cm.fit_bounce(seen)["restitution"] == pytest.approx(0.75, abs=1e-9)
    found = cm.fit_bounce(seen + 2e-4 * random.normal(size=10))
    assert 0.75 in found.estimate("restitution")
    assert 1.0 in found.estimate("height")
    assert found.sigma == pytest.approx(2e-4, rel=0.6)


@pytest.mark.parametrize(
    ("options", "count", "least"),
    slow_but(
        [({}, 10, 0.9), ({"sigma": 1e-4}, 10, 0.9)],
        [({}, 10, 0.9), ({"loss": "cauchy"}, 14, 0.9), ({"sigma": 1e-4}, 10, 0.9), ({"model": "power"}, 12, 0.86)],
    ),
)
def test_intervals_hold_the_truth(options, count, least):
    """At 95 %, of 100: fewer than 88 has a chance of 0.4 %; a curved model with few times is a little optimistic."""
    power = options.get("model") == "power"
    exact = times(falling if power else 0.8, count=count)
    held = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        seen = exact + 1e-4 * random.normal(size=count)
        if options.get("loss"):
            seen[[3, 9]] += (0.02, -0.01)
        found = quiet(seen, **options)
        held += (0.12 in found.estimate("a")) if power else (0.8 in found.estimate("restitution"))
    assert held >= 100 * least - 2


@pytest.mark.parametrize("restitution", [0.95, 0.8, 0.5])
@pytest.mark.parametrize("missing", [(1,), (3,), (2, 5), (4, 5)])
def test_missed_impacts_are_found_and_counted(restitution, missing):
    random = np.random.default_rng(1)
    seen = np.delete(times(restitution), missing) + 1e-4 * random.normal(size=10 - len(missing))
    with pytest.warns(CaromWarning, match="was missed"):
        found = cm.fit_bounce(seen)
    assert found.number.tolist() == np.delete(np.arange(10), missing).tolist()
    assert found["restitution"] == pytest.approx(restitution, abs=1e-3)


def test_a_second_signal_of_an_impact_is_left_out():
    exact = times(0.8)
    with pytest.warns(CaromWarning, match="too soon after an impact"):
        found = cm.fit_bounce([*exact, exact[4] + 0.01])
    assert found.left_out == pytest.approx([exact[4] + 0.01])
    assert found["restitution"] == pytest.approx(0.8, abs=1e-10)


def test_a_known_height_and_a_known_release_add_what_they_know():
    random = np.random.default_rng(5)
    seen = times(0.8, count=5) + 1e-3 * random.normal(size=5)
    free, height, released = (
        quiet(seen, sigma=1e-3, **known) for known in ({}, {"height": 1.0}, {"released": 0.0})
    )  # fmt: skip
    assert height.estimate("restitution").error < free.estimate("restitution").error
    assert released.estimate("restitution").error < free.estimate("restitution").error
    assert cm.fit_bounce(times(0.8, count=2), height=1.0, sigma=1e-4)["restitution"] == pytest.approx(0.8)


def test_times_that_are_no_bounces_are_told():
    with pytest.warns(CaromWarning, match="off bounces of such a restitution"):
        cm.fit_bounce([1.0, 1.9, 2.9, 3.6, 4.6, 5.2, 6.2])


@pytest.mark.parametrize(
    ("seen", "told"),
    [([1.0, 2.0], "2 impacts; 3 at least"), ([1.0, 2.0, 2.0, 2.5], "same time"), ("nothing.csv", "cannot read")],
)
def test_wrong_times_are_refused(seen, told):
    with pytest.raises(ModelError, match=told):
        cm.fit_bounce(seen)


def test_an_estimate_that_there_is_not_is_told():
    with pytest.raises(cm.ModelError, match=r"Bounce: there is no 'mass'; it has restitution"):
        cm.fit_bounce([1.0, 2.0, 2.8, 3.44])["mass"]
