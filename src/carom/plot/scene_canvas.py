"""Pictures of a scene, frame by frame: its triangles and spheres, projected and painted from back to front."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from carom.geometry.rotation import matrix_of
from carom.plot import dark_theme
from carom.plot.spatial_drawing import LIGHT_DIRECTION
from carom.plot.style import DPI, current_look, style
from carom.scene.camera import Camera
from carom.scene.glyphs import arrow_lengths, end_points, quaternions_from_x, sphere_centres, unit_arrow
from carom.scene.scene import GROUND, Scene

SUPERSAMPLING = 2
"""Pixels of the painted picture per pixel of the result, in each direction; edges are smooth without seams."""
RED = "#d62728"
FINE_SPHERES = 1000
"""Number of spheres up to which each one is shaded."""
BEHIND = 1e9
"""Distance by which planes of the ground lie behind everything else [m]."""
CAPTION = 26
"""Height of the line of text below the picture [pixels]."""
SHADES = ((1.0, 0.72), (0.84, 0.84), (0.62, 0.93), (0.34, 1.0))
"""Radius and brightness of the discs that shade a sphere, relative to those of the sphere [-]."""


Surface: TypeAlias = tuple[np.ndarray, np.ndarray, str, float, bool, bool]
"""Vertices in global axes [m], faces, colour, opacity, flatness and one-sidedness."""


class SceneCanvas:
    """Picture of ``width`` by ``height`` pixels of a scene; `frame` paints it.

    ``forces`` and ``points`` show the contacts as arrows and points.
    """

    def __init__(self, scene: Scene, width: int, forces: bool = True, points: bool = True):
        self.scene, self.camera, self.forces, self.points = scene, Camera(scene), forces, points
        self.is_dark = current_look() == "dark"
        size = self.camera.high - self.camera.low
        content = int(np.clip(width * size[1] / size[0], 0.25 * width, width))
        self.width, self.height = 2 * (width // 2), 2 * ((content + CAPTION) // 2)
        inches = np.array([self.width, self.height]) * SUPERSAMPLING / DPI
        paper = dark_theme.PAPER if self.is_dark else "white"
        self.figure = Figure(figsize=tuple(inches), dpi=DPI, facecolor=paper)
        self._canvas: Any = FigureCanvasAgg(self.figure)  # not typed
        below = CAPTION / self.height
        with style():
            axes: Any = self.figure.add_axes((0.0, below, 1.0, 1.0 - below))
            axes.set_axis_off()
            axes.set_aspect("equal")
            axes.set_xlim(self.camera.low[0], self.camera.high[0])
            axes.set_ylim(self.camera.low[1], self.camera.high[1])
            self._polygons = PolyCollection([], antialiased=False, linewidths=0.0, zorder=2.0)
            axes.add_collection(self._polygons, autolim=False)
            colours = [np.array(self._rgb(trace.colour)) for trace in scene.traces]
            self._lines = [
                axes.plot([], [], color=colour, linewidth=1.2 * SUPERSAMPLING / 1.5)[0] for colour in colours
            ]
            ink = dark_theme.INK if self.is_dark else "#222222"
            self._text = self.figure.text(0.012, 0.3 * below, "", color=ink, fontsize=6.6 * SUPERSAMPLING)
        self._arrow = unit_arrow()

    def close(self) -> None:
        """Free the memory of the picture."""
        self.figure.clear()

    def frame(self, k: int, caption: str) -> np.ndarray:
        """Return frame ``k`` with a text below it, as an array (height, width, 3) of bytes."""
        polygons, colours, depths = self._triangles(k)
        discs, disc_colours, disc_depths = self._discs(k)
        polygons += discs
        order = np.argsort(np.concatenate([depths, disc_depths]), kind="stable")
        paths = [_closed_path(polygons[index]) for index in order]
        self._polygons.set_verts_and_codes(*zip(*paths, strict=True))
        self._polygons.set_facecolor(list(map(tuple, np.concatenate([colours, disc_colours])[order])))
        for line, trace in zip(self._lines, self.scene.traces, strict=True):
            n = 1 + round(k / max(len(self.scene.t) - 1, 1) * (len(trace.points) - 1))
            line.set_data(*self.camera.project(trace.points[:n].astype(float))[:, :2].T)
        self._text.set_text(caption)
        with style():
            self._canvas.draw()
        pixels = np.asarray(self._canvas.buffer_rgba())[:, :, :3]
        n = SUPERSAMPLING
        blocks = pixels[: n * self.height, : n * self.width].reshape(self.height, n, self.width, n, 3)
        return (blocks.astype(np.uint16).sum(axis=(1, 3)) // n**2).astype(np.uint8)

    def _triangles(self, k: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """Return the triangles of frame ``k`` in the picture, their colours (n, 4) and depths (n,).

        Those of a transparent part of a planar drawing are one item (m, 3, 2), so that its inner edges are not visible.
        """
        corners: list[np.ndarray] = []
        colours, depths = [np.zeros((0, 4))], [np.zeros(0)]
        for vertices, faces, colour, opacity, is_flat, one_sided in self._surfaces(k):
            points = vertices[faces]
            projected = self.camera.project(points)
            depth = projected[:, :, 2].mean(axis=1)
            if one_sided:
                normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
                visible = normals @ self.camera.direction > 0.0
                points, projected, depth = points[visible], projected[visible], depth[visible] - BEHIND
            tints = self._colours(points, colour, opacity, is_flat)
            is_one = is_flat and opacity < 1.0 and len(points) > 0
            corners += [projected[:, :, :2]] if is_one else list(projected[:, :, :2])
            colours.append(tints[:1] if is_one else tints)
            depths.append(depth[:1] if is_one else depth)
        return corners, np.concatenate(colours), np.concatenate(depths)

    def _surfaces(self, k: int) -> Iterator[Surface]:
        """Yield the surfaces of frame ``k``."""
        scene, poses = self.scene, self.scene.poses[k].astype(float)
        for part in scene.parts:
            vertices = np.asarray(part.vertices, float)
            if part.body != GROUND:
                vertices = poses[part.body, :3] + vertices @ matrix_of(poses[part.body, 3:]).T
            yield vertices, part.faces, part.colour, part.opacity, part.flat, part.one_sided
        for link in scene.two_body_parts:
            start, end = end_points(link, poses)
            length = float(np.linalg.norm(end - start))
            vertices = np.asarray(link.vertices, float) * (length, 1.0, 1.0)
            turn = matrix_of(quaternions_from_x((end - start)[None])[0])
            yield start + vertices @ turn.T, link.faces, link.colour, 1.0, scene.dim == 2, False
        if self.forces and scene.contacts is not None:
            lengths, (arrow, faces) = arrow_lengths(scene, k), self._arrow
            turns = matrix_of(quaternions_from_x(scene.contacts.forces[k].astype(float)))
            for point, length, turn in zip(scene.contacts.points[k].astype(float), lengths, turns, strict=True):
                if length > 0.0:
                    width = min(0.45 * scene.size, 0.3 * length)
                    yield self._above(point + (arrow * (length, width, width)) @ turn.T), faces, RED, 1.0, False, False

    def _discs(self, k: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """Return spheres and contact points of frame ``k`` as polygons, with their colours (n, 4) and depths (n,)."""
        scene, poses = self.scene, self.scene.poses[k].astype(float)
        centres, radii, colours = [np.zeros((0, 3))], [np.zeros(0)], []
        for group in scene.spheres:
            centres.append(sphere_centres(group, poses))
            radii.append(group.radii)
            colours += [self._rgb(colour) for colour in group.colours]
        if self.points and scene.contacts is not None:
            loaded = arrow_lengths(scene, k) > 0.0
            centres.append(self._above(scene.contacts.points[k][loaded].astype(float)))
            radii.append(np.full(int(loaded.sum()), 0.2 * scene.size))
            colours += [self._rgb(RED)] * int(loaded.sum())
        all_centres, all_radii = np.concatenate(centres), np.concatenate(radii)
        projected = self.camera.project(all_centres)
        sizes = all_radii * self.camera.scale(projected[:, 2])
        shades = SHADES if len(sizes) <= FINE_SPHERES and scene.dim == 3 else ((1.0, 1.0),)
        angle = np.linspace(0.0, 2.0 * np.pi, 32 if len(sizes) <= FINE_SPHERES else 14, endpoint=False)
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        light = np.array([LIGHT_DIRECTION @ self.camera.right, LIGHT_DIRECTION @ self.camera.up])
        light = 0.55 * light / np.linalg.norm(light)
        polygons, tints, depths = [], [], []
        rows = zip(projected, sizes, colours, all_radii, strict=True)
        for (u, v, depth), size, colour, radius in rows:
            for fraction, brightness in shades:
                polygons.append((u, v) + size * ((1.0 - fraction) * light + fraction * circle))
                tints.append((*(brightness * part for part in colour), 1.0))
                depths.append(depth + (0.3 * radius if scene.dim == 3 else 0.0))
        return polygons, np.array(tints).reshape(-1, 4), np.array(depths)

    def _above(self, points: np.ndarray) -> np.ndarray:
        """Return points of contacts, moved in front of the bodies of a planar drawing [m]."""
        return points + np.array([0.0, 0.0, self.scene.size]) if self.scene.dim == 2 else points

    def _colours(self, corners: np.ndarray, colour: str, opacity: float, is_flat: bool) -> np.ndarray:
        """Return colours (n, 4) of triangles (n, 3, 3), lit from one direction unless they are flat."""
        brightness = np.ones(len(corners))
        if not is_flat and self.scene.dim == 3:
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            length = np.linalg.norm(normal, axis=1) * np.linalg.norm(LIGHT_DIRECTION)
            brightness = 0.55 + 0.45 * np.abs(normal @ LIGHT_DIRECTION) / np.where(length > 0.0, length, 1.0)
        return np.column_stack([np.outer(brightness, self._rgb(colour)), np.full(len(corners), opacity)])

    def _rgb(self, colour: str) -> tuple[float, ...]:
        """Return red, green and blue (0 … 1) of a colour of the scene in the current look."""
        return dark_theme.scene_colour(colour, self.is_dark)


def _closed_path(polygons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and codes of a path around a polygon (n, 2), or around each of several (m, n, 2)."""
    several = polygons.reshape(-1, *polygons.shape[-2:])
    closed = np.concatenate([several, several[:, :1]], axis=1)
    codes = np.full(closed.shape[:2], Path.LINETO, np.uint8)
    codes[:, 0], codes[:, -1] = Path.MOVETO, Path.CLOSEPOLY
    return closed.reshape(-1, 2), codes.ravel()
