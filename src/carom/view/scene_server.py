"""Server of a scene: its geometry in the browser, whose poses and contact forces change."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.scene.camera import view_direction
from carom.scene.colours import rgb
from carom.scene.glyphs import end_points, quaternions_from_x, unit_arrow, unit_sphere
from carom.scene.scene import GROUND, Scene, SphereGroup
from carom.view.guard import Guard
from carom.view.viser_server import guarded_viser

FRAME_RATE = 30.0
"""Largest number of frames per second that are sent to the browser [1/s]."""
RED = "#d62728"
HIDDEN_SCALE = 1e-9
"""Scale of glyphs that are not visible [-]; zero would give a singular matrix."""


class SceneServer:
    """Server of a scene at ``address``; a subclass moves it in a thread of its own, from `_start` to `stop`."""

    def __init__(self, scene: Scene, port: int):
        self.scene = scene
        self._guard = Guard()
        self.server: Any = guarded_viser(self._guard, port, scene.name)
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._add_geometry()

    @property
    def address(self) -> str:
        """Address of the page; it contains a secret that gives access to the scene."""
        return self._guard.address(self.server.get_port())

    def entry(self) -> str:
        """Return an address that redirects to the page once."""
        return self._guard.entry(self.server.get_port())

    def announce(self, open_browser: bool) -> None:
        """Print the address, and open the page in a browser."""
        print(f"{self.scene.name}: {self.address}")
        if open_browser:
            webbrowser.open(self.entry())

    def wait(self) -> None:
        """Wait until the server is stopped."""
        while not self._stopped.wait(0.2):
            continue

    def stop(self) -> None:
        """Stop the server."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(2.0)
        self.server.stop()

    def _start(self, run: Callable[[], None]) -> None:
        """Run a function in a thread until the server is stopped."""
        self._thread = threading.Thread(target=run, name="carom viewer", daemon=True)
        self._thread.start()

    def _add_geometry(self) -> None:
        """Add all geometry to the page once; later only poses and scales change."""
        scene, add = self.scene, self.server.scene
        add.set_up_direction(tuple(scene.up))
        # A planar drawing has even light only, because the default lights would brighten its colours.
        add.configure_default_lights(scene.dim == 3, cast_shadow=False)
        add.configure_environment_map("warehouse", environment_intensity=1.1 if scene.dim == 2 else 0.35)
        self._frames = [add.add_frame(f"/bodies/{k}", show_axes=False) for k in range(self._n_frames())]
        for k, part in enumerate(scene.parts):
            owner = "/ground" if part.body == GROUND else f"/bodies/{part.body}"
            add.add_mesh_simple(
                f"{owner}/part{k}", np.asarray(part.vertices, np.float32), np.asarray(part.faces, np.uint32),
                color=rgb(part.colour), opacity=None if part.opacity >= 1.0 else part.opacity, flat_shading=True,
                side="front" if part.one_sided else "double", cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
        self._spheres = [self._add_spheres(f"/spheres{k}", group) for k, group in enumerate(scene.spheres)]
        self._two_body_parts = [
            self._add_copies(f"/two_body_parts/{k}", (part.vertices, part.faces), 1, part.colour)
            for k, part in enumerate(scene.two_body_parts)
        ]
        self._traces = [
            add.add_line_segments(f"/paths/{k}", np.stack([trace.points[:-1], trace.points[1:]], axis=1),
                                  rgb(trace.colour), thickness=1.5, thickness_units="screen")
            for k, trace in enumerate(scene.traces)
        ]  # fmt: skip
        self._forces: Any = None
        self._points: Any = None
        if scene.contacts is not None:
            count = len(scene.contacts.names)
            self._forces = self._add_copies("/forces", unit_arrow(), count, RED, HIDDEN_SCALE)
            self._points = self._add_copies("/contacts", unit_sphere(10), count, RED, HIDDEN_SCALE)
        self._fit()

    def _add_spheres(self, name: str, group: SphereGroup) -> Any:
        """Add a group of spheres; many spheres have coarser triangles."""
        count = len(group.radii)
        vertices, faces = unit_sphere(10 if count > 2000 else 18)
        rotations = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        return self.server.scene.add_batched_meshes_simple(
            name, vertices, faces, rotations, np.zeros((count, 3)), batched_scales=group.radii,
            batched_colors=np.array([rgb(colour) for colour in group.colours], np.uint8), cast_shadow=False,
            receive_shadow=False, lod="off",
        )  # fmt: skip

    def _add_copies(self, name: str, triangles: Any, count: int, colour: str, scale: float = 1.0) -> Any:
        """Add copies of triangles with this scale; positions, directions and sizes are set in each frame."""
        vertices, faces = triangles
        rotations, positions = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))
        return self.server.scene.add_batched_meshes_simple(
            name, np.asarray(vertices, np.float32), np.asarray(faces, np.uint32), rotations, positions,
            batched_scales=np.full((count, 3), scale), batched_colors=np.array(rgb(colour), np.uint8), side="double",
            cast_shadow=False, receive_shadow=False, lod="off",
        )  # fmt: skip

    def _n_frames(self) -> int:
        """Return the number of body frames: up to the last body with parts. Spheres have poses of their own."""
        return 1 + max((part.body for part in self.scene.parts), default=-1)

    def _fit(self) -> None:
        """Move the camera so that the whole scene is visible: from the front in 2D, from above in 3D."""
        scene = self.scene
        centre, distance = 0.5 * (scene.low + scene.high), 1.05 * scene.diagonal
        up = scene.up
        if scene.dim == 2:
            distance = 0.62 * scene.diagonal
        direction = view_direction(scene)
        camera = self.server.initial_camera
        for view in (camera, *(client.camera for client in self.server.get_clients().values())):
            view.up = tuple(up)
            view.position, view.look_at = tuple(centre + distance * direction), tuple(centre)
        camera.near, camera.far = 1e-3 * distance, 50.0 * distance

    def _add_glyph_controls(self, update: Callable[[], None]) -> None:
        """Add the switches of contacts, whose changes are shown by ``update``, and of paths."""
        gui = self.server.gui
        self._contact_glyphs: list[tuple[Any, Any]] = []
        if self._forces is not None:
            self._contact_glyphs = [(self._forces, gui.add_checkbox("contact forces", True)),
                           (self._points, gui.add_checkbox("contact points", True))]  # fmt: skip
            for _, box in self._contact_glyphs:
                box.on_update(lambda _: update())
        if self._traces:
            self._connect_checkbox(gui.add_checkbox("paths", True), self._traces)

    def _connect_checkbox(self, box: Any, handles: Sequence[Any]) -> None:
        """Show or hide objects of the page by a checkbox."""

        def change(_: Any) -> None:
            for handle in handles:
                handle.visible = box.value

        box.on_update(change)

    def _show_poses(self, poses: np.ndarray) -> None:
        """Set the poses (b, 7) of the bodies."""
        scene = self.scene
        for handle, pose in zip(self._frames, poses, strict=False):
            handle.position, handle.wxyz = pose[:3], pose[3:]
        for handle, group in zip(self._spheres, scene.spheres, strict=True):
            bodies = poses[np.maximum(group.bodies, 0)]
            bodies[group.bodies == GROUND] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
            has_offset = group.centres.any()
            offset = np.einsum("nij,nj->ni", matrix_of(bodies[:, 3:]), group.centres) if has_offset else 0.0
            handle.batched_positions = (bodies[:, :3] + offset).astype(np.float32)
            handle.batched_wxyzs = bodies[:, 3:].astype(np.float32)
        for handle, part in zip(self._two_body_parts, scene.two_body_parts, strict=True):
            start, end = end_points(part, poses)
            length = float(np.linalg.norm(end - start))
            handle.batched_positions, handle.batched_wxyzs = start[None], quaternions_from_x((end - start)[None])
            handle.batched_scales = np.array([[max(length, HIDDEN_SCALE), 1.0, 1.0]])

    def _show_contacts(self, points: np.ndarray, forces: np.ndarray, lengths: np.ndarray) -> None:
        """Set contact points and force arrows of ``lengths`` (c,) [m]; hide them without a force."""
        any_force = bool(lengths.any())
        for handle, box in self._contact_glyphs:
            if handle.visible != (any_force and box.value):
                handle.visible = any_force and box.value
        if not any_force:
            return
        size = self.scene.size
        above = np.array([0.0, 0.0, 0.6 * size if self.scene.dim == 2 else 0.0])  # the planar drawing
        width = np.minimum(0.45 * size, 0.3 * lengths)
        self._forces.batched_positions = self._points.batched_positions = (points + above).astype(np.float32)
        self._forces.batched_wxyzs = quaternions_from_x(forces.astype(float))
        self._forces.batched_scales = np.maximum(np.column_stack([lengths, width, width]), HIDDEN_SCALE)
        radius = np.where(lengths > 0.0, 0.2 * size, HIDDEN_SCALE)
        self._points.batched_scales = np.column_stack([radius, radius, radius])
