"""Animations of runs as video (MP4), GIF or animated PNG."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import boolean, file_path, one_of, positive
from carom.errors import ModelError
from carom.io.atomic_write import atomic_write
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.plot.rendered_canvas import RenderedCanvas
from carom.plot.scene_canvas import SceneCanvas
from carom.plot.scene_renderer import can_render
from carom.progress import Progress
from carom.result.export import import_optional
from carom.result.result import Result
from carom.scene.playback_speed import default_speed, speed_label
from carom.scene.scene import Scene
from carom.scene.scene_builder import describe

FRAME_RATES = {".mp4": 30.0, ".gif": 20.0, ".png": 20.0}
"""Default frames per second by the suffix of the file [1/s]; viewers of GIF round their time to 0.01 s."""
WIDTHS = {".mp4": 960, ".gif": 640, ".png": 640}
"""Default width by the suffix of the file [pixels]."""
MAX_FRAMES = 20_000
MIN_WIDTH, MAX_WIDTH = 64, 4096
NAMED_WIDTH = 480
"""Width from which the name of the system stands below the picture [pixels]."""


def animate(
    result: Result,
    path: str | os.PathLike[str],
    *,
    speed: float | None = None,
    fps: float | None = None,
    width: int | None = None,
    forces: bool = True,
    points: bool = True,
    trace: Sequence[Any] = (),
    system: System | GeneralizedSystem | None = None,
    progress: bool | Callable[[float], Any] | None = None,
) -> Path:
    """Write an animation of ``result`` atomically to ``path``: ".mp4", ".gif", or ".png" (animated).

    ``speed`` is the time of the run per time of the animation [s/s]: 1 is real time, the default for runs of 3 to 20 s;
    others take about 8 s. ``fps`` are the frames per second, ``width`` the width of the picture [pixels]. ``forces``
    and ``points`` show the contacts; an arrow is the force on the first body, its length is proportional to the square
    root of the force, and an impact fades over some frames. ``trace`` lists bodies or markers whose paths are drawn.
    ``progress`` is that of `simulate`. A video needs ``pip install carom[video]``.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> cm.plot.animate(result, "ball.gif", fps=2, width=160).name
    'ball.gif'
    """
    target = file_path("animate: path", path)
    suffix = one_of("animate", "suffix", target.suffix.lower(), list(FRAME_RATES))
    rate = FRAME_RATES[suffix] if fps is None else positive("animate", "fps", fps)
    duration = float(result.t[-1] - result.t[0])
    factor = default_speed(duration) if speed is None else positive("animate", "speed", speed)
    pixels = WIDTHS[suffix] if width is None else _width(width)
    n_frames = 1 + round(duration / factor * rate)
    if n_frames > MAX_FRAMES:
        raise ModelError(
            f"animate: {n_frames} frames are more than {MAX_FRAMES}; increase speed (now {factor:g}) or reduce fps"
        )
    for name, value in (("forces", forces), ("points", points)):
        boolean("animate", name, value)
    scene = describe(result, system, frames=n_frames, trace=trace)
    if not (scene.parts or scene.spheres or scene.two_body_parts):
        raise ModelError(f"animate: Result {result.name!r} has nothing to draw; pass system= with bodies")
    write = _write_video if suffix == ".mp4" else _write_pictures
    encoder = import_optional("imageio_ffmpeg", "video") if suffix == ".mp4" else None
    label = f"animation of {result.name}"
    with (
        closing(scene_canvas(scene, pixels, forces, points)) as canvas,
        Progress(label, len(scene.t), progress, "{task.completed:.0f} of {task.total:.0f} frames") as report,
        atomic_write(target, suffix) as part,
    ):
        write(part, _frames(canvas, scene, factor, report), canvas, rate, encoder)
    return target


def scene_canvas(scene: Scene, width: int, forces: bool = True, points: bool = True) -> SceneCanvas | RenderedCanvas:
    """Return the canvas of a scene: rendered in 3D where possible, painted otherwise."""
    kind = RenderedCanvas if scene.dim == 3 and can_render() else SceneCanvas
    return kind(scene, width, forces, points)


def _frames(
    canvas: SceneCanvas | RenderedCanvas, scene: Scene, speed: float, report: Callable[[float], None]
) -> Iterator[np.ndarray]:
    """Yield the pictures of all frames with time and speed below them."""
    name = f"    {scene.name}" if canvas.width >= NAMED_WIDTH else ""
    digits = max(0, 3 - int(np.floor(np.log10(max(float(scene.t[-1] - scene.t[0]), 1e-12)))))
    for k, t in enumerate(scene.t.tolist()):
        yield canvas.frame(k, f"t = {t:.{digits}f} s    {speed_label(speed)}{name}")
        report(float(k + 1))


def _write_video(
    path: Path, frames: Iterator[np.ndarray], canvas: SceneCanvas | RenderedCanvas, rate: float, encoder: Any
) -> None:
    """Write an MP4 file (H.264), which browsers and presentations play."""
    size = (canvas.width, canvas.height)
    writer = encoder.write_frames(
        str(path), size, fps=rate, codec="libx264", quality=7, pix_fmt_out="yuv420p", macro_block_size=2,
        ffmpeg_log_level="error", output_params=["-movflags", "+faststart"],
    )  # fmt: skip
    with closing(writer):
        writer.send(None)
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))


def _write_pictures(
    path: Path, frames: Iterator[np.ndarray], canvas: SceneCanvas | RenderedCanvas, rate: float, encoder: Any
) -> None:
    """Write a GIF or animated PNG file that repeats without end."""
    from PIL import Image

    pictures = (Image.fromarray(frame) for frame in frames)
    if path.suffix == ".gif":
        pictures = (picture.quantize(128, dither=Image.Dither.NONE) for picture in pictures)
    first = next(pictures)
    others = pictures if path.suffix == ".gif" else list(pictures)  # Pillow reads those of a PNG file twice.
    first.save(path, save_all=True, append_images=others, duration=1000.0 / rate, loop=0)


def _width(value: Any) -> int:
    """Return a width [pixels]."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not MIN_WIDTH <= value <= MAX_WIDTH:
        raise ModelError(f"animate: width must be an integer from {MIN_WIDTH} to {MAX_WIDTH} pixels, got {value!r}")
    return int(value)
