"""Tests of all cases: their checks pass, and reject results with small errors."""

from dataclasses import replace

import numpy as np
import pytest

from carom import gallery
from carom.gallery import CASES, Case, CheckFailed
from carom.result import Outcome
from gallery.conftest import IMPACTS
from quick import slow_but

BY_ENERGY = ("slider_crank_block", "knee", "condyles")
"""Cases without a reference solution, checked by their energy."""


SOME = ("pendulum", "slider_crank_block", "slider_crank_clearance", "cam_follower", "dzhanibekov", "box_of_spheres")
"""One case of each kind; the slow tests contain the others."""


FOLLOWED = ("pendulum", "four_bar", "slider_crank_clearance", "funnel", "spinning_top")
"""One case of each kind that is checked at every node; the slow tests contain the others."""
some_followed = pytest.mark.parametrize(
    "followed", slow_but(FOLLOWED, [name for name in CASES if name not in IMPACTS]), indirect=True
)


def test_every_case_agrees_with_theory_or_a_second_method(finished):
    case, result = finished
    check_results = case.check(result)
    assert any("energy" in check.quantity for check in check_results)
    assert len(check_results) >= (1 if case.name in BY_ENERGY else 2)


@some_followed
def test_check_rejects_small_position_errors(followed, doctored):
    case, result = followed
    ramp = result.t / result.t[-1]
    with pytest.raises(CheckFailed, match="beyond the bound"):
        case.check(doctored(result, q=result.q + 1e-4 * ramp[:, None]))


@some_followed
def test_check_rejects_small_velocity_errors(followed, doctored):
    case, result = followed
    with pytest.raises(CheckFailed, match="beyond the bound"):
        case.check(doctored(result, v=1.001 * result.v))


@some_followed
def test_check_rejects_scaled_times(followed, doctored):
    case, result = followed
    with pytest.raises(CheckFailed, match="beyond the bound"):
        case.check(doctored(result, t=1.0001 * result.t))


@pytest.mark.parametrize("finished", slow_but(SOME, CASES), indirect=True)
def test_check_rejects_an_energy_balance_that_does_not_close(finished, doctored):
    case, result = finished
    lost = 1e-3 * result.energy.scale * result.t / result.t[-1]
    with pytest.raises(CheckFailed, match="energy drift"):
        case.check(doctored(result, ledger=replace(result.energy, kinetic=result.energy.kinetic - lost)))


@some_followed
def test_check_rejects_nan(followed, doctored):
    case, result = followed
    q = result.q.copy()
    q[-1] = np.nan
    with pytest.raises(CheckFailed, match="off by nan"):
        case.check(doctored(result, q=q))


@pytest.mark.parametrize("name", ["two_spheres", "falling_ball", "pendulum_wall"])
def test_check_rejects_small_errors_of_restitution(name, run_of, doctored):
    case, result = run_of(name)
    wrong = [replace(impact, separation_speed=1.0001 * impact.separation_speed) for impact in result.impacts]
    with pytest.raises(CheckFailed, match="restitution"):
        case.check(doctored(result, impacts=wrong))


def test_check_rejects_an_unfinished_run(finished, doctored):
    case, result = finished
    with pytest.raises(CheckFailed, match="did not reach its end"):
        case.check(doctored(result, outcome=Outcome.NOT_CONVERGED))


@pytest.mark.parametrize("name", ["spring_pendulum", "four_bar"])
def test_check_rejects_small_force_errors(name, run_of, doctored):
    case, result = run_of(name)
    with pytest.raises(CheckFailed, match=r"tension|power"):
        case.check(doctored(result, signals=1.001 * result.signals))


def test_every_case_has_title_description_and_reference(finished):
    case, _ = finished
    assert isinstance(case, Case)
    assert CASES[case.name] is getattr(gallery, case.name)
    assert 10 < len(case.title) < 70
    assert not case.title.endswith(".")
    assert len(case.description) > 100
    assert case.reference


@pytest.mark.parametrize("finished", slow_but(SOME, CASES), indirect=True)
def test_every_case_has_its_figures(finished):
    case, result = finished
    assert case.figure_names[:3] == ("overview", "motion", "energy")
    for name in case.figure_names[:3]:
        figure = case.figures(result, name)[name]
        figure.draw_without_rendering()
        for axes in figure.get_axes():
            if axes.images:  # a rendered picture has a grid instead of axes
                assert axes.texts[0].get_text().startswith("grid ")
                continue
            assert axes.get_ylabel().endswith("]"), "an axis has a unit"
            assert axes.lines or axes.collections
        assert any(axes.get_xlabel().startswith("time [") for axes in figure.get_axes())
