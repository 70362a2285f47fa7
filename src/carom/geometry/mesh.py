"""Triangle meshes, from files or from arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np

from carom.errors import ModelError, bounded, file_name, notify, positive
from carom.geometry.bvh import tree
from carom.geometry.shapes import Spatial

# Layout of a mesh's numbers: whether it is closed, its size, how many nodes the tree has, where the triangles, the
# vertices and the edges start; the nodes. A triangle: its vertices, its sides (from each vertex to the next), its unit
# normal. A vertex: place and pseudo-normal. An edge: pseudo-normal.
SOLID, SIZE, NODES, TRIANGLES, VERTICES, EDGES, TREE = range(7)
TRIANGLE, VERTEX, EDGE = 9, 6, 3

FLAT = 1e-12
"""Twice the area of a triangle over the square of its longest side, under which only its neighbours touch."""

FORMATS = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".3mf", ".dae")
"""Of files that are read."""
LARGEST = 1 << 29
"""Bytes of a file."""
MOST = 2_000_000
"""Vertices, and faces."""


class Mesh(Spatial):
    """Triangles from a ``file`` (STL, OBJ, PLY …), or with ``vertices`` [m] and ``faces`` (three numbers of vertices
    each), all lengths times ``scale``.

    A closed mesh, every edge of which joins two faces that turn the same way, is a solid. Any other is a thin surface,
    that pushes from both sides; ``open_edges`` says how many edges are to blame. ``volume`` [m³] is that of a solid.
    """

    kind = "Mesh"
    inside = False
    signed_radius = math.inf

    def __init__(self, body: Any, file: Any = None, *, vertices: Any = None, faces: Any = None, scale: float = 1.0):
        super().__init__(body)
        if (file is None) == (vertices is None) or (vertices is None) != (faces is None):
            raise ModelError(f"{self.label}: give a file, or vertices= and faces=")
        self.file = None if file is None else file_name(f"{self.label}: file", file)
        self.scale = positive(self.label, "scale", scale)
        if self.file is not None:
            vertices, faces = read_triangles(self.label, self.file)
        self.vertices, self.faces = self._joined(vertices, faces)
        self._measure()
        self.thin = self.open_edges > 0
        if self.thin:
            source = f" from {self.file.name}" if self.file is not None else ""
            notify(
                f"{self.label}: the mesh{source} is not closed: {self.open_edges} of its {len(self._edges)} edges do "
                "not join two faces that turn the same way; it is a thin surface that pushes from both sides"
            )
        self.numbers = self._numbers()

    def outline(self, n: int = 64) -> np.ndarray:
        """Corners of triangles, all over the mesh."""
        return self.vertices[self.faces.ravel()[np.linspace(0, self.faces.size - 1, n).astype(int)]]

    def _joined(self, vertices: Any, faces: Any) -> tuple[np.ndarray, np.ndarray]:
        """Vertices that differ, and faces that have three of them."""
        try:
            given = (bounded(self.label, name, value) for name, value in (("vertices", vertices), ("faces", faces)))
            points, corners = (np.asarray(value, float) for value in given)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{self.label}: vertices and faces must be numbers, three each") from None
        if max(len(corners) if corners.ndim else 0, len(points) if points.ndim else 0) > MOST:
            raise ModelError(f"{self.label}: a mesh must have at most {MOST} vertices and faces; make it coarser")
        if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
            raise ModelError(f"{self.label}: vertices must be finite points (x, y, z), got shape {points.shape}")
        if corners.ndim != 2 or corners.shape[1] != 3 or not np.array_equal(corners, np.floor(corners)):
            raise ModelError(f"{self.label}: faces must be triples of vertex numbers, got shape {corners.shape}")
        numbers = corners.astype(int)
        if numbers.size and (numbers.min() < 0 or numbers.max() >= len(points)):
            wrong = int(numbers.min() if numbers.min() < 0 else numbers.max())
            raise ModelError(f"{self.label}: faces must name vertices 0 … {len(points) - 1}, got {wrong}")
        points, place = np.unique(self.scale * points, axis=0, return_inverse=True)
        numbers = place.reshape(-1)[numbers]
        a, b, c = numbers.T
        numbers = numbers[(a != b) & (b != c) & (c != a)]
        if not len(numbers):
            raise ModelError(f"{self.label}: there are no triangles in its {len(corners)} faces")
        return points, numbers

    def _measure(self) -> None:
        """Edges and how many are open, normals, volume; faces of a solid that look inwards are turned."""
        self._sides = _sides(self.faces)
        self._edges, self._edge_of = np.unique(np.sort(self._sides, axis=1), axis=0, return_inverse=True)
        self._edge_of = self._edge_of.reshape(-1)
        way = np.where(self._sides[:, 0] < self._sides[:, 1], 1, -1)
        uses = np.bincount(self._edge_of)
        self.open_edges = int(np.sum((uses != 2) | (np.bincount(self._edge_of, way) != 0)))
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        volume = float(np.sum(a * np.cross(b, c))) / 6.0
        if self.open_edges == 0 and volume < 0.0:
            self.faces = self.faces[:, ::-1].copy()
            self._measure()
            return
        self.volume = volume if self.open_edges == 0 else math.nan
        turn = np.cross(b - a, c - a)
        area = np.linalg.norm(turn, axis=1)
        longest = np.max([np.sum((q - p) ** 2, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
        self._full = area > FLAT * longest
        self.normals = np.where(self._full[:, None], turn / np.where(self._full, area, 1.0)[:, None], 0.0)

    def _numbers(self) -> tuple[float, ...]:
        at_edges = np.zeros((len(self._edges), 3))
        np.add.at(at_edges, self._edge_of, np.repeat(self.normals, 3, axis=0))
        # Angle-weighted, as the sign of a distance from a vertex needs them (Bærentzen and Aanæs 2005).
        at_vertices = np.zeros_like(self.vertices)
        for k in range(3):
            here, on, back = (self.vertices[self.faces[:, (k + j) % 3]] for j in range(3))
            p, q = on - here, back - here
            angle = np.arctan2(np.linalg.norm(np.cross(p, q), axis=1), np.sum(p * q, axis=1))
            np.add.at(at_vertices, self.faces[:, k], angle[:, None] * self.normals)
        full = np.flatnonzero(self._full)
        if not len(full):
            raise ModelError(f"{self.label}: all its triangles are flat")
        nodes, order = tree(self.vertices[self.faces[full]])
        order = full[order]
        triangles = np.column_stack([self.faces[order], self._edge_of.reshape(-1, 3)[order], self.normals[order]])
        blocks = [nodes, triangles, np.column_stack([self.vertices, at_vertices]), at_edges]
        starts = TREE + np.cumsum([block.size for block in blocks])
        size = float(np.ptp(self.vertices, axis=0).max())
        head = [float(self.open_edges == 0), size, float(len(nodes)), *(float(start) for start in starts[:3])]
        return tuple(np.concatenate([head, *(block.ravel() for block in blocks)]).tolist())


def _sides(faces: np.ndarray) -> np.ndarray:
    """From each corner of each face to the next."""
    return np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)


def read_triangles(owner: str, file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a file."""
    try:
        import trimesh
    except ModuleNotFoundError:
        raise ModelError(f"{owner}: reading {file.name} needs trimesh: pip install 'carom[mesh]'") from None
    if not file.is_file():
        raise ModelError(f"{owner}: there is no file {file}")
    if file.suffix.lower() not in FORMATS:
        raise ModelError(f"{owner}: {file.name} must be a mesh, a file {', '.join(FORMATS)}")
    if file.stat().st_size > LARGEST:
        raise ModelError(f"{owner}: {file.name} must have at most {LARGEST >> 20} MB, got {file.stat().st_size >> 20}")
    if file.suffix.lower() == ".stl":
        check_stl(owner, file)
    try:
        check_zip(owner, file)
        found: Any = trimesh.load(file, force="mesh", process=False, resolver=_Buffers(file.parent))
        return np.asarray(found.vertices, float), np.asarray(found.faces, int)
    except ModelError:
        raise
    except Exception as reason:  # noqa: BLE001  (readers of eight formats raise errors of their own)
        told = " ".join(str(reason).split()) or type(reason).__name__
        raise ModelError(f"{owner}: {file.name} cannot be read as a mesh: {told[:200]}") from None


