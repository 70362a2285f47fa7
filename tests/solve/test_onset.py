"""Onset and separation: the four onset methods, and events that must not be missed, doubled or left behind."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm
from carom import Outcome
from carom.solve.compliant import rk_integrator
from carom.solve.compliant.registry import INTEGRATORS
from physics.drops import GRAVITY, Patience, collision, drop, resting_depth
from physics.reference import closed_forms
from quick import slow_but

HERTZ = cm.laws.Hertz(1e8)
LOCATED = ("event", "reject", "interpolate")
FALL = math.sqrt(2.0 * 0.5 / GRAVITY)


def fixed(integrator: str, step: float) -> dict:
    """The integrator as an option, with its step where it needs one."""
    return {"integrator": integrator, "max_step": step if integrator == "rk4" else None}


def gained(result: cm.Result) -> float:
    """Energy gained over the run, relative to the largest that moved."""
    return float((result.energy.total[-1] - result.energy.total[0]) / result.energy.scale)


# ---- the four ways


@pytest.mark.parametrize("integrator", ["dopri5", "rk4", pytest.param("adams", marks=pytest.mark.slow)])
@pytest.mark.parametrize("onset", LOCATED)
def test_contact_noticed_in_time_gains_no_energy(onset, integrator):
    result = cm.simulate(drop(HERTZ, 0.5), 0.6, integrator=integrator, onset=onset, max_step=1e-4)
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(FALL, abs=1e-12 if onset == "event" else 1e-6)
    assert impact.initial_indentation <= 1e-6
    assert abs(gained(result)) < 1e-5


@pytest.mark.parametrize("integrator", ["dopri5", "rk4", "adams"])
def test_contact_noticed_too_late_gains_what_it_stores_then(integrator):
    result = cm.simulate(drop(HERTZ, 0.5), 0.6, integrator=integrator, onset="none", max_step=1e-4)
    depth = result.impacts[0].initial_indentation
    assert depth > 1e-5
    stored = 0.4 * 1e8 * depth**2.5
    assert result.energy.total[-1] - result.energy.total[0] == pytest.approx(stored, rel=1e-2)
    assert gained(result) > 1e-4


@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-7])
@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "rk4", "adams"])
def test_rejected_steps_begin_no_deeper_than_allowed(integrator, tolerance):
    options = {"onset": "reject", "penetration_tolerance": tolerance, "min_step": 1e-10, "max_step": 1e-3}
    impact = cm.simulate(drop(HERTZ, 0.5), 0.6, integrator=integrator, **options).impacts[0]
    assert 0.0 < impact.initial_indentation <= tolerance


@pytest.mark.parametrize("integrator", ["dopri5", "rk4", "adams"])
def test_interpolated_steps_begin_no_deeper_than_allowed(integrator):
    options = {"onset": "interpolate", "min_step": 1e-10, "max_step": 1e-3}
    impact = cm.simulate(drop(HERTZ, 0.5), 0.6, integrator=integrator, **options).impacts[0]
    assert abs(impact.initial_indentation) <= 1e-6
    assert impact.t_start == pytest.approx(FALL, abs=1e-6)


@pytest.mark.parametrize("integrator", ["dopri5", "rk4", "adams"])
def test_smallest_step_that_is_too_long_is_told(integrator):
    with pytest.warns(cm.CaromWarning, match=r"steps of min_step = 0\.0001 s began a contact deeper than"):
        result = cm.simulate(drop(HERTZ, 0.5), 0.6, integrator=integrator, onset="reject", max_step=1e-3, min_step=1e-4)
    assert result.impacts[0].initial_indentation > 1e-6


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_event_is_found_to_rounding(integrator):
    impact = cm.simulate(drop(HERTZ, 0.5), 0.6, **fixed(integrator, 1e-3)).impacts[0]
    accuracy = 1e-11 if integrator == "bdf" else 1e-12
    assert impact.t_start == pytest.approx(FALL, abs=accuracy)
    assert abs(impact.initial_indentation) < 1e-15
    assert impact.approach_speed == pytest.approx(GRAVITY * FALL, rel=accuracy)


def test_end_is_found_to_rounding():
    result = cm.simulate(drop(HERTZ, 0.5), 0.6)
    impact = result.impacts[0]
    after = np.flatnonzero(result.t == impact.t_end)
    assert np.abs(result["floor"].indentation[after]).max() < 1e-15
    assert result["floor"].normal_force[after[-1]] == 0.0


def test_choice_of_onset_is_checked():
    with pytest.raises(cm.ModelError, match="onset must be one of 'event', 'reject', 'interpolate', 'none'"):
        cm.simulate(drop(HERTZ), 0.1, onset="late")


# ---- contacts inside one step


def passing(depth: float) -> tuple[cm.System, float]:
    """A ball that flies past a fixed one and touches it by ``depth``; the time of the touch."""
    system = cm.System(name="passing")
    offset = 0.2 - depth
    ball = system.add(cm.Body("ball", 1.0, 0.01, position=(-1.0, offset), velocity=(5.0, 0.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Sphere(system.ground, 0.1), law=cm.laws.Hertz(1e6), name="graze"))
    return system, (1.0 - math.sqrt(max(0.2**2 - offset**2, 0.0))) / 5.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("onset", ["event", "reject"])
def test_touch_in_passing_is_not_missed(onset, integrator):
    """Without forces every step is as long as the run allows; the touch takes 5 % of it, in the middle."""
    system, time = passing(1e-4)
    result = cm.simulate(system, 0.5, onset=onset, **fixed(integrator, 1.0))
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(time, abs=1e-12 if onset == "event" else 1e-5)
    assert impact.finished
    assert result["ball"].vy[-1] == pytest.approx(1.4751732e-3, rel=2e-4)


def test_touch_in_passing_is_missed_when_nobody_looks():
    assert not cm.simulate(passing(1e-4)[0], 0.5, onset="none").impacts


@pytest.mark.parametrize("depth", [1e-6, 1e-9, 1e-12])
def test_graze_is_found_however_slight(depth):
    system, time = passing(depth)
    result = cm.simulate(system, 0.5)
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(time, abs=1e-9)
    assert impact.max_indentation <= depth * (1.0 + 1e-3)
    assert result.energy.drift < 1e-12


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-12])
def test_near_miss_is_no_touch(gap):
    result = cm.simulate(passing(-gap)[0], 0.5)
    assert not result.impacts
    assert result["graze"].indentation.max() < 0.0


@pytest.mark.parametrize("onset", ["event", "reject"])
@pytest.mark.parametrize("step", [0.05, 0.2, 0.5])
def test_fixed_steps_longer_than_the_impact_do_not_jump_over_it(step, onset):
    expected = closed_forms.hertz_impact(1e8, 1.0, GRAVITY * FALL)
    result = cm.simulate(drop(HERTZ, 0.5), 0.9, integrator="rk4", max_step=step, onset=onset)
    assert len(result.impacts) == 2 if result.t[-1] > 3.0 * FALL else 1
    impact = result.impacts[0]
    assert impact.duration == pytest.approx(expected["duration"], rel=2e-2)
    assert impact.restitution == pytest.approx(1.0, abs=1e-3)


def test_bounce_between_two_output_times_is_there():
    result = cm.simulate(drop(HERTZ, 0.5), 0.75, output=0.25)
    np.testing.assert_array_equal(result.t, [0.0, 0.25, 0.5, 0.75])
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(FALL, abs=1e-12)
    assert impact.duration > 0.0


# ---- together


@pytest.mark.parametrize("integrator", ["dopri5", "rk4", "adams"])
def test_two_balls_touch_the_floor_at_the_same_time(integrator):
    system = cm.System(gravity=(0.0, -GRAVITY))
    for k, x in enumerate((-0.5, 0.5)):
        ball = system.add(cm.Body(f"ball{k}", 1.0, 0.01, position=(x, 0.3)))
        system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), cm.laws.Flores(1e8, 0.8), name=f"c{k}"))
    result = cm.simulate(system, 1.0, **fixed(integrator, 1e-3))
    first, second = result.impacts.of("c0"), result.impacts.of("c1")
    assert len(first) == len(second) >= 3
    for a, b in zip(first, second, strict=True):
        assert (a.t_start, a.t_end, a.peak_force) == (b.t_start, b.t_end, b.peak_force)
    np.testing.assert_array_equal(result["ball0"].y, result["ball1"].y)


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "rk4"])
def test_body_that_lands_on_two_feet_does_not_turn(integrator):
    system = cm.System(gravity=(0.0, -GRAVITY))
    body = system.add(cm.Body("dumbbell", 1.0, 0.05, position=(0.0, 0.3)))
    for k, x in enumerate((-0.5, 0.5)):
        foot = cm.Sphere(body, 0.1, at=(x, 0.0))
        system.add(cm.Contact(foot, cm.Plane(system.ground), cm.laws.Flores(1e8, 0.8), name=f"foot{k}"))
    result = cm.simulate(system, 0.6, **fixed(integrator, 1e-3))
    assert len(result.impacts.of("foot0")) == len(result.impacts.of("foot1")) >= 2
    assert np.abs(result["dumbbell"].angle).max() < 1e-12


def cradle(gap: float, law: cm.laws.NormalLaw) -> cm.System:
    """Three balls of 0.5 m and 1 kg in a row, the first coming from 1 m away at 1 m/s."""
    system = cm.System(name="cradle")
    places = (-1.0, 1.0, 2.0 + gap)
    balls = [
        system.add(cm.Body(f"ball{k}", 1.0, 0.1, (x, 0.0), velocity=(float(k == 0), 0.0))) for k, x in enumerate(places)
    ]
    for a, b in pairwise(balls):
        system.add(cm.Contact(cm.Sphere(a, 0.5), cm.Sphere(b, 0.5), law, name=f"{a.name}-{b.name}"))
    return system


def test_cradle_of_balls_that_touch():
    """Hertz's force in two contacts at once, by another integrator."""

    def rate(t, y):
        force = [1e9 * max(d, 0.0) ** 1.5 for d in (y[0] - y[1], y[1] - y[2])]
        return [*y[3:], -force[0], force[0] - force[1], force[1]]

    run = solve_ivp(rate, (0.0, 0.1), [0, 0, 0, 1, 0, 0], "DOP853", rtol=1e-12, atol=1e-15, max_step=1e-5)
    result = cm.simulate(cradle(0.0, cm.laws.Hertz(1e9)), 1.2)
    speeds = [result[f"ball{k}"].vx[-1] for k in range(3)]
    assert speeds == pytest.approx(run.y[3:, -1], abs=1e-8)
    assert speeds == pytest.approx([-0.0710, 0.0764, 0.9945], abs=1e-4)  # S. Chapman, Am. J. Physics 28 (1960) 705
    assert sum(speeds) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("law", [cm.laws.Hertz(1e9), cm.laws.ExactRestitution(1e9, 0.8)], ids=lambda law: law.name)
