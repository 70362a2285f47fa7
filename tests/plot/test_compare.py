import numpy as np
import pytest

from carom.plot import plot_comparison
from carom.plot.overlay import with_line_styles


def test_a_panel_is_a_series_and_a_curve_is_a_run(spheres):
    figure = plot_comparison(spheres, "left.vx", "touch.normal_force")
    velocity, force = figure.get_axes()
    assert [axes.get_ylabel() for axes in (velocity, force)] == ["velocity x [m/s]", "normal force [N]"]
    assert [axes.get_xlabel() for axes in (velocity, force)] == ["", "time [ms]"]
    for line, result in zip(velocity.lines, spheres.values(), strict=True):
        assert line.get_ydata()[0] == 0.15
        assert line.get_ydata()[-1] == pytest.approx(-0.15 * result.impacts[0].restitution, rel=1e-6)
        assert set(result["left"].vx) <= set(line.get_ydata())  # what lies between the nodes is filled in
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(spheres)


@pytest.mark.parametrize("count", [2, 7, 8, 12])
def test_overlaid_curves_differ_in_colour_or_in_line(count):
    looks = [look for _, look in with_line_styles({str(k): k for k in range(count)})]
    assert [look["label"] for look in looks] == [str(k) for k in range(count)]
    assert len({(look["color"], look["linestyle"]) for look in looks}) == count


def test_items_keep_their_order():
    assert [thing for thing, _ in with_line_styles({"a": 3.0, "b": 1.0})] == [3.0, 1.0]
    assert np.all([look["linewidth"] > 0.0 for _, look in with_line_styles({"a": 3.0, "b": 1.0})])
