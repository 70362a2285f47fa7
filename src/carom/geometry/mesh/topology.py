"""Vertices, faces and edges of a mesh, how they are connected, and which of them can touch another body first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from carom.argument_checks import limit_length
from carom.errors import ModelError
from carom.geometry.mesh.mesh_file import MAX_MESH_SIZE

MIN_AREA_RATIO = 1e-12
"""Ratio of twice the area of a triangle to the square of its longest side below which only its neighbours touch [-]."""
FLAT_SINE = 1e-6
"""Sine of the angle between two faces, or two edges, below which they are one [-]."""
SUPPORT_STEPS = 60
"""Steps of the search for a direction in which a vertex is the furthest of its neighbours."""


def checked(owner: str, vertices: Any, faces: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces as arrays of numbers and of indices, or raise."""
    try:
        values = (limit_length(owner, name, value) for name, value in (("vertices", vertices), ("faces", faces)))
        points, corners = (np.asarray(value, float) for value in values)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: vertices and faces must be numbers, three per row") from None
    if max(len(corners) if corners.ndim else 0, len(points) if points.ndim else 0) > MAX_MESH_SIZE:
        raise ModelError(f"{owner}: a mesh must have at most {MAX_MESH_SIZE} vertices and faces; reduce its resolution")
    if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
        raise ModelError(f"{owner}: vertices must be finite points (x, y, z), got {_fault(points)}")
    if corners.ndim != 2 or corners.shape[1] != 3 or not np.array_equal(corners, np.floor(corners)):
        raise ModelError(f"{owner}: faces must be triples of vertex indices, got shape {corners.shape}")
    indices = corners.astype(int)
    if indices.size and (indices.min() < 0 or indices.max() >= len(points)):
        wrong = int(indices.min() if indices.min() < 0 else indices.max())
        raise ModelError(f"{owner}: faces must refer to vertices 0 … {len(points) - 1}, got {wrong}")
    return points, indices


def _fault(points: np.ndarray) -> str:
    """Return what is wrong with vertices, for a message."""
    if points.ndim != 2 or points.shape[1] != 3:
        return f"shape {points.shape}"
    row = int(np.flatnonzero(~np.all(np.isfinite(points), axis=1))[0])
    return f"{tuple(points[row].tolist())} at index {row}"


