"""Viewer: shows a scene in the browser, served by viser on this computer under a secret address."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result
from carom.scene.glyphs import arrow_lengths
from carom.scene.playback_speed import speed_choices
from carom.scene.scene import Scene
from carom.scene.scene_builder import describe
from carom.view.scene_server import FRAME_RATE, SceneServer


def show(
    result: Result,
    *,
    port: int = 8080,
    open_browser: bool = True,
    frames: int | None = None,
    trace: Sequence[Any] = (),
    system: System | GeneralizedSystem | None = None,
) -> Viewer:
    """Serve ``result`` on ``port`` of this computer (0: any free port) and return the `Viewer`, which plays the run.

    The address of the page is printed. It contains a secret; requests without it are rejected. ``frames``, ``trace``
    and ``system`` are those of `describe`.
    """
    viewer = Viewer(describe(result, system, frames=frames, trace=trace), port)
    viewer.announce(open_browser)
    return viewer


class Viewer(SceneServer):
    """Server of a scene at ``address``, controlled by ``seek(time)``, ``play()``, ``pause()`` and ``stop()``."""

    def __init__(self, scene: Scene, port: int = 8080):
        super().__init__(scene, port)
        self.time = float(scene.t[0])
        self.playing = True
        self._add_controls()
        self.seek(self.time)
        self._start(self._run)

    def play(self) -> None:
        """Start the playback."""
        self.playing = True

    def pause(self) -> None:
        """Pause the playback."""
        self.playing = False

    def seek(self, time: float) -> None:
        """Show the scene at ``time`` [s]."""
        t = self.scene.t
        with self._lock:
            self.time = float(min(max(time, t[0]), t[-1]))
            self._show_frame(int(np.argmin(np.abs(t - self.time))))
            if self._slider.value != self.time:
                self._slider.value = self.time

    def _add_controls(self) -> None:
        """Add the time slider, the playback controls and the switches of contacts and paths."""
        scene, gui = self.scene, self.server.gui
        first, last = float(scene.t[0]), float(scene.t[-1])
        gui.set_panel_label(scene.name)
        gui.configure_theme(show_logo=False, show_share_button=False)
        with gui.add_folder("time"):
            span = max(last - first, 1e-12)
            self._slider = gui.add_slider("t [s]", first, first + span, span / 1e4, first)
            self._play = gui.add_button("pause")
            self._speeds, default = speed_choices(last - first)
            labels = {factor: name for name, factor in self._speeds.items()}
            self._speed = gui.add_dropdown("speed", tuple(self._speeds), initial_value=labels[default])
            fit = gui.add_button("fit")
        self._add_glyph_controls(lambda: self.seek(self.time))
        self._slider.on_update(self._on_slider)
        self._play.on_click(self._toggle)
        fit.on_click(lambda _: self._fit())

    def _on_slider(self, event: Any) -> None:
        if event.client is not None:  # moved by the user, not by the animation
            self.pause()
            self.seek(float(self._slider.value))

    def _toggle(self, _: Any) -> None:
        self.playing = not self.playing
        if self.playing and self.time >= self.scene.t[-1]:
            self.time = float(self.scene.t[0])

    def _run(self) -> None:
        """Play the run until the viewer is stopped."""
        last = clock.perf_counter()
        while not self._stopped.wait(1.0 / FRAME_RATE):
            now = clock.perf_counter()
            elapsed, last = now - last, now
            label = "pause" if self.playing else "play"
            if self._play.label != label:
                self._play.label = label
            if not self.playing or not self.server.get_clients():
                continue
            time = self.time + elapsed * self._speeds[self._speed.value]
            if time > self.scene.t[-1]:
                time = float(self.scene.t[0])
            self.seek(time)

    def _show_frame(self, frame: int) -> None:
        """Set the poses and contact forces of one frame."""
        scene = self.scene
        with self.server.atomic():
            self._show_poses(scene.poses[frame].astype(float))
            if scene.contacts is not None:
                self._show_contacts(
                    scene.contacts.points[frame], scene.contacts.forces[frame], arrow_lengths(scene, frame)
                )
