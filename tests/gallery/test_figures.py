"""Published figures of the contact cases, compared with the runs and the papers."""

import warnings

import numpy as np
import pytest

from carom import gallery
from carom.errors import ModelError, suppress_warnings
from carom.gallery.case_variants import AUTHORS, DISSIPATIVE_LAWS, ONSETS, runs_with_laws
from carom.laws import LAWS
from quick import slow_but

FIGURES = {
    "two_spheres": ("C3", "C4", "C5", "C6", "C7"),
    "slider_crank_block": ("C9", "C10"),
    "knee": ("C12",),
    "falling_ball": ("T1", "energy"),
    "pendulum_wall": ("T5", "T6", "T7"),
    "quick_return": ("T9", "T10", "T11"),
}
HIGH, LOW = ("Gonthier et al.", "Zhiying–Qishao", "Flores et al."), ("Hunt–Crossley", "Herbert–McWhannell")


@pytest.fixture
def figure_of(run_of):
    """Return a function that draws a figure of a case from its run without a warning."""

    def draw(case_name, figure_name):
        case, result = run_of(case_name)
        with warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            figure = case.figures(result, figure_name)[figure_name]
        assert not messages
        return figure

    return draw


def curves(axes):
    """Return the points of the named lines."""
    return {line.get_label(): line.get_xydata() for line in axes.lines if not line.get_label().startswith("_")}


def area(loop):
    return float(np.sum(0.5 * (loop[1:, 1] + loop[:-1, 1]) * np.diff(loop[:, 0])))


EVERY = [(case, name) for case, names in FIGURES.items() for name in names]
FIRST = [(case, names[0]) for case, names in FIGURES.items()]


@pytest.mark.parametrize(("case", "name"), slow_but(FIRST, EVERY))
def test_every_published_figure_exists_and_is_not_empty(case, name, figure_of):
    figure = figure_of(case, name)
    figure.draw_without_rendering()
    assert figure.get_suptitle()
    assert figure.get_axes()
    for axes in figure.get_axes():
        assert any(len(line.get_xdata()) > 2 and np.isfinite(line.get_ydata()).any() for line in axes.lines)
        shared = axes.get_shared_x_axes().get_siblings(axes)
        assert any(other.get_xlabel().endswith("]") for other in shared), "time or whatever it is has a unit"
        shared = axes.get_shared_y_axes().get_siblings(axes)
        assert any(other.get_ylabel().endswith("]") for other in shared), "values have a unit"


@pytest.mark.parametrize("case", FIGURES)
def test_a_case_names_its_figures(case, run_of):
    names = run_of(case)[0].figure_names
    assert names == tuple(dict.fromkeys(("overview", "motion", "energy", *FIGURES[case])))


def test_unknown_figure_is_named(run_of):
    case, result = run_of("two_spheres")
    with pytest.raises(ModelError, match="unknown figure 'C8'; choose from overview, motion, energy, C3"):
        case.figures(result, "C8")


@pytest.mark.parametrize(
    ("case", "t_end"),
    [
        ("slider_crank_block", 0.01),
        ("knee", 0.05),
        ("falling_ball", 0.1),
        ("pendulum_wall", 0.1),
        ("quick_return", 0.005),
    ],
)
def test_figures_of_a_run_without_contact_can_be_drawn(case, t_end):
    names = FIGURES[case]
    case = getattr(gallery, case)()
    result = case.run(t_end=t_end)
    assert not result.impacts
    for figure in case.figures(result, *names).values():
        assert figure.get_axes()


def test_c3_is_the_impact_of_hertz(figure_of):
    force, loop, phase, depth = figure_of("two_spheres", "C3").get_axes()
    assert force.lines[0].get_ydata().max() == pytest.approx(334.57, rel=1e-4)
    assert depth.lines[0].get_ydata().max() == pytest.approx(1.547e-5, rel=1e-3)
    indentation, pressed = curves(loop)["Hertz"].T
    assert np.allclose(pressed, 5.5e9 * np.maximum(indentation, 0.0) ** 1.5, atol=1e-9)
    assert curves(phase)["Hertz"][[0, -1], 1] == pytest.approx([0.3, -0.3])


