"""Parts of a spatial system as triangles and spheres: shapes of the contacts, and rods from bodies to their joints."""

from __future__ import annotations

import numpy as np

from carom.geometry.drawing import DrawnLink, DrawnShape, Symbol
from carom.geometry.tessellation import capsule_triangles
from carom.scene.colours import FAINT, INK
from carom.scene.scene import GROUND, Part, SphereGroup, TwoBodyPart
from carom.scene.spatial_layout import SpatialLayout

TRANSPARENT = 0.22
"""Opacity of the ground and of shapes that enclose a body [-]."""
ROD, AXLE, SPRING = 0.22, 0.34, 0.077
"""Radii of rods, axles and springs, relative to the symbol size [-]."""
POINT_RADIUS, BODY_RADIUS = 0.2, 0.6
"""Radii of contact points and of bodies without geometry, relative to the symbol size [-]."""


class SpatialParts:
    """Parts, spheres and two-body parts of the drawing of a spatial system."""

    def __init__(self, layout: SpatialLayout, colours: dict[str, str]):
        self.layout, self.colours, self.size = layout, colours, layout.size
        self.names = list(layout.indices)
        self.parts: list[Part] = []
        self.spheres: list[SphereGroup] = []
        self.two_body_parts: list[TwoBodyPart] = []
        shapes = layout.data.shapes
        solid_spheres = [shape for shape in shapes if _is_solid_sphere(shape)]
        self._add_spheres(solid_spheres)
        for shape in shapes:
            if not _is_solid_sphere(shape):
                self._add_shape(shape)
        for link in layout.data.links:
            self._add_link(link)
        self._add_bodies_without_geometry()

    def _index(self, body: str) -> int:
        return self.layout.indices.get(body, GROUND)

    def _add_spheres(self, shapes: list[DrawnShape]) -> None:
        if not shapes:
            return
        self.spheres.append(SphereGroup(
            np.array([self._index(shape.body) for shape in shapes], np.int32),
            np.array([shape.at for shape in shapes], float),
            np.array([shape.radius or POINT_RADIUS * self.size for shape in shapes], float),
            tuple(shape.colour or self.colours.get(shape.body, FAINT) for shape in shapes),
        ))  # fmt: skip

    def _add_shape(self, shape: DrawnShape) -> None:
        index, colour = self._index(shape.body), shape.colour or self.colours.get(shape.body, FAINT)
        vertices, faces = self.layout.triangles(shape, self.layout.low, self.layout.high)
        opacity = TRANSPARENT if (index == GROUND and not shape.colour) or shape.inside else 1.0
        opacity = opacity if shape.opacity is None else shape.opacity
        one_sided = shape.is_plane and index == GROUND
        self.parts.append(Part(index, vertices, faces, colour, opacity, one_sided=one_sided))

    def _add_link(self, link: DrawnLink) -> None:
        ends = [(self._index(body), np.array(at)) for body, at in ((link.a, link.at_a), (link.b, link.at_b))]
        if link.symbol.spans_bodies:
            vertices, faces = capsule_triangles((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), SPRING * self.size)
            vertices = np.column_stack([vertices[:, 0].clip(0.0, 1.0), vertices[:, 1:]])
            self.two_body_parts.append(TwoBodyPart(*ends[0], *ends[1], vertices, faces, INK))
            return
        for index, at in ends:
            if index != GROUND and np.linalg.norm(at) > 1e-9:
                self._add_rod(index, np.zeros(3), at, ROD * self.size, self.colours[self.names[index]])
        axis = np.array(link.axis, float).ravel()
        if len(axis) == 3 and axis.any() and not link.symbol.slides and link.symbol is not Symbol.WELD:
            index, at = ends[0]
            half = 0.9 * self.size * axis / np.linalg.norm(axis)
            self._add_rod(index, at - half, at + half, AXLE * self.size, INK)

    def _add_rod(self, body: int, start: np.ndarray, end: np.ndarray, radius: float, colour: str) -> None:
        vertices, faces = capsule_triangles(start, end, radius)
        self.parts.append(Part(body, vertices, faces, colour))

    def _add_bodies_without_geometry(self) -> None:
        """Add a small sphere for each body with neither a shape nor a rod."""
        with_rod = {body for body, _ in self.layout.rods}
        bare = [name for name in self.layout.bodies_without_shape() if name not in with_rod]
        self._add_spheres([DrawnShape(name, "Sphere", (0.0, 0.0, 0.0), BODY_RADIUS * self.size) for name in bare])


def _is_solid_sphere(shape: DrawnShape) -> bool:
    return shape.vertices is None and not shape.is_plane and not shape.inside and shape.opacity in (None, 1.0)
