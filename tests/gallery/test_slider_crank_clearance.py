"""Slider with clearance: two sets of coordinates, compliant and non-smooth runs, equations and figures of the paper."""

from functools import cache, lru_cache

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.gallery import CheckFailed, slider_crank_clearance
from carom.gallery.cases.slider_crank_clearance import MAX_TILT
from carom.gallery.figures.slider_crank_clearance import mean_distance, two_revolutions
from carom.plot.slider_corners import configuration
from physics.reference import slider_crank_clearance as reference
from quick import slow_but

BOTH = pytest.mark.parametrize("coordinates", ["generalized", "cartesian"])
STATES = [
    (np.array([0.7, -0.4, 0.013]), np.array([120.0, -60.0, 15.0])),
    (np.array([4.0, 0.3, -0.008]), np.array([-80.0, 35.0, -40.0])),
]


@cache
def made(coordinates="cartesian", **parameters):
    return slider_crank_clearance(coordinates=coordinates, **parameters)


@lru_cache(6)
def ran(coordinates="cartesian", step=1e-5, t_end=0.2, **parameters):
    return made(coordinates, **parameters).run(step=step, t_end=t_end)


@cache
def truth(restitution, slider_angle):
    """Return (q, u) of the event-driven reference at a hundred times and at 0.2 s."""
    times = np.linspace(0.0, 0.2, 101)[1:-1]
    answer = reference.event_driven(restitution, slider_angle=slider_angle, times=times)
    assert answer["faults"] == 0
    return times, answer["states"], answer["final"]


# ---- the model


@BOTH
def test_results_have_the_same_names_in_both_coordinates(coordinates):
    result = made(coordinates).run(t_end=0.01, step=1e-5)
    for body in ("crank", "rod", "slider"):
        series = result[body]
        assert np.all(np.isfinite([series.x, series.y, series.angle, series.vx, series.vy, series.omega]))
    assert [impact.contact for impact in result.impacts[:2]] == ["guide 1", "guide 2"]
    assert {f"guide {k}" for k in (1, 2, 3, 4)} <= {element.name for element in result.elements}
    assert (result.settings["method"], result.settings["scheme"]) == ("nonsmooth", "midpoint")
    start = result.sample(0.0)
    assert [start[body].omega[0] for body in ("crank", "rod", "slider")] == pytest.approx([150.0, -75.0, 0.0])
    assert start["slider"].position[0] == pytest.approx((0.459, 0.0))


@pytest.mark.parametrize("state", STATES)
def test_the_equations_of_the_free_crank_are_those_of_the_paper(state):
    q, u = state
    functions = made("generalized").system.compiled()
    inverse, rate = reference.dynamics(q, u, False)
    mass = functions.mass(0.0, q, u).reshape(3, 3)
    assert np.allclose(mass @ inverse, np.eye(3), atol=1e-12)
    assert functions.force(0.0, q, u) == pytest.approx(mass @ rate, rel=1e-11, abs=1e-12)
    gap, w, _ = reference.corners(q, u)
    assert functions.gaps(0.0, q, u) == pytest.approx(gap, rel=1e-12, abs=1e-16)
    rows = functions.directions(0.0, q, u).reshape(4, 2, 4)
    assert np.allclose(rows[:, 0, :3], w[:4], atol=1e-15)
    assert np.allclose(rows[:, 1, :3], w[4:], atol=1e-15)
    assert not np.any(rows[:, :, 3])  # (114)


def test_driven_crank_gives_two_equations_that_depend_on_time():
    q, u = np.array([0.0, -0.4, 0.013]), np.array([150.0, -60.0, 15.0])
    t = 0.7 / 150.0
    q[0] = 150.0 * t
    system = made("generalized", crank="driven").system
    assert system.coordinates == ("rod angle", "slider angle")
    functions = system.compiled()
    inverse, rate = reference.dynamics(q, u, True)
    mass = functions.mass(t, q[1:], u[1:]).reshape(2, 2)
    assert np.allclose(mass @ inverse[1:, 1:], np.eye(2), atol=1e-12)
    assert functions.force(t, q[1:], u[1:]) == pytest.approx(mass @ rate[1:], rel=1e-11, abs=1e-12)
    gap, w, _ = reference.corners(q, u)
    assert functions.gaps(t, q[1:], u[1:]) == pytest.approx(gap, rel=1e-12, abs=1e-16)
    rows = functions.directions(t, q[1:], u[1:]).reshape(4, 2, 3)
    for d, expected in enumerate((w[:4], w[4:])):
        assert np.allclose(rows[:, d, :2], expected[:, 1:], atol=1e-15)
        assert np.allclose(rows[:, d, 2], 150.0 * expected[:, 0], atol=1e-12)


