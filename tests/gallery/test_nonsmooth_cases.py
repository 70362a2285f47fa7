"""Non-smooth cases: closed forms compared with second methods, and checks of runs."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk, ellipkinc

from carom.errors import CaromWarning, ModelError
from carom.gallery import CASES, CheckFailed, bouncing_ball, newtons_cradle, painleve_rod, rocking_block, stick_slip
from carom.gallery.cases.bouncing_ball import impact_times
from carom.gallery.cases.newtons_cradle import first_approach_speeds
from carom.gallery.cases.painleve_rod import PainleveRod
from carom.gallery.cases.rocking_block import RockingMotion
from carom.gallery.cases.stick_slip import FREQUENCY, arcs
from quick import slow_but

OWN = {
    "bouncing_ball": "bounces",
    "newtons_cradle": "blow",
    "rocking_block": "impacts",
    "stick_slip": "arcs",
    "painleve_rod": "regimes",
}
"""Cases and the name of their extra figure."""


def checked(case, **options):
    """Run and check a case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        result = case.run(**options)
    return result, {check.quantity: check for check in case.check(result)}


# Closed forms


def test_the_times_of_the_impacts_add_up_to_the_time_of_rest():
    times = impact_times(0.5, 0.7, math.inf, 1e-12)
    assert times[:3] == pytest.approx([0.5, 0.5 + 0.7, 0.5 + 0.7 + 0.49])
    assert times[-1] == pytest.approx(0.5 * 1.7 / 0.3)


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
def test_impact_of_one_ball_is_transmitted_by_half_of_one_plus_restitution(restitution):
    expected = (0.5 * (1.0 + restitution)) ** np.arange(4)
    assert first_approach_speeds(5, 1, restitution) == pytest.approx(expected)


