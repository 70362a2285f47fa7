"""The viewer: a scene in the browser, served by viser on this computer, for those who know its address."""

from __future__ import annotations

import threading
import time as clock
import webbrowser
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.result.result import Result
from carom.view.describe import describe
from carom.view.guard import Guard
from carom.view.marks import along_x, arrow, ends_of, reaches, rgb, unit_ball
from carom.view.scene import GROUND, Scene
from carom.view.speeds import speed_choices
from carom.view.viser_server import guarded_viser

RATE = 30.0
"""Frames a second that are sent to the browser at most."""
RED = "#d62728"
NOTHING = 1e-9
"""Scale of what is not there."""


def show(
    result: Result,
    *,
    port: int = 8080,
    open_browser: bool = True,
    frames: int | None = None,
    trace: Sequence[Any] = (),
    system: Any = None,
) -> Viewer:
    """Serve ``result`` on ``port`` of this computer (0: a free one) and return the `Viewer`, which plays on by itself.

    The address of the page is printed; it contains a secret, without which nothing is served. ``frames``, ``trace`` and
    ``system`` are as in `describe`.
    """
    viewer = Viewer(describe(result, system, frames=frames, trace=trace), port)
    print(f"{viewer.scene.name}: {viewer.address}")
    if open_browser:
        webbrowser.open(viewer.entry())
    return viewer


