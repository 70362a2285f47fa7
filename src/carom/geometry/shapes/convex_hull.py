"""Convex hulls of points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import file_path, limit_length, positive, short_repr
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, box_around
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.convex.convex_shape import ConvexShape, polytope_tables
from carom.geometry.convex.support import POLYTOPE
from carom.geometry.mesh.mesh_file import read_triangles
from carom.geometry.rotation import matrix_of, rotation
from carom.geometry.shapes.base import SpatialShape
from carom.geometry.tessellation import Triangles
from carom.typing import BodyLike, FilePath, MatrixLike, PointLike

COPLANAR = 1e-5
"""Angle between the normals of neighbouring triangles below which they form one face, as in files with single precision
[rad]."""


class ConvexHull(SpatialShape):
    """Convex hull of ``points`` [m], or of the vertices of a mesh ``file`` (STL, OBJ, PLY …).

    They are given in axes at ``at`` [m], rotated from the body axes by ``orientation`` (as `Body.orientation`);
    ``scale`` multiplies their coordinates. ``vertices`` [m] are the corners of the hull in body axes, ``faces`` lists
    of them, counter-clockwise from outside, and ``volume`` [m³] is its volume.

    Examples
    --------
    >>> import carom as cm
    >>> stone = cm.Body("stone", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> hull = cm.ConvexHull(stone, [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0.01, 0.01, 0.01)])
    >>> len(hull.vertices), round(hull.volume, 9)
    (4, 0.000166667)
    """

    kind = "ConvexHull"
    inside = False
    signed_radius = math.inf

    def __init__(
        self,
        body: BodyLike,
        points: MatrixLike | FilePath | None = None,
        at: PointLike = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray | None = None,
        *,
        file: FilePath | None = None,
        scale: float = 1.0,
    ):
        super().__init__(body)
        if isinstance(points, str) or hasattr(points, "__fspath__"):
            points, file = None, points
        if (points is None) == (file is None):
            raise ModelError(f"{self.label}: set either points or file")
        self.file = None if file is None else file_path(f"{self.label}: file", file)
        self.scale = positive(self.label, "scale", scale)
        self.at = self._point("at", at)
        value = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
        self.orientation = rotation(self.label, "orientation", value)
        if self.file is not None:
            points, _ = read_triangles(self.label, self.file)
        local = self.scale * self._checked(points)
        self.axes = matrix_of(self.orientation)
        self._set_hull(local)
        self._convex = self._convex_shape()
        self.parameters = self._convex.polytope

    def _checked(self, points: Any) -> np.ndarray:
        """Return the points as an array, or raise."""
        try:
            array = np.asarray(limit_length(self.label, "points", points), float)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{self.label}: points must be numbers, three per row") from None
        if array.ndim != 2 or array.shape[1] != 3 or not np.all(np.isfinite(array)):
            raise ModelError(f"{self.label}: points must be finite points (x, y, z), got {short_repr(points)}")
        if len(array) < 4:
            raise ModelError(f"{self.label}: needs at least four points, got {len(array)}")
        return array

    def _set_hull(self, points: np.ndarray) -> None:
        """Set vertices, faces (coplanar triangles joined), their unit normals, and the volume."""
        from scipy.spatial import ConvexHull as Hull
        from scipy.spatial import QhullError

        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        try:
            hull = Hull(points - middle)
        except QhullError:
            raise ModelError(f"{self.label}: the points must not all lie in one plane") from None
        number = np.zeros(len(points), int)
        number[hull.vertices] = np.arange(len(hull.vertices))
        vertices = points[hull.vertices]
        faces, normals = [], []
        for triangles, normal in _plane_faces(vertices, number[hull.simplices], hull):
            faces.append(_around(vertices, np.unique(triangles), normal))
            normals.append(normal)
        self.volume = float(hull.volume)
        self.vertices = np.array(self.at) + vertices @ self.axes.T
        self.faces = faces
        self.normals = np.array(normals) @ self.axes.T

    def _convex_shape(self) -> ConvexShape:
        """Return the shape as the kernels of convex shapes see it."""
        centre = 0.5 * (self.vertices.min(axis=0) + self.vertices.max(axis=0))
        tables = polytope_tables(self.vertices - centre, self.faces, self.normals)
        extent = float(np.linalg.norm(self.vertices - centre, axis=1).max())
        return ConvexShape(POLYTOPE, centre, extent, polytope=tables)

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it."""
        return self._convex

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return sphere_around(self.vertices)

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return box_around(self.vertices)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        fans = [[face[0], face[k], face[k + 1]] for face in self.faces for k in range(1, len(face) - 1)]
        return self.vertices, np.array(fans)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return corners of faces, distributed over the hull [m]."""
        corners = np.concatenate(self.faces)
        return self.vertices[corners[np.linspace(0, len(corners) - 1, n).astype(int)]]


def _plane_faces(vertices: np.ndarray, triangles: np.ndarray, hull: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return the triangles of each plane face of a hull, and its unit normal, that of the largest triangle."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    normals = hull.equations[:, :3]
    is_free = np.ones(len(triangles), bool)
    for seed in np.argsort(-area, kind="stable"):
        if not is_free[seed]:
            continue
        is_free[seed] = False
        face, k = [seed], 0
        while k < len(face):
            for other in hull.neighbors[face[k]]:
                if is_free[other] and np.linalg.norm(normals[other] - normals[seed]) < COPLANAR:
                    is_free[other] = False
                    face.append(other)
            k += 1
        yield triangles[face], normals[seed]


def _around(vertices: np.ndarray, corners: np.ndarray, normal: np.ndarray) -> list[int]:
    """Return the corners of a face in counter-clockwise order about its normal."""
    points = vertices[corners]
    from_middle = points - points.mean(axis=0)
    x = from_middle[0] / np.linalg.norm(from_middle[0])
    angle = np.arctan2(from_middle @ np.cross(normal, x), from_middle @ x)
    return [int(k) for k in corners[np.argsort(angle)]]
