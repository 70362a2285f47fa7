"""Tables of solids with plane faces, and of capsules, as the kernels of meshes read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.geometry.mesh.tables import MeshTables, mesh_tables
from carom.geometry.mesh.topology import Topology


class Line(Topology):
    """A single edge, which all normals perpendicular to it belong to, with a triangle of no area for the tree."""

    full = np.ones(1, bool)
    sharp = supporting = np.ones(2, bool)
    edge_bends = np.ones(2)


def solid_of(shape: Any) -> MeshTables:
    """Return the tables of a mesh, box, hull or capsule; they live as long as the shape."""
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
    return mesh_tables(Topology.joined(shape.label, vertices, faces))
