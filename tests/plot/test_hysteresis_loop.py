import numpy as np
import pytest

from carom.plot import plot_loop


def test_the_loop_of_an_elastic_contact_is_a_curve(spheres):
    line = plot_loop(spheres["Hertz"], "touch").get_axes()[0].lines[0]
    indentation, force = line.get_xydata().T
    assert np.allclose(force, 5.5e9 * np.maximum(indentation, 0.0) ** 1.5, atol=1e-9)
    assert force.max() == pytest.approx(spheres["Hertz"].impacts[0].peak_force, rel=1e-4)


def test_the_area_of_a_loop_is_the_energy_lost(spheres):
    line = plot_loop(spheres, "touch", impact=0).get_axes()[0].lines[1]
    indentation, force = line.get_xydata().T
    area = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(indentation))
    assert area == pytest.approx(spheres["Hunt–Crossley"].impacts[0].energy_lost, rel=1e-3)


def test_several_runs_have_a_legend_and_one_has_none(spheres):
    legend = plot_loop(spheres, "touch").legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["Hertz", "Hunt–Crossley"]
    assert not plot_loop(spheres["Hertz"], "touch").legends


def test_axes_have_convenient_units_and_the_contact_is_the_title(spheres):
    figure = plot_loop(spheres, "touch")
    axes = figure.get_axes()[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("indentation [µm]", "normal force [N]")
    assert figure.get_suptitle() == "touch"


def test_an_impact_is_drawn_alone(bouncing):
    _, result = bouncing
    whole = plot_loop(result, "floor").get_axes()[0].lines[0].get_xdata()
    last = plot_loop(result, "floor", impact=2).get_axes()[0].lines[0].get_xdata()
    assert np.nanmax(last) == pytest.approx(result.impacts[2].max_indentation, rel=1e-4)
    assert np.nanmax(whole) == pytest.approx(result.impacts[0].max_indentation, rel=1e-4)


def test_title_size_and_path_are_used(spheres, tmp_path):
    figure = plot_loop(spheres, "touch", title="loops", size=(3.0, 3.0), path=tmp_path / "loop.png")
    assert figure.get_suptitle() == "loops"
    assert figure.get_size_inches().tolist() == [3.0, 3.0]
    assert (tmp_path / "loop.png").read_bytes()[:4] == b"\x89PNG"


def test_an_unknown_keyword_is_rejected(spheres):
    with pytest.raises(TypeError, match="colour"):
        plot_loop(spheres, "touch", colour="red")