def test_two_elastic_balls_transmit_two_impacts():
    assert first_approach_speeds(5, 2, 1.0) == pytest.approx([1.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize(("turning", "alpha"), [(0.25, 0.32), (0.01, 0.32), (0.5, 0.6), (1e-4, 0.1)])
def test_the_quarter_period_is_that_of_elliptic_integrals(turning, alpha):
    # φ'' = p² sin φ; with cos φ/2 = κ sin ψ, κ = cos φ₀/2, p t = K(κ²) − F(ψ₁, κ²) at κ sin ψ₁ = cos α/2.
    theory = RockingMotion(1.0, alpha)
    kappa = math.cos(0.5 * (alpha - turning))
    psi = math.asin(math.cos(0.5 * alpha) / kappa)
    expected = (ellipk(kappa**2) - ellipkinc(psi, kappa**2)) / theory.frequency
    assert theory.quarter_period(turning) == pytest.approx(expected, rel=1e-6)


def test_housner_is_the_limit_of_small_angles():
    near = [RockingMotion(1.0, alpha) for alpha in (0.1, 0.01)]
    off = [
        theory.quarter_period(0.5 * theory.alpha) / theory.small_angle_quarter(0.5 * theory.alpha) - 1.0
        for theory in near
    ]
    assert 0.0 < off[1] < off[0] < 0.1**2 / 12.0
    assert off[0] / off[1] == pytest.approx(100.0, rel=0.01)


def test_impact_of_the_block_conserves_angular_momentum_about_the_new_corner():
    # Centre of mass at (∓b, h) from the corners: h·(h ω) − b·(b ω) + I ω/m before, R² ω⁺ + I ω⁺/m after.
    b, h = 0.3, 0.5
    inertia = (b * b + h * h) / 3.0
    ratio = (h * h - b * b + inertia) / (h * h + b * b + inertia)
    assert RockingMotion(math.hypot(b, h), math.atan(b / h)).ratio == pytest.approx(ratio)


@pytest.mark.parametrize(("stretch", "belt"), [(0.15, 0.1), (0.0, 0.15), (-0.3, 0.02), (0.11, 0.0)])
def test_arcs_are_motions_of_the_mass_with_smoothed_friction(stretch, belt):
    dead, sharp = 0.02, 1e-5

    def rate(t, y):
        return y[1], -(FREQUENCY**2) * (y[0] + dead * math.tanh((y[1] - belt) / sharp))

    end = 1.7
    smooth = solve_ivp(rate, (0.0, end), (stretch, 0.0), method="LSODA", rtol=1e-9, atol=1e-11)
    arc = next(arc for arc in arcs(stretch, belt, dead, end) if arc.end >= end)
    x, v = arc.state(end, dead)
    assert smooth.y[0, -1] == pytest.approx(x, abs=2e-5)
    assert smooth.y[1, -1] == pytest.approx(v, abs=2e-4)


def test_amplitude_on_a_belt_at_rest_decreases_by_twice_the_stick_limit():
    dead = 0.02
    *swings, last = arcs(0.15, 0.0, dead, 10.0)
    number = np.arange(len(swings) + 1)
    assert [arc.x for arc in (*swings, last)] == pytest.approx((-1.0) ** number * (0.15 - 2.0 * dead * number))
    assert [arc.start for arc in (*swings, last)] == pytest.approx(math.pi / FREQUENCY * number)
    assert last.side == 0
    assert abs(last.x) <= dead < abs(swings[-1].x)


def test_rod_can_always_slide_below_friction_four_thirds():
    angles = np.linspace(0.0, math.pi / 2.0, 10001)
    assert PainleveRod(4.0 / 3.0).resistance(angles).min() == pytest.approx(0.0, abs=1e-7)
    assert angles[np.argmin(PainleveRod(4.0 / 3.0).resistance(angles))] == pytest.approx(math.atan(2.0), abs=1e-3)


def test_impact_without_collision_stops_the_end():
    # Impulses at the end, from the inverse effective mass; unit mass, half length l.
    angle, speed, l = 1.1, 2.0, 0.5
    arm = l * np.array([math.cos(angle), -math.sin(angle)])  # from the centre of mass to the end
    across = np.array([-arm[1], arm[0]])
    felt = np.eye(2) + np.outer(across, across) / (l * l / 3.0)
    impulse = np.linalg.solve(felt, [-speed, 0.0])
    rate = -(across @ impulse) / (l * l / 3.0)
    rod = PainleveRod(1.8)
    assert rod.rate_after_impact(angle, speed) == pytest.approx(rate)
    # It lies within the cone exactly where A < 0, and on its edge where A = 0.
    assert PainleveRod(-impulse[0] / impulse[1]).resistance(angle) == pytest.approx(0.0, abs=1e-12)
    assert 0.0 < -impulse[0] / impulse[1] < rod.friction


# Runs


@pytest.mark.parametrize("name", OWN)
def test_every_case_also_runs_compliant(name):
    case = CASES[name]()
    result, found = checked(case, method="compliant")
    assert result.settings["method"] == "compliant"
    assert result.settings["max_step"] is None, "the step of time stepping is no bound for integration"
    assert len(found) > 1


@pytest.mark.parametrize("name", OWN)
def test_every_case_holds_its_bounds_with_the_published_rule(name):
    result, _ = checked(CASES[name](), scheme="moreau")
    assert result.settings["scheme"] == "moreau"


@pytest.mark.parametrize("name", OWN)
def test_every_case_can_be_checked_on_a_few_nodes_and_cut_short(name):
    case = CASES[name]()
    end = case.options["t_end"]
    for options in ({"output": end / 500.0, "step": 5e-5}, {"t_end": 0.01 * end}, {"t_end": 0.3 * end}):
        checked(case, **options)


@pytest.mark.parametrize(
    ("factory", "parameters"),
    [
        (bouncing_ball, {"restitution": 0.0}),
        (bouncing_ball, {"restitution": 0.9, "height": 0.2}),
        (bouncing_ball, {"restitution": 1.0}),
        (newtons_cradle, {"restitution": 0.6}),
        (newtons_cradle, {"balls": 3, "lifted": 2, "restitution": 0.9}),
        (newtons_cradle, {"balls": 6, "lifted": 3, "gap": 1e-3}),
        (stick_slip, {"belt_speed": 0.0}),
        (stick_slip, {"belt_speed": 0.5, "stretch": -0.2}),
        (stick_slip, {"friction": 0.5, "stretch": 0.0}),
        (painleve_rod, {"friction": 0.0}),
        (painleve_rod, {"friction": 1.0}),
        (painleve_rod, {"friction": 1.8, "angle": 0.5}),
        (painleve_rod, {"friction": 1.3, "angle": 0.8, "speed": 8.0}),
        (painleve_rod, {"friction": 1.5, "angle": 1.0, "speed": 0.3}),
    ],
)
def test_checks_follow_the_parameters(factory, parameters):
    checked(factory(**parameters))


@pytest.mark.parametrize("parameters", [{"angle0": 0.05}, {"width": 1.0, "height": 1.0, "angle0": 0.4}])
def test_rocking_block_check_follows_its_parameters(parameters):
    _, found = checked(rocking_block(**parameters), step=1e-4)
    assert "angular velocity after it [rad/s]" in found


def test_errors_shrink_with_the_step():
    names = ("position of the mass [m]", "time at which it slips again [s]")
    coarse, fine = (checked(stick_slip(), step=step)[1] for step in (1e-3, 1e-4))
    for name in names:
        assert fine[name].error < 0.3 * coarse[name].error
        assert fine[name].bound < 0.2 * coarse[name].bound


def test_the_ball_rests_after_infinitely_many_bounces(run_of):
    case, result = run_of("bouncing_ball")
    last = result.impacts[-1]
    assert last.persistent
    assert last.t_start == pytest.approx(9.0 * math.sqrt(2.0 / 9.81), abs=0.02)
    assert result["floor"].normal_force[-1] == pytest.approx(9.81)
    assert result["floor"].contact_mode[-1] == 2.0
    assert "time of rest [s]" in {check.quantity for check in case.check(result)}


def test_as_many_balls_leave_the_cradle_as_were_lifted():
    speed = math.sqrt(2.0 * 9.81 * 0.3 * (1.0 - math.cos(0.5)))
    for lifted in (1, 2, 3):
        case = newtons_cradle(lifted=lifted)
        result = case.run(t_end=0.29)
        assert len(result.impacts) == lifted * (5 - lifted)
        leaving = [result[f"ball {k}"].vx[-1] / speed for k in range(1, 6)]
        assert leaving == pytest.approx([0.0] * (5 - lifted) + [1.0] * lifted, abs=2e-3)


def test_rod_slides_or_stops_at_once():
    slides, jams = (painleve_rod(friction=friction).run(t_end=1e-3) for friction in (1.0, 1.8))
    assert -slides["tip"].sliding_velocity[-1] > 1.9
    assert abs(jams["tip"].sliding_velocity[-1]) < 1e-3
    assert jams.energy.friction[-1] == pytest.approx(2.0 * (1.0 - 0.75 * math.sin(1.1) ** 2), rel=1e-3)


# Checks that refuse


def later(result, time):
    return [replace(impact, t_start=impact.t_start + time) for impact in result.impacts]


WRONG = {
    "bouncing_ball": ({"impacts": lambda result: later(result, 1e-3)}, "time of an impact"),
    "newtons_cradle": (
        {"impacts": lambda result: [replace(i, approach_speed=1.001 * i.approach_speed) for i in result.impacts]},
        "approach speed",
    ),
    "rocking_block": ({"v": lambda result: 1.01 * result.v}, "angular velocity before"),
    "stick_slip": ({"q": lambda result: result.q + 1e-3}, "position of the mass"),
    "painleve_rod": ({"v": lambda result: 1.01 * result.v}, "angular velocity after it"),
}


@pytest.mark.parametrize("name", OWN)
def test_check_rejects_small_errors(name, run_of, doctored):
    case, result = run_of(name)
    changes, complaint = WRONG[name]
    with pytest.raises(CheckFailed, match=complaint):
        case.check(doctored(result, **{part: change(result) for part, change in changes.items()}))


def test_check_reports_missing_impacts(run_of, doctored):
    for name in ("bouncing_ball", "rocking_block"):
        case, result = run_of(name)
        with pytest.raises(CheckFailed, match="impacts, of which there are 4"):
            case.check(doctored(result, impacts=[i for i in result.impacts if i.approach_speed > 0.0][:4]))


@pytest.mark.parametrize(
    ("factory", "parameters", "complaint"),
    [
        (bouncing_ball, {"restitution": 1.2}, "restitution must lie between 0 and 1, got 1.2"),
        (bouncing_ball, {"height": 0.0}, "height must be positive"),
        (newtons_cradle, {"balls": 1}, "balls must be a whole number from 2 to 1000, got 1"),
        (newtons_cradle, {"lifted": 5}, r"lifted must be less than balls \(5\), got 5"),
        (newtons_cradle, {"restitution": 0.1}, "restitution must lie between 0.2 and 1, got 0.1"),
        (newtons_cradle, {"balls": 12, "restitution": 0.2}, "stay in contact before"),
        (newtons_cradle, {"angle": 2.0}, "a string becomes slack"),
        (rocking_block, {"width": 2.2}, "a flatter block stops"),
        (rocking_block, {"angle0": 0.4}, "below 0.321751, beyond which the block overturns, got 0.4"),
        (rocking_block, {"friction": 0.2}, "friction must be above 0.243 to prevent slip"),
        (stick_slip, {"belt_speed": -0.1}, "belt_speed must"),
        (painleve_rod, {"angle": 1.6}, "angle must be below π/2"),
        (painleve_rod, {"friction": 4.0 / 3.0, "angle": math.atan(2.0)}, "too close to zero"),
    ],
)
def test_invalid_parameters_are_named(factory, parameters, complaint):
    with pytest.raises(ModelError, match=complaint):
        factory(**parameters)


# Options of a run


def test_step_is_that_of_time_stepping_in_a_nonsmooth_run():
    result = bouncing_ball().run(t_end=0.1, step=1e-3)
    assert result.settings["step"] == 1e-3
    assert result.stats["steps"] == 100


def test_step_is_the_largest_step_in_a_compliant_run_of_the_same_case():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # No option may be without effect.
        result = bouncing_ball().run(t_end=0.1, method="compliant", step=1e-3)
    assert result.settings["max_step"] == 1e-3


def test_options_of_time_stepping_are_passed_to_the_run():
    result = bouncing_ball().run(t_end=0.1, scheme="moreau", solver="pgs", projection=True, adaptive=True)
    assert {key: result.settings[key] for key in ("scheme", "solver", "projection", "adaptive")} == {
        "scheme": "moreau", "solver": "pgs", "projection": True, "adaptive": True,
    }  # fmt: skip


# Figures


@pytest.mark.parametrize("name", slow_but(list(OWN)[:2], OWN))
def test_every_case_has_a_figure_of_its_own(name, run_of):
    case, result = run_of(name)
    assert case.figure_names == ("overview", "motion", "energy", OWN[name])
    figure = case.figures(result, OWN[name])[OWN[name]]
    figure.draw_without_rendering()
    assert figure.get_suptitle()
    for axes in figure.get_axes():
        assert any(len(line.get_xdata()) > 2 and np.isfinite(line.get_ydata()).all() for line in axes.lines)
        assert axes.get_ylabel().endswith("]")
        shared = axes.get_shared_x_axes().get_siblings(axes)
        assert any(other.get_xlabel().endswith("]") for other in shared)


@pytest.mark.parametrize("name", OWN)
def test_figure_of_a_very_short_run_can_be_drawn(name):
    case = CASES[name]()
    result = case.run(t_end=1e-3)
    assert case.figures(result, OWN[name])[OWN[name]].get_axes()


@pytest.mark.slow
def test_figures_show_runs_next_to_the_closed_form(run_of):
    case, result = run_of("bouncing_ball")
    heights, flights = case.figures(result, "bounces")["bounces"].get_axes()
    run, tops = heights.lines[:2]
    assert np.interp(tops.get_xdata()[:5], *run.get_data()) == pytest.approx(tops.get_ydata()[:5], abs=2e-3)
    line, dots = flights.lines[:2]
    assert dots.get_ydata()[:10] == pytest.approx(line.get_ydata()[:10], rel=0.02)
    case, result = run_of("rocking_block")
    speeds = case.figures(result, "impacts")["impacts"].get_axes()[1]
    line, dots = speeds.lines[:2]
    assert dots.get_ydata()[:10] == pytest.approx(line.get_ydata()[:10], rel=0.01)
