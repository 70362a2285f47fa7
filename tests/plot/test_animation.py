"""Animations: number and size of the frames, their duration, what they show, and files that are whole or absent."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import carom as cm
from carom.plot.scene_canvas import CAPTION, SceneCanvas
from carom.scene.scene_builder import describe
from carom.scene.snapshot import snapshot


@pytest.fixture(scope="module")
def fall():
    return cm.gallery.falling_ball().run(t_end=0.4)


@pytest.fixture(scope="module")
def top():
    return cm.gallery.spinning_top().run(t_end=0.05)


@pytest.mark.parametrize("suffix", [".gif", ".png"])
def test_pictures_have_frames_of_one_duration(fall, tmp_path, suffix):
    path = fall.animate(tmp_path / f"run{suffix}", fps=5, speed=0.2, width=120)
    with Image.open(path) as picture:
        assert picture.n_frames == 1 + round(0.4 / 0.2 * 5)
        assert picture.size[0] == 120
        assert picture.info["duration"] == pytest.approx(200.0)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_video_has_the_frames_and_size_of_the_canvas(top, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = top.animate(tmp_path / "run.mp4", fps=10, speed=0.05, width=160, trace=["top"])
    frames = ffmpeg.read_frames(str(path))
    data = next(frames)
    assert data["size"][0] == 160
    assert data["fps"] == pytest.approx(10.0)
    assert len(list(frames)) == 11


def test_the_ball_falls_in_the_picture(fall):
    # Rows of the ball, which is blue, in the first and in the last frame: it falls by g t²/2, to scale.
    scene = describe(fall, frames=5)
    canvas = SceneCanvas(scene, 200, forces=False, points=False)
    pixels_per_metre = min((canvas.width, canvas.height - CAPTION) / (canvas.camera.high - canvas.camera.low))

    def row(k):
        picture = canvas.frame(k, "").astype(int)
        blue = picture[:, :, 2] - picture[:, :, 0] > 60
        return float(np.nonzero(blue)[0].mean())

    fallen = fall["ball"].y[0] - fall["ball"].y[-1]
    assert row(4) - row(0) == pytest.approx(fallen * pixels_per_metre, abs=2.0)


def test_forces_and_points_are_optional():
    result = cm.gallery.two_spheres().run()
    scene = describe(result, frames=9)
    loudest = int(np.argmax(np.linalg.norm(scene.contacts.forces[:, 0], axis=1)))

    def red(**options):
        picture = SceneCanvas(scene, 200, **options).frame(loudest, "").astype(int)
        return np.count_nonzero((picture[:, :, 0] > 180) & (picture[:, :, 1] < 70) & (picture[:, :, 2] < 70))

    assert red(forces=False, points=False) == 0
    assert 0 < red(forces=False) < red()


def test_transparent_parts_have_one_colour():
    # Inside the cam, above its bearing, the inner edges of its triangles are not visible.
    result = cm.gallery.cam_follower().run(t_end=0.01)
    canvas = SceneCanvas(describe(result, frames=2), 400, False, False)
    picture, camera = canvas.frame(0, ""), canvas.camera
    rows, columns = np.mgrid[: canvas.height - CAPTION, : canvas.width]
    scale = min((canvas.width, canvas.height - CAPTION) / (camera.high - camera.low))
    middle = 0.5 * (camera.low + camera.high)
    u = (columns + 0.5 - 0.5 * canvas.width) / scale + middle[0]
    v = -(rows + 0.5 - 0.5 * (canvas.height - CAPTION)) / scale + middle[1]
    centre = camera.project(np.zeros(3))[:2]  # the bearing of the cam
    distance = np.hypot(u - centre[0], v - centre[1])
    inside = (distance > 0.012) & (distance < 0.026) & (v > centre[1] + 0.008)
    assert np.count_nonzero(inside) > 300
    assert len(np.unique(picture[: canvas.height - CAPTION][inside], axis=0)) == 1


def test_a_run_is_shown_in_real_time_or_in_about_eight_seconds(fall, tmp_path):
    from carom.scene.playback_speed import default_speed

    assert [default_speed(duration) for duration in (5.0, 20.0)] == [1.0, 1.0]
    for duration in (1e-6, 3e-3, 0.08, 2.0, 25.0, 3600.0):
        assert 4.0 <= duration / default_speed(duration) <= 16.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "run.avi"}, "suffix must be one of '.mp4', '.gif', '.png'"),
        ({"speed": 0.0}, "speed must be positive"),
        ({"fps": -1}, "fps must be positive"),
        ({"width": 5}, "width must be an integer from 64 to 4096 pixels, got 5"),
        ({"speed": 1e-9}, "increase speed"),
        ({"forces": "yes"}, "forces must be"),
    ],
)
def test_bad_options_are_named(fall, tmp_path, options, message):
    with pytest.raises(cm.ModelError, match=message):
        fall.animate(**{"path": tmp_path / "run.gif", **options})
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_animation_leaves_no_file(fall, tmp_path, monkeypatch):
    def frame(self, k, caption):
        if k == 2:
            raise KeyboardInterrupt
        return np.zeros((self.height, self.width, 3), np.uint8)

    monkeypatch.setattr(SceneCanvas, "frame", frame)
    for suffix in (".gif", ".mp4"):
        with pytest.raises(KeyboardInterrupt):
            fall.animate(tmp_path / f"run{suffix}", fps=5, width=64)
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_frames(fall, tmp_path):
    fractions = []
    fall.animate(tmp_path / "run.gif", fps=5, speed=0.2, width=64, progress=fractions.append)
    assert fractions == pytest.approx(np.arange(1, 12) / 11)


def test_without_the_extra_the_install_command_is_shown(fall, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(ImportError, match=r"pip install carom\[video\]"):
        fall.animate(tmp_path / "run.mp4")


def test_a_system_is_drawn_before_a_run():
    system = cm.gallery.falling_ball().system
    assert snapshot(system)["ball"].y == pytest.approx([system["ball"].position[1]])
    figure = system.plot()
    low, high = figure.axes[0].get_ylim()
    assert low < 0.0 < system["ball"].position[1] < high  # the floor is part of the picture


def test_a_path_in_bytes_is_refused(fall):
    with pytest.raises(cm.ModelError, match="path must be"):
        fall.animate(b"run.gif")
    assert not Path("run.gif").exists()
