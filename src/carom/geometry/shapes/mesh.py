"""Triangle meshes, from files or from arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np

from carom.argument_checks import file_path, limit_length, positive
from carom.errors import ModelError, warn
from carom.geometry.bounding_box import BoundingBox, box_around
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.bvh import build_tree
from carom.geometry.shapes.base import SpatialShape
from carom.geometry.tessellation import Triangles
from carom.kernels import FLOAT, record
from carom.typing import BodyLike, FilePath, MatrixLike

MESH = record(
    is_solid=FLOAT,  # 1.0 for a closed mesh
    size=FLOAT,  # longest side of its bounding box [m]
    n_nodes=FLOAT,  # nodes of its tree (`carom.geometry.bvh.TREE_NODE`)
    triangles_offset=FLOAT,  # where triangles, vertices and edges begin, in numbers
    vertices_offset=FLOAT,
    edges_offset=FLOAT,
)
"""Head of the parameters of a mesh; then the nodes of its tree, the triangles, the vertices and the edges."""
MESH_TRIANGLE = record(
    vertices=(FLOAT, 3),  # indices of its vertices
    edges=(FLOAT, 3),  # indices of its edges, from each vertex to the next
    normal=(FLOAT, 3),  # unit normal
)
MESH_VERTEX = record(
    point=(FLOAT, 3),  # [m]
    normal=(FLOAT, 3),  # pseudo-normal
)
MESH_EDGE = record(normal=(FLOAT, 3))
"""Pseudo-normal of an edge."""

MIN_AREA_RATIO = 1e-12
"""Ratio of twice the area of a triangle to the square of its longest side below which only its neighbours touch [-]."""

FORMATS = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".3mf", ".dae")
"""File formats."""
MAX_FILE_SIZE = 1 << 29
"""Largest size of a file [byte]."""
MAX_MESH_SIZE = 2_000_000
"""Largest number of vertices, and of faces."""


class Mesh(SpatialShape):
    """Triangle mesh from a ``file`` (STL, OBJ, PLY …), or from ``vertices`` [m] and ``faces`` (triples of indices).

    ``scale`` multiplies all lengths.

    A closed mesh, whose edges all join two faces of the same orientation, is a solid. Any other mesh is a thin surface
    that touches on both sides; ``open_edges`` is the number of its other edges. ``volume`` [m³] is that of a solid.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    >>> round(cm.Mesh(ball, vertices=vertices, faces=faces).volume, 6)
    0.166667
    """

    kind = "Mesh"
    inside = False
    signed_radius = math.inf

    def __init__(
        self,
        body: BodyLike,
        file: FilePath | None = None,
        *,
        vertices: MatrixLike | None = None,
        faces: Sequence[Sequence[int]] | np.ndarray | None = None,
        scale: float = 1.0,
    ):
        super().__init__(body)
        if (file is None) == (vertices is None) or (vertices is None) != (faces is None):
            raise ModelError(f"{self.label}: set either file, or vertices and faces")
        self.file = None if file is None else file_path(f"{self.label}: file", file)
        self.scale = positive(self.label, "scale", scale)
        if self.file is not None:
            vertices, faces = read_triangles(self.label, self.file)
        self.vertices, self.faces = self._joined(vertices, faces)
        self._measure()
        self.thin = self.open_edges > 0
        if self.thin:
            source = f" from {self.file.name}" if self.file is not None else ""
            warn(
                f"{self.label}: the mesh{source} is not closed: {self.open_edges} of its {len(self._edges)} edges do "
                "not join two faces of the same orientation; it is a thin surface that touches on both sides"
            )
        self.parameters = self._parameters()

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

    def _joined(self, vertices: Any, faces: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct vertices, and the faces with three of them."""
        try:
            values = (
                limit_length(self.label, name, value) for name, value in (("vertices", vertices), ("faces", faces))
            )
            points, corners = (np.asarray(value, float) for value in values)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{self.label}: vertices and faces must be numbers, three per row") from None
        if max(len(corners) if corners.ndim else 0, len(points) if points.ndim else 0) > MAX_MESH_SIZE:
            raise ModelError(
                f"{self.label}: a mesh must have at most {MAX_MESH_SIZE} vertices and faces; reduce its resolution"
            )
        if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
            raise ModelError(f"{self.label}: vertices must be finite points (x, y, z), got shape {points.shape}")
        if corners.ndim != 2 or corners.shape[1] != 3 or not np.array_equal(corners, np.floor(corners)):
            raise ModelError(f"{self.label}: faces must be triples of vertex indices, got shape {corners.shape}")
        indices = corners.astype(int)
        if indices.size and (indices.min() < 0 or indices.max() >= len(points)):
            wrong = int(indices.min() if indices.min() < 0 else indices.max())
            raise ModelError(f"{self.label}: faces must refer to vertices 0 … {len(points) - 1}, got {wrong}")
        points, new_index = np.unique(self.scale * points, axis=0, return_inverse=True)
        indices = new_index.reshape(-1)[indices]
        a, b, c = indices.T
        indices = indices[(a != b) & (b != c) & (c != a)]
        if not len(indices):
            raise ModelError(f"{self.label}: no triangles found among its {len(corners)} faces")
        return points, indices

    def _measure(self) -> None:
        """Compute edges, normals and volume; reverse the faces of a solid whose normals point inwards."""
        self._sides = _sides(self.faces)
        self._edges, self._edge_of = np.unique(np.sort(self._sides, axis=1), axis=0, return_inverse=True)
        self._edge_of = self._edge_of.reshape(-1)
        sense = np.where(self._sides[:, 0] < self._sides[:, 1], 1, -1)
        uses = np.bincount(self._edge_of)
        self.open_edges = int(np.sum((uses != 2) | (np.bincount(self._edge_of, sense) != 0)))
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        volume = float(np.sum(a * np.cross(b, c))) / 6.0
        if self.open_edges == 0 and volume < 0.0:
            self.faces = self.faces[:, ::-1].copy()
            self._measure()
            return
        self.volume = volume if self.open_edges == 0 else math.nan
        product = np.cross(b - a, c - a)
        area = np.linalg.norm(product, axis=1)
        longest = np.max([np.sum((q - p) ** 2, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
        self._full = area > MIN_AREA_RATIO * longest
        self.normals = np.where(self._full[:, None], product / np.where(self._full, area, 1.0)[:, None], 0.0)

    def _parameters(self) -> tuple[float, ...]:
        """Return the parameters of its pair kernels (see `MESH`)."""
        at_edges = np.zeros((len(self._edges), 3))
        np.add.at(at_edges, self._edge_of, np.repeat(self.normals, 3, axis=0))
        # Angle-weighted pseudo-normals give the right sign of the distance (Bærentzen and Aanæs 2005).
        at_vertices = np.zeros_like(self.vertices)
        for k in range(3):
            here, on, back = (self.vertices[self.faces[:, (k + j) % 3]] for j in range(3))
            p, q = on - here, back - here
            angle = np.arctan2(np.linalg.norm(np.cross(p, q), axis=1), np.sum(p * q, axis=1))
            np.add.at(at_vertices, self.faces[:, k], angle[:, None] * self.normals)
        full = np.flatnonzero(self._full)
        if not len(full):
            raise ModelError(f"{self.label}: all triangles are flat; check the vertices")
        nodes, order = build_tree(self.vertices[self.faces[full]])
        order = full[order]
        triangles = np.column_stack([self.faces[order], self._edge_of.reshape(-1, 3)[order], self.normals[order]])
        blocks = [nodes.view(float), triangles, np.column_stack([self.vertices, at_vertices]), at_edges]
        starts = MESH.size + np.cumsum([block.size for block in blocks])
        size = float(np.ptp(self.vertices, axis=0).max())
        header = [float(self.open_edges == 0), size, float(len(nodes)), *(float(start) for start in starts[:3])]
        return tuple(np.concatenate([header, *(block.ravel() for block in blocks)]).tolist())


def _sides(faces: np.ndarray) -> np.ndarray:
    """Return the edges from each corner of each face to the next."""
    return np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)


def read_triangles(owner: str, file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces of a file."""
    try:
        import trimesh
    except ModuleNotFoundError:
        raise ModelError(f"{owner}: reading {file.name} needs trimesh: pip install 'carom[mesh]'") from None
    if not file.is_file():
        raise ModelError(f"{owner}: file not found: {file}")
    if file.suffix.lower() not in FORMATS:
        raise ModelError(f"{owner}: {file.name}: unknown mesh format; use one of {', '.join(FORMATS)}")
    if file.stat().st_size > MAX_FILE_SIZE:
        raise ModelError(
            f"{owner}: {file.name} must have at most {MAX_FILE_SIZE >> 20} MB, got {file.stat().st_size >> 20}"
        )
    if file.suffix.lower() == ".stl":
        check_stl(owner, file)
    try:
        check_zip(owner, file)
        mesh: Any = trimesh.load(file, force="mesh", process=False, resolver=_Buffers(file.parent))
        return np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int)
    except ModelError:
        raise
    except Exception as reason:  # noqa: BLE001  (the readers of eight formats raise different errors)
        message = " ".join(str(reason).split()) or type(reason).__name__
        raise ModelError(f"{owner}: {file.name} cannot be read as a mesh: {message[:200]}") from None


class _Buffers(Mapping[str, bytes]):
    """Buffers of a glTF file: regular binary files in its folder, no images."""

    def __init__(self, folder: Path):
        self._folder = folder.resolve()

    def __getitem__(self, name: str) -> bytes:
        path = (self._folder / name).resolve()
        if path.suffix.lower() != ".bin" or path.parent != self._folder or not path.is_file():
            raise KeyError(name)
        if path.stat().st_size > MAX_FILE_SIZE:
            raise ModelError(f"{name} must have at most {MAX_FILE_SIZE >> 20} MB, got {path.stat().st_size >> 20}")
        return path.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in self._folder.glob("*.bin"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def check_zip(owner: str, file: Path) -> None:
    """Raise for an archive that is too large after unpacking."""
    if is_zipfile(file):
        with ZipFile(file) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_FILE_SIZE:
            raise ModelError(
                f"{owner}: {file.name} must have at most {MAX_FILE_SIZE >> 20} MB unpacked, got {size >> 20}"
            )


def check_stl(owner: str, file: Path) -> None:
    """Raise for a binary STL file that is shorter than its number of triangles requires (84 + 50 bytes each)."""
    with open(file, "rb") as stream:
        header = stream.read(84)
    if header[:5].lower() == b"solid" or len(header) < 84:
        return
    count, size = int.from_bytes(header[80:], "little"), file.stat().st_size
    if 84 + 50 * count > size:
        raise ModelError(
            f"{owner}: {file.name} declares {count} triangles, {84 + 50 * count} bytes, but has {size} bytes"
        )
