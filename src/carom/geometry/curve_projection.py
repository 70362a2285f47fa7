"""Global closest-point projection onto a curve, in 2D or in 3D.

The curve is divided into cells, nearly straight, each within a sphere about its middle. A cell can contain the closest
point only if its sphere is closer than the closest middle. In such cells c'(s)·(c(s) − p) = 0 is solved by Newton's
method on the curve itself. While p has not moved more than half the distance by which all other cells were farther, the
closest point stays in the last cell or in one beside it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.planar_path import Path, find_segment
from carom.kernels import address_of, floats, jit, offset, record

CELL_CURVE = record("is_closed  degree  n_segments  n_cells  cells_offset")
"""Head of a curve; then the knots, the coefficients of x, y and z per segment (highest power of (s − knot) first), and
the cells."""
CELL = record("s  x y z  radius")
"""First parameter of a cell, the point in its middle, and the radius of a sphere around it that contains the cell [m].
The last parameter of a cell is the first one of the next."""
CURVE_WARM_START = record("is_known  cell  px py pz  free_distance")
"""1.0 if a cell is known, its index, the point p at the last search of all cells, and the distance p may move until the
next one [m]."""
HEADER_SIZE = CELL_CURVE.size
"""Numbers before the knots of a curve."""

MIN_CELLS, MAX_CELLS = 64, 4096
"""Smallest and largest number of cells of a curve."""
CELLS_PER_RADIAN, CELLS_PER_SEGMENT = 10.0, 2
"""Cells per radian of turning [1/rad], and cells per segment of the spline, within the limits above."""
STEPS_PER_CELL = 4
"""Steps per cell; between two of them the slope of the distance has one root at most."""
MAX_ITERATIONS = 60
"""Largest number of steps of the safeguarded Newton method."""


def projection_parameters(path: Path) -> tuple[float, ...]:
    """Return a path as `closest_parameter` reads it (see `CELL_CURVE`)."""
    coefficients = path.spline.c.transpose(1, 2, 0)  # segment, coordinate, power (highest first)
    segments, size, terms = coefficients.shape
    padded = np.zeros((segments, 3, terms))
    padded[:, :size] = coefficients
    cells = _cells(path.spline, path.samples(512, per_segment=8), segments)
    start = HEADER_SIZE + segments + 1 + padded.size
    header = (path.closed, terms - 1, segments, len(cells) - 1, start)
    return (
        *(float(value) for value in header),
        *path.knots.tolist(),
        *padded.ravel().tolist(),
        *cells.ravel().tolist(),
    )


def _cells(spline: Any, s: np.ndarray, segments: int) -> np.ndarray:
    """Return cells with an equal share of length and turning; the last row only ends the one before."""
    velocity = spline(s, 1)
    tangent = velocity / np.linalg.norm(velocity, axis=1)[:, None]
    turning = 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(np.diff(tangent, axis=0), axis=1), 1.0))
    lengths = np.linalg.norm(np.diff(spline(s), axis=0), axis=1)
    weights = lengths / lengths.sum() + (turning / turning.sum() if turning.sum() > 1e-9 else 0.0)
    count = max(math.ceil(CELLS_PER_RADIAN * turning.sum()), CELLS_PER_SEGMENT * segments, MIN_CELLS)
    total = np.concatenate([[0.0], np.cumsum(weights)])
    ends = np.interp(np.linspace(0.0, total[-1], min(count, MAX_CELLS) + 1), total, s)
    ends[0], ends[-1] = s[0], s[-1]
    parts = np.linspace(ends[:-1], ends[1:], 33, axis=-1)
    chords = np.linalg.norm(np.diff(spline(parts), axis=1), axis=2)
    radius = 1.01 * np.maximum(chords[:, :16].sum(axis=1), chords[:, 16:].sum(axis=1))
    midpoints = np.zeros((len(ends) - 1, 3))
    midpoints[:, : velocity.shape[1]] = spline(parts[:, 16])
    rows = np.column_stack([ends[:-1], midpoints, radius])
    return np.vstack([rows, [ends[-1], 0.0, 0.0, 0.0, 0.0]])


@jit
def knots_of(curve):
    """Return the knots of a curve; the coefficients follow them."""
    return offset(floats(address_of(curve)), HEADER_SIZE)


@jit
def cell_of(curve, k):
    """Return cell ``k`` of a curve."""
    return CELL(offset(floats(address_of(curve)), int(curve.cells_offset)), k)


@jit
def point_at(curve, s):
    """Return the point and the first two derivatives at ``s``, between the ends."""
    knots = knots_of(curve)
    count = int(curve.n_segments)
    segment = find_segment(knots, count, s)
    h = s - knots[segment]
    terms = int(curve.degree) + 1
    c = offset(knots, count + 1 + 3 * terms * segment)
    x = 0.0
    y = 0.0
    z = 0.0
    x1 = 0.0
    y1 = 0.0
    z1 = 0.0
    x2 = 0.0
    y2 = 0.0
    z2 = 0.0
    for k in range(terms):  # Horner's rule for the k-th derivative over k!
        x2 = x2 * h + x1
        y2 = y2 * h + y1
        z2 = z2 * h + z1
        x1 = x1 * h + x
        y1 = y1 * h + y
        z1 = z1 * h + z
        x = x * h + c[k]
        y = y * h + c[k + terms]
        z = z * h + c[k + 2 * terms]
    return x, y, z, x1, y1, z1, 2.0 * x2, 2.0 * y2, 2.0 * z2


@jit
def slope_at(curve, s, px, py, pz):
    """Return c'·(c − p), its derivative, and |c − p|²."""
    x, y, z, x1, y1, z1, x2, y2, z2 = point_at(curve, s)
    x -= px
    y -= py
    z -= pz
    derivative = x1 * x1 + y1 * y1 + z1 * z1 + x2 * x + y2 * y + z2 * z
    return x1 * x + y1 * y + z1 * z, derivative, x * x + y * y + z * z