def test_cradle_of_balls_apart_collides_in_turn(law):
    result = cm.simulate(cradle(0.001, law), 1.01)
    e = law.returned_restitution()
    expected = [0.5 * (1.0 - e), 0.25 * (1.0 - e**2), 0.25 * (1.0 + e) ** 2]
    speeds = [result[f"ball{k}"].vx[-1] for k in range(3)]
    assert [impact.contact for impact in result.impacts] == ["ball0-ball1", "ball1-ball2"]
    assert speeds == pytest.approx(expected, abs=1e-8)


# ---- at the start


@pytest.mark.parametrize("onset", ["event", "reject", "none"])
def test_overlap_at_the_start_is_told_and_reported(onset):
    with pytest.warns(cm.CaromWarning, match=r"Contact 'floor': shapes overlap by 0\.0001 m at t = 0"):
        result = cm.simulate(drop(HERTZ, -1e-4, 0.5, gravity=0.0), 0.02, onset=onset)
    impact = result.impacts[0]
    assert impact.t_start == 0.0
    assert impact.initial_indentation == pytest.approx(1e-4, rel=1e-10)
    stored = 0.4 * 1e8 * 1e-4**2.5
    assert 0.5 * impact.separation_speed**2 == pytest.approx(stored, rel=1e-8 if onset == "event" else 1e-3)