def test_c4_to_c6_show_the_laws_of_the_paper(figure_of):
    assert list(curves(figure_of("two_spheres", "C4").get_axes()[1])) == ["Hertz", "Hunt–Crossley"]
    early = curves(figure_of("two_spheres", "C5").get_axes()[0])
    # Lee and Wang dissipate least, Herbert and McWhannell most; an elastic loop has no area.
    lost = {name: area(loop) for name, loop in early.items()}
    assert abs(lost["Hertz"]) < 1e-6
    assert lost["Lee–Wang"] < lost["Hunt–Crossley"] < lost["Herbert–McWhannell"]
    phase = curves(figure_of("two_spheres", "C6").get_axes()[1])
    assert set(phase) == {"Hertz", "Hunt–Crossley", "Lankarani–Nikravesh", *HIGH}
    for name, path in phase.items():
        (key,) = (key for key, author in AUTHORS.items() if author == name)
        law = LAWS[key](5.5e9) if key == "hertz" else LAWS[key](5.5e9, 0.7)
        assert path[-1, 1] == pytest.approx(-0.3 * law.returned_restitution(0.3, 0.046), rel=1e-6)


def test_c7_shows_the_factors_of_unit_stiffness_and_speed(figure_of):
    axes = figure_of("two_spheres", "C7").get_axes()[0]
    factors = curves(axes)
    assert set(factors) == {AUTHORS[name] for name in (*DISSIPATIVE_LAWS, "hu_guo")}
    half = {name: float(np.interp(0.5, *points.T)) for name, points in factors.items()}
    assert half["Hunt–Crossley"] == pytest.approx(1.5 * 0.5)
    assert half["Lee–Wang"] == pytest.approx(0.75 * 0.5)
    assert half["Lankarani–Nikravesh"] == pytest.approx(0.75 * 0.75)
    assert half["Herbert–McWhannell"] == pytest.approx(1.0)
    assert half["Flores et al."] == pytest.approx(1.6)
    assert half["Hu–Guo"] == pytest.approx(1.5)
    assert all(abs(points[-1, 1]) < 1e-12 for points in factors.values())  # no damping at restitution 1
    with suppress_warnings():
        half["Gonthier et al."] = LAWS["gonthier"](1.0, 0.5).hysteresis_factor(1.0)
    assert np.interp(0.5, *factors["Gonthier et al."].T) == pytest.approx(half["Gonthier et al."])


def test_c9_and_c10_order_the_laws_as_the_paper_does(figure_of, run_of):
    block, slider = (curves(axes) for axes in figure_of("slider_crank_block", "C9").get_axes())
    assert list(block) == list(slider) == [AUTHORS[name] for name in DISSIPATIVE_LAWS]
    ends = {name: points[-1, 1] for name, points in block.items()}
    assert max(ends, key=ends.get) == "Lee–Wang"
    assert max(ends[name] for name in HIGH) < min(ends[name] for name in LOW)
    _, given = run_of("slider_crank_block")
    assert ends["Lankarani–Nikravesh"] == given["block"].x[-1]
    axes = figure_of("slider_crank_block", "C10").get_axes()
    for number, loops in enumerate(map(curves, axes)):
        lost = {name: area(loop) for name, loop in loops.items()}
        assert lost["Lankarani–Nikravesh"] == pytest.approx(given.impacts[number].energy_lost, rel=1e-3)
        assert min(lost, key=lost.get) == "Lee–Wang"
        assert min(lost[name] for name in HIGH) > max(lost[name] for name in LOW)


def test_c12_shows_five_laws_and_hertz_conserves_energy(figure_of, run_of):
    force, loop = (curves(axes) for axes in figure_of("knee", "C12").get_axes())
    assert list(force) == ["Hertz", "Hunt–Crossley", "Lankarani–Nikravesh", "Gonthier et al.", "Flores et al."]
    _, given = run_of("knee")
    assert np.array_equal(force["Hertz"][:, 1], given["cartilage"].normal_force)
    indentation, pressed = loop["Hertz"].T
    stiffness = pressed.max() / indentation.max() ** 1.5
    assert stiffness == pytest.approx(9.134e5, rel=1e-3)
    assert np.allclose(pressed, stiffness * np.maximum(indentation, 0.0) ** 1.5, rtol=1e-6, atol=1e-9)


