"""Tables of a mesh for the kernels: a tree of boxes, triangles, vertices and edges in one array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.geometry.bvh import build_tree
from carom.geometry.mesh.topology import Topology
from carom.kernels import FLOAT, record

FINE_BAND, COARSE_BAND, COARSE_TRIANGLES = 0.01, 0.5, 64
"""Bands of a fine mesh and of one with few triangles, per length of its edges [-]; number of these triangles."""

MESH = record(
    tables=FLOAT,  # address of the nodes of its tree (`carom.geometry.bvh.TREE_NODE`)
    is_solid=FLOAT,  # 1.0 for a closed mesh
    size=FLOAT,  # longest side of its bounding box [m]
    band=FLOAT,  # gap up to which its vertices and edges are watched [m]
    radius=FLOAT,  # around the mesh: of a capsule, whose mesh is one edge [m]
    n_nodes=FLOAT,
    n_components=FLOAT,
    triangles_offset=FLOAT,  # where the other tables begin, in numbers
    vertices_offset=FLOAT,
    edges_offset=FLOAT,
    components_offset=FLOAT,
)
"""A mesh. A supporting vertex is further than its neighbours in some direction. The components are indices of one
vertex of each connected part."""
MESH_TRIANGLE = record(
    vertices=(FLOAT, 3),  # indices of its vertices
    edges=(FLOAT, 3),  # indices of its edges, from each vertex to the next
    normal=(FLOAT, 3),  # unit normal
    owned_vertices=(FLOAT, 3),  # 1.0 for a supporting vertex that no triangle before this one has
    owned_corners=(FLOAT, 3),  # 1.0 for a sharp vertex that no triangle before this one has
    owned_edges=(FLOAT, 3),  # 1.0 for a convex edge that no triangle before this one has
)
MESH_VERTEX = record(
    point=(FLOAT, 3),  # [m]
    normal=(FLOAT, 3),  # pseudo-normal
    is_sharp=FLOAT,  # 1.0 unless it is within a flat face or a straight edge
    rank=FLOAT,  # its number, those of the supporting vertices first
)
MESH_EDGE = record(
    normal=(FLOAT, 3),  # pseudo-normal
    start=(FLOAT, 3),  # ends [m]
    end=(FLOAT, 3),
    first_tangent=(FLOAT, 3),  # unit vectors from the edge into its faces
    second_tangent=(FLOAT, 3),
)


@dataclass(frozen=True)
class MeshTables:
    """Memory of the tables of a mesh, and the fields of its `MESH` other than their address."""

    memory: np.ndarray
    head: dict[str, float]

    @property
    def parameters(self) -> tuple[float, ...]:
        """Return the record of the mesh (`MESH`); the address in it is valid while this object lives."""
        return MESH.pack(tables=float(self.memory.ctypes.data), **self.head)


def mesh_tables(topology: Topology, radius: float = 0.0) -> MeshTables:
    """Return the tables of a mesh with a ``radius`` [m] around it."""
    full = np.flatnonzero(topology.full)
    nodes, order = build_tree(topology.vertices[topology.faces[full]])
    order = full[order]
    faces, edges = topology.faces[order], topology.edge_of.reshape(-1, 3)[order]
    triangles = MESH_TRIANGLE.zeros(len(order))
    triangles["vertices"], triangles["edges"], triangles["normal"] = faces, edges, topology.normals[order]
    triangles["owned_vertices"] = _first_use(faces) & topology.supporting[faces]
    triangles["owned_corners"] = _first_use(faces) & topology.sharp[faces]
    triangles["owned_edges"] = _first_use(edges) & (topology.edge_bends[edges] > 0.0)
    vertices = MESH_VERTEX.zeros(len(topology.vertices))
    vertices["point"], vertices["normal"] = topology.vertices, topology.vertex_normals
    vertices["is_sharp"] = topology.sharp
    vertices["rank"][np.argsort(~topology.supporting, kind="stable")] = np.arange(len(vertices))
    edge_rows = MESH_EDGE.zeros(len(topology.edges))
    edge_rows["normal"] = topology.edge_normals
    edge_rows["start"], edge_rows["end"] = (topology.vertices[topology.edges[:, k]] for k in (0, 1))
    edge_rows["first_tangent"], edge_rows["second_tangent"], _ = topology.edge_tangents
    blocks = [nodes.view(float), triangles.view(float), vertices.view(float), edge_rows.view(float)]
    blocks.append(topology.components.astype(float))
    starts = np.cumsum([block.size for block in blocks])
    head = {
        "is_solid": float(topology.open_edges == 0),
        "size": float(np.ptp(topology.vertices, axis=0).max()),
        "band": band_of(topology),
        "radius": radius,
        "n_nodes": float(len(nodes)),
        "n_components": float(len(topology.components)),
        "triangles_offset": float(starts[0]),
        "vertices_offset": float(starts[1]),
        "edges_offset": float(starts[2]),
        "components_offset": float(starts[3]),
    }
    return MeshTables(np.concatenate([block.ravel() for block in blocks]), head)


def band_of(topology: Topology) -> float:
    """Return the gap up to which vertices and edges are watched before they touch [m]: wide for few triangles.

    It is a fraction of the mean length of the edges, so that its effort does not depend on the size.
    """
    start, end = (topology.vertices[topology.edges[:, k]] for k in (0, 1))
    length = float(np.linalg.norm(end - start, axis=1).mean())
    return length * (FINE_BAND + COARSE_BAND * min(1.0, COARSE_TRIANGLES / len(topology.faces)))


def _first_use(indices: np.ndarray) -> np.ndarray:
    """Return True where an index appears for the first time in rows of indices."""
    first = np.zeros(indices.size, bool)
    first[np.unique(indices.ravel(), return_index=True)[1]] = True
    return first.reshape(indices.shape)