def test_start_that_touches_and_approaches_begins_at_once(recwarn):
    result = cm.simulate(drop(HERTZ, 0.0, 0.5, velocity=(0.0, -1.0), gravity=0.0), 0.02)
    (impact,) = result.impacts
    assert (impact.t_start, impact.approach_speed, impact.initial_indentation) == (0.0, 1.0, 0.0)
    assert impact.restitution == pytest.approx(1.0, abs=1e-9)
    assert not recwarn.list


def test_start_that_touches_and_leaves_is_no_contact(recwarn):
    result = cm.simulate(drop(HERTZ, 0.0, 0.5, velocity=(0.0, 1.0), gravity=0.0), 0.02)
    assert not result.impacts
    assert not result["floor"].normal_force.any()
    assert not recwarn.list


def test_start_that_touches_at_rest_sinks_in():
    """From δ = 0 without speed the ball sinks to (2.5)^(2/3) of where it would rest, and comes back to zero."""
    result = cm.simulate(drop(HERTZ, 0.0, 0.5), 0.1)
    (impact,) = result.impacts
    assert (impact.t_start, impact.approach_speed) == (0.0, 0.0)
    assert impact.max_indentation == pytest.approx(2.5 ** (2.0 / 3.0) * resting_depth(1e8), rel=1e-7)
    assert impact.persistent
    assert result.energy.drift < 1e-8


