"""Frames of an animation of a spatial scene, rendered, with a line of text below."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.plot import dark_theme
from carom.plot.scene_canvas import CAPTION
from carom.plot.scene_renderer import SceneRenderer
from carom.plot.style import current_look
from carom.scene.fitted_camera import FittedCamera
from carom.scene.scene import Scene

MIN_HEIGHT, MAX_HEIGHT = 0.45, 0.75
"""Limits of height per width of the picture [-]."""


class RenderedCanvas:
    """Picture of ``width`` by ``height`` pixels of a spatial scene; `frame` renders it.

    ``forces`` and ``points`` show the contacts as arrows and points.
    """

    def __init__(self, scene: Scene, width: int, forces: bool = True, points: bool = True):
        self.scene = scene
        shape = FittedCamera(scene, 1.0).shape()
        content = round(width * float(np.clip(1.0 / shape, MIN_HEIGHT, MAX_HEIGHT)))
        self.width, self.height = 2 * (width // 2), 2 * ((content + CAPTION) // 2)
        self._renderer = SceneRenderer(scene, self.width, self.height - CAPTION, forces=forces, points=points)
        is_dark = current_look() == "dark"
        self._paper = dark_theme.PAPER if is_dark else "#ffffff"
        self._ink = dark_theme.INK if is_dark else "#222222"

    def frame(self, k: int, caption: str) -> np.ndarray:
        """Return frame ``k`` with a text below it, as an array (height, width, 3) of bytes."""
        from PIL import Image, ImageDraw

        whole = Image.new("RGBA", (self.width, self.height), self._paper)
        whole.alpha_composite(Image.fromarray(self._renderer.picture(k)))
        line = ImageDraw.Draw(whole)
        line.text((8, self.height - CAPTION + 5), caption, fill=self._ink, font=_font())
        return np.asarray(whole.convert("RGB"))

    def close(self) -> None:
        """Free the memory of the renderer."""
        self._renderer.close()


def _font() -> Any:
    """Return the font of Matplotlib's figures."""
    from matplotlib.font_manager import findfont
    from PIL import ImageFont

    return ImageFont.truetype(findfont("DejaVu Sans"), 13)
