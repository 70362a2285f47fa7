"""Measures of runs."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.measures import REDUCTIONS, FunctionMeasure, Measure, as_measures, plain_value


@pytest.fixture(scope="module")
def result():
    return cm.gallery.slider_crank_block().run()


def evaluate(result, name):
    return Measure(name)(result, {})


def test_name_selects_a_series_and_its_reduction(result):
    omega = result["crank"].omega
    assert evaluate(result, "crank.omega.final") == omega[-1]
    assert evaluate(result, "crank.omega.first") == omega[0] == 150.0
    assert evaluate(result, "crank.omega.min") == omega.min()
    assert evaluate(result, "block.vx.peak") == np.abs(result["block"].vx).max()
    assert evaluate(result, "block.vx.range") == np.ptp(result["block"].vx)
    assert evaluate(result, "crank pin.force.max") == result["crank pin"].force.max()
    assert evaluate(result, "energy.kinetic.max") == result.energy.kinetic.max()
    assert evaluate(result, "energy.drift") == result.energy.drift
    assert evaluate(result, "t.final") == 0.08
    assert evaluate(result, "outcome") == "FINISHED"
    assert evaluate(result, "stats.steps") == result.stats["steps"]


def test_mean_and_integral_are_over_time(result):
    travelled = result["block"].x[-1] - result["block"].x[0]
    assert evaluate(result, "block.vx.mean") == pytest.approx(travelled / 0.08, rel=1e-5)
    assert evaluate(result, "block.vx.integral") == pytest.approx(travelled, rel=1e-5)


def test_reductions_of_a_sine():
    t = np.linspace(0.0, 2.0 * np.pi, 20001)
    x = 1.0 + 2.0 * np.sin(t)
    expected = {"max": 3.0, "min": -1.0, "peak": 3.0, "range": 4.0, "mean": 1.0, "rms": np.sqrt(3.0)}
    expected |= {"final": 1.0, "first": 1.0, "integral": 2.0 * np.pi}
    expected |= {"time_of_max": np.pi / 2.0, "time_of_min": 1.5 * np.pi}
    assert {name: reduce(t, x) for name, reduce in REDUCTIONS.items()} == pytest.approx(expected, rel=1e-6)


def test_measures_of_impacts(result):
    impacts = result.impacts
    assert evaluate(result, "impacts.count") == evaluate(result, "touch.impacts.count") == len(impacts) == 2
    assert evaluate(result, "impacts.peak_force.max") == max(impact.peak_force for impact in impacts)
    assert evaluate(result, "touch.impacts.restitution.mean") == np.mean([impact.restitution for impact in impacts])
    assert evaluate(result, "impacts.t_start.first") == impacts[0].t_start
    assert evaluate(result, "impacts.energy_lost.sum") == sum(impact.energy_lost for impact in impacts)
    sampled = result.sample(np.linspace(0.0, 0.01, 3))
    assert evaluate(sampled, "impacts.count") == 2  # all impacts of the run
    no_contact = cm.gallery.slider_crank().run(t_end=0.01)
    assert evaluate(no_contact, "impacts.count") == 0
    assert np.isnan(evaluate(no_contact, "impacts.peak_force.max"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("block.vx.maximum", "unknown name 'maximum'"),
        ("block.vq.max", "unknown series 'vq' of 'block'; choose from x"),
        ("blck.vx.max", "did you mean 'block'"),
        ("energy.kinetik.max", "did you mean 'kinetic'"),
        ("impacts.peakforce.max", "did you mean 'peak_force'"),
        ("impacts.peak_force", "must be impacts.count or"),
        ("guide.impacts.count", "unknown name 'guide'"),
        ("stats.stepz", "did you mean 'steps'"),
        ("vx.max", "must name a body or element"),
    ],
)
def test_unknown_names_raise_with_a_suggestion(name, message, result):
    with pytest.raises(ModelError, match=message):
        evaluate(result, name)


def test_functions_get_the_result_and_optionally_the_values(result):
    assert FunctionMeasure(lambda run: run.t[-1])(result, {}) == 0.08
    assert FunctionMeasure(lambda run, values: values["x"] * 2)(result, {"x": 4}) == 8
    assert FunctionMeasure(lambda run, scale=2: scale)(result, {}) == 2


def test_values_become_built_in_types():
    value = {"a": np.float64(0.1), "b": np.arange(4.0).reshape(2, 2), "c": (1, True, None, "x")}
    assert plain_value(value) == {"a": 0.1, "b": [[0.0, 1.0], [2.0, 3.0]], "c": [1, True, None, "x"]}
    with pytest.raises(ModelError, match="must return a number, text, array"):
        plain_value(object())


def test_measures_have_unique_names():
    assert [measure.name for measure in as_measures(["impacts.count", np.ptp])] == ["impacts.count", "ptp"]


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ([], "needs at least one measure"),
        (["t.max", "t.max"], "t.max twice"),
        ([3], "must be a text such as"),
        ("count", "must name a series"),
    ],
)
def test_invalid_measures_raise(specification, message):
    with pytest.raises(ModelError, match=message):
        as_measures(specification)


def test_old_name_of_a_signal_is_measured(result):
    contact = next(element.name for element in result.elements if element.family == "contact")
    with pytest.warns(DeprecationWarning, match="signal 'rate' is deprecated; use 'indentation_rate'"):
        old = evaluate(result, f"{contact}.rate.max")
    assert old == evaluate(result, f"{contact}.indentation_rate.max") > 0.0
