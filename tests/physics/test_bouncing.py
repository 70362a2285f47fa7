"""Balls that bounce: elastic contacts gain nothing, others come to rest, and the bounces come when they should."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from physics.drops import GRAVITY, Patience, drop, relative, resting_depth
from physics.reference import closed_forms
from quick import examples, slow_but

METHODS = ("dopri5", "dop853", "adams", "bdf")

# ---- elastic


def elastic_energy_per_bounce(result: cm.Result) -> np.ndarray:
    """Change of energy from one flight to the next, relative to that of the fall."""
    speeds = np.array([impact.approach_speed for impact in result.impacts])
    return np.abs(np.diff(speeds**2)) / speeds[:-1] ** 2


@examples(25)
@given(
    height=st.floats(-4.0, 1.7).map(lambda x: 10.0**x),
    radius=st.floats(-2.0, 0.0).map(lambda x: 10.0**x),
    mass=st.floats(-3.0, 3.0).map(lambda x: 10.0**x),
    stiffness=st.floats(6.0, 11.0).map(lambda x: 10.0**x),
)
def test_elastic_contact_gains_no_energy(height, radius, mass, stiffness):
    fall = math.sqrt(2.0 * height / GRAVITY)
    system = drop(cm.laws.Hertz(stiffness), height, radius, mass)
    # The contact takes time, too: much, for a heavy ball on a soft floor.
    speed = GRAVITY * fall
    period = 2.0 * fall + closed_forms.hertz_impact(stiffness, mass, speed)["duration"]
    result = cm.simulate(system, 6.0 * period, progress=Patience())
    assert result.outcome.ok
    assert len(result.impacts) >= 3
    assert elastic_energy_per_bounce(result).max() < 1e-7
    assert all(abs(impact.restitution - 1.0) < 1e-7 for impact in result.impacts if impact.finished)
    assert result["ball"].y.max() <= (height + radius) * (1.0 + 1e-7)


@pytest.mark.parametrize("height", [1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0])
def test_steel_ball_gains_no_energy(height):
    """Default tolerances."""
    fall = math.sqrt(2.0 * height / GRAVITY)
    result = cm.simulate(drop(cm.laws.Hertz(cm.hertz_stiffness(0.1)), height), 8.0 * fall)
    assert len(result.impacts) >= 3
    assert elastic_energy_per_bounce(result).max() < 1e-9


@pytest.mark.parametrize("law", [cm.laws.Linear(1e6), cm.laws.CylinderLine(1e7), cm.laws.LiuCylinder(1e11, 0.02, 5e-5)])
def test_other_elastic_laws_gain_none_either(law):
    result = cm.simulate(drop(law), 2.0)
    assert len(result.impacts) >= 6
    assert elastic_energy_per_bounce(result).max() < 2e-9


@pytest.mark.slow
def test_a_thousand_bounces_keep_their_energy():
    period = 2.0 * math.sqrt(2.0 * 0.05 / GRAVITY)
    result = cm.simulate(drop(cm.laws.Hertz(1e9), 0.05), 1010.0 * period, rtol=1e-12, atol=1e-14)
    assert len(result.impacts) >= 1000
    speeds = [impact.approach_speed for impact in result.impacts]
    assert relative(speeds, speeds[0]) < 1e-9
    assert result.energy.drift < 1e-9


def test_loose_tolerances_do_not_gain_much():
    result = cm.simulate(drop(cm.laws.Hertz(1e8)), 2.0, rtol=1e-4, atol=1e-6)
    assert elastic_energy_per_bounce(result).max() < 1e-3


# ---- to rest


RESTING = [
    *((law, method) for law in (cm.laws.ExactRestitution(1e8, 0.5), cm.laws.Flores(1e8, 0.3)) for method in METHODS),
    *((cm.laws.PenaltyStep(1e8, damping=5000.0, depth=1e-5), method) for method in METHODS[:2]),
]


QUICK = [case for case in RESTING if case[1] != "adams"]


@pytest.mark.parametrize(
    ("law", "integrator"), slow_but(QUICK, RESTING), ids=lambda value: getattr(value, "name", value)
)
def test_ball_comes_to_rest(law, integrator):
    result = cm.simulate(drop(law), 1.5, integrator=integrator, progress=Patience(40.0))
    assert result.outcome.ok
    last = result.impacts[-1]
    assert last.persistent
    assert not last.finished
    assert last.t_end == 1.5
    assert last.separation_speed == 0.0
    touch, depth = result["floor"], resting_depth(1e8)
    assert touch.indentation[-1] == pytest.approx(depth, rel=1e-6)
    assert touch.normal_force[-1] == pytest.approx(GRAVITY, rel=1e-6)
    assert touch.contact_mode[-1] == 2.0
    assert abs(result["ball"].vy[-1]) < 1e-7
    assert all(first.t_end <= second.t_start for first, second in zip(result.impacts, result.impacts[1:]))
    # All the energy of the fall is gone but for what the floor stores.
    stored = 0.4 * 1e8 * depth**2.5
    assert result.energy.elastic[-1] == pytest.approx(stored, rel=1e-5)


def test_kelvin_voigt_ball_rests_on_its_spring():
    result = cm.simulate(drop(cm.laws.KelvinVoigt(1e6, damping=300.0, tension=True)), 1.5)
    assert not result.impacts[-1].finished
    assert result["floor"].indentation[-1] == pytest.approx(GRAVITY / 1e6, rel=1e-6)
    assert result.energy.drift < 1e-8


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8])
def test_bounces_pile_up_at_the_time_of_zeno(restitution):
    """On a hard floor contacts take no time: impacts come as of a rigid ball until gravity counts inside them."""
    law = cm.laws.ExactRestitution(1e12, restitution)
    rigid = closed_forms.bouncing_ball(0.5, restitution, GRAVITY, 3)
    result = cm.simulate(drop(law, 0.5), 1.2 * rigid["zeno_time"], progress=Patience())
    impacts = result.impacts[:3]
    assert relative([impact.approach_speed for impact in impacts], rigid["speeds"]) < 2e-3
    spent = np.cumsum([0.0, *(impact.duration for impact in impacts[:-1])])
    times = np.array([impact.t_start for impact in impacts])
    assert np.abs(times - spent - rigid["times"]).max() < 1e-3 * rigid["zeno_time"]
    assert result.impacts[-1].t_start == pytest.approx(rigid["zeno_time"], rel=0.02)
    assert result.impacts[-1].persistent


def test_times_of_the_bounces_are_exact_where_contacts_are_short():
    """With the computed speeds, every flight takes 2 v/g."""
    result = cm.simulate(drop(cm.laws.LankaraniNikravesh(1e11, 0.9), 1.0), 3.0)
    for before, after in zip(result.impacts, result.impacts[1:]):
        assert after.t_start - before.t_end == pytest.approx(2.0 * before.separation_speed / GRAVITY, rel=1e-11)
        assert after.approach_speed == pytest.approx(before.separation_speed, rel=1e-11)
    assert len(result.impacts) >= 3


def test_restitution_does_not_depend_on_mass_or_speed():
    law = cm.laws.HuntCrossley(1e9, 0.8)
    for mass, speed in ((1e-3, 0.01), (1.0, 1.0), (1e3, 30.0)):
        system = drop(law, 0.01, 0.1, mass, (0.0, -speed), gravity=0.0)
        (impact,) = cm.simulate(system, 0.01 / speed + 0.1).impacts
        assert impact.restitution == pytest.approx(law.returned_restitution(), abs=1e-8)


# ---- extremes


@pytest.mark.parametrize(
    ("stiffness", "mass", "speed"),
    [(10.0, 1.0, 1.0), (1e15, 1.0, 1.0), (1e9, 1e-9, 1.0), (1e9, 1e6, 1.0), (1e9, 1.0, 1e-4), (1e9, 1.0, 1e3)],
)
def test_soft_stiff_light_heavy_slow_and_fast(stiffness, mass, speed):
    """δmax and duration in closed form from 1e-10 m to metres."""
    expected = closed_forms.hertz_impact(stiffness, mass, speed)
    system = drop(cm.laws.Hertz(stiffness), 1e-3, 0.1, mass, (0.0, -speed), gravity=0.0)
    result = cm.simulate(system, 1e-3 / speed + 1.5 * expected["duration"], progress=Patience())
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(1e-3 / speed, rel=1e-10)
    assert impact.duration == pytest.approx(expected["duration"], rel=1e-7)
    assert impact.max_indentation == pytest.approx(expected["max_indentation"], rel=1e-7)
    assert impact.peak_force == pytest.approx(expected["peak_force"], rel=1e-7)
    assert impact.peak_force == pytest.approx(stiffness * impact.max_indentation**1.5, rel=1e-9)  # at the same time
    assert impact.restitution == pytest.approx(1.0, abs=1e-7)
