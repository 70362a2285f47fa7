"""Bodies of a scene as objects of PyVista, which move from frame to frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.geometry.tessellation import join_triangles
from carom.plot.dark_theme import scene_colour
from carom.plot.style import current_look
from carom.scene.glyphs import end_points, quaternions_from_x, sphere_centres
from carom.scene.scene import GROUND, Part, Scene, SphereGroup, TwoBodyPart

OUT_OF_FOCUS = 0.2
"""Opacity of bodies that are not in focus [-]."""
FEATURE_ANGLE = 35.0
"""Angle between triangles beyond which their common edge is sharp [deg]."""
SPHERE_SEGMENTS, COARSE_SEGMENTS = 48, 16
"""Segments of a sphere, and of one of many."""
FINE_SPHERES = 400
"""Number of spheres up to which they are fine."""
MATERIAL: dict[str, float] = {"ambient": 0.25, "diffuse": 0.72, "specular": 0.28, "specular_power": 28.0}
MATT: dict[str, float] = {"ambient": 1.0, "diffuse": 0.0, "specular": 0.0, "specular_power": 1.0}
"""Reflection of light by surfaces, and by shadows [-]."""


class BodyActors:
    """Bodies of ``scene`` in ``plotter``, to be placed by `place`.

    ``moving`` and ``fixed`` select bodies and the ground, without the parts in ``hidden``. ``opacity`` multiplies that
    of the parts; bodies that are not in ``focus`` are faint, unless it is empty. ``matrix`` (4, 4) maps global
    coordinates to those in the picture: with a ``colour``, the bodies are their shadow.
    """

    def __init__(
        self,
        plotter: Any,
        scene: Scene,
        *,
        moving: bool = True,
        fixed: bool = True,
        opacity: float = 1.0,
        colour: str | None = None,
        matrix: np.ndarray | None = None,
        hidden: tuple[Part, ...] = (),
        focus: Sequence[str] = (),
    ):
        self.plotter, self.scene, self.opacity, self.colour = plotter, scene, opacity, colour
        self.matrix = np.eye(4) if matrix is None else matrix
        self.material = MATERIAL if colour is None else MATT
        self.parts: list[tuple[Any, Part]] = []
        self.links: list[tuple[Any, TwoBodyPart]] = []
        self.clouds: list[tuple[Any, SphereGroup]] = []
        shown = [part for part in scene.parts if part not in hidden and (fixed if part.body == GROUND else moving)]
        if colour is not None:
            shown = [part for part in shown if not part.one_sided and part.opacity > 0.5]
        for part in merged_parts(shown):
            out_of_focus = bool(focus) and part.body != GROUND and scene.bodies[part.body] not in focus
            part_opacity = part.opacity * (OUT_OF_FOCUS if out_of_focus else 1.0)
            if colour is None or not out_of_focus:
                self.parts.append((self.add_surface(part.vertices, part.faces, part.colour, part_opacity), part))
        n_spheres = sum(len(group.radii) for group in scene.spheres)
        segments = SPHERE_SEGMENTS if n_spheres <= FINE_SPHERES else COARSE_SEGMENTS
        if moving:
            for link in scene.two_body_parts:
                self.links.append((self.add_surface(link.vertices, link.faces, link.colour), link))
            self.clouds = [(self._add_cloud(group, segments), group) for group in scene.spheres]

    def add_surface(self, vertices: np.ndarray, faces: np.ndarray, colour: str, opacity: float = 1.0) -> Any:
        """Add triangles, smooth but for their sharp edges, and return their actor."""
        import pyvista

        faces = np.asarray(faces, np.int64)
        cells = np.column_stack([np.full(len(faces), 3), faces]).ravel()
        mesh = pyvista.PolyData(np.asarray(vertices, float), cells)
        is_smooth = self.colour is None
        actor = self.plotter.add_mesh(
            mesh.clean() if is_smooth else mesh, color=self._rgb(colour),
            opacity=opacity * self.opacity, smooth_shading=is_smooth, split_sharp_edges=is_smooth,
            feature_angle=FEATURE_ANGLE, **self.material,
        )  # fmt: skip
        actor.user_matrix = self.matrix
        return actor

    def _add_cloud(self, group: SphereGroup, segments: int) -> Any:
        """Add spheres as copies of one mesh, and return their centres as points."""
        import pyvista
        from vtkmodules.vtkRenderingCore import vtkGlyph3DMapper

        points = pyvista.PolyData(np.zeros((len(group.radii), 3)))
        points["diameter"] = 2.0 * np.asarray(group.radii, float)
        colours = [self._rgb(colour) for colour in group.colours]
        points["colour"] = np.round(255.0 * np.array(colours)).astype(np.uint8)
        mapper = vtkGlyph3DMapper()
        mapper.SetSourceData(pyvista.Sphere(radius=0.5, theta_resolution=segments, phi_resolution=segments // 2 + 1))
        mapper.SetInputData(points)
        mapper.SetScaleArray("diameter")
        mapper.SetScaleModeToScaleByMagnitude()
        mapper.SetScalarModeToUsePointFieldData()
        mapper.SelectColorArray("colour")
        mapper.SetColorModeToDirectScalars()
        actor = pyvista.Actor()
        actor.SetMapper(mapper)
        surface = actor.prop
        surface.interpolation = "phong"
        surface.opacity = self.opacity
        for name, value in self.material.items():
            setattr(surface, name, value)
        actor.user_matrix = self.matrix
        self.plotter.add_actor(actor)
        return points

    def _rgb(self, colour: str) -> tuple[float, ...]:
        return scene_colour(self.colour or colour, current_look() == "dark")

    def place(self, frame: int) -> None:
        """Move the bodies to their poses in a frame."""
        poses = self.scene.poses[frame].astype(float)
        for actor, part in self.parts:
            if part.body != GROUND:
                turn, shift = matrix_of(poses[part.body, 3:]), poses[part.body, :3]
                actor.user_matrix = self.matrix @ affine_matrix(turn, shift)
        for actor, link in self.links:
            start, end = end_points(link, poses)
            length = max(float(np.linalg.norm(end - start)), 1e-12)
            turn = matrix_of(quaternions_from_x((end - start)[None])[0])
            actor.user_matrix = self.matrix @ affine_matrix(turn * (length, 1.0, 1.0), start)
        for points, group in self.clouds:
            points.points = sphere_centres(group, poses)


def merged_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with those of one body, colour and opacity joined."""
    groups: dict[tuple[int, str, float], list[Part]] = {}
    for part in parts:
        groups.setdefault((part.body, part.colour, part.opacity), []).append(part)
    return [
        Part(body, *join_triangles(*((part.vertices, part.faces) for part in group)), colour, opacity)
        for (body, colour, opacity), group in groups.items()
    ]


def affine_matrix(matrix: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return the homogeneous matrix (4, 4) of a linear map (3, 3) and a shift [m]."""
    full = np.eye(4)
    full[:3, :3], full[:3, 3] = matrix, shift
    return full