# ---- the motion


@BOTH
@pytest.mark.parametrize(("restitution", "slider_angle"), [(0.4, 0.0), (0.1, 1e-3)])
def test_the_motion_is_that_of_the_reference(coordinates, restitution, slider_angle):
    times, states, final = truth(restitution, slider_angle)
    result = ran(coordinates, restitution=restitution, slider_angle=slider_angle)
    assert result["crank"].omega[-1] == pytest.approx(final[3], abs=0.03)
    assert result["crank"].angle[-1] == pytest.approx(final[0], abs=1e-3)
    across = 0.153 * np.sin(states[:, 0]) + 0.306 * np.sin(states[:, 1])
    assert np.mean(np.abs(result.sample(times)["slider"].y - across)) < 1e-5  # of a clearance of 1e-3


def test_error_decreases_with_the_step():
    times, states, _ = truth(0.4, 0.0)
    across = 0.153 * np.sin(states[:, 0]) + 0.306 * np.sin(states[:, 1])
    steps = (8e-5, 2e-5, 5e-6)
    runs = [ran("cartesian", step=step).sample(times)["slider"].y for step in steps]
    coarse, middle, fine = (float(np.mean(np.abs(run - across))) for run in runs)
    assert coarse > 2.0 * middle > 4.0 * fine  # The order is at least one, that of the impact times.


@pytest.mark.parametrize(("restitution", "slider_angle"), [(0.4, 0.0), (0.1, 1e-3)])
def test_both_coordinates_give_the_same_motion(restitution, slider_angle):
    one, two = (
        ran(coordinates, restitution=restitution, slider_angle=slider_angle)
        for coordinates in ("generalized", "cartesian")
    )
    assert one["crank"].omega[-1] == pytest.approx(two["crank"].omega[-1], abs=0.03)
    assert np.mean(np.abs(one["slider"].y - two["slider"].y)) < 1e-5
    first, second = ([impact.t_start for impact in run.impacts[:4]] for run in (one, two))
    assert first == pytest.approx(second, abs=2e-5)


@BOTH
def test_driven_crank_rotates_at_its_prescribed_speed(coordinates):
    result = ran(coordinates, crank="driven")
    assert np.max(np.abs(result["crank"].angle - 150.0 * result.t)) < 1e-6
    assert np.max(np.abs(result["crank"].omega - 150.0)) < 1e-9
    assert result.impacts
    one = ran("generalized", crank="driven")
    assert result["rod"].omega[-1] == pytest.approx(one["rod"].omega[-1], abs=1e-3)


@BOTH
def test_only_a_tilted_start_breaks_the_symmetry(coordinates):
    assert np.max(np.abs(ran(coordinates)["slider"].angle)) < 1e-9
    tilted = ran(coordinates, restitution=0.1, slider_angle=1e-3)
    assert tilted["slider"].angle[0] == pytest.approx(1e-3)
    first, second = tilted.impacts[:2]
    assert (first.contact, second.contact) == ("guide 2", "guide 1")
    assert second.t_start > first.t_start


@pytest.mark.parametrize("coordinates", slow_but(["cartesian"], ["generalized", "cartesian"]))
def test_the_event_driven_scheme_agrees(coordinates):
    _, _, final = truth(0.4, 0.0)
    exact = made(coordinates).run(scheme="event-driven")
    assert exact["crank"].omega[-1] == pytest.approx(final[3], abs=1e-3)
    assert ran(coordinates)["crank"].omega[-1] == pytest.approx(exact["crank"].omega[-1], abs=0.03)


# ---- which corners touch


@BOTH
def test_configuration_names_the_corners_in_contact(coordinates):
    result = ran(coordinates, restitution=0.1, slider_angle=1e-3)
    guides = [result[f"guide {k}"] for k in (1, 2, 3, 4)]
    pressed = np.array([guide.contact_mode > 0.0 for guide in guides])
    expected = []
    for row in (pressed | np.array([guide.indentation >= -1e-9 for guide in guides])).T:
        touching = frozenset(np.flatnonzero(row) + 1)
        kinds = {frozenset(): 0, frozenset({1, 2}): 2, frozenset({3, 4}): 2}
        expected.append(kinds.get(touching, {1: 1, 2: 3, 3: 4, 4: 4}.get(len(touching))))
    found = configuration(result, "guide")
    assert np.array_equal(found, expected)
    assert {0, 1, 2} <= set(found)
    assert set(found) <= {0, 1, 2, 3, 4}
    assert not np.any(pressed[:, found == 0])
    if coordinates == "cartesian":
        assert np.array_equal(result["guide"].configuration, expected)
        assert np.allclose(result["guide"].offset, result["slider"].y, atol=1e-15)


