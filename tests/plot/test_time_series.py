import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import carom as cm
from carom.plot import plot_result


def labels(figure):
    return [axes.get_ylabel() for axes in figure.get_axes()]


def test_by_default_the_poses_of_all_bodies_and_the_energy_are_shown(throw):
    figure = plot_result(throw)
    assert isinstance(figure, Figure)
    assert labels(figure)[:4] == ["position x [m]", "position y [m]", "angle [rad]", "energy [J]"]
    assert labels(figure)[4].startswith("energy error [")
    for axes in figure.get_axes()[:3]:
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["ball", "anvil"]


def test_result_plot_calls_plot_result(throw):
    assert labels(throw.plot("ball.vx")) == ["velocity x [m/s]"]


def test_a_curve_shows_the_series_it_names(throw):
    line = plot_result(throw, "ball.vy").get_axes()[0].lines[0]
    assert np.allclose(line.get_ydata(), 4.0 - 9.81 * line.get_xdata(), atol=1e-12)


def test_curves_of_one_unit_share_a_panel(throw):
    figure = plot_result(throw, "ball.x", "ball.vx", "anvil.x")
    assert labels(figure) == ["position x [m]", "velocity x [m/s]"]
    assert [len(axes.lines) for axes in figure.get_axes()] == [2, 1]


def test_a_tuple_has_a_panel_of_its_own(throw):
    figure = plot_result(throw, "ball.x", ("ball.y", "anvil.y"), "anvil.x")
    assert labels(figure) == ["position x [m]", "position y [m]"]
    assert [len(axes.lines) for axes in figure.get_axes()] == [2, 2]


def test_a_tuple_of_two_units_has_two_panels(throw):
    assert labels(plot_result(throw, ("ball.x", "ball.omega"))) == ["position x [m]", "angular velocity [rad/s]"]


def test_the_time_label_is_below_and_the_title_above(throw):
    figure = plot_result(throw, "ball.x", "ball.vx")
    assert [axes.get_xlabel() for axes in figure.get_axes()] == ["", "time [s]"]
    assert figure.get_suptitle() == "throw"
    assert plot_result(throw, "ball.x", title="another").get_suptitle() == "another"


def test_a_single_curve_has_its_owner_as_title(throw):
    axes = plot_result(throw, "ball.x").get_axes()[0]
    assert axes.get_title(loc="left") == "ball"
    assert axes.get_legend() is None


def test_large_values_use_multiples_of_the_unit(throw):
    figure = plot_result(throw, "motor")
    axes = figure.get_axes()[0]
    assert axes.get_ylabel() == "power [MW]"
    assert axes.lines[0].get_ydata().max() == 1e6  # the curve itself stays in watts
    figure.draw_without_rendering()
    ticks = {label.get_position()[1]: label.get_text() for label in axes.get_yticklabels()}
    assert all(float(text.replace("−", "-")) == pytest.approx(place / 1e6) for place, text in ticks.items())


def test_rounding_of_a_constant_looks_flat(make_thrown):
    t = np.linspace(0.0, 1.0, 500)
    v = np.column_stack([np.full(500, 7.0) + 1e-13 * np.sin(40 * t), *np.zeros((5, 500))])
    low, high = plot_result(make_thrown(t, v=v), "ball.vx").get_axes()[0].get_ylim()
    assert high - low > 0.5
    assert low < 7.0 < high


def test_a_short_run_uses_fractions_of_a_second(make_thrown):
    figure = plot_result(make_thrown(np.linspace(0.0, 2e-4, 9)), "ball.x")
    axes = figure.get_axes()[0]
    assert axes.get_xlabel() == "time [µs]"
    figure.draw_without_rendering()
    ticks = {label.get_position()[0]: label.get_text() for label in axes.get_xticklabels()}
    assert all(float(text.replace("−", "-")) == pytest.approx(1e6 * place, abs=1e-6) for place, text in ticks.items())


def test_the_energy_error_is_that_of_the_nodes(throw):
    line = plot_result(throw, "energy").get_axes()[1].lines[-1]
    assert np.array_equal(line.get_xdata(), throw.t)
    assert np.array_equal(line.get_ydata(), throw.energy.balance)


def test_energy_shows_total_and_error(throw):
    energy, error = plot_result(throw, "energy").get_axes()
    assert [text.get_text() for text in energy.get_legend().get_texts()] == ["total", "kinetic", "potential"]
    total, kinetic, potential = (line.get_ydata() for line in energy.lines)
    assert np.allclose(total, kinetic + potential, atol=1e-12)
    assert "drift" in error.get_title(loc="left")


def test_a_panel_of_very_many_curves_labels_some(make_thrown):
    from carom.result import BodyInfo

    n, t = 40, np.linspace(0.0, 1.0, 5)
    bodies = tuple(BodyInfo(f"link {k}", 1.0, 1.0) for k in range(n))
    zeros = np.zeros((5, 3 * n))
    figure = plot_result(make_thrown(t, q=zeros, v=zeros, a=zeros, bodies=bodies), [f"{b.name}.x" for b in bodies])
    named = [text.get_text() for text in figure.get_axes()[0].get_legend().get_texts()]
    assert len(figure.get_axes()[0].lines) == n
    assert named[0] == "link 0"
    assert named[-1] == "link 39"
    assert len(named) < 10


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_path_writes_the_figure_and_nothing_else(throw, tmp_path, ending):
    plot_result(throw, "ball.x", path=tmp_path / f"ball.{ending}")
    assert [path.name for path in tmp_path.iterdir()] == [f"ball.{ending}"]
    assert (tmp_path / f"ball.{ending}").stat().st_size > 1000


def test_size_is_in_inches(throw):
    assert plot_result(throw, "ball.x", size=(3.0, 2.0)).get_size_inches().tolist() == [3.0, 2.0]


def test_matplotlib_settings_of_the_user_do_not_change(throw):
    before = dict(matplotlib.rcParams)
    plot_result(throw)
    assert dict(matplotlib.rcParams) == before


def test_of_thousands_of_bodies_some_are_drawn():
    system = cm.System()
    for k in range(1000):
        system.add(cm.Body(f"stone {k}", 1.0, position=(float(k), 0.0)))
    result = cm.simulate(system, 0.1, output=0.05)
    assert len(result.plot().axes[0].lines) == 250
