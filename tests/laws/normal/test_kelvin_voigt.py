"""Linear spring and damper: under-, critically and overdamped, with and without tension."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import ModelError
from carom.laws import KelvinVoigt
from carom.laws.normal.free_impact import free_impact
from laws.cases import normal_out

K, M, V = 1e6, 0.25, 2.0
OMEGA = math.sqrt(K / M)


def with_ratio(ratio: float, tension: bool = False) -> KelvinVoigt:
    return KelvinVoigt(K, damping=2.0 * ratio * math.sqrt(K * M), tension=tension)


def test_the_kernel_continues_smoothly_beyond_contact():
    law = KelvinVoigt(1e5, damping=40.0)
    out = normal_out(law, -1e-4, -0.5)
    assert out.force == pytest.approx(-10.0 - 20.0)
    assert out.elastic_force == pytest.approx(-10.0)
    assert out.stored_energy == pytest.approx(0.5 * 1e5 * 1e-8)


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.3, 0.5, 0.8, 0.999, 1.0, 1.001, 2.0, 5.0])
def test_the_impact_that_may_not_pull_is_the_integrated_one(ratio: float):
    law = with_ratio(ratio)
    closed, integrated = law.impact(M, V), free_impact(law, M, V).summary
    for name in ("peak_force", "max_indentation", "duration", "restitution"):
        assert getattr(closed, name) == pytest.approx(getattr(integrated, name), rel=1e-9), name


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.3, 0.8])
def test_the_impact_that_may_pull_is_the_integrated_one(ratio: float):
    law = with_ratio(ratio, tension=True)
    closed, integrated = law.impact(M, V), free_impact(law, M, V).summary
    for name in ("peak_force", "max_indentation", "duration", "restitution"):
        assert getattr(closed, name) == pytest.approx(getattr(integrated, name), rel=1e-9), name


def test_known_values():
    assert with_ratio(1.0).returned_restitution(mass=M) == pytest.approx(math.exp(-2.0), rel=1e-14)
    assert with_ratio(0.3, True).returned_restitution(mass=M) == pytest.approx(
        math.exp(-math.pi * 0.3 / math.sqrt(1 - 0.09)), rel=1e-14
    )
    assert with_ratio(1.0, True).returned_restitution(mass=M) == 0.0
    assert with_ratio(1.5, True).impact(M, V).duration == math.inf
    # Schwager & Pöschel 2007 with β = ζω₀, ω² = ω₀² − β²: overdamped
    beta, ratio = 1.7, math.sqrt(1.7**2 - 1)
    expected = math.exp(-beta / ratio * math.log((beta + ratio) / (beta - ratio)))
    assert with_ratio(1.7).returned_restitution(mass=M) == pytest.approx(expected, rel=1e-13)


def test_the_restitution_of_an_underdamped_impact_passes_critical_damping_smoothly():
    below, at, above = (with_ratio(r).returned_restitution(mass=M) for r in (1 - 1e-9, 1.0, 1 + 1e-9))
    assert below > at > above
    assert below - at == pytest.approx(at - above, rel=1e-3)


@given(restitution=st.floats(1e-3, 1.0), mass=st.floats(1e-3, 1e3), tension=st.booleans())
def test_the_prescribed_restitution_comes_back(restitution: float, mass: float, tension: bool):
    law = KelvinVoigt(K, restitution=restitution, mass=mass, tension=tension)
    assert law.returned_restitution() == pytest.approx(restitution, rel=1e-12)
    assert law.impact(mass, V).restitution == law.returned_restitution()
    assert law.validity == (0.0, 1.0)


def test_another_mass_returns_another_restitution():
    law = KelvinVoigt(K, restitution=0.5, mass=M)
    assert law.returned_restitution(mass=4 * M) > 0.5 > law.returned_restitution(mass=M / 4)


def test_restitution_one_has_no_damping_and_zero_needs_tension():
    assert KelvinVoigt(K, restitution=1.0, mass=M).damping == 0.0
    assert KelvinVoigt(K, restitution=0.0, mass=M, tension=True).damping == pytest.approx(2 * math.sqrt(K * M))
    with pytest.raises(ModelError, match="use tension=True or PlasticUnloading"):
        KelvinVoigt(K, restitution=0.0, mass=M)


def test_tension_allows_a_tensile_force():
    pulling, cut = with_ratio(0.3, tension=True), with_ratio(0.3)
    assert pulling.tension
    assert pulling.force(1e-6, -1.0) < 0.0 == cut.force(1e-6, -1.0)
    assert normal_out(pulling, 1e-6, -1.0).force_sign == 1.0
    assert normal_out(cut, 1e-6, -1.0).force_sign < 0.0
    assert normal_out(with_ratio(0.0), 1e-6, -1.0).force_sign == 1.0


def test_keywords_make_the_law_again():
    for law in (KelvinVoigt(K, 30.0), KelvinVoigt(K, restitution=0.4, mass=M, tension=True)):
        assert KelvinVoigt(**law.keywords()) == law
    assert KelvinVoigt(K, 30.0) != KelvinVoigt(K, 30.0, tension=True)
    assert KelvinVoigt(K, 30.0).validity is None


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({}, "set either damping, or restitution and mass"),
        ({"damping": 1.0, "restitution": 0.5}, "set either damping, or restitution and mass"),
        ({"restitution": 0.5}, "depends on the effective mass; set mass"),
        ({"restitution": 1.5, "mass": 1.0}, r"restitution must lie in \[0, 1\], got 1.5"),
        ({"damping": -1.0}, "damping must be positive or zero, got -1"),
        ({"damping": 1.0, "mass": 0.0}, "mass must be positive, got 0"),
    ],
)
def test_incomplete_parameters_raise(given_, message):
    with pytest.raises(ModelError, match=f"KelvinVoigt: .*{message}"):
        KelvinVoigt(K, **given_)


def test_the_returned_restitution_needs_a_mass():
    with pytest.raises(ModelError, match="depends on the mass; set mass"):
        KelvinVoigt(K, damping=1.0).returned_restitution(1.0)
