"""Points of sampling designs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from carom.errors import ModelError
from carom.study.sampling_design import LogUniform, Normal, Uniform, sampling_design


def column(design, name):
    return np.array([point[name] for point in design.points])


def test_grid_contains_all_combinations_in_the_order_of_its_axes():
    design = sampling_design({"a": [1, 2], "b": np.array([0.1, 0.2, 0.3])})
    assert design.shape == (2, 3)
    assert design.points[:4] == ({"a": 1, "b": 0.1}, {"a": 1, "b": 0.2}, {"a": 1, "b": 0.3}, {"a": 2, "b": 0.1})
    assert all(type(point["b"]) is float for point in design.points)


def test_list_design_combines_corresponding_values():
    assert sampling_design({"a": [1, 2], "b": [3, 4]}, method="list").points == ({"a": 1, "b": 3}, {"a": 2, "b": 4})
    with pytest.raises(ModelError, match="lists of equal length"):
        sampling_design({"a": [1, 2], "b": [3]}, method="list")


@pytest.mark.parametrize("count", [7, 16])
def test_latin_hypercube_has_one_point_in_every_slice(count):
    design = sampling_design({"x": (2.0, 4.0), "y": LogUniform(1e-4, 1.0)}, samples=count, seed=3)
    slices = np.floor((column(design, "x") - 2.0) / 2.0 * count)
    assert sorted(slices) == list(range(count))
    slices = np.floor((np.log10(column(design, "y")) + 4.0) / 4.0 * count)
    assert sorted(slices) == list(range(count))


@pytest.mark.parametrize("method", ["latin", "sobol", "random"])
def test_points_depend_on_the_seed_only(method):
    one, same, other = (sampling_design({"x": (0.0, 1.0)}, samples=20, method=method, seed=s).points for s in (1, 1, 2))
    assert one == same
    assert one != other


def test_distributions_have_their_moments():
    design = sampling_design(
        {"x": Normal(3.0, 0.5), "y": norm(1.0, 2.0), "law": ["a", "b"]}, samples=2000, method="sobol"
    )
    assert column(design, "x").mean() == pytest.approx(3.0, abs=2e-3)
    assert column(design, "x").std() == pytest.approx(0.5, rel=5e-3)
    assert column(design, "y").std() == pytest.approx(2.0, rel=5e-3)
    assert np.mean(column(design, "law") == "a") == pytest.approx(0.5, abs=2e-3)


def test_ranges_in_a_grid_are_equally_spaced():
    design = sampling_design({"x": Uniform(0.0, 1.0), "y": LogUniform(1e-2, 1e2)}, samples=5, method="grid")
    np.testing.assert_allclose(design.axes["x"], [0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(design.axes["y"], [1e-2, 1e-1, 1.0, 1e1, 1e2])
    assert design.axes["y"][-1] == 1e2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "parameters must be a mapping"),
        (({"x": []},), "x must have at least one value"),
        (({"x": 3.0},), "x must be a list"),
        (({"x": "abc"},), "x must be a list"),
        (({"x": Uniform(0.0, 1.0)},), "number of values with samples="),
        (({"x": (0.0, 1.0)}, None, "latin"), "needs the number of samples"),
        (({"x": [1]}, 0), "samples must be a whole number"),
        (({"x": [1]}, None, "grit"), "method must be one of"),
        (({"x": range(10000), "y": range(10000)},), "number of points must be at most"),
    ],
)
def test_invalid_designs_raise(arguments, message):
    with pytest.raises(ModelError, match=message):
        sampling_design(*arguments)


def test_limits_of_ranges_are_checked():
    with pytest.raises(ModelError, match="LogUniform: low must be positive"):
        LogUniform(0.0, 1.0)
    with pytest.raises(ModelError, match="Uniform: low must be below high"):
        Uniform(1.0, 1.0)
