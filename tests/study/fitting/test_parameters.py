"""Bounds, start values and scales of parameters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import ModelError
from carom.study.fitting.parameters import fit_parameter, fit_parameters


@pytest.mark.parametrize(
    ("specification", "start", "low", "high", "log"),
    [
        ((1e8, 1e10), 1e9, 1e8, 1e10, True),
        ((0.0, 1.0), 0.5, 0.0, 1.0, False),
        ((0.7, 0.0, 1.0), 0.7, 0.0, 1.0, False),
        ([1.0, 99.0], 50.0, 1.0, 99.0, False),
        ({"value": 2.0, "min": 1.0, "max": 4.0}, 2.0, 1.0, 4.0, False),
        ({"min": 1.0, "max": 4.0, "log": True}, 2.0, 1.0, 4.0, True),
        (5.0, 5.0, 5e-3, 5e3, True),
        (-2.0, -2.0, -2e3, 2e3, False),
    ],
)
def test_forms_of_a_parameter(specification, start, low, high, log):
    parameter = fit_parameter("fit", "k", specification)
    assert (parameter.start, parameter.low, parameter.high, parameter.log) == (pytest.approx(start), low, high, log)


@given(st.floats(0.0, 1.0), st.booleans())
def test_unit_values_and_values_are_inverse(unit_value, log):
    parameter = fit_parameter("fit", "k", {"min": 2.0, "max": 50.0, "log": log})
    assert parameter.to_unit(parameter.from_unit(unit_value)) == pytest.approx(unit_value, abs=1e-12)
    h = 1e-6
    ahead, behind = parameter.from_unit(min(unit_value + h, 1.0)), parameter.from_unit(max(unit_value - h, 0.0))
    rise = (ahead - behind) / (min(unit_value + h, 1.0) - max(unit_value - h, 0.0))
    assert parameter.derivative(parameter.from_unit(unit_value)) == pytest.approx(rise, rel=1e-4)


def test_parameters_that_do_not_vary_are_fixed():
    varied, fixed = fit_parameters("fit", {"a": (0, 1), "b": {"value": 3.0, "vary": False}})
    assert [parameter.name for parameter in varied] == ["a"]
    assert fixed == {"b": 3.0}


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ({"k": (1.0, 1.0)}, "must be below the upper bound"),
        ({"k": (2.0, 0.0, 1.0)}, "must lie within 0 to 1"),
        ({"k": "1:2"}, "must be specified by"),
        ({"k": (1, 2, 3, 4)}, "must be specified by"),
        ({"k": {"value": 1, "minimum": 0}}, "minimum"),
        ({"k": {"min": -1.0, "max": 1.0, "log": True}}, "must be positive"),
        ({"k": {"value": 1.0, "vary": False}}, "at least one must vary"),
        ({}, "must be a mapping of names to bounds"),
    ],
)
def test_invalid_parameters_raise(specification, message):
    with pytest.raises(ModelError, match=message):
        fit_parameters("fit", specification)