# ---- the compliant run


@cache
def compliant(stiffness, friction=0.0):
    case = made("cartesian", friction=friction, stiffness=stiffness)
    return case, case.run(method="compliant", t_end=0.012)


def test_compliant_runs_converge_to_the_nonsmooth_run():
    rigid = ran("cartesian", step=1e-6, t_end=0.012, friction=0.0)
    far = [mean_distance(rigid, compliant(stiffness)[1], 1e-3) for stiffness in (1e8, 1e10, 1e12)]
    # The duration of an impact is proportional to K^(−2/5).
    assert far[0] / far[1] == pytest.approx(100.0**0.4, rel=0.15)
    assert far[1] / far[2] == pytest.approx(100.0**0.4, rel=0.15)
    assert far[2] < 2e-3


def test_friction_prevents_the_convergence():
    # While two corners are in contact, friction rotates the slider; Newton's law stops both at once.
    rigid = ran("cartesian", step=1e-6, t_end=0.012)
    assert mean_distance(rigid, compliant(1e12, 0.01)[1], 1e-3) > 0.01
    assert np.max(np.abs(compliant(1e12, 0.01)[1]["slider"].angle)) > 1e-5
    assert np.max(np.abs(compliant(1e12)[1]["slider"].angle)) < 1e-9


def test_the_compliant_run_returns_the_same_restitution_and_is_checked():
    case, result = compliant(1e12)
    assert result.impacts[0].restitution == pytest.approx(0.4, abs=0.005)
    assert {check.quantity for check in case.check(result)} == {"energy drift", "bodies at their pins [m]"}
    soft = made("cartesian").system["guide 1"].law
    assert (soft.name, soft.stiffness) == ("exact_restitution", pytest.approx(cm.hertz_stiffness(1e-3)))


def test_generalised_coordinates_have_no_compliant_run():
    with pytest.raises(ModelError, match="GeneralizedSystem 'slider-crank with clearance'"):
        made("generalized").run(method="compliant")


def test_no_law_has_restitution_zero():
    case = made("cartesian", restitution=0.0)
    assert case.run(t_end=0.004).impacts[0].restitution < 1e-9
    assert "compliant" not in case.figure_names
    with pytest.raises(ModelError, match="'guide 1': no contact law"):
        case.run(method="compliant")


# ---- what is refused


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"crank": "loose"}, "crank must be one of 'free', 'driven', got 'loose'"),
        ({"coordinates": "polar"}, "coordinates must be one of 'generalized', 'cartesian', got 'polar'"),
        ({"slider_angle": 0.03}, r"slider_angle must lie between −0\.02010 and 0\.02010, where corners touch"),
        ({"restitution": 1.2}, r"restitution must lie in \[0, 1\], got 1\.2"),
        ({"friction": -0.1}, "friction must be positive or zero"),
        ({"stiffness": 0.0}, "stiffness must be positive"),
        ({"law": "rubber"}, "law must be one of hertz"),
    ],
)
def test_invalid_parameters_are_named(parameters, complaint):
    with pytest.raises(ModelError, match=complaint):
        slider_crank_clearance(**parameters)


def test_the_largest_tilt_is_that_at_which_opposite_corners_touch():
    assert pytest.approx(reference.touching_angle(), abs=1e-15) == MAX_TILT
    gap, _, _ = reference.corners(np.array([0.0, 0.0, MAX_TILT]), np.zeros(3))
    assert gap[1] == pytest.approx(0.0, abs=1e-16)
    assert gap[2] == pytest.approx(0.0, abs=1e-16)


@pytest.mark.parametrize(
    "parameters",
    [{"crank": "driven"}, {"restitution": 0.9, "slider_angle": 1e-3}, {"restitution": 0.0, "friction": 0.1}],
    ids=["driven", "bouncy", "dull"],
)
def test_the_check_holds_for_other_parameters(parameters):
    case = made("cartesian", **parameters)
    case.check(ran("cartesian", t_end=0.05, **parameters))


def test_check_rejects_a_corner_inside_the_guide(doctored):
    case, result = made("cartesian"), ran("cartesian", t_end=0.02)
    column = next(element.columns[0] for element in result.elements if element.name == "guide 3")
    signals = result.signals.copy()
    signals[50, column] = 1e-4
    with pytest.raises(CheckFailed, match="deepest corner"):
        case.check(doctored(result, signals=signals))


# ---- the figures of the paper


@lru_cache(1)
def figure(name):
    case = made("cartesian")
    return case.figures(ran("cartesian"), name)[name]


def test_the_case_names_its_figures():
    names = ("overview", "motion", "energy", "N8", "N10", "N11", "N12", "N13", "compliant")
    assert made("cartesian").figure_names == made("generalized").figure_names == names


