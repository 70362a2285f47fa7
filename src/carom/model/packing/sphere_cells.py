"""Cells with spheres: insertion of spheres that overlap no other one, and the largest overlap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.kernels import ADDRESS, FLOAT, INT, RUN, floats, ints, jit, kernel, record

MAX_CELLS_PER_SPHERE = 4
"""Largest number of cells per sphere; cells are larger where spheres are few."""

SPHERE_CELLS = record(
    low=(FLOAT, 3),  # lower corner of the grid [m]
    cell_size=FLOAT,  # [m]
    n_cells=(INT, 3),
    max_radius=FLOAT,  # of all spheres [m]
    gap=FLOAT,  # smallest distance of two surfaces [m]
    first=ADDRESS,  # integers: last inserted sphere per cell, −1 if it is empty
    next=ADDRESS,  # integers: next sphere in the same cell, −1 at the end
    positions=ADDRESS,  # floats: three per sphere [m]
    radii=ADDRESS,  # floats: one per sphere [m]
    is_placed=ADDRESS,  # integers: 1 for a sphere that has been inserted
    candidates=ADDRESS,  # floats: three per candidate position [m]
    candidate_spheres=ADDRESS,  # integers: sphere of each candidate
    n_candidates=INT,
    n_spheres=INT,
    overlap=FLOAT,  # largest overlap of two spheres [m]
)
"""Spheres sorted into cells, and candidate positions of further spheres."""


@jit
def cell_along(grid, x, d):
    """Return the index of the cell of coordinate ``x`` along axis ``d``."""
    return min(max(math.floor((x - grid.low[d]) / grid.cell_size), 0), grid.n_cells[d] - 1)


@jit
def cell_index(grid, x, y, z):
    """Return the index of the cell of a point."""
    row = cell_along(grid, x, 0) * grid.n_cells[1] + cell_along(grid, y, 1)
    return row * grid.n_cells[2] + cell_along(grid, z, 2)


@jit
def smallest_gap(grid, x, y, z, radius, limit):
    """Return the smallest gap of a sphere to the inserted ones [m]; the search ends below ``limit`` [m]."""
    first = ints(grid.first)
    following = ints(grid.next)
    positions = floats(grid.positions)
    radii = floats(grid.radii)
    reach = radius + grid.max_radius + max(grid.gap, 0.0)
    smallest = math.inf
    for a in range(cell_along(grid, x - reach, 0), cell_along(grid, x + reach, 0) + 1):
        for b in range(cell_along(grid, y - reach, 1), cell_along(grid, y + reach, 1) + 1):
            for c in range(cell_along(grid, z - reach, 2), cell_along(grid, z + reach, 2) + 1):
                k = first[(a * grid.n_cells[1] + b) * grid.n_cells[2] + c]
                while k >= 0:
                    dx = x - positions[3 * k]
                    dy = y - positions[3 * k + 1]
                    dz = z - positions[3 * k + 2]
                    gap = math.sqrt(dx * dx + dy * dy + dz * dz) - radius - radii[k]
                    if gap < smallest:
                        smallest = gap
                        if gap < limit:
                            return gap
                    k = following[k]
    return smallest


@jit
def insert(grid, k, x, y, z):
    """Insert sphere ``k`` at a position."""
    positions = floats(grid.positions)
    positions[3 * k] = x
    positions[3 * k + 1] = y
    positions[3 * k + 2] = z
    first = ints(grid.first)
    cell = cell_index(grid, x, y, z)
    ints(grid.next)[k] = first[cell]
    first[cell] = k
    ints(grid.is_placed)[k] = 1


@kernel(RUN, SPHERE_CELLS)
def insert_candidates(grid):
    """Insert the spheres of the candidates in turn, where they overlap no other one; return the number inserted."""
    candidates = floats(grid.candidates)
    spheres = ints(grid.candidate_spheres)
    is_placed = ints(grid.is_placed)
    radii = floats(grid.radii)
    count = 0
    for n in range(grid.n_candidates):
        k = spheres[n]
        if is_placed[k] == 0:
            x = candidates[3 * n]
            y = candidates[3 * n + 1]
            z = candidates[3 * n + 2]
            if not smallest_gap(grid, x, y, z, radii[k], grid.gap) < grid.gap:
                insert(grid, k, x, y, z)
                count += 1
    return count


@kernel(RUN, SPHERE_CELLS)
def find_largest_overlap(grid):
    """Insert all spheres at their positions and store the largest overlap of two of them."""
    positions = floats(grid.positions)
    radii = floats(grid.radii)
    smallest = math.inf
    for k in range(grid.n_spheres):
        x = positions[3 * k]
        y = positions[3 * k + 1]
        z = positions[3 * k + 2]
        smallest = min(smallest, smallest_gap(grid, x, y, z, radii[k], -math.inf))
        insert(grid, k, x, y, z)
    grid.overlap = -smallest
    return 0


class SphereCells:
    """Cells of a box, with space for spheres of known radii."""

    def __init__(self, low: np.ndarray, high: np.ndarray, radii: np.ndarray, gap: float = 0.0):
        n = len(radii)
        size = 2.0 * float(radii.mean()) + max(gap, 0.0) if n else 1.0
        span = np.maximum(high - low, 1e-9 * size)
        while np.prod(np.floor(span / size) + 1.0) > MAX_CELLS_PER_SPHERE * n + 64:
            size *= 1.3
        n_cells = (np.floor(span / size) + 1.0).astype(np.int64)
        self.positions = np.zeros((n, 3))
        self.is_placed = np.zeros(n, np.int64)
        self.arrays: dict[str, np.ndarray] = {
            "first": np.full(int(np.prod(n_cells)), -1, np.int64),
            "next": np.full(n, -1, np.int64),
            "positions": self.positions,
            "radii": np.ascontiguousarray(radii, dtype=np.float64),
            "is_placed": self.is_placed,
        }
        self.table = SPHERE_CELLS.zeros()
        values: dict[str, Any] = {
            "low": low, "cell_size": size, "n_cells": n_cells, "gap": gap, "n_spheres": n,
            "max_radius": radii.max(initial=0.0),
        }  # fmt: skip
        for name, value in (values | {name: array.ctypes.data for name, array in self.arrays.items()}).items():
            self.table[name] = value

    def insert(self, candidates: np.ndarray, spheres: np.ndarray) -> int:
        """Try to insert spheres at candidate positions (n × 3) [m], in turn; return the number inserted."""
        candidates, spheres = np.ascontiguousarray(candidates), np.ascontiguousarray(spheres, dtype=np.int64)
        self.table["candidates"], self.table["candidate_spheres"] = candidates.ctypes.data, spheres.ctypes.data
        self.table["n_candidates"] = len(spheres)
        return int(insert_candidates.call(self.table))


def in_space(positions: np.ndarray) -> np.ndarray:
    """Return positions with three coordinates; z is zero in 2D."""
    return np.pad(positions, ((0, 0), (0, 3 - positions.shape[1])))


def largest_overlap(positions: np.ndarray, radii: np.ndarray) -> float:
    """Return the largest overlap of two spheres [m]; −inf where no two spheres are near each other."""
    if len(radii) < 2:
        return -math.inf
    points = in_space(positions)
    cells = SphereCells(points.min(axis=0), points.max(axis=0), radii)
    cells.positions[:] = points
    find_largest_overlap.call(cells.table)
    return float(cells.table["overlap"][0])
