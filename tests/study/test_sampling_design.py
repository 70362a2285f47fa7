"""Which points a study has."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from carom.errors import ModelError
from carom.study.design import Log, Normal, Uniform, design


def column(plan, name):
    return np.array([point[name] for point in plan.points])


def test_a_grid_has_every_combination_in_the_order_of_its_axes():
    plan = design({"a": [1, 2], "b": np.array([0.1, 0.2, 0.3])})
    assert plan.shape == (2, 3)
    assert plan.points[:4] == ({"a": 1, "b": 0.1}, {"a": 1, "b": 0.2}, {"a": 1, "b": 0.3}, {"a": 2, "b": 0.1})
    assert all(type(point["b"]) is float for point in plan.points)


def test_a_list_goes_together():
    assert design({"a": [1, 2], "b": [3, 4]}, method="list").points == ({"a": 1, "b": 3}, {"a": 2, "b": 4})
    with pytest.raises(ModelError, match="as many values"):
        design({"a": [1, 2], "b": [3]}, method="list")


@pytest.mark.parametrize("count", [7, 16])
def test_a_latin_hypercube_has_one_point_in_every_slice(count):
    plan = design({"x": (2.0, 4.0), "y": Log(1e-4, 1.0)}, samples=count, seed=3)
    slices = np.floor((column(plan, "x") - 2.0) / 2.0 * count)
    assert sorted(slices) == list(range(count))
    slices = np.floor((np.log10(column(plan, "y")) + 4.0) / 4.0 * count)
    assert sorted(slices) == list(range(count))


@pytest.mark.parametrize("method", ["latin", "sobol", "random"])
def test_a_seed_gives_the_same_points_and_another_others(method):
    one, same, other = (design({"x": (0.0, 1.0)}, samples=20, method=method, seed=s).points for s in (1, 1, 2))
    assert one == same
    assert one != other


def test_distributions_have_their_moments():
    plan = design({"x": Normal(3.0, 0.5), "y": norm(1.0, 2.0), "law": ["a", "b"]}, samples=2000, method="sobol")
    assert column(plan, "x").mean() == pytest.approx(3.0, abs=2e-3)
    assert column(plan, "x").std() == pytest.approx(0.5, rel=5e-3)
    assert column(plan, "y").std() == pytest.approx(2.0, rel=5e-3)
    assert np.mean(column(plan, "law") == "a") == pytest.approx(0.5, abs=2e-3)


def test_ranges_in_a_grid_are_evenly_spaced():
    plan = design({"x": Uniform(0.0, 1.0), "y": Log(1e-2, 1e2)}, samples=5, method="grid")
    np.testing.assert_allclose(plan.axes["x"], [0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(plan.axes["y"], [1e-2, 1e-1, 1.0, 1e1, 1e2])
    assert plan.axes["y"][-1] == 1e2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "needs parameters"),
        (({"x": []},), "x has no values"),
        (({"x": 3.0},), "x needs a list"),
        (({"x": "abc"},), "x needs a list"),
        (({"x": Uniform(0.0, 1.0)},), "how many values"),
        (({"x": (0.0, 1.0)}, None, "latin"), "how many samples"),
        (({"x": [1]}, 0), "samples must be a whole number"),
        (({"x": [1]}, None, "grit"), "method must be one of"),
        (({"x": range(10000), "y": range(10000)},), "too many"),
    ],
)
def test_what_is_no_design_is_refused(arguments, message):
    with pytest.raises(ModelError, match=message):
        design(*arguments)


def test_ranges_are_checked():
    with pytest.raises(ModelError, match="Log: low must be positive"):
        Log(0.0, 1.0)
    with pytest.raises(ModelError, match="Uniform: low must be below high"):
        Uniform(1.0, 1.0)