def test_n10_shows_four_corners_for_two_revolutions():
    axes = figure("N10").get_axes()
    result = ran("cartesian")
    end = two_revolutions(result)[1]
    assert np.interp(end, result.t, result["crank"].angle) == pytest.approx(4.0 * np.pi, abs=2e-3)
    for k, panel in enumerate(axes):
        t, y = next(line for line in panel.lines if line.get_label() == "free flight").get_xydata().T
        assert panel.get_xlim() == pytest.approx((0.0, end))
        assert np.abs(y).max() < 1.02
        side = 1.0 if k < 2 else -1.0
        pressed = panel.lines[-1].get_ydata()
        assert np.allclose(pressed[np.isfinite(pressed)], side, atol=0.02)
        assert np.isfinite(pressed).sum() > 100
        assert len(t) == len(result.t)


def test_n11_shows_speeds_and_portraits():
    axes = figure("N11").get_axes()
    result = ran("cartesian")
    assert [panel.get_title(loc="left")[:3] for panel in axes] == ["(a)", "(b)", "(c)", "(d)"]
    t, omega = axes[0].lines[0].get_xydata().T
    assert np.array_equal(omega, result["crank"].omega[: len(t)])
    angle, speed = axes[2].lines[0].get_xydata().T
    assert np.array_equal([angle[0], speed[0]], [result["rod"].angle[0], result["rod"].omega[0]])
    y, vy = axes[3].lines[-1].get_xydata().T
    assert np.abs(y).max() == pytest.approx(1e-3, rel=0.02)
    assert vy.max() == pytest.approx(result["slider"].vy[: len(t)].max())


@pytest.mark.slow
def test_n12_and_n13_show_more_flight_with_more_restitution():
    result = ran("cartesian")
    titles = [panel.get_title(loc="left") for panel in figure("N12").get_axes()]
    assert titles == [f"({letter}) restitution {value}" for letter, value in zip("abcd", (0.1, 0.4, 0.6, 0.9))]
    contact = [np.isfinite(panel.lines[-1].get_ydata()).sum() for panel in figure("N12").get_axes()]
    assert contact[0] > 2 * contact[1] > 4 * contact[2]  # long periods of contact with little restitution
    swept = [np.ptp(panel.lines[0].get_ydata()) for panel in figure("N13").get_axes()]
    assert swept[3] > swept[1]
    given = figure("N12").get_axes()[1].lines
    free = next(line for line in given if line.get_label() == "free flight")
    assert np.array_equal(free.get_ydata(), 1.0 + result["guide 1"].indentation / 1e-3)


def test_n8_shows_the_run_and_a_tilted_one():
    axes = figure("N8").get_axes()
    assert [panel.get_title(loc="left") for panel in axes[-2:]] == ["slider_angle 0 rad", "slider_angle 0.015 rad"]
    drawn = [panel.get_title(loc="left").partition(",")[0] for panel in axes[:-2]]
    assert drawn == ["free", "one corner", "one face"]
    assert [label.get_text() for label in axes[-1].get_yticklabels()][:2] == ["free", "one corner"]


@pytest.mark.slow
def test_the_compliant_figure_falls_with_the_stiffness():
    motion, distance = figure("compliant").get_axes()
    assert [line.get_label() for line in motion.lines][-1] == "non-smooth"
    stiffness, far = next(line for line in distance.lines if "without" in line.get_label()).get_xydata().T
    slope = np.polyfit(np.log(stiffness), np.log(far), 1)[0]
    assert slope == pytest.approx(-0.4, abs=0.03)
    _, rubbed = next(line for line in distance.lines if "friction 0.01" in line.get_label()).get_xydata().T
    assert rubbed[-1] > 10.0 * far[-1]


@pytest.mark.parametrize("name", slow_but(["N10"], ["N8", "N10", "N11", "N12", "N13", "compliant"]))
def test_figures_are_drawn_with_names_and_units(name):
    drawn = figure(name)
    drawn.draw_without_rendering()
    assert drawn.get_suptitle()
    for axes in drawn.get_axes():
        assert any(len(line.get_xdata()) > 2 and np.isfinite(line.get_ydata()).any() for line in axes.lines)
        assert any(other.get_xlabel().endswith("]") for other in axes.get_shared_x_axes().get_siblings(axes))
        assert any(other.get_ylabel().endswith("]") for other in axes.get_shared_y_axes().get_siblings(axes))


def test_figures_of_a_run_without_contact_can_be_drawn():
    case = made("cartesian")
    result = case.run(t_end=0.001)
    assert not result.impacts
    for drawn in case.figures(result, "N8", "N10", "N11", "N12", "N13").values():
        assert drawn.get_axes()
