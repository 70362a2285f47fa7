"""What is looked for, and on which scale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import ModelError
from carom.study.unknowns import unknown, unknowns


@pytest.mark.parametrize(
    ("given_as", "start", "low", "high", "log"),
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
def test_forms_of_a_parameter(given_as, start, low, high, log):
    one = unknown("fit", "k", given_as)
    assert (one.start, one.low, one.high, one.log) == (pytest.approx(start), low, high, log)


@given(st.floats(0.0, 1.0), st.booleans())
def test_places_and_values_are_inverse(place, log):
    one = unknown("fit", "k", {"min": 2.0, "max": 50.0, "log": log})
    assert one.inner(one.outer(place)) == pytest.approx(place, abs=1e-12)
    h = 1e-6
    ahead, behind = one.outer(min(place + h, 1.0)), one.outer(max(place - h, 0.0))
    rise = (ahead - behind) / (min(place + h, 1.0) - max(place - h, 0.0))
    assert one.slope(one.outer(place)) == pytest.approx(rise, rel=1e-4)


def test_what_does_not_vary_is_held():
    looked, held = unknowns("fit", {"a": (0, 1), "b": {"value": 3.0, "vary": False}})
    assert [one.name for one in looked] == ["a"]
    assert held == {"b": 3.0}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"k": (1.0, 1.0)}, "below the upper one"),
        ({"k": (2.0, 0.0, 1.0)}, "outside its bounds"),
        ({"k": "1:2"}, "needs bounds"),
        ({"k": (1, 2, 3, 4)}, "needs bounds"),
        ({"k": {"value": 1, "minimum": 0}}, "minimum"),
        ({"k": {"min": -1.0, "max": 1.0, "log": True}}, "must be positive"),
        ({"k": {"value": 1.0, "vary": False}}, "one must vary"),
        ({}, "must name what is looked for"),
    ],
)
def test_wrong_parameters_are_refused(wrong, told):
    with pytest.raises(ModelError, match=told):
        unknowns("fit", wrong)
