"""Degrees of freedom by Grübler's count, redundant constraints, singular positions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.solve.analyses.mobility import examine, mobility
from carom.solve.model_evaluator import ModelEvaluator
from solve.mechanisms import FourBar, chain, four_bar, parallelogram, pendulum, rod, slider_crank

FOUR_BAR = FourBar(0.5, 1.5, 1.2, 1.6)


def five_bar() -> cm.System:
    """Four rods and the ground, five pins: 4 · 3 − 5 · 2 = 2."""
    points = [(0.0, 0.0), (-0.3, 1.0), (0.6, 1.8), (1.5, 0.9), (1.2, 0.0)]
    system = cm.System()
    rods = [system.add(rod(f"rod {k}", points[k], points[k + 1])) for k in range(4)]
    for k, point in enumerate(points):
        before = rods[k - 1] if k > 0 else system.ground
        after = rods[k] if k < 4 else system.ground
        system.add(cm.Revolute(before, after, at=point))
    return system


def free_body() -> cm.System:
    system = cm.System()
    system.add(cm.Body("body", 1.0, 1.0))
    return system


def driven(system: cm.System, body: str) -> cm.System:
    system.add(cm.Driver((system[body], "angle"), cm.ConstantSpeed(1.0)))
    return system


def one_of_each() -> cm.System:
    """Seven bodies on the ground, each by one kind of joint: 7 · 3 − (2 + 2 + 3 + 1 + 1 + 1 + 1) = 10."""
    system = cm.System()
    bodies = [system.add(cm.Body(f"body {k}", 1.0, 1.0, position=(k, 1.0))) for k in range(7)]
    ground = system.ground
    system.add(cm.Revolute(ground, bodies[0], at=(0.0, 0.0)))
    system.add(cm.Prismatic(ground, bodies[1], axis=(1.0, 1.0)))
    system.add(cm.Weld(ground, bodies[2]))
    system.add(cm.Distance(ground, bodies[3]))
    system.add(cm.PointOnLine(ground, bodies[4], axis=(0.0, 1.0)))
    system.add(cm.PointOnCurve(ground, bodies[5], [(4.0, 0.0), (5.0, 1.0), (6.0, 0.0)]))
    system.add(cm.RackPinion(ground, bodies[6], 0.5, axis=(1.0, 0.0)))
    return system


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (free_body, 3),
        (lambda: pendulum(inertia=1.0), 1),
        (lambda: slider_crank(angle=0.4), 1),
        (lambda: FOUR_BAR.system(1.0), 1),
        (five_bar, 2),
        (lambda: driven(slider_crank(angle=0.4), "crank"), 0),
        (lambda: driven(FOUR_BAR.system(1.0), "crank"), 0),
        (lambda: driven(five_bar(), "rod 0"), 1),
        (lambda: parallelogram(0.8, bars=2), 1),
        (lambda: parallelogram(0.8, bars=3), 1),
        (lambda: parallelogram(0.8, bars=7), 1),
        (lambda: chain(12), 12),
        (one_of_each, 10),
    ],
)
def test_degrees_of_freedom_follow_gruebler(make, expected):
    assert make().degrees_of_freedom == expected


def test_large_systems_are_counted_by_sparse_factors():
    """More than 400 rows: the rank comes from pivots, for independent rows and for redundant ones."""
    assert chain(210).degrees_of_freedom == 210
    assert parallelogram(0.8, bars=110).degrees_of_freedom == 1


@given(st.lists(st.floats(-1.2, 1.2), min_size=2, max_size=6), st.floats(0.1, 30.0))
def test_count_does_not_depend_on_the_pose_nor_on_the_size(turns, size):
    system = cm.System()
    before, place = system.ground, np.zeros(2)
    for k, turn in enumerate(turns):
        after = place + size * np.array([math.cos(turn), math.sin(turn)])
        link = system.add(rod(f"link {k}", place, after))
        system.add(cm.Revolute(before, link, at=place))
        before, place = link, after
    assert system.degrees_of_freedom == len(turns)


def test_redundant_bar_is_named_and_moves_rightly():
    """Three bars and a coupler of 2 m: (3/3 + 1) θ'' = −(3/2 + 1) g cos θ, one equation for all of them."""
    system = parallelogram(0.8, bars=3)
    with pytest.warns(cm.CaromWarning, match="1 constraint equation is redundant, in 'top 2'"):
        result = cm.simulate(system, 0.3)  # short of the flat position
    expected = -2.5 * 9.81 * np.cos(result["bar 0"].angle) / 2.0
    for name in ("bar 0", "bar 1", "bar 2"):
        np.testing.assert_allclose(result[name].alpha, expected, rtol=1e-8, atol=1e-8)
    assert result.energy.drift < 1e-8


def test_two_redundant_bars_are_both_named():
    with pytest.warns(cm.CaromWarning, match="2 constraint equations are redundant, in 'top 2', 'top 3'"):
        cm.simulate(parallelogram(0.8, bars=4), 0.01)


def test_mechanism_without_redundancy_gives_no_warning(recwarn):
    cm.simulate(parallelogram(0.8, bars=2), 0.01)
    cm.simulate(FOUR_BAR.system(1.0), 0.01)
    assert not recwarn.list


def test_redundant_bar_of_wrong_length_cannot_be_assembled_and_is_named():
    system = parallelogram(0.8, bars=2)
    foot = (1.0, 0.0)
    # A bar to the middle of the coupler must have the length of the others, 1 m.
    system.add(cm.Distance(system.ground.point(*foot), system["coupler"].point(0.0, 0.0), length=1.05, name="misfit"))
    with pytest.raises(cm.ModelError, match=r"cannot be assembled: joints stay open by .*'misfit'"):
        cm.simulate(system, 0.1)


# ---- singular positions


def n_four_bar(n: int, angle: float) -> cm.System:
    """Upright rods on the ground, n + 1 of them, with n couplers between their tips: lying flat it is singular."""
    system = cm.System(gravity=(0.0, -9.81), name="row")
    tip = np.array([math.cos(angle), math.sin(angle)])
    feet = [np.array([float(k), 0.0]) for k in range(n + 1)]
    rods = [system.add(rod(f"rod {k}", foot, foot + tip)) for k, foot in enumerate(feet)]
    couplers = [system.add(rod(f"coupler {k}", feet[k] + tip, feet[k + 1] + tip)) for k in range(n)]
    for k, foot in enumerate(feet):
        system.add(cm.Revolute(system.ground, rods[k], at=foot, name=f"foot {k}"))
    for k, coupler in enumerate(couplers):
        system.add(cm.Revolute(rods[k], coupler, at=feet[k] + tip, name=f"left {k}"))
        system.add(cm.Revolute(coupler, rods[k + 1], at=feet[k + 1] + tip, name=f"right {k}"))
    return system


@pytest.mark.parametrize("n", [1, 2, 5])
def test_row_of_four_bars_cannot_start_flat(n):
    with pytest.raises(cm.ModelError, match=r"'row' starts in a singular position: joints .*'foot 0'.* lose"):
        cm.simulate(n_four_bar(n, 0.0), 1.0)


def test_flat_parallelogram_has_a_second_way_to_go():
    # At the singular position the count is one more than anywhere else.
    assert parallelogram(0.0, bars=2).degrees_of_freedom == 2
    with pytest.raises(cm.ModelError, match=r"singular position: joints 'foot 0', 'top 0', 'foot 1', 'top 1' lose"):
        cm.simulate(parallelogram(0.0, bars=2), 1.0)


def test_stretched_change_point_four_bar_is_singular():
    """Crank + coupler = base + rocker lets all pins lie on one line, the change point."""
    system = four_bar((0.0, 0.0), (1.0, 0.0), (2.5, 0.0), (2.0, 0.0))
    with pytest.raises(cm.ModelError, match=r"singular position: joints .*'A', 'B', 'C', 'D'"):
        cm.simulate(system, 1.0)


def test_stretched_four_bar_at_its_limit_is_not_singular():
    """Coupler and rocker in one line, the crank off it: a dead point of the crank, but the motion is determined."""
    tip = np.array([math.cos(0.6), math.sin(0.6)])
    end = np.array([2.6, 0.0])
    knee = tip + 0.45 * (end - tip)
    system = four_bar((0.0, 0.0), tip, knee, end)
    assert system.degrees_of_freedom == 1
    assert cm.simulate(system, 0.1).outcome.ok


def test_redundant_mechanism_in_a_singular_position_is_told_from_a_redundant_one():
    with pytest.raises(cm.ModelError, match="singular position"):
        cm.simulate(parallelogram(0.0, bars=3), 1.0)


@pytest.mark.parametrize("analysis", [cm.statics, cm.linearize])
def test_other_analyses_refuse_a_singular_position_too(analysis):
    with pytest.raises(cm.ModelError, match="singular position"):
        analysis(n_four_bar(2, 0.0))


def test_examination_of_independent_rows_changes_nothing():
    mechanism = ModelEvaluator(FOUR_BAR.system(1.0))
    y = mechanism.tables.y0.copy()
    before = {place: array.copy() for place, array in mechanism.tables.arrays.items()}
    found = examine(mechanism, y)
    assert (found.rank, found.dependent, found.involved) == (8, (), ())
    assert mobility(mechanism, 0.0, y) == found
    for name in ("baumgarte_alpha", "baumgarte_beta", "proximal", "proximal_iterations"):
        assert mechanism.tables["settings"][name] == before["settings"][name]
