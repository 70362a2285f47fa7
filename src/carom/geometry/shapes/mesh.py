"""Triangle meshes, from files or from arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import boolean, file_path, positive
from carom.errors import ModelError, warn
from carom.geometry.bounding_box import BoundingBox, box_around
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.mesh.convex_parts import convex_parts
from carom.geometry.mesh.mesh_file import read_triangles
from carom.geometry.mesh.solid import solid_of
from carom.geometry.mesh.topology import Topology, checked
from carom.geometry.rotation import matrix_of, rotation
from carom.geometry.shapes.base import SpatialShape
from carom.geometry.shapes.convex_hull import ConvexHull
from carom.geometry.tessellation import Triangles
from carom.typing import BodyLike, FilePath, MatrixLike, OrientationLike, PointLike

MeshArrays = tuple[MatrixLike, Sequence[Sequence[int]] | np.ndarray]
"""Vertices [m] and faces (triples of indices)."""


class Mesh(SpatialShape):
    """Triangle mesh from a ``file`` (STL, OBJ, PLY …), or from ``vertices`` [m] and ``faces`` (triples of indices).

    ``Mesh(body, (vertices, faces))`` is accepted, too. The mesh is in axes at ``at`` [m], rotated from the body axes by
    ``orientation`` (as `Body.orientation`); ``scale`` multiplies all its lengths. ``convex=True`` replaces it by its
    convex hull. ``decompose=True`` lets it touch as the convex ``parts`` that it is divided into, which approximate it
    and touch as `ConvexHull` does.

    A closed mesh, whose edges all join two faces of the same orientation, is a solid; its faces must be
    counter-clockwise from outside. Any other mesh is a thin surface that touches spheres and capsules on both sides;
    ``open_edges`` is the number of its other edges. ``volume`` [m³] is that of a solid, ``vertices`` are in body axes.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    >>> round(cm.Mesh(ball, (vertices, faces)).volume, 6)
    0.166667
    """

    kind = "Mesh"
    inside = False
    signed_radius = math.inf

    def __init__(
        self,
        body: BodyLike,
        file: FilePath | MeshArrays | None = None,
        at: PointLike = (0.0, 0.0, 0.0),
        orientation: OrientationLike = (1.0, 0.0, 0.0, 0.0),
        *,
        vertices: MatrixLike | None = None,
        faces: Sequence[Sequence[int]] | np.ndarray | None = None,
        scale: float = 1.0,
        convex: bool = False,
        decompose: bool = False,
    ):
        super().__init__(body)
        arrays = _arrays(file)
        if arrays is not None and vertices is None and faces is None:
            file, (vertices, faces) = None, arrays
        if (file is None) == (vertices is None) or (vertices is None) != (faces is None):
            raise ModelError(f"{self.label}: set either file, or vertices and faces")
        self.file = None if file is None else file_path(f"{self.label}: file", file)
        self.scale = positive(self.label, "scale", scale)
        self.at = self._point("at", at)
        self.orientation = rotation(self.label, "orientation", orientation)
        self.is_hull = boolean(self.label, "convex", convex)
        if self.file is not None:
            vertices, faces = read_triangles(self.label, self.file)
        self.topology = self._placed(vertices, faces)
        self.vertices, self.faces = self.topology.vertices, self.topology.faces
        self.open_edges = self.topology.open_edges
        self.thin = self.open_edges > 0
        self.volume = math.nan if self.thin else self.topology.volume
        self._check_orientation()
        self.decompose = boolean(self.label, "decompose", decompose)
        self.parts = self._convex_parts() if self.decompose else ()

    def _convex_parts(self) -> tuple[ConvexHull, ...]:
        """Return the convex parts of the solid."""
        if self.thin:
            raise ModelError(
                f"{self.label}: decompose=True needs a closed mesh; {self.open_edges} of its edges are open"
            )
        parts = convex_parts(self.label, self.vertices, self.faces)
        return tuple(ConvexHull(self.body, points) for points in parts)

    def _placed(self, vertices: Any, faces: Any) -> Topology:
        """Return the mesh in body axes."""
        points, indices = checked(self.label, vertices, faces)
        points = self.scale * points
        if self.is_hull:
            points, indices = hull(self.label, points[np.unique(indices)])
        if self.at != (0.0, 0.0, 0.0) or self.orientation != (1.0, 0.0, 0.0, 0.0):
            points = np.array(self.at) + points @ matrix_of(self.orientation).T
        return Topology.joined(self.label, points, indices)

    def _check_orientation(self) -> None:
        """Warn about an open mesh; raise for a closed one whose faces are oriented inwards."""
        if self.thin:
            source = f" from {self.file.name}" if self.file is not None else ""
            warn(
                f"{self.label}: the mesh{source} is not closed: {self.open_edges} of its {len(self.topology.edges)} "
                "edges do not join two faces of the same orientation; it is a thin surface that touches on both sides"
            )
        elif self.volume < 0.0:
            raise ModelError(
                f"{self.label}: the faces of the mesh are oriented inwards (volume {self.volume:g} m³); they must be "
                "counter-clockwise from outside: reverse them, faces[:, ::-1]"
            )

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of the constructor, with vertices and faces by name."""
        values = super().keywords()
        arrays = _arrays(values.get("file"))
        if arrays is not None:
            del values["file"]
            values["vertices"], values["faces"] = arrays
        return values

    @property
    def parameters(self) -> tuple[float, ...]:  # type: ignore[override]
        """Parameters of its pair kernels (`carom.geometry.mesh.tables.MESH`), valid while it lives."""
        return solid_of(self).parameters

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return sphere_around(self.vertices)

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return box_around(self.vertices)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return self.vertices, self.faces

    def outline(self, n: int = 64) -> np.ndarray:
        """Return corners of triangles, distributed over the mesh [m]."""
        return self.vertices[self.faces.ravel()[np.linspace(0, self.faces.size - 1, n).astype(int)]]


def _arrays(value: Any) -> tuple[Any, Any] | None:
    """Return the two items of a pair (vertices, faces); None for a path or None."""
    return (value[0], value[1]) if isinstance(value, (tuple, list)) and len(value) == 2 else None


def hull(owner: str, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and outward faces of the convex hull of points."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(points)
    except (QhullError, ValueError):
        raise ModelError(f"{owner}: convex=True needs points that do not all lie in one plane") from None
    faces = found.simplices
    a, b, c = (points[faces[:, k]] for k in range(3))
    reverse = np.sum(np.cross(b - a, c - a) * found.equations[:, :3], axis=1) < 0.0
    faces[reverse] = faces[reverse][:, ::-1]
    return points, faces
