"""Dark theme of figures."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import carom as cm
from carom.errors import ModelError
from carom.plot import plot_impacts, plot_loop, plot_phase
from carom.plot.dark_theme import INK, PAPER, apply_dark_theme, dark_colour
from carom.plot.style import COLOURS, current_look, use


@pytest.fixture
def dark():
    use("dark")
    yield
    use("light")


def luminance(colour):
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_curve_contrasts_with_the_dark_page():
    for colour in COLOURS:
        assert contrast(dark_colour(colour), PAPER) > 4.5  # as the guidelines for text on the web ask


def test_a_dark_figure_has_a_dark_background_and_light_text(spheres, dark):
    figure = plot_loop(spheres, "touch")
    assert to_hex(figure.get_facecolor()) == PAPER
    axes = figure.get_axes()[0]
    assert to_hex(axes.get_facecolor()) == PAPER
    for text in figure.findobj(Text):
        if text.get_text():
            assert contrast(text.get_color(), PAPER) > 4.5, text.get_text()
    assert to_hex(axes.xaxis.get_ticklabels()[0].get_color()) == INK


def test_tables_are_dark_too(bouncing, dark):
    table = plot_impacts(bouncing[1]).get_axes()[0].tables[0]
    assert {to_hex(cell.get_text().get_color()) for cell in table.get_celld().values()} == {INK}


def test_one_figure_may_be_dark_and_the_next_is_light(spheres):
    figure = plot_phase(spheres, "touch", look="dark")
    assert to_hex(figure.get_facecolor()) == PAPER
    assert current_look() == "light"
    assert to_hex(plot_phase(spheres, "touch").get_facecolor()) == "#ffffff"


def test_a_dark_figure_is_saved_dark(spheres, tmp_path):
    from matplotlib.image import imread

    plot_loop(spheres, "touch", look="dark", path=tmp_path / "loop.png")
    assert imread(tmp_path / "loop.png")[0, 0, :3] == pytest.approx(np.array(to_rgb(PAPER)), abs=1e-2)


def test_opacity_does_not_change():
    assert dark_colour((1.0, 1.0, 1.0, 0.25))[3] == 0.25
    assert dark_colour("none") == "none"


def test_there_are_two_looks():
    with pytest.raises(ModelError, match="look must be one of 'light', 'dark', got 'grey'"):
        cm.plot.use("grey")


def test_faces_in_3d_keep_their_colours_after_drawing():
    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(projection="3d")
    squares = [[(0, 0, z), (1, 0, z), (1, 1, z), (0, 1, z)] for z in (2, 0, 1)]
    faces = Poly3DCollection(squares, facecolors=["#d55e00", "#0072b2", "#123456"])
    axes.add_collection3d(faces)
    figure.canvas.draw()  # sorts them by depth
    assert [to_hex(colour) for colour in faces.get_facecolor()] != ["#d55e00", "#0072b2", "#123456"]
    apply_dark_theme(figure)
    assert [to_hex(colour) for colour in faces._facecolor3d] == ["#f08a3c", "#4ba3dd", "#123456"]
