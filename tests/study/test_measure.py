"""What is kept of a run."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.measure import REDUCERS, Function, Measure, kept, measures


@pytest.fixture(scope="module")
def result():
    return cm.gallery.slider_crank_block().run()


def of(result, name):
    return Measure(name)(result, {})


def test_words_say_a_series_and_what_to_make_of_it(result):
    omega = result["crank"].omega
    assert of(result, "crank.omega.final") == omega[-1]
    assert of(result, "crank.omega.first") == omega[0] == 150.0
    assert of(result, "crank.omega.min") == omega.min()
    assert of(result, "block.vx.peak") == np.abs(result["block"].vx).max()
    assert of(result, "block.vx.range") == np.ptp(result["block"].vx)
    assert of(result, "crank pin.force.max") == result["crank pin"].force.max()
    assert of(result, "energy.kinetic.max") == result.energy.kinetic.max()
    assert of(result, "energy.drift") == result.energy.drift
    assert of(result, "t.final") == 0.08
    assert of(result, "outcome") == "FINISHED"
    assert of(result, "stats.steps") == result.stats["steps"]


def test_the_mean_is_over_time_whatever_the_steps(result):
    travelled = result["block"].x[-1] - result["block"].x[0]
    assert of(result, "block.vx.mean") == pytest.approx(travelled / 0.08, rel=1e-5)
    assert of(result, "block.vx.integral") == pytest.approx(travelled, rel=1e-5)


def test_reducers_on_a_sine():
    t = np.linspace(0.0, 2.0 * np.pi, 20001)
    x = 1.0 + 2.0 * np.sin(t)
    expected = {"max": 3.0, "min": -1.0, "peak": 3.0, "range": 4.0, "mean": 1.0, "rms": np.sqrt(3.0)}
    expected |= {"final": 1.0, "first": 1.0, "integral": 2.0 * np.pi}
    expected |= {"time_of_max": np.pi / 2.0, "time_of_min": 1.5 * np.pi}
    assert {name: reduce(t, x) for name, reduce in REDUCERS.items()} == pytest.approx(expected, rel=1e-6)


def test_impacts_are_counted_and_measured(result):
    impacts = result.impacts
    assert of(result, "impacts.count") == of(result, "touch.impacts.count") == len(impacts) == 2
    assert of(result, "impacts.peak_force.max") == max(impact.peak_force for impact in impacts)
    assert of(result, "touch.impacts.restitution.mean") == np.mean([impact.restitution for impact in impacts])
    assert of(result, "impacts.t_start.first") == impacts[0].t_start
    assert of(result, "impacts.energy_lost.sum") == sum(impact.energy_lost for impact in impacts)
    before = result.sample(np.linspace(0.0, 0.01, 3))
    assert of(before, "impacts.count") == 2  # those of the run
    quiet = cm.gallery.slider_crank().run(t_end=0.01)
    assert of(quiet, "impacts.count") == 0
    assert np.isnan(of(quiet, "impacts.peak_force.max"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("block.vx.maximum", "there is no 'maximum'"),
        ("block.vq.max", "'block' has no series 'vq'; it has x"),
        ("blck.vx.max", "did you mean 'block'"),
        ("energy.kinetik.max", "did you mean 'kinetic'"),
        ("impacts.peakforce.max", "did you mean 'peak_force'"),
        ("impacts.peak_force", "write impacts.count or"),
        ("guide.impacts.count", "there is no 'guide'"),
        ("stats.stepz", "did you mean 'steps'"),
        ("vx.max", "must name a body or element"),
    ],
)
def test_what_cannot_be_measured_says_what_can(name, message, result):
    with pytest.raises(ModelError, match=message):
        of(result, name)


def test_functions_take_the_result_and_if_they_like_the_values(result):
    assert Function(lambda run: run.t[-1])(result, {}) == 0.08
    assert Function(lambda run, values: values["x"] * 2)(result, {"x": 4}) == 8
    assert Function(lambda run, scale=2: scale)(result, {}) == 2


def test_what_is_kept_is_plain():
    value = {"a": np.float64(0.1), "b": np.arange(4.0).reshape(2, 2), "c": (1, True, None, "x")}
    assert kept(value) == {"a": 0.1, "b": [[0.0, 1.0], [2.0, 3.0]], "c": [1, True, None, "x"]}
    with pytest.raises(ModelError, match="must be a number, text, array"):
        kept(object())


def test_measures_have_names_of_their_own():
    assert [one.name for one in measures(["impacts.count", np.ptp])] == ["impacts.count", "ptp"]
    for wrong, message in (([], "say what to measure"), (["t.max", "t.max"], "t.max twice"), ([3], "a measure is"),
                           ("count", "must name a series")):  # fmt: skip
        with pytest.raises(ModelError, match=message):
            measures(wrong)
