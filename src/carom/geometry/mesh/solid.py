"""Tables of solids with plane faces, of capsules and of plates, as the kernels of meshes read them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from carom.geometry.mesh.tables import MeshTables, mesh_tables
from carom.geometry.mesh.topology import Topology


class Line(Topology):
    """A single edge, which all normals perpendicular to it belong to, with a triangle of no area for the tree."""

    full = np.ones(1, bool)
    sharp = supporting = np.ones(2, bool)
    edge_bends = np.ones(2)


class Plate(Topology):
    """Flat and thin faces, whose corners and border touch on both sides."""

    @cached_property
    def sharp(self) -> np.ndarray:
        """True for all vertices: they are corners."""
        return np.ones(len(self.vertices), bool)

    @cached_property
    def edge_bends(self) -> np.ndarray:
        """One for the border, zero within [-]."""
        return np.where(np.bincount(self.edge_of, minlength=len(self.edges)) == 1, 1.0, 0.0)

    @cached_property
    def edge_tangents(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Unit vectors from each edge of the border into its face, twice, and True for them."""
        border = self.edge_bends[self.edge_of] > 0.0
        along = self.vertices[self.sides[:, 1]] - self.vertices[self.sides[:, 0]]
        inward = np.cross(np.repeat(self.normals, 3, axis=0), along / np.linalg.norm(along, axis=1)[:, None])
        one = np.zeros((len(self.edges), 3))
        one[self.edge_of[border]] = inward[border]
        return one, one, self.edge_bends > 0.0


def solid_of(shape: Any) -> MeshTables:
    """Return the tables of a mesh, box, hull, capsule or plate; they live as long as the shape."""
    if "_tables" not in vars(shape):
        vars(shape)["_tables"] = _tables(shape)
    tables: MeshTables = vars(shape)["_tables"]
    return tables


def _tables(shape: Any) -> MeshTables:
    if shape.kind == "Segment":
        return mesh_tables(Line(np.array([shape.start, shape.end]), np.array([[0, 1, 0]])), shape.radius)
    if shape.kind == "Mesh":
        return mesh_tables(shape.topology)
    vertices, faces = shape.triangles()
    if shape.kind in ("Rectangle", "Triangle"):
        return mesh_tables(Plate(vertices, faces))
    return mesh_tables(Topology.joined(shape.label, vertices, faces))
