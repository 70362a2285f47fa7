"""Impact laws: their numbers and what they refuse."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm

shares = st.floats(0.0, 1.0)


@given(shares, st.floats(0.0, 10.0), shares, st.sampled_from(["newton", "poisson"]))
def test_numbers_are_kept_and_make_the_same_impact_again(normal, friction, tangential, law):
    impact = cm.Impact(normal, friction, tangential, law)
    assert (impact.restitution, impact.friction) == (normal, friction)
    assert (impact.tangential_restitution, impact.law) == (tangential, law)
    assert cm.Impact(**impact.keywords()) == impact
    assert hash(cm.Impact(**impact.keywords())) == hash(impact)
    assert eval(repr(impact), {"Impact": cm.Impact}) == impact


def test_default_is_a_plastic_impact_without_friction():
    assert cm.Impact() == cm.Impact(0.0, 0.0, 0.0, "newton")


def test_different_impacts_differ():
    impacts = [cm.Impact(), cm.Impact(0.5), cm.Impact(0.0, 0.5), cm.Impact(0.0, 0.0, 0.5), cm.Impact(law="poisson")]
    assert len(set(impacts)) == len(impacts)
    assert cm.Impact(0.5) != 0.5


@pytest.mark.parametrize("what", ["restitution", "tangential_restitution"])
@pytest.mark.parametrize(
    ("value", "message"),
    [(1.2, "must lie between 0 and 1, got 1.2"), (-0.1, "must lie between 0 and 1, got -0.1"),
     (math.nan, "must be finite"), ("high", "must be a number, got 'high'"), (None, "must be a number")],
)  # fmt: skip
def test_restitution_lies_between_0_and_1(what, value, message):
    with pytest.raises(cm.ModelError, match=f"Impact: {what} {message}"):
        cm.Impact(**{what: value})


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "rough", None])
def test_friction_is_not_negative(value):
    with pytest.raises(cm.ModelError, match="Impact: friction must be"):
        cm.Impact(friction=value)


@pytest.mark.parametrize("law", ["hertz", "Newton", "", None, 3])
def test_law_is_one_of_two(law):
    with pytest.raises(cm.ModelError, match="Impact: law must be one of 'newton', 'poisson'"):
        cm.Impact(law=law)
