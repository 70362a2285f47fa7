"""Cases whose check is a study: identification and optimal design, with their answers in closed form."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize_scalar

from carom.errors import ModelError
from carom.gallery import CheckFailed, bumper, drop_test
from carom.gallery.cases.bumper import optimum_in_closed_form
from carom.gallery.cases.drop_test import (
    GRAVITY,
    MASS,
    contact_duration,
    oscillation,
    pad_law,
    rebound_speed,
    standard_errors,
)
from carom.laws import KelvinVoigt


def errors_of(case, result):
    """Return the errors of a check by quantity."""
    return {check.quantity: check.error for check in case.check(result)}


# Closed forms


@pytest.mark.parametrize("restitution", [0.2, 0.6, 0.99])
def test_oscillation_solves_the_equation_of_motion(restitution):
    law, height = pad_law(2e5, restitution), 0.1

    def motion(_, y):
        return [y[1], GRAVITY - (law.stiffness * y[0] + law.damping * y[1]) / MASS]

    end = contact_duration(law, height)
    speed = math.sqrt(2.0 * GRAVITY * height)
    solution = solve_ivp(motion, (0.0, end), [0.0, speed], method="DOP853", rtol=1e-12, atol=1e-15, dense_output=True)
    t = np.linspace(0.0, end, 7)
    assert solution.sol(t) == pytest.approx(np.array(oscillation(t, law, height)), rel=1e-8, abs=1e-10)
    # The contact ends where the force vanishes for the first time; without gravity the law is exact.
    force = law.stiffness * solution.sol(t)[0] + law.damping * solution.sol(t)[1]
    assert np.all(force[:-1] > 0.0)
    assert force[-1] == pytest.approx(0.0, abs=1e-6 * force.max())
    assert rebound_speed(law, height) == pytest.approx(restitution * speed, abs=2.0 * GRAVITY * end)


def test_optimal_damping_is_that_of_a_search_over_the_damping_ratio():
    mass, speed, stroke = 3.0, 2.0, 0.1

    def force(ratio):  # of the bumper that uses the stroke: the frequency scales travel and force
        unit = KelvinVoigt(1.0, 2.0 * ratio).impact(1.0, 1.0)
        return unit.peak_force * unit.max_indentation * mass * speed**2 / stroke

    found = minimize_scalar(force, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10})
    stiffness, damping, smallest = optimum_in_closed_form(mass, speed, stroke)
    assert smallest == pytest.approx(found.fun, rel=1e-12)
    assert 0.5 * damping / math.sqrt(stiffness * mass) == pytest.approx(found.x, rel=1e-6)
    assert KelvinVoigt(stiffness, damping).impact(mass, speed).max_indentation == pytest.approx(stroke, rel=1e-12)
    assert smallest == pytest.approx(0.520599 * mass * speed**2 / stroke, rel=1e-6)


# Identification


@pytest.mark.parametrize("parameters", [
    {"noise": 1e-6}, {"stiffness": 3e6, "restitution": 0.3, "seed": 5}, {"height": 0.4, "noise": 0.05, "seed": 0},
])  # fmt: skip
def test_drop_test_check_follows_its_parameters(parameters):
    case = drop_test(**parameters)
    assert len(case.check(case.run())) == 9


def test_identification_errs_with_the_noise():
    case = drop_test(noise=1e-6)
    found = errors_of(case, case.run())
    law = case.system["plate"].law
    # Four standard errors are parts per million here.
    assert max(4.0 * standard_errors(law, 0.1, 1e-6) / [law.stiffness, law.restitution]) < 1e-5
    assert found["identified stiffness, off by [standard errors]"] < 4.0


def test_identification_of_another_pad_is_rejected(run_of, monkeypatch):
    """A fit to the record of a pad that is two per cent stiffer is beyond four standard errors."""
    _, result = run_of("drop_test")
    from carom.gallery.cases import drop_test as module

    record = module.force_record
    monkeypatch.setattr(module, "force_record", lambda stiffness, *rest: record(1.02 * stiffness, *rest))
    with pytest.raises(CheckFailed, match="identified stiffness"):
        drop_test().check(result)


def test_drop_test_check_rejects_small_force_errors(run_of, doctored):
    case, result = run_of("drop_test")
    with pytest.raises(CheckFailed, match="force, relative"):
        case.check(doctored(result, signals=1.0001 * result.signals))


# Design


@pytest.mark.parametrize("parameters", [
    {"mass": 2e-3, "speed": 30.0, "stroke": 1e-2}, {"stiffness": 4e4, "damping": 8e3},
])  # fmt: skip
def test_bumper_check_follows_its_parameters(parameters):
    case = bumper(**parameters)
    assert len(case.check(case.run())) == 8


def test_bumper_check_rejects_a_design_for_another_speed(run_of, monkeypatch):
    _, result = run_of("bumper")
    from carom.gallery.cases import bumper as module

    closed_form = module.optimum_in_closed_form
    monkeypatch.setattr(module, "optimum_in_closed_form", lambda m, v, s: closed_form(m, 1.001 * v, s))
    with pytest.raises(CheckFailed, match="optimal stiffness"):
        bumper().check(result)


def test_bumper_check_rejects_small_errors_of_the_impact(run_of, doctored):
    case, result = run_of("bumper")
    wrong = [replace(impact, peak_force=1.0001 * impact.peak_force) for impact in result.impacts]
    with pytest.raises(CheckFailed, match="peak force, relative"):
        case.check(doctored(result, impacts=wrong))


# Both


@pytest.mark.parametrize(("name", "figure", "panels"), [("drop_test", "identification", 2), ("bumper", "design", 2)])
def test_study_has_a_figure(name, figure, panels, run_of):
    case, result = run_of(name)
    assert case.figure_names[3:] == (figure,)
    drawn = case.figures(result, figure)[figure]
    drawn.draw_without_rendering()
    assert len(drawn.get_axes()) == panels
    for axes in drawn.get_axes():
        assert axes.get_xlabel().endswith("]")
        assert axes.get_ylabel().endswith("]")
        assert all(np.isfinite(line.get_ydata()).all() for line in axes.lines)


@pytest.mark.parametrize("name", ["drop_test", "bumper"])
def test_a_run_without_impact_is_checked_by_its_energy(name, run_of):
    case, _ = run_of(name)
    assert len(case.check(case.run(t_end=0.01))) == 1


@pytest.mark.parametrize(
    ("factory", "parameters", "complaint"),
    [
        (drop_test, {"restitution": 0.1}, "restitution must lie between 0.2 and 0.99, got 0.1"),
        (drop_test, {"noise": 0.0}, "noise must lie between 1e-06 and 0.1, got 0"),
        (drop_test, {"seed": -1}, "seed must be a whole number"),
        (drop_test, {"height": 0.0}, "height must be positive"),
        (drop_test, {"height": 1e-4}, "does not bounce from a height of 0.0001 m"),
        (bumper, {"damping": 0.0}, "damping must be positive"),
        (bumper, {"stroke": -0.1}, "stroke must be positive"),
    ],
)
def test_invalid_parameters_are_named(factory, parameters, complaint):
    with pytest.raises(ModelError, match=complaint):
        factory(**parameters)