class Viewer:
    """Scene that is served at ``address``: ``seek(time)``, ``play()``, ``pause()``, ``stop()``."""

    def __init__(self, scene: Scene, port: int = 8080):
        self.scene = scene
        self._guard = Guard()
        self.server: Any = guarded_viser(self._guard, port, scene.name)
        self.time = float(scene.t[0])
        self.playing = True
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._build()
        self._controls()
        self.seek(self.time)
        self._thread = threading.Thread(target=self._run, name="carom viewer", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Address of the page, with a secret; whoever knows it sees the scene."""
        return self._guard.address(self.server.get_port())

    def entry(self) -> str:
        """Return an address that leads to the page once."""
        return self._guard.entry(self.server.get_port())

    def play(self) -> None:
        self.playing = True

    def pause(self) -> None:
        self.playing = False

    def seek(self, time: float) -> None:
        """Show the scene at ``time`` [s]."""
        t = self.scene.t
        with self._lock:
            self.time = float(min(max(time, t[0]), t[-1]))
            self._place(int(np.argmin(np.abs(t - self.time))))
            if self._slider.value != self.time:
                self._slider.value = self.time

    def wait(self) -> None:
        """Until it is stopped."""
        while not self._stopped.wait(0.2):
            continue

    def stop(self) -> None:
        """End the server."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(2.0)
        self.server.stop()

    def _build(self) -> None:
        """Everything once; only poses change later."""
        scene, add = self.scene, self.server.scene
        add.set_up_direction(tuple(scene.up))
        # A drawing is lit evenly; the default light would wash its colours out.
        add.configure_default_lights(scene.dim == 3, cast_shadow=False)
        add.configure_environment_map("warehouse", environment_intensity=1.1 if scene.dim == 2 else 0.35)
        self._frames = [add.add_frame(f"/bodies/{k}", show_axes=False) for k in range(self._shown_bodies())]
        for k, part in enumerate(scene.parts):
            owner = "/ground" if part.body == GROUND else f"/bodies/{part.body}"
            add.add_mesh_simple(
                f"{owner}/part{k}", np.asarray(part.vertices, np.float32), np.asarray(part.faces, np.uint32),
                color=rgb(part.colour), opacity=None if part.opacity >= 1.0 else part.opacity, flat_shading=True,
                side="front" if part.one_sided else "double", cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
        self._balls = []
        for k, balls in enumerate(scene.balls):
            vertices, faces = unit_ball(10 if len(balls.radius) > 2000 else 18)
            turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(balls.radius), 1))
            self._balls.append(add.add_batched_meshes_simple(
                f"/balls{k}", vertices, faces, turns, np.zeros((len(balls.radius), 3)), batched_scales=balls.radius,
                batched_colors=np.array([rgb(colour) for colour in balls.colours], np.uint8), cast_shadow=False,
                receive_shadow=False, lod="off",
            ))  # fmt: skip
        self._struts = [
            self._batch(f"/struts/{k}", (strut.vertices, strut.faces), 1, strut.colour)
            for k, strut in enumerate(scene.struts)
        ]
        self._traces = [
            add.add_line_segments(f"/paths/{k}", np.stack([trace.points[:-1], trace.points[1:]], axis=1),
                                  rgb(trace.colour), thickness=1.5, thickness_units="screen")
            for k, trace in enumerate(scene.traces)
        ]  # fmt: skip
        self._forces: Any = None
        self._points: Any = None
        if scene.touches is not None:
            count = len(scene.touches.names)
            self._forces = self._batch("/forces", arrow(), count, RED)
            self._points = self._batch("/contacts", unit_ball(10), count, RED)
        self._fit()

    def _batch(self, name: str, triangles: Any, count: int, colour: str) -> Any:
        """Copies of triangles that get places, directions and sizes later."""
        vertices, faces = triangles
        turns, places = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))
        return self.server.scene.add_batched_meshes_simple(
            name, np.asarray(vertices, np.float32), np.asarray(faces, np.uint32), turns, places,
            batched_scales=np.ones((count, 3)), batched_colors=np.array(rgb(colour), np.uint8), side="double",
            cast_shadow=False, receive_shadow=False, lod="off",
        )  # fmt: skip

    def _shown_bodies(self) -> int:
        """Bodies that need a frame: those with parts. Balls are placed on their own."""
        return 1 + max((part.body for part in self.scene.parts), default=-1)

    def _fit(self) -> None:
        """Look at all of it, from the front in the plane, from above in space."""
        scene = self.scene
        middle, far = 0.5 * (scene.low + scene.high), 1.05 * scene.diagonal
        up = scene.up
        if scene.dim == 2:
            way = np.array([0.0, 0.0, 1.0])
            far = 0.62 * scene.diagonal
        else:
            side = np.eye(3)[int(np.argmin(np.abs(up)))]
            way = 0.75 * side - 0.55 * np.cross(up, side) + 0.4 * up
            way = way / np.linalg.norm(way)
        camera = self.server.initial_camera
        for view in (camera, *(client.camera for client in self.server.get_clients().values())):
            view.up = tuple(up)
            view.position, view.look_at = tuple(middle + far * way), tuple(middle)
        camera.near, camera.far = 1e-3 * far, 50.0 * far

    def _controls(self) -> None:
        scene, gui = self.scene, self.server.gui
        first, last = float(scene.t[0]), float(scene.t[-1])
        gui.set_panel_label(scene.name)
        gui.configure_theme(show_logo=False, show_share_button=False)
        with gui.add_folder("time"):
            span = max(last - first, 1e-12)
            self._slider = gui.add_slider("t [s]", first, first + span, span / 1e4, first)
            self._play = gui.add_button("pause")
            self._speeds, usual = speed_choices(last - first)
            words = {factor: name for name, factor in self._speeds.items()}
            self._speed = gui.add_dropdown("speed", tuple(self._speeds), initial_value=words[usual])
            fit = gui.add_button("fit")
        self._marks: list[tuple[Any, Any]] = []
        if scene.touches is not None:
            self._marks = [(self._forces, gui.add_checkbox("contact forces", True)),
                           (self._points, gui.add_checkbox("contact points", True))]  # fmt: skip
            for _, box in self._marks:
                box.on_update(lambda _: self.seek(self.time))
        if self._traces:
            self._switch(gui.add_checkbox("paths", True), self._traces)
        self._slider.on_update(self._scrubbed)
        self._play.on_click(self._toggle)
        fit.on_click(lambda _: self._fit())

    def _switch(self, box: Any, handles: Sequence[Any]) -> None:
        def change(_: Any) -> None:
            for handle in handles:
                handle.visible = box.value

        box.on_update(change)

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:  # a person moved it, not the animation
            self.pause()
            self.seek(float(self._slider.value))

    def _toggle(self, _: Any) -> None:
        self.playing = not self.playing
        if self.playing and self.time >= self.scene.t[-1]:
            self.time = float(self.scene.t[0])

    def _run(self) -> None:
        last = clock.perf_counter()
        while not self._stopped.wait(1.0 / RATE):
            now = clock.perf_counter()
            passed, last = now - last, now
            label = "pause" if self.playing else "play"
            if self._play.label != label:
                self._play.label = label
            if not self.playing or not self.server.get_clients():
                continue
            time = self.time + passed * self._speeds[self._speed.value]
            if time > self.scene.t[-1]:
                time = float(self.scene.t[0])
            self.seek(time)

    def _place(self, frame: int) -> None:
        """Poses of one frame."""
        scene = self.scene
        poses = scene.poses[frame].astype(float)
        with self.server.atomic():
            for handle, pose in zip(self._frames, poses, strict=False):
                handle.position, handle.wxyz = pose[:3], pose[3:]
            for handle, balls in zip(self._balls, scene.balls, strict=True):
                own = poses[np.maximum(balls.bodies, 0)]
                own[balls.bodies == GROUND] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
                turned = np.einsum("nij,nj->ni", matrix_of(own[:, 3:]), balls.at) if balls.at.any() else 0.0
                handle.batched_positions = (own[:, :3] + turned).astype(np.float32)
                handle.batched_wxyzs = own[:, 3:].astype(np.float32)
            for handle, strut in zip(self._struts, scene.struts, strict=True):
                start, end = ends_of(strut, poses)
                length = float(np.linalg.norm(end - start))
                handle.batched_positions, handle.batched_wxyzs = start[None], along_x((end - start)[None])
                handle.batched_scales = np.array([[max(length, NOTHING), 1.0, 1.0]])
            if scene.touches is not None:
                self._place_touches(scene.touches.points[frame], scene.touches.forces[frame], reaches(scene, frame))

    def _place_touches(self, points: np.ndarray, forces: np.ndarray, reach: np.ndarray) -> None:
        pressed = bool(reach.any())
        for handle, box in self._marks:
            if handle.visible != (pressed and box.value):
                handle.visible = pressed and box.value
        if not pressed:
            return
        size = self.scene.size
        lift = np.array([0.0, 0.0, 0.6 * size if self.scene.dim == 2 else 0.0])  # above the drawing
        wide = np.minimum(0.45 * size, 0.3 * reach)
        self._forces.batched_positions = self._points.batched_positions = (points + lift).astype(np.float32)
        self._forces.batched_wxyzs = along_x(forces.astype(float))
        self._forces.batched_scales = np.maximum(np.column_stack([reach, wide, wide]), NOTHING)
        dot = np.where(reach > 0.0, 0.2 * size, NOTHING)
        self._points.batched_scales = np.column_stack([dot, dot, dot])
