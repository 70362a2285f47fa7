"""Single cases: published values, variants and invalid parameters."""

import math

import numpy as np
import pytest

from carom.errors import CaromWarning, ModelError
from carom.gallery import (
    CheckFailed,
    chain,
    double_pendulum,
    four_bar,
    n_four_bar,
    parallelogram,
    pendulum,
    slider_crank,
    spring_pendulum,
)
from carom.gallery.cases.pendulum import return_time


def test_pendulum_period_is_the_published_one(run_of):
    _, result = run_of("pendulum")
    assert return_time(result, 2.37) == pytest.approx(2.36784194757, abs=1e-10)


@pytest.mark.parametrize(
    "parameters", [{"inertia": 0.4, "length": 0.5}, {"angle": 1.2}, {"angle": -2.5}, {"mass": 7.0}]
)
def test_pendulum_check_follows_its_parameters(parameters):
    case = pendulum(**parameters)
    case.check(case.run())


@pytest.mark.parametrize(
    "parameters", [{"crank": "driven"}, {"speed": -150.0}, {"speed": 0.0}, {"rod_inertia": 5.9e-4}]
)
def test_slider_crank_check_holds_for_its_variants(parameters):
    case = slider_crank(**parameters)
    case.check(case.run())


def test_slider_crank_check_rejects_a_wrong_motor_torque(doctored):
    case = slider_crank(crank="driven")
    result = case.run()
    with pytest.raises(CheckFailed, match="motor torque"):
        case.check(doctored(result, signals=1.00001 * result.signals))


def test_slider_crank_reaches_both_dead_centres(run_of):
    _, result = run_of("slider_crank")
    assert result["slider"].x.max() == pytest.approx(0.153 + 0.306, abs=1e-6)
    assert result["slider"].x.min() == pytest.approx(0.306 - 0.153, abs=1e-5)


def test_four_bar_rocker_swings_between_its_limits(run_of):
    # Limits where crank and coupler lie in a line: triangles with sides b ± a, c, d.
    _, result = run_of("four_bar")
    a, b, c, d = 0.10, 0.26, 0.20, 0.28
    limits = [math.pi - math.acos((c * c + d * d - side * side) / (2 * c * d)) for side in (b + a, b - a)]
    angle = result.sample(np.linspace(result.t[0], result.t[-1], 4001))["rocker"].angle
    assert [angle.min(), angle.max()] == pytest.approx(sorted(limits), abs=1e-5)


def test_four_bar_needs_a_rotating_crank():
    with pytest.raises(ModelError, match="shortest \\+ longest"):
        four_bar(crank=0.1, coupler=0.2, rocker=0.15, base=0.3)


def test_parallelogram_warns_of_the_redundant_bar():
    with pytest.warns(CaromWarning, match="redundant, in 'pin 3'"):
        parallelogram().run(t_end=0.01)


@pytest.mark.parametrize("n", [1, 5])
def test_n_four_bar_passes_its_singular_positions(n):
    case = n_four_bar(n)
    result = case.run(t_end=4.0)
    assert result["rod 0"].angle[-1] < -2.0 * math.pi  # More than one revolution has four singular positions.
    case.check(result)


def test_chain_of_two_is_the_double_pendulum():
    pair = double_pendulum(lengths=(0.5, 0.5), masses=(0.5, 0.5), angles=(0.0, 0.0)).run(t_end=1.0)
    links = chain(links=2).run(t_end=1.0)
    assert links["link 2"].angle[-1] == pytest.approx(pair["lower rod"].angle[-1], abs=1e-9)


def test_spring_pendulum_without_damper_conserves_energy():
    case = spring_pendulum(damping=0.0)
    result = case.run(t_end=3.0)
    case.check(result)
    assert not np.any(result.energy.dissipated)


@pytest.mark.parametrize(
    ("factory", "parameters", "complaint"),
    [
        (pendulum, {"length": 0.0}, "length must be positive"),
        (pendulum, {"angle": math.pi / 2}, "angle must lie between"),
        (pendulum, {"angle": -math.pi / 2}, "must not be −π/2"),
        (double_pendulum, {"masses": (1.0,)}, "masses must be 2 numbers"),
        (chain, {"links": 0}, "links must be a whole number from 1 to 10000, got 0"),
        (chain, {"links": 2.5}, "links must be a whole number"),
        (n_four_bar, {"n": 0}, "n must be a whole number from 1 to 1000, got 0"),
        (slider_crank, {"crank": "loose"}, "crank must be one of 'free', 'driven', got 'loose'"),
        (parallelogram, {"angle": 0.5}, "angle must lie between"),
        (spring_pendulum, {"stiffness": -1.0}, "stiffness must be positive"),
    ],
)
def test_invalid_parameters_are_named(factory, parameters, complaint):
    with pytest.raises(ModelError, match=complaint):
        factory(**parameters)
