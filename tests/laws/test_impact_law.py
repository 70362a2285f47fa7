"""Impact laws of non-smooth runs: their parameters and the checks of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm

fractions = st.floats(0.0, 1.0)


@given(fractions, st.floats(0.0, 10.0), fractions, st.sampled_from(["newton", "poisson"]))
def test_keywords_build_an_equal_impact_law(normal, friction, tangential, law):
    impact = cm.ImpactLaw(normal, friction, tangential, law)
    assert (impact.restitution, impact.friction) == (normal, friction)
    assert (impact.tangential_restitution, impact.law) == (tangential, law)
    assert cm.ImpactLaw(**impact.keywords()) == impact
    assert hash(cm.ImpactLaw(**impact.keywords())) == hash(impact)
    assert eval(repr(impact), {"ImpactLaw": cm.ImpactLaw}) == impact


def test_default_is_a_plastic_impact_without_friction():
    assert cm.ImpactLaw() == cm.ImpactLaw(0.0, 0.0, 0.0, "newton")


def test_impact_laws_with_different_parameters_differ():
    impacts = [
        cm.ImpactLaw(),
        cm.ImpactLaw(0.5),
        cm.ImpactLaw(0.0, 0.5),
        cm.ImpactLaw(0.0, 0.0, 0.5),
        cm.ImpactLaw(law="poisson"),
    ]
    assert len(set(impacts)) == len(impacts)
    assert cm.ImpactLaw(0.5) != 0.5


@pytest.mark.parametrize("what", ["restitution", "tangential_restitution"])
@pytest.mark.parametrize(
    ("value", "message"),
    [(1.2, "must lie in \\[0, 1\\], got 1.2"), (-0.1, "must lie in \\[0, 1\\], got -0.1"),
     (math.nan, "must be finite"), ("high", "must be a number, got 'high'"), (None, "must be a number")],
)  # fmt: skip
def test_restitution_lies_between_0_and_1(what, value, message):
    with pytest.raises(cm.ModelError, match=f"ImpactLaw: {what} {message}"):
        cm.ImpactLaw(**{what: value})


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "rough", None])
def test_friction_is_not_negative(value):
    with pytest.raises(cm.ModelError, match="ImpactLaw: friction must be"):
        cm.ImpactLaw(friction=value)


@pytest.mark.parametrize("law", ["hertz", "Newton", "", None, 3])
def test_law_is_one_of_two(law):
    with pytest.raises(cm.ModelError, match="ImpactLaw: law must be one of 'newton', 'poisson'"):
        cm.ImpactLaw(law=law)


def test_impact_is_the_former_name():
    assert cm.ImpactLaw is cm.ImpactLaw
