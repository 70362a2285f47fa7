"""Meshes of MuJoCo documents: triangles from files or numbers, and their mass properties as MuJoCo computes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.mesh.mesh_file import read_triangles
from carom.geometry.shapes.convex_hull import ConvexHull
from carom.geometry.tessellation import Triangles
from carom.io.model.mjcf_document import MjcfDocument
from carom.model.body import Body

INERTIA = ("legacy", "exact", "convex", "shell")
"""MuJoCo's ways to compute the inertia of a mesh."""


@dataclass(frozen=True)
class MeshSolid:
    """Triangles of a mesh with its volume [m³], its centre [m] and its inertia per mass about it [m²]."""

    vertices: np.ndarray
    faces: np.ndarray
    volume: float
    centre: np.ndarray
    unit_inertia: np.ndarray


def read_mesh(document: MjcfDocument, name: str) -> MeshSolid:
    """Return the mesh with this name in <asset>; its inertia as its attribute ``inertia`` says, by default "legacy"."""
    for asset in document.root.iterfind("asset/mesh"):
        attributes = document.attributes(asset, "main")
        if attributes.get("name", Path(attributes.get("file", "")).stem) == name:
            break
    else:
        raise ModelError(f"{document.owner}: mesh {name!r} is not in <asset>")
    vertices, faces = _triangles(document, name, attributes)
    scale = document.numbers(attributes, "scale", [1.0, 1.0, 1.0], 3)
    reference = {key[3:]: text for key, text in attributes.items() if key in ("refpos", "refquat")}
    frame = document.frame(reference)
    vertices = (vertices - frame[:3, 3]) @ frame[:3, :3] * scale
    if scale.prod() < 0.0:  # a mirrored mesh
        faces = faces[:, ::-1]
    kind = attributes.get("inertia", "legacy")
    if kind not in INERTIA:
        raise ModelError(
            f"{document.owner}: inertia of mesh {name!r} must be one of {', '.join(INERTIA)}, got {kind!r}"
        )
    if kind == "shell":
        volume, centre, inertia = _shell(vertices, faces)
    else:
        measured = hull_of(vertices) if kind == "convex" else (vertices, faces)
        volume, centre, inertia = _solid(measured[0], measured[1], kind == "legacy")
    if not volume > 0.0:
        raise ModelError(f"{document.owner}: mesh {name!r} has no volume, or its faces are oriented inwards")
    return MeshSolid(vertices, faces, volume, centre, inertia)


def _triangles(document: MjcfDocument, name: str, attributes: dict[str, str]) -> Triangles:
    """Return the triangles of a mesh in a file or in numbers; points alone are those of a hull."""
    owner = f"{document.owner}, mesh {name!r}"
    if attributes.get("file"):
        return read_triangles(owner, document.mesh_folder / attributes["file"])
    points = document.numbers(attributes, "vertex", [])
    if points.size < 12 or points.size % 3:
        raise ModelError(f"{owner}: needs a file, or a vertex with at least 4 points")
    vertices = points.reshape(-1, 3)
    faces = document.numbers(attributes, "face", [])
    if not faces.size:
        return hull_of(vertices)
    if faces.size % 3 or np.any(faces != np.round(faces)) or faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"{owner}: face must be triples of numbers of its {len(vertices)} points, from 0")
    return vertices, faces.astype(int).reshape(-1, 3)


def hull_of(vertices: np.ndarray) -> Triangles:
    """Return the convex hull of points."""
    return ConvexHull(Body("hull", 1.0, 1.0, position=(0.0, 0.0, 0.0)), vertices).triangles()


def _corners(vertices: np.ndarray, faces: np.ndarray, origin: Any) -> np.ndarray:
    """Return the corners of all faces, from an origin: (3, faces, 3)."""
    return np.array([vertices[faces[:, k]] - origin for k in range(3)])


def _inertia(weights: np.ndarray, corners: np.ndarray, divisor: float) -> np.ndarray:
    """Return the inertia of simplices with these weights and corners; their other corner is the origin, if any."""
    parts = [*corners, corners.sum(axis=0)]
    second = sum(np.einsum("i,ij,ik->jk", weights, part, part) for part in parts) / divisor
    return np.asarray(np.trace(second) * np.eye(3) - second)


def _pyramids(corners: np.ndarray, unsigned: bool) -> np.ndarray:
    """Return the volumes of the pyramids of all faces over the origin."""
    volumes = np.einsum("ij,ij->i", corners[0], np.cross(corners[1], corners[2])) / 6.0
    return np.abs(volumes) if unsigned else volumes


def _areas(corners: np.ndarray) -> np.ndarray:
    """Return the areas of faces."""
    return 0.5 * np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0]), axis=1)


def _solid(vertices: np.ndarray, faces: np.ndarray, unsigned: bool) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume, centre and inertia per mass of a solid.

    With ``unsigned``, MuJoCo's "legacy", pyramids over the centre count as positive, so that dents count twice.
    """
    corners = _corners(vertices, faces, 0.0)
    apex = (_areas(corners) @ corners.mean(axis=0)) / _areas(corners).sum()
    corners = _corners(vertices, faces, apex)
    volumes = _pyramids(corners, unsigned)
    centre = apex + 0.25 * (volumes @ corners.sum(axis=0)) / volumes.sum()
    corners = _corners(vertices, faces, centre)
    volumes = _pyramids(corners, unsigned)
    total = float(volumes.sum())
    return total, centre, _inertia(volumes, corners, 20.0 * total)


def _shell(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return area times 1 m, centre and inertia per mass of a thin shell."""
    corners = _corners(vertices, faces, 0.0)
    areas = _areas(corners)
    total = float(areas.sum())
    centre = areas @ corners.mean(axis=0) / total
    return total, centre, _inertia(areas, _corners(vertices, faces, centre), 12.0 * total)
