"""Two spheres in a central impact, every law against its first integral or closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.gallery import two_spheres
from physics.drops import relative
from physics.reference import closed_forms
from physics.reference import two_spheres as reference
from physics.reference.laws import FACTORS
from quick import each

MASS, SPEED, STIFFNESS = reference.REDUCED_MASS, reference.APPROACH, reference.STIFFNESS
ENERGY = 0.5 * MASS * SPEED**2
NUMBERS = ("peak_force", "max_indentation", "duration")

pytestmark = pytest.mark.filterwarnings("ignore:.*outside the range:carom.CaromWarning")


def made(law: str, restitution: float):
    """The case of a law as the reference names it."""
    if law == "gonthier_approximate":
        return two_spheres("gonthier", restitution, exact=False)
    return two_spheres(law, restitution)


def only_impact(result: cm.Result):
    assert result.outcome.ok
    (impact,) = result.impacts
    assert impact.finished
    assert impact.compressions == 1
    assert impact.t_start == 0.0
    assert impact.approach_speed == SPEED
    return impact


@each("restitution", reference.RESTITUTIONS)
@each("law", FACTORS)
def test_impact_of_a_hysteretic_law(law, restitution):
    result = made(law, restitution).run()
    impact, expected = only_impact(result), reference.impact(law, restitution)
    for name in NUMBERS:
        assert getattr(impact, name) == pytest.approx(expected[name], rel=1e-8), name
    assert impact.restitution == pytest.approx(expected["restitution"], abs=1e-8)
    assert impact.energy_lost == pytest.approx(ENERGY * (1.0 - expected["restitution"] ** 2), abs=1e-8 * ENERGY)
    assert result.energy.drift < 1e-8


@each("restitution", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_plastic_unloading_returns_exactly_what_is_prescribed(restitution):
    impact = only_impact(two_spheres("plastic_unloading", restitution).run())
    expected = reference.impact("plastic_unloading", restitution)
    for name in (*NUMBERS, "restitution"):
        assert getattr(impact, name) == pytest.approx(expected[name], rel=1e-8), name
    assert impact.energy_lost == pytest.approx(ENERGY * (1.0 - restitution**2), abs=1e-8 * ENERGY)


def test_plastic_unloading_without_restitution_keeps_the_spheres_together():
    result = two_spheres("plastic_unloading", 0.0).run()
    impact = only_impact(result)
    assert abs(impact.separation_speed) < 1e-9 * SPEED
    assert impact.energy_lost == pytest.approx(ENERGY, rel=1e-8)
    assert abs(result["left"].vx[-1]) < 1e-9


def test_plastic_unloading_leaves_a_permanent_indentation():
    result = two_spheres("plastic_unloading", 0.6).run()
    touch, expected = result["touch"], reference.impact("plastic_unloading", 0.6)
    end = result.impacts[0].t_end
    assert touch.indentation[result.t == end] == pytest.approx(expected["permanent_indentation"], rel=1e-8)
    after = result.t >= end
    assert after.any()
    assert not touch.normal_force[after].any()


@each("tension", [False, True])
@each("ratio", [0.0, 0.05, 0.2, 0.6])
def test_kelvin_voigt(ratio, tension):
    damping = 2.0 * ratio * math.sqrt(1e7 * MASS)
    result = two_spheres(cm.laws.KelvinVoigt(1e7, damping=damping, tension=tension)).run()
    impact = only_impact(result)
    expected = closed_forms.kelvin_voigt_impact(1e7, damping, MASS, SPEED, tension)
    for name in (*NUMBERS, "restitution"):
        assert getattr(impact, name) == pytest.approx(expected[name], rel=1e-8), name
    assert impact.energy_lost == pytest.approx(ENERGY * (1.0 - expected["restitution"] ** 2), abs=1e-8 * ENERGY)
    assert (result["touch"].normal_force.min() < 0.0) == (tension and ratio > 0.0)
    assert result.energy.drift < 1e-9


PENALTIES = {
    # stiffness, damping, depth of full damping: the force never vanishes, vanishes and returns early, returns late
    "never cut": (5.5e9, 500.0, 1e-5),
    "cut": (5.5e9, 2000.0, 1e-5),
    "cut until just before the end": (5.5e9, 500.0, 1e-6),
}


@each("integrator", ["dopri5", "dop853", "tsit5"])
@each("name", PENALTIES)
def test_penalty_force_is_cut_and_returns(name, integrator):
    stiffness, damping, depth = PENALTIES[name]
    result = two_spheres(cm.laws.PenaltyStep(stiffness, damping=damping, depth=depth)).run(integrator=integrator)
    impact, expected = only_impact(result), reference.penalty_step(stiffness, damping, depth)
    assert len(expected["cuts"]) == (0 if name == "never cut" else 2)
    for number in (*NUMBERS, "restitution"):
        assert getattr(impact, number) == pytest.approx(expected[number], rel=1e-8), number
    assert impact.energy_lost == pytest.approx(ENERGY * (1.0 - expected["restitution"] ** 2), abs=2e-8 * ENERGY)
    touch = result["touch"]
    if expected["cuts"]:
        first, second = expected["cuts"]
        cut = (result.t > first * (1.0 + 1e-9)) & (result.t < second * (1.0 - 1e-9))
        assert cut.any()
        assert not touch.normal_force[cut].any()
        assert np.abs(result.t - first).min() < 1e-8 * first
        assert np.abs(result.t - second).min() < 1e-8 * second
    assert touch.normal_force.min() > -1e-6 * impact.peak_force


@each("integrator", ["dop853", "tsit5", "adams", "bdf"])
@each("law", ["hertz", "flores", "plastic_unloading"])
def test_every_integrator_gives_the_same_impact(law, integrator):
    impact = only_impact(two_spheres(law, 0.5).run(integrator=integrator))
    expected = reference.impact(law, 0.5)
    for name in (*NUMBERS, "restitution"):
        assert getattr(impact, name) == pytest.approx(expected[name], rel=1e-8), name


def test_fixed_steps_resolve_the_impact_however_long_they_are():
    impact = only_impact(two_spheres("flores", 0.5).run(integrator="rk4", max_step=1e-3))
    expected = reference.impact("flores", 0.5)
    for name in (*NUMBERS, "restitution"):
        assert getattr(impact, name) == pytest.approx(expected[name], rel=1e-5), name


@each("law", ["hertz", "lankarani_nikravesh", "kelvin_voigt", "plastic_unloading"])
def test_force_shown_is_that_of_the_law(law):
    case = two_spheres(law)
    result = case.run()
    touch, law = result["touch"], case.system["touch"].law
    deepest = touch.indentation.argmax()
    loading = slice(1, deepest)
    force = law.force(touch.indentation[loading], touch.indentation_rate[loading], SPEED)
    assert relative(touch.normal_force[loading], force) < 1e-12
    np.testing.assert_allclose(touch.fx, -touch.normal_force, atol=1e-12)  # the left sphere is pushed back
    assert not touch.fy.any()
    np.testing.assert_array_equal(touch.nx, -1.0)


def test_contact_point_stays_in_the_middle_and_momentum_at_zero():
    result = two_spheres("flores", 0.4).run()
    assert np.abs(result["touch"].x).max() < 1e-16
    assert np.abs(result["left"].vx + result["right"].vx).max() < 1e-15
    np.testing.assert_array_equal(result["left"].omega, 0.0)