def test_start_that_touches_at_rest_without_load_stays():
    result = cm.simulate(drop(HERTZ, 0.0, 0.5, gravity=0.0), 0.1)
    np.testing.assert_array_equal(result["ball"].y, 0.5)
    np.testing.assert_array_equal(result["floor"].normal_force, 0.0)


# ---- no trace of what was rejected


@pytest.mark.parametrize(
    "law", [cm.laws.Flores(1e7, 0.6), cm.laws.PlasticUnloading(1e7, 0.6)], ids=lambda law: law.name
)
def test_short_steps_give_the_same_impacts(law):
    system = drop(law, 0.3, velocity=(1.0, 0.0), friction=cm.friction.Coulomb(0.2, 1e-2))
    whole, fine = (cm.simulate(system, 0.8, max_step=step) for step in (None, 2e-5))
    assert len(whole.impacts) == len(fine.impacts)
    for a, b in zip(whole.impacts, fine.impacts, strict=True):
        assert a.t_start == pytest.approx(b.t_start, abs=1e-8)
        assert a.peak_force == pytest.approx(b.peak_force, rel=1e-7)
        assert a.max_indentation == pytest.approx(b.max_indentation, rel=1e-7)
        assert a.restitution == pytest.approx(b.restitution, abs=1e-7)
        assert a.energy_lost == pytest.approx(b.energy_lost, rel=1e-6)
        assert a.friction_loss == pytest.approx(b.friction_loss, rel=1e-6)
        assert a.compressions == b.compressions
    assert whole["ball"].x[-1] == pytest.approx(fine["ball"].x[-1], abs=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_output_times_keep_the_impacts(integrator):
    system = drop(cm.laws.Flores(1e8, 0.7), 0.2)
    full = cm.simulate(system, 0.8, **fixed(integrator, 1e-3))
    grid = cm.simulate(system, 0.8, output=0.05, **fixed(integrator, 1e-3))
    assert len(grid.t) == 17
    assert len(grid.impacts) == len(full.impacts) >= 3
    for a, b in zip(grid.impacts, full.impacts, strict=True):
        assert a.t_start == pytest.approx(b.t_start, abs=1e-6 if integrator == "rk4" else 1e-8)
        assert a.peak_force == pytest.approx(b.peak_force, rel=1e-5 if integrator == "rk4" else 1e-7)
    np.testing.assert_allclose(grid["ball"].y, full.sample(grid.t)["ball"].y, atol=1e-6)


def test_output_time_inside_a_contact():
    full = cm.simulate(drop(HERTZ, 0.5), 0.6).impacts[0]
    middle = 0.5 * (full.t_start + full.t_end)
    result = cm.simulate(drop(HERTZ, 0.5), 0.6, output=[middle])
    (impact,) = result.impacts
    assert impact.duration == pytest.approx(full.duration, rel=1e-9)
    assert result["floor"].indentation[1] == pytest.approx(full.max_indentation, rel=1e-6)
    assert list(result["floor"].contact_mode) == [0.0, 1.0, 0.0]


def test_times_never_run_backwards_and_events_stand_twice():
    result = cm.simulate(drop(cm.laws.PenaltyStep(1e8, damping=500.0, depth=1e-4), 0.2), 0.8)
    assert np.all(np.diff(result.t) >= 0.0)
    twice = set(result.t[:-1][np.diff(result.t) == 0.0])
    for impact in result.impacts:
        assert {impact.t_start, impact.t_end} - {result.t[-1]} <= twice
    assert result.stats["events"] >= 2 * len(result.impacts) - 1


# ---- runs that do not reach their end


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_interrupted_run_keeps_its_impacts(integrator, monkeypatch):
    monkeypatch.setattr(rk_integrator, "CHUNK_NODES", 32)
    system = drop(cm.laws.Flores(1e8, 0.9), 0.2)
    full = cm.simulate(system, 2.0, **fixed(integrator, 1e-3))

    def stop_half_way(fraction):
        if fraction > 0.5:
            raise KeyboardInterrupt

    stopped = cm.simulate(system, 2.0, progress=stop_half_way, **fixed(integrator, 1e-3))
    assert stopped.outcome is Outcome.INTERRUPTED
    before = [impact for impact in full.impacts if impact.t_end < stopped.t[-1]]
    assert len(before) >= 2
    assert list(stopped.impacts[: len(before)]) == before
    assert len(stopped.impacts) <= len(before) + 1


@pytest.mark.parametrize("integrator", ["dopri5", "rk4", "adams"])
def test_run_interrupted_in_a_contact_reports_it_unfinished(integrator):
    impact = cm.simulate(drop(HERTZ, 0.5), 0.6).impacts[0]
    end = impact.t_start + 0.3 * impact.duration
    result = cm.simulate(drop(HERTZ, 0.5), end, **fixed(integrator, 1e-3))
    (last,) = result.impacts
    assert not last.finished
    assert last.t_end == end
    assert last.separation_speed == 0.0
    assert last.peak_force == pytest.approx(result["floor"].normal_force[-1], rel=1e-9)
    assert result["floor"].contact_mode[-1] == 2.0


@pytest.mark.parametrize("integrator", slow_but(["dopri5"], ["dopri5", "rk4", "adams"]))
def test_law_that_raises_keeps_the_impacts_before_it(integrator):
    def law(indentation, rate):
        if indentation > 1e-3:
            raise ValueError("too deep")
        return 1e8 * indentation**1.5

    system = collision(cm.laws.custom(law), speeds=(0.2, 0.0))
    wall = cm.Plane(system.ground, at=(0.35, 0.0), normal=(-1.0, 0.0))
    system.add(cm.Contact(cm.Sphere(system["right"], 0.1), wall, cm.laws.Hertz(1e6), name="wall"))
    striker = system.add(cm.Body("striker", 1.0, 0.004, (-8.0, 0.0), velocity=(20.0, 0.0)))
    system.add(cm.Contact(cm.Sphere(striker, 0.1), cm.Sphere(system["left"], 0.1), cm.laws.custom(law), name="blow"))
    with pytest.raises(ValueError, match="too deep") as caught:
        cm.simulate(system, 1.0, **fixed(integrator, 1e-3))
    result = caught.value.result
    assert "touch" in {impact.contact for impact in result.impacts if impact.finished}
    assert any("Contact 'blow'" in note for note in caught.value.__notes__)
    assert np.all(np.isfinite(result.q))


def test_law_that_cannot_be_compiled_gives_the_same_motion():
    table = {"stiffness": 1e8}

    def slow(indentation, rate):
        return table["stiffness"] * indentation**1.5 * (1.0 + 0.3 * rate)

    def fast(indentation, rate):
        return 1e8 * indentation**1.5 * (1.0 + 0.3 * rate)

    with pytest.warns(cm.CaromWarning, match="Contact 'floor': Numba cannot compile 'slow'"):
        interpreted = cm.simulate(drop(cm.laws.custom(slow)), 0.3)
    compiled = cm.simulate(drop(cm.laws.custom(fast)), 0.3)
    assert interpreted.impacts == compiled.impacts
    np.testing.assert_array_equal(interpreted.q, compiled.q)


def test_law_that_gives_no_number_ends_the_run_there():
    law = cm.laws.custom(lambda indentation, rate: math.nan if indentation > 1e-4 else 1e8 * indentation**1.5)
    result = cm.simulate(drop(law, 0.5), 1.0, progress=Patience())
    assert result.outcome in (Outcome.NOT_FINITE, Outcome.STEP_UNDERFLOW)
    assert "'ball'" in result.message
    assert result["floor"].indentation[-1] == pytest.approx(1e-4, rel=1e-6)
    assert np.all(np.isfinite(result.q))


# ---- with joints


@pytest.mark.parametrize("constraints", ["projection", "baumgarte", "augmented"])
@pytest.mark.parametrize("onset", ["event", "reject"])
def test_contacts_of_jointed_bodies(onset, constraints):
    """A pendulum against a wall: the impact of the mass J/l² + m at the bob."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    bob = system.add(cm.Body("bob", 1.0, 0.2, position=(1.0, 0.0)))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0), name="pivot"))
    wall = cm.Plane(system.ground, at=(-0.1, 0.0), normal=(1.0, 0.0))
    system.add(cm.Contact(cm.Sphere(bob, 0.1), wall, cm.laws.HuntCrossley(1e9, 0.8), name="wall"))
    result = cm.simulate(system, 0.9, constraints=constraints, onset=onset, max_step=1e-3)
    impact = result.impacts[0]
    loose = onset != "event" or constraints != "projection"
    speed = math.sqrt(2.0 * GRAVITY / 1.2)
    expected = cm.laws.HuntCrossley(1e9, 0.8).impact(1.2, speed)
    assert impact.approach_speed == pytest.approx(speed, rel=1e-5 if loose else 1e-9)
    assert impact.duration == pytest.approx(expected.duration, rel=1e-3)
    assert impact.peak_force == pytest.approx(expected.peak_force, rel=1e-3)
    assert impact.restitution == pytest.approx(expected.restitution, abs=1e-3)


def test_no_warning_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cm.simulate(drop(cm.laws.Flores(1e8, 0.8), 0.2), 1.0)