@dataclass(frozen=True)
class Topology:
    """Distinct vertices [m] and faces (triples of indices, counter-clockwise from outside)."""

    vertices: np.ndarray
    faces: np.ndarray

    @classmethod
    def joined(cls, owner: str, vertices: Any, faces: Any) -> Topology:
        """Return the topology of checked arrays: equal vertices become one, faces with two equal corners vanish."""
        points, indices = checked(owner, vertices, faces)
        count = len(indices)
        points, new_index = np.unique(points, axis=0, return_inverse=True)
        indices = new_index.reshape(-1)[indices]
        a, b, c = indices.T
        indices = indices[(a != b) & (b != c) & (c != a)]
        if not len(indices):
            raise ModelError(f"{owner}: no triangles found among its {count} faces")
        used, indices = np.unique(indices, return_inverse=True)
        topology = cls(points[used], indices.reshape(-1, 3))
        if not np.any(topology.full):
            raise ModelError(f"{owner}: all triangles are flat; check the vertices")
        return topology

    @cached_property
    def sides(self) -> np.ndarray:
        """Edges from each corner of each face to the next, three per face."""
        return np.stack([self.faces, np.roll(self.faces, -1, axis=1)], axis=2).reshape(-1, 2)

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        edges, edge_of = np.unique(np.sort(self.sides, axis=1), axis=0, return_inverse=True)
        return edges, edge_of.reshape(-1)

    @property
    def edges(self) -> np.ndarray:
        """Pairs of vertices."""
        return self._edges[0]

    @property
    def edge_of(self) -> np.ndarray:
        """Edge of each side."""
        return self._edges[1]

    @cached_property
    def open_edges(self) -> int:
        """Number of edges that do not join two faces of the same orientation."""
        sense = np.where(self.sides[:, 0] < self.sides[:, 1], 1, -1)
        return int(np.sum((np.bincount(self.edge_of) != 2) | (np.bincount(self.edge_of, sense) != 0)))

    @property
    def corners(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First, second and third corners of all faces [m]."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return a, b, c

    @cached_property
    def volume(self) -> float:
        """Volume of a closed mesh [m³], negative if its faces are oriented inwards."""
        a, b, c = (corner - self.vertices.mean(axis=0) for corner in self.corners)
        return float(np.sum(a * np.cross(b, c))) / 6.0

    @cached_property
    def _normals(self) -> tuple[np.ndarray, np.ndarray]:
        a, b, c = self.corners
        product = np.cross(b - a, c - a)
        area = np.linalg.norm(product, axis=1)
        longest = np.max([np.sum((q - p) ** 2, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
        full = area > MIN_AREA_RATIO * longest
        return np.where(full[:, None], product / np.where(full, area, 1.0)[:, None], 0.0), full

    @property
    def normals(self) -> np.ndarray:
        """Unit normals of the faces; zero for flat triangles."""
        return self._normals[0]

    @property
    def full(self) -> np.ndarray:
        """True for triangles that are not flat."""
        return self._normals[1]

    @cached_property
    def components(self) -> np.ndarray:
        """One vertex of each connected part."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.vertices)
        links = coo_array((np.ones(len(self.edges)), self.edges.T), shape=(n, n))
        part = connected_components(links, directed=False)[1]
        used = np.unique(self.faces)
        return used[np.unique(part[used], return_index=True)[1]]

    @cached_property
    def edge_normals(self) -> np.ndarray:
        """Sums of the normals of the faces at each edge."""
        total = np.zeros((len(self.edges), 3))
        np.add.at(total, self.edge_of, np.repeat(self.normals, 3, axis=0))
        return total

    @cached_property
    def vertex_normals(self) -> np.ndarray:
        """Angle-weighted pseudo-normals, which give the right sign of the distance (Bærentzen and Aanæs 2005)."""
        total = np.zeros_like(self.vertices)
        for k in range(3):
            corner, following, preceding = (self.vertices[self.faces[:, (k + j) % 3]] for j in range(3))
            p, q = following - corner, preceding - corner
            angle = np.arctan2(np.linalg.norm(np.cross(p, q), axis=1), np.sum(p * q, axis=1))
            np.add.at(total, self.faces[:, k], angle[:, None] * self.normals)
        return total

    @cached_property
    def edge_tangents(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Unit vectors from each edge into its first and second face, and True for edges between two full faces."""
        count = len(self.edges)
        order = np.argsort(self.edge_of, kind="stable")
        first = np.searchsorted(self.edge_of[order], np.arange(count))
        uses = np.bincount(self.edge_of, minlength=count)
        along = self.vertices[self.sides[:, 1]] - self.vertices[self.sides[:, 0]]
        length = np.linalg.norm(along, axis=1)
        inward = np.cross(np.repeat(self.normals, 3, axis=0), along / np.where(length, length, 1.0)[:, None])
        pair = uses == 2
        one, other = np.zeros((count, 3)), np.zeros((count, 3))
        one[pair], other[pair] = inward[order[first[pair]]], inward[order[first[pair] + 1]]
        full = pair & np.any(one != 0.0, axis=1) & np.any(other != 0.0, axis=1)
        return one, other, full

    @cached_property
    def edge_bends(self) -> np.ndarray:
        """Bend of each edge: positive where it is convex, zero where its faces are coplanar [-]."""
        one, other, full = self.edge_tangents
        # Tangents are opposite at a flat edge; at a convex one their sum points into the solid.
        total = one + other
        size = np.linalg.norm(total, axis=1)
        sense = -np.sign(np.sum(total * self.edge_normals, axis=1))
        return np.where(full & (size > FLAT_SINE), sense * size, 0.0)

    @cached_property
    def sharp(self) -> np.ndarray:
        """True for vertices that are not within a flat face or a straight edge."""
        count = len(self.vertices)
        bent = np.flatnonzero(self.edge_bends != 0.0)
        a, b = self.edges[bent].T
        along = self.vertices[b] - self.vertices[a]
        along /= np.linalg.norm(along, axis=1)[:, None]
        number = np.bincount(a, minlength=count) + np.bincount(b, minlength=count)
        total = np.zeros((count, 3))
        np.add.at(total, a, along)
        np.add.at(total, b, -along)
        straight = (number == 2) & (np.linalg.norm(total, axis=1) < FLAT_SINE)
        return (number >= 2) & ~straight

    @cached_property
    def supporting(self) -> np.ndarray:
        """True for sharp vertices that are further than their neighbours in some direction."""
        origin, neighbour = np.concatenate([self.edges, self.edges[:, ::-1]]).T
        order = np.argsort(origin, kind="stable")
        origin, neighbour = origin[order], neighbour[order]
        keep = self.sharp[origin]
        origin, neighbour = origin[keep], neighbour[keep]
        found = np.zeros(len(self.vertices), bool)
        if not len(origin):
            return found
        vertices, start = np.unique(origin, return_index=True)
        along = self.vertices[neighbour] - self.vertices[origin]
        along /= np.linalg.norm(along, axis=1)[:, None]
        group = np.repeat(np.arange(len(vertices)), np.diff(np.append(start, len(origin))))
        direction = self.vertex_normals[vertices]
        direction = direction / np.maximum(np.linalg.norm(direction, axis=1), 1e-300)[:, None]
        for _ in range(SUPPORT_STEPS):
            rise = np.sum(along * direction[group], axis=1)
            highest = np.maximum.reduceat(rise, start)
            if np.all(highest < -FLAT_SINE):
                break
            worst = np.minimum.reduceat(np.where(rise == highest[group], np.arange(len(rise)), len(rise)), start)
            step = np.where(highest < -FLAT_SINE, 0.0, highest + 10.0 * FLAT_SINE)
            direction = direction - 1.5 * step[:, None] * along[worst]
            direction /= np.maximum(np.linalg.norm(direction, axis=1), 1e-300)[:, None]
        rise = np.sum(along * direction[group], axis=1)
        found[vertices] = np.maximum.reduceat(rise, start) < -FLAT_SINE
        return found