@jit
def root_of_slope(curve, low, high, px, py, pz):
    """Return the root of the slope between ``low``, where it is negative, and ``high`` (Newton steps, bisection)."""
    s = 0.5 * (low + high)
    for _ in range(MAX_ITERATIONS):
        slope, derivative, _ = slope_at(curve, s, px, py, pz)
        if slope < 0.0:
            low = s
        else:
            high = s
        step = -slope / derivative
        after = s + step
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - s) <= 1e-16 * abs(s) + 1e-300 or after == s:
            return after
        s = after
    return s


@jit
def closest_in_cell(curve, k, px, py, pz, best, min_distance):
    """Return parameter and squared distance of the closest point of a cell, else ``best`` and ``min_distance``."""
    start = cell_of(curve, k).s
    end = cell_of(curve, k + 1).s
    width = end - start
    previous = start
    last, _, distance = slope_at(curve, previous, px, py, pz)
    if distance < min_distance:
        min_distance = distance
        best = previous
    for step in range(1, STEPS_PER_CELL + 1):
        s = start + width * step / STEPS_PER_CELL
        if step == STEPS_PER_CELL:
            s = end
        slope, _, distance = slope_at(curve, s, px, py, pz)
        if distance < min_distance:
            min_distance = distance
            best = s
        if last < 0.0 <= slope:
            root = root_of_slope(curve, previous, s, px, py, pz)
            _, _, distance = slope_at(curve, root, px, py, pz)
            if distance <= min_distance:
                min_distance = distance
                best = root
        previous = s
        last = slope
    return best, min_distance


@jit
def neighbour(curve, k, step):
    """Return the index of the cell ``step`` cells after cell ``k``: cyclic on a closed curve, else within the ends."""
    count = int(curve.n_cells)
    if curve.is_closed != 0.0:
        return (k + step + count) % count
    return min(max(k + step, 0), count - 1)


@jit
def distance_from_middle(curve, k, px, py, pz):
    """Return the squared distance of p from the middle of cell ``k`` [m²]."""
    cell = cell_of(curve, k)
    return (cell.x - px) ** 2 + (cell.y - py) ** 2 + (cell.z - pz) ** 2


@jit
def search_all(curve, px, py, pz, warm_start):
    """Return the parameter of the closest point among all cells, and store the warm start of the next call."""
    count = int(curve.n_cells)
    limit = 1e300
    for k in range(count):
        limit = min(limit, distance_from_middle(curve, k, px, py, pz))
    limit = math.sqrt(limit)
    first = 0
    best = cell_of(curve, first).s
    min_distance = 1e300
    best_cell = 0
    for k in range(count):
        lower_bound = math.sqrt(distance_from_middle(curve, k, px, py, pz)) - cell_of(curve, k).radius
        if lower_bound <= limit:
            previous = min_distance
            best, min_distance = closest_in_cell(curve, k, px, py, pz, best, min_distance)
            if min_distance < previous:
                best_cell = k
                limit = min(limit, math.sqrt(min_distance))
    backward = -1
    forward = 1
    before_best = neighbour(curve, best_cell, backward)
    after_best = neighbour(curve, best_cell, forward)
    other_distance = 1e300
    for k in range(count):
        if k != best_cell and k != before_best and k != after_best:
            lower_bound = math.sqrt(distance_from_middle(curve, k, px, py, pz)) - cell_of(curve, k).radius
            other_distance = min(other_distance, lower_bound)
    warm_start.is_known = 1.0
    warm_start.cell = best_cell
    warm_start.px = px
    warm_start.py = py
    warm_start.pz = pz
    warm_start.free_distance = 0.5 * (other_distance - math.sqrt(min_distance))
    return best


@jit
def closest_parameter(curve, px, py, pz, warm_start):
    """Return the parameter of the point of the curve closest to p."""
    moved = math.sqrt((px - warm_start.px) ** 2 + (py - warm_start.py) ** 2 + (pz - warm_start.pz) ** 2)
    # The comparison is also false after a search for a point that was not a number.
    if not (warm_start.is_known != 0.0 and moved < warm_start.free_distance):
        return search_all(curve, px, py, pz, warm_start)
    best = 0.0
    min_distance = 1e300
    for step in range(-1, 2):
        k = neighbour(curve, int(warm_start.cell), step)
        best, min_distance = closest_in_cell(curve, k, px, py, pz, best, min_distance)
    return best
