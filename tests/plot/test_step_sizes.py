import numpy as np
import pytest

import carom as cm
from carom.plot import plot_steps
from carom.plot.step_sizes import step_sizes


def test_step_sizes_are_the_distances_of_the_nodes(bouncing):
    _, result = bouncing
    t, sizes = step_sizes(result)
    assert len(sizes) == result.stats["steps"]
    assert sizes.sum() == pytest.approx(1.0)
    axes = plot_steps(result).get_axes()[0]
    line = axes.lines[0]
    assert np.array_equal(line.get_xdata(), t[:-1])
    assert np.array_equal(line.get_ydata(), sizes)
    assert axes.get_yscale() == "log"
    assert axes.get_ylabel() == "step size [s]"


def test_the_indentation_is_in_the_panel_below(bouncing):
    _, result = bouncing
    figure = plot_steps(result, "floor")
    steps, indentation = figure.get_axes()
    assert indentation.get_xlabel() == "time [s]"
    line = indentation.lines[-1]
    assert np.array_equal(line.get_xdata(), result.t)
    assert np.array_equal(line.get_ydata(), result["floor"].indentation)
    assert steps.get_xlim() == indentation.get_xlim() == (0.0, 1.0)


def test_the_time_axis_is_limited_to_the_impact_and_its_margin(bouncing):
    _, result = bouncing
    impact = result.impacts[0]
    steps, indentation = plot_steps(result, "floor", impact=0, margin=0.5).get_axes()
    assert indentation.get_xlabel() == "time since contact onset [ms]"
    assert steps.get_xlim() == pytest.approx((-0.5 * impact.duration, 1.5 * impact.duration))
    low, high = indentation.get_ylim()
    assert impact.max_indentation < high < 1.5 * impact.max_indentation
    assert -0.5 * impact.duration * impact.approach_speed * 1.5 < low < 0.0


def test_several_runs_are_overlaid(spheres):
    figure = plot_steps(spheres, "touch")
    assert [len(axes.lines) for axes in figure.get_axes()] == [2, 3]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(spheres)


def test_nodes_that_are_not_steps_have_another_label(bouncing):
    result = cm.simulate(bouncing[0], t_end=1.0, output=0.1)
    assert plot_steps(result).get_axes()[0].get_ylabel() == "time between nodes [s]"
