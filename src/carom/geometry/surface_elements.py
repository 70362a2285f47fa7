"""Small elements of the surface of a shape, over which a pressure is integrated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.rotation import matrix_of

CELLS = 64
"""Cells along each parameter of a surface by default."""
MAX_ELEMENTS = 500_000
"""Largest number of elements."""


Elements = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Middles [m], unit normals out of the solid, and areas [m²]; in body axes."""


def surface_elements(owner: str, shape: Any, size: float | None) -> Elements:
    """Return the elements of a shape, with sides of at most ``size`` [m], if given."""
    points, normals, areas = _cells(owner, shape, size) if shape.kind == "Surface" else _triangles(owner, shape, size)
    kept = areas > 0.0
    return points[kept], normals[kept], areas[kept]


def _check_count(owner: str, count: float, size: float | None) -> None:
    if count > MAX_ELEMENTS:
        raise ModelError(
            f"{owner}: element_size = {size or math.nan:g} m makes {count:.3g} elements; use a larger one, so that "
            f"there are at most {MAX_ELEMENTS}"
        )


def _triangles(owner: str, mesh: Any, size: float | None) -> Elements:
    """Return the elements of a mesh: its triangles, each divided into n × n equal ones."""
    corners = mesh.vertices[mesh.faces]
    parts = np.ones(len(corners), int)
    if size is not None:
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
        _check_count(owner, float(np.sum(np.ceil(sides / size) ** 2)), size)
        parts = np.maximum(np.ceil(sides / size * (1.0 - 1e-12)), 1).astype(int)
    _check_count(owner, float(np.sum(parts.astype(float) ** 2)), size)
    middles, normals, areas = [], [], []
    for count in np.unique(parts):
        a, b, c = np.moveaxis(corners[parts == count], 1, 0)
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1) / count**2
        for i in range(count):
            for j in range(count - i):
                thirds = [(i + 1 / 3, j + 1 / 3)] + ([(i + 2 / 3, j + 2 / 3)] if i + j < count - 1 else [])
                for s, t in thirds:
                    middles.append(a + (s / count) * (b - a) + (t / count) * (c - a))
                    normals.append(mesh.topology.normals[parts == count])
                    areas.append(area)
    return np.concatenate(middles), np.concatenate(normals), np.concatenate(areas)


def _cells(owner: str, shape: Any, size: float | None) -> Elements:
    """Return the elements of a freeform surface: cells of its parameters, each with the area of its middle."""
    surface = shape.surface
    (u0, u1), (v0, v1) = surface.u_range, surface.v_range
    n_u = n_v = CELLS
    if size is not None:
        net = shape.points(CELLS, CELLS)
        along_u = np.linalg.norm(np.diff(net, axis=0), axis=2).max() * (CELLS - 1)
        along_v = np.linalg.norm(np.diff(net, axis=1), axis=2).max() * (CELLS - 1)
        _check_count(owner, (along_u / size + 1.0) * (along_v / size + 1.0), size)
        n_u, n_v = math.ceil(along_u / size), math.ceil(along_v / size)
    step_u, step_v = (u1 - u0) / n_u, (v1 - v0) / n_v
    u, v = np.meshgrid(
        u0 + step_u * (np.arange(n_u) + 0.5), v0 + step_v * (np.arange(n_v) + 0.5), indexing="ij"
    )  # fmt: skip
    out = surface.output(u.ravel(), v.ravel())
    areas = np.linalg.norm(np.cross(out["point_u"], out["point_v"]), axis=1) * step_u * step_v
    axes = matrix_of(shape.orientation).T
    return np.array(shape.at) + out["point"] @ axes, out["normal"] @ axes, areas