def test_t1_and_energy_show_a_gain_without_onset_control_only(figure_of):
    whole, detail = (curves(axes) for axes in figure_of("falling_ball", "T1").get_axes())
    assert list(whole) == list(detail) == [ONSETS["event"], ONSETS["none"]]
    assert whole[ONSETS["event"]][:, 1].max() == pytest.approx(1.0, abs=1e-9)
    assert whole[ONSETS["none"]][:, 1].max() > 1.5
    assert detail[ONSETS["event"]][:, 1].min() == pytest.approx(-1.842e-4, rel=1e-3)
    assert detail[ONSETS["none"]][:, 1].min() < -2.2e-4
    gains = {name: points[-1, 1] for name, points in curves(figure_of("falling_ball", "energy").get_axes()[0]).items()}
    assert set(gains) == set(ONSETS.values())
    assert gains.pop(ONSETS["none"]) > 1.0
    assert max(map(abs, gains.values())) < 1e-3


def test_t5_pendulum_returns_to_its_height_with_onset_control_only(figure_of):
    height, speed = (curves(axes) for axes in figure_of("pendulum_wall", "T5").get_axes())
    assert height[ONSETS["event"]][:, 1].max() < 1e-6
    assert height[ONSETS["none"]][:, 1].max() > 0.1
    assert speed[ONSETS["event"]][:, 1].min() == pytest.approx(-4.4272, rel=1e-3)


def test_t6_shows_smaller_steps_before_the_onset_if_rejected(figure_of):
    steps, depth = (curves(axes) for axes in figure_of("pendulum_wall", "T6").get_axes())
    for name, shrinks in ((ONSETS["reject"], True), (ONSETS["none"], False)):
        t, size = steps[name].T
        before = size[t < -1e-9]
        assert before.max() <= 1e-4 * (1.0 + 1e-9)
        assert bool(before.min() < 1e-5) is shrinks
        first = depth[name][depth[name][:, 1] > 0.0][0, 1]
        assert bool(first < 1e-6) is shrinks


def test_t7_shows_three_runs_that_exceed_their_initial_height(figure_of):
    *poses, height = figure_of("pendulum_wall", "T7").get_axes()
    assert len(poses) == 3
    assert all("mm deep" in axes.get_title(loc="left") for axes in poses)
    lines = curves(height)
    assert [name for name in lines if name.startswith("step")] == ["step 0.0200 s", "step 0.0175 s", "step 0.0150 s"]
    for name, points in lines.items():
        assert bool(points[:, 1].max() > 0.0) is name.startswith("step")


def test_t9_follows_the_ideal_mechanism(figure_of):
    from carom.gallery.cases.quick_return import ideal_slider

    place, _ = (curves(axes) for axes in figure_of("quick_return", "T9").get_axes())
    t, x = place["ideal joints"].T
    assert np.allclose(x, ideal_slider(3.0 * t), atol=1e-9)
    t, x = place["clearance joints"].T
    assert 1e-6 < np.abs(x - ideal_slider(3.0 * t)).max() < 4e-3


def test_t10_and_t11_show_the_crank_pin(figure_of, run_of):
    _, result = run_of("quick_return")
    fastest = max(result.impacts.of("crank pin"), key=lambda impact: impact.approach_speed)
    steps, depth, force = (axes.lines[-1].get_xydata() for axes in figure_of("quick_return", "T10").get_axes())
    assert depth[:, 1].max() == pytest.approx(fastest.max_indentation, rel=1e-3)
    assert force[:, 1].max() == pytest.approx(fastest.peak_force, rel=1e-3)
    assert np.any(np.isclose(steps[:, 0], 0.0, atol=1e-12)), "a step begins with the touch"
    orbit = curves(figure_of("quick_return", "T11").get_axes()[0])
    assert np.allclose(np.hypot(*orbit["clearance"].T), 5e-4)
    assert np.hypot(*orbit["contact"].T).min() > 5e-4 * (1.0 - 1e-9)


def test_ideal_mechanism_has_no_figures_of_journals():
    assert gallery.quick_return("ideal").figure_names == ("overview", "motion", "energy")


def test_law_that_does_not_allow_the_restitution_is_left_out(run_of):
    runs = runs_with_laws(
        lambda name: gallery.two_spheres(name, 0.0), ("hertz", "flores"), "touch", run_of("two_spheres")
    )
    assert list(runs) == ["Hertz"]
    assert runs["Hertz"] is run_of("two_spheres")[1]  # The finished run is used for its own law.
