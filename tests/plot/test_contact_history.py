import numpy as np
import pytest

from carom.plot import plot_contact


def test_force_and_indentation_have_own_axes_and_a_common_time(spheres):
    force, indentation = plot_contact(spheres["Hertz"], "touch", impact=0).get_axes()
    assert (force.get_ylabel(), indentation.get_ylabel()) == ("normal force [N]", "indentation [µm]")
    assert force.get_xlabel() == "time since contact onset [µs]"
    assert force.get_ylim()[0] == pytest.approx(0.0, abs=1e-9)
    t, pressed = force.lines[0].get_xydata().T
    assert t[0] == 0.0
    assert t[-1] == pytest.approx(spheres["Hertz"].impacts[0].duration, abs=1e-15)
    depth = indentation.lines[0].get_ydata()
    assert np.allclose(pressed, 5.5e9 * np.maximum(depth, 0.0) ** 1.5, atol=1e-9)


def test_by_default_all_impacts_are_shown_over_time(bouncing):
    _, result = bouncing
    force = plot_contact(result, "floor").get_axes()[0]
    assert force.get_xlabel() == "time [s]"
    assert force.get_xlim() == (0.0, 1.0)
    t, pressed = force.lines[0].get_xydata().T
    for impact in result.impacts:
        during = (t >= impact.t_start) & (t <= impact.t_end)
        assert pressed[during].max() == pytest.approx(impact.peak_force, rel=1e-3)