class _Buffers(Mapping[str, bytes]):
    """Files of numbers that a glTF file names: regular ones in its folder, and no pictures."""

    def __init__(self, folder: Path):
        self._folder = folder.resolve()

    def __getitem__(self, name: str) -> bytes:
        path = (self._folder / name).resolve()
        if path.suffix.lower() != ".bin" or path.parent != self._folder or not path.is_file():
            raise KeyError(name)
        if path.stat().st_size > LARGEST:
            raise ModelError(f"{name} must have at most {LARGEST >> 20} MB, got {path.stat().st_size >> 20}")
        return path.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in self._folder.glob("*.bin"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def check_zip(owner: str, file: Path) -> None:
    """Refuse an archive that is larger unpacked than a file may be."""
    if is_zipfile(file):
        with ZipFile(file) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > LARGEST:
            raise ModelError(f"{owner}: {file.name} must have at most {LARGEST >> 20} MB unpacked, got {size >> 20}")


def check_stl(owner: str, file: Path) -> None:
    """A binary STL file has the triangles it claims, 50 bytes each behind 84; no other number is to be believed."""
    with open(file, "rb") as stream:
        head = stream.read(84)
    if head[:5].lower() == b"solid" or len(head) < 84:
        return
    count, size = int.from_bytes(head[80:], "little"), file.stat().st_size
    if 84 + 50 * count > size:
        raise ModelError(f"{owner}: {file.name} claims {count} triangles, {84 + 50 * count} bytes, but has {size}")
