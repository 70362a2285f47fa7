"""Spatial cases and the cam: variants, published figures, and changed results that checks must reject."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.gallery import (
    CheckFailed,
    ball_on_incline,
    ball_on_swinging_disc,
    cam_follower,
    differential,
    dzhanibekov,
    funnel,
)
from carom.gallery.cases.cam_follower import LIFT, ROLLER, height_of, lift, radius_of
from carom.gallery.cases.differential import cubic_step, rotation_angle
from carom.gallery.cases.dzhanibekov import INERTIA, reference_spin
from quick import slow_but

FIGURES = {
    "funnel": ("M26",),
    "ball_on_swinging_disc": ("M17", "M18"),
    "cam_follower": ("M23", "M24"),
    "differential": ("M20", "M21"),
}


DRAWN = [(name, figure) for name, own in FIGURES.items() for figure in own]


@pytest.mark.parametrize(("name", "figure"), slow_but(DRAWN[:3], DRAWN))
def test_a_published_figure_is_drawn_without_a_warning(name: str, figure: str, run_of):
    case, result = run_of(name)
    assert case.figure_names[3:] == FIGURES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = case.figures(result, figure)[figure]
        drawn.draw_without_rendering()
    assert drawn.get_suptitle() or drawn.get_axes()[0].get_title()
    for axes in drawn.get_axes():
        assert axes.lines or axes.collections or not axes.axison  # An unused frame has no axes.


# ---- results that are wrong

WRONG = {
    # part of the result, with its factor or offset
    "ball_on_swinging_disc": ({"q": 1e-4}, {"t": 1.001}),
    "cam_follower": ({"q": 1e-3}, {"t": 1.01}),
    "ball_on_incline": ({"q": 1e-3}, {"v": 1.001}, {"t": 1.001}),
}


@pytest.mark.parametrize(
    ("name", "change"),
    slow_but(
        [(name, every[0]) for name, every in WRONG.items()],
        [(name, one) for name, every in WRONG.items() for one in every],
    ),
)
def test_check_rejects_small_errors(name: str, change: dict, run_of, doctored):
    case, result = run_of(name)
    ((part, size),) = change.items()
    ramp = (result.t / result.t[-1])[:, None]
    wrong = result.q + size * ramp if part == "q" else size * getattr(result, part)
    with pytest.raises(CheckFailed, match="beyond the bound"):
        case.check(doctored(result, **{part: wrong}))


@pytest.mark.parametrize("name", slow_but(["dzhanibekov"], [*WRONG, "funnel", "differential", "dzhanibekov"]))
def test_check_rejects_nan_positions(name: str, run_of, doctored):
    case, result = run_of(name)
    q = result.q.copy()
    q[1] = np.nan
    with pytest.raises(CheckFailed, match="off by nan"):
        case.check(doctored(result, q=q))


def test_check_rejects_a_ball_outside_the_tube(run_of, doctored):
    case, result = run_of("funnel")
    q = result.q.copy()
    q[-1, 2] = 0.1
    with pytest.raises(CheckFailed, match="balls outside the tube at the end"):
        case.check(doctored(result, q=q))
    q[-1, 2] = np.nan
    with pytest.raises(CheckFailed, match="balls outside the tube at the end"):
        case.check(doctored(result, q=q))


# ---- variants


@pytest.mark.parametrize(
    "case",
    [
        ball_on_incline(slope=0.3),
        ball_on_incline(slope=0.6, friction=0.1),  # μ < 2/7 tan β: it never rolls
        ball_on_incline(friction=0.0),
        ball_on_incline(slope=-0.1, speed=1.0),
        dzhanibekov(0.1),
        ball_on_swinging_disc(5.0, (0.05, 0.08), "ignore"),
    ],
    ids=["down", "slides", "smooth", "up", "disturbed", "face"],
)
def test_checks_follow_the_parameters(case):
    case.check(case.run(**({"t_end": 0.2} if case.name == "ball_on_swinging_disc" else {})))


@pytest.mark.parametrize("options", [{"scheme": "moreau"}, {"scheme": "theta"}, {"method": "compliant"}])
def test_the_ball_on_the_incline_is_the_same_by_all_methods(options: dict):
    case = ball_on_incline()
    case.check(case.run(**{"step": 1e-3, **options} if "scheme" in options else options))


def test_a_translating_cam_lifts_by_its_graph():
    case = cam_follower("graph")
    result = case.run(t_end=0.3)
    case.check(result)
    assert lift(False, 0.0) == pytest.approx(float(height_of(0.0)) + ROLLER, abs=1e-12)
    assert result["follower"].y[0] == pytest.approx(lift(False, 0.0), abs=2e-4)


def test_cam_lifts_by_its_lift(run_of):
    _, result = run_of("cam_follower")
    assert float(radius_of(math.pi) - radius_of(0.0)) == pytest.approx(LIFT, abs=1e-15)
    assert np.ptp(result["follower"].y) == pytest.approx(LIFT, abs=2e-4)


def test_the_spin_is_that_of_eulers_equations():
    """Compare with I₂ ω̇₂ = (I₃ − I₁) ω₃ ω₁, integrated by SciPy."""
    from scipy.integrate import solve_ivp

    a, b, c = INERTIA
    times = np.linspace(0.0, 20.0, 41)
    exact = solve_ivp(
        lambda _, w: [(b - c) * w[1] * w[2] / a, (c - a) * w[2] * w[0] / b, (a - b) * w[0] * w[1] / c],
        (0.0, 20.0), [0.01, 3.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-14,
    ).y[1]  # fmt: skip
    np.testing.assert_allclose(reference_spin(times, 0.01), exact, rtol=0.0, atol=1e-8)


def test_rotation_angle_counts_revolutions():
    """Check a wheel that rotates by 7.3 rad between two nodes."""
    system = cm.System(dim=3)
    system.add(cm.Body("wheel", 1.0, 0.1, position=(0, 0, 0), angular_velocity=(3.65, 0.0, 0.0)))
    result = cm.simulate(system, 2.0, output=[2.0])
    assert rotation_angle(result["wheel"]) == pytest.approx(7.3, abs=1e-8)
    assert [cubic_step(x) for x in (-1.0, 0.0, 0.5, 1.0, 2.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]


@pytest.mark.slow
def test_left_wheel_rotates_twice_as_fast_when_the_right_one_is_locked():
    case = differential()
    check_results = case.check(case.run())
    assert sum("mean speed" in check.quantity for check in check_results) == 4


@pytest.mark.parametrize(
    ("factory", "parameters", "complaint"),
    [
        (funnel, {"balls": 0}, "balls must be a whole number from 1 to 12, got 0"),
        (funnel, {"balls": 2.0}, "balls must be a whole number"),
        (ball_on_swinging_disc, {"amplitude": 95.0}, "amplitude must be below 90°"),
        (ball_on_swinging_disc, {"start": (0.1,)}, "start must be 2 numbers"),
        (ball_on_swinging_disc, {"edges": "round"}, "edges must be one of 'contact', 'ignore'"),
        (ball_on_incline, {"speed": 0.0}, "speed must be positive"),
        (ball_on_incline, {"friction": -0.1}, "friction must be positive or zero"),
        (cam_follower, {"profile": "open"}, "profile must be one of 'closed', 'graph'"),
        (dzhanibekov, {"disturbance": 0.0}, "disturbance must be positive"),
    ],
)
def test_invalid_parameters_are_named(factory, parameters: dict, complaint: str):
    with pytest.raises(ModelError, match=complaint):
        factory(**parameters)


def test_single_ball_falls_into_the_tube():
    case = funnel(1)
    case.check(case.run(t_end=0.2))
