import os
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from carom.plot.style import COLOURS, line_style, new_figure, save_figure, style

# Viénot, Brettel and Mollon 1999: how dichromats see linear RGB.
DICHROMATS = {
    "protanope": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deuteranope": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


@pytest.mark.parametrize("eye", DICHROMATS)
def test_colour_blind_readers_can_distinguish_the_first_curves(eye):
    linear = np.array([to_rgb(colour) for colour in COLOURS[:5]]) ** 2.2
    colours = np.clip(linear @ np.array(DICHROMATS[eye]).T, 0.0, 1.0) ** (1 / 2.2)
    apart = [np.linalg.norm(a - b) for i, a in enumerate(colours) for b in colours[:i]]
    assert min(apart) > 0.3


@pytest.mark.parametrize("count", [1, 2, 7, 8, 40])
def test_every_curve_of_a_panel_has_its_own_colour(count):
    assert len({tuple(to_rgb(line_style(index, count)["color"])) for index in range(count)}) == count


def test_a_curve_is_wider_than_those_drawn_above_it():
    widths = [line_style(index, 3)["linewidth"] for index in range(3)]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 3


def test_the_style_ends_with_its_context():
    before = dict(matplotlib.rcParams)
    with style():
        assert matplotlib.rcParams["axes.grid"] is True
        assert not matplotlib.rcParams["axes.spines.top"]
    assert dict(matplotlib.rcParams) == before


def test_a_failed_write_keeps_the_previous_file(tmp_path, monkeypatch):
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    figure = new_figure(2.0, 2.0, None)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_figure(figure, path)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["figure.png"]


def test_a_missing_folder_is_reported(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"folder .* not found"):
        save_figure(new_figure(2.0, 2.0, None), tmp_path / "no" / "figure.png")


def test_figures_need_no_window_and_no_pyplot():
    program = "import sys, carom.plot; print('matplotlib.pyplot' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "False"


def test_figures_show_in_a_notebook():
    figure = new_figure(2.0, 1.0, "title")
    assert figure._repr_png_().startswith(b"\x89PNG")
