"""The point of a curve nearest to another point, in the plane or in space.

The curve is cut into cells, nearly straight, each within a ball about the point in its middle. A cell can hold the
nearest point only if its ball reaches nearer than the nearest middle. In those, c'(s)·(c(s) − p) = 0 is solved by
Newton's method on the curve itself. While p has not moved further than half of what all other cells were behind, the
nearest point stays in the cell found, or beside it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.path import Path
from carom.kernels import jit, offset

# Layout of a curve: whether it is closed, degree, number of segments and of cells, where the cells start; the knots;
# the coefficients of x, y and z a segment, highest power of (s − knot) first; the cells.
CLOSED, DEGREE, SEGMENTS, CELLS, FIRST_CELL, KNOTS = range(6)
# A cell: its first parameter, the point in its middle, and how far the curve gets from that; the next goes on.
CELL = 5
# Memory: 1.0 when a cell is known, which one, where p was then, and how far it may move until the next search.
KNOWN, AT_CELL, SEEN, FREE = 0, 1, 2, 5
MEMORY = (0.0,) * 6

FEWEST_CELLS, MOST_CELLS = 64, 4096
CELLS_A_RADIAN, CELLS_A_SEGMENT = 10.0, 2
STEPS = 4
"""In a cell: the slope of the distance is taken to have one root between two of them."""
ITERATIONS = 60


def nearest_numbers(path: Path) -> tuple[float, ...]:
    """A path as `nearest` reads it."""
    coefficients = path.spline.c.transpose(1, 2, 0)  # segment, coordinate, power (highest first)
    segments, size, terms = coefficients.shape
    padded = np.zeros((segments, 3, terms))
    padded[:, :size] = coefficients
    cells = _cells(path.spline, path.samples(512, each=8), segments)
    start = KNOTS + segments + 1 + padded.size
    head = (path.closed, terms - 1, segments, len(cells) - 1, start)
    return (*(float(value) for value in head), *path.knots.tolist(), *padded.ravel().tolist(), *cells.ravel().tolist())


def _cells(spline: Any, s: np.ndarray, segments: int) -> np.ndarray:
    """Cells of even length and turning together; the last row only ends the one before."""
    velocity = spline(s, 1)
    tangent = velocity / np.linalg.norm(velocity, axis=1)[:, None]
    turns = 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(np.diff(tangent, axis=0), axis=1), 1.0))
    ways = np.linalg.norm(np.diff(spline(s), axis=0), axis=1)
    share = ways / ways.sum() + (turns / turns.sum() if turns.sum() > 1e-9 else 0.0)
    wanted = max(math.ceil(CELLS_A_RADIAN * turns.sum()), CELLS_A_SEGMENT * segments, FEWEST_CELLS)
    passed = np.concatenate([[0.0], np.cumsum(share)])
    at = np.interp(np.linspace(0.0, passed[-1], min(wanted, MOST_CELLS) + 1), passed, s)
    at[0], at[-1] = s[0], s[-1]
    parts = np.linspace(at[:-1], at[1:], 33, axis=-1)
    lengths = np.linalg.norm(np.diff(spline(parts), axis=1), axis=2)
    reach = 1.01 * np.maximum(lengths[:, :16].sum(axis=1), lengths[:, 16:].sum(axis=1))
    middle = np.zeros((len(at) - 1, 3))
    middle[:, : velocity.shape[1]] = spline(parts[:, 16])
    rows = np.column_stack([at[:-1], middle, reach])
    return np.vstack([rows, [at[-1], 0.0, 0.0, 0.0, 0.0]])


@jit
def point_at(curve, s):
    """Point and first two derivatives at ``s``, between the ends."""
    count = int(curve[SEGMENTS])
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if curve[KNOTS + middle] <= s:
            low = middle
        else:
            high = middle
    h = s - curve[KNOTS + low]
    terms = int(curve[DEGREE]) + 1
    c = KNOTS + count + 1 + 3 * terms * low
    x = 0.0
    y = 0.0
    z = 0.0
    x1 = 0.0
    y1 = 0.0
    z1 = 0.0
    x2 = 0.0
    y2 = 0.0
    z2 = 0.0
    for k in range(c, c + terms):  # Horner's rule for the k-th derivative over k!
        x2 = x2 * h + x1
        y2 = y2 * h + y1
        z2 = z2 * h + z1
        x1 = x1 * h + x
        y1 = y1 * h + y
        z1 = z1 * h + z
        x = x * h + curve[k]
        y = y * h + curve[k + terms]
        z = z * h + curve[k + 2 * terms]
    return x, y, z, x1, y1, z1, 2.0 * x2, 2.0 * y2, 2.0 * z2


@jit
def slope_at(curve, s, px, py, pz):
    """c'·(c − p), its derivative, and |c − p|²."""
    x, y, z, x1, y1, z1, x2, y2, z2 = point_at(curve, s)
    x -= px
    y -= py
    z -= pz
    bend = x1 * x1 + y1 * y1 + z1 * z1 + x2 * x + y2 * y + z2 * z
    return x1 * x + y1 * y + z1 * z, bend, x * x + y * y + z * z


@jit
def root(curve, low, high, px, py, pz):
    """Where the slope passes zero between ``low``, where it is negative, and ``high``: Newton's method, or halving."""
    s = 0.5 * (low + high)
    for _ in range(ITERATIONS):
        slope, bend, _ = slope_at(curve, s, px, py, pz)
        if slope < 0.0:
            low = s
        else:
            high = s
        step = -slope / bend
        after = s + step
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - s) <= 1e-16 * abs(s) + 1e-300 or after == s:
            return after
        s = after
    return s


@jit
def in_cell(curve, cell, px, py, pz, best, least):
    """The nearest point in a cell, if it is nearer than √``least`` at ``best``: its parameter and squared distance."""
    rows = offset(curve, int(curve[FIRST_CELL]) + CELL * cell)
    width = rows[CELL] - rows[0]
    before = rows[0]
    last, _, distance = slope_at(curve, before, px, py, pz)
    if distance < least:
        least = distance
        best = before
    for k in range(1, STEPS + 1):
        s = rows[0] + width * k / STEPS
        if k == STEPS:
            s = rows[CELL]
        slope, _, distance = slope_at(curve, s, px, py, pz)
        if distance < least:
            least = distance
            best = s
        if last < 0.0 <= slope:
            found = root(curve, before, s, px, py, pz)
            _, _, distance = slope_at(curve, found, px, py, pz)
            if distance <= least:
                least = distance
                best = found
        before = s
        last = slope
    return best, least


@jit
def beside(curve, cell, step):
    """The cell ``step`` further on: once round a closed curve, not beyond the ends of an open one."""
    count = int(curve[CELLS])
    if curve[CLOSED] != 0.0:
        return (cell + step + count) % count
    return min(max(cell + step, 0), count - 1)


@jit
def search(curve, px, py, pz, memory):
    """The nearest point of all, and what of it is worth remembering."""
    rows = offset(curve, int(curve[FIRST_CELL]))
    count = int(curve[CELLS])
    reach = 1e300
    for k in range(count):
        cell = offset(rows, CELL * k)
        reach = min(reach, (cell[1] - px) ** 2 + (cell[2] - py) ** 2 + (cell[3] - pz) ** 2)
    reach = math.sqrt(reach)
    best = rows[0]
    least = 1e300
    best_cell = 0
    for k in range(count):
        cell = offset(rows, CELL * k)
        nearest_there = math.sqrt((cell[1] - px) ** 2 + (cell[2] - py) ** 2 + (cell[3] - pz) ** 2) - cell[4]
        if nearest_there <= reach:
            before = least
            best, least = in_cell(curve, k, px, py, pz, best, least)
            if least < before:
                best_cell = k
                reach = min(reach, math.sqrt(least))
    back = -1
    on = 1
    one = beside(curve, best_cell, back)
    other = beside(curve, best_cell, on)
    behind = 1e300
    for k in range(count):
        if k != best_cell and k != one and k != other:
            cell = offset(rows, CELL * k)
            behind = min(behind, math.sqrt((cell[1] - px) ** 2 + (cell[2] - py) ** 2 + (cell[3] - pz) ** 2) - cell[4])
    memory[KNOWN] = 1.0
    memory[AT_CELL] = best_cell
    memory[SEEN] = px
    memory[SEEN + 1] = py
    memory[SEEN + 2] = pz
    memory[FREE] = 0.5 * (behind - math.sqrt(least))
    return best


@jit
def nearest(curve, px, py, pz, memory):
    """Parameter of the point of the curve nearest to p."""
    moved = math.sqrt((px - memory[SEEN]) ** 2 + (py - memory[SEEN + 1]) ** 2 + (pz - memory[SEEN + 2]) ** 2)
    if not (memory[KNOWN] != 0.0 and moved < memory[FREE]):  # also when an earlier p was not a number
        return search(curve, px, py, pz, memory)
    cell = int(memory[AT_CELL])
    best = 0.0
    least = 1e300
    for step in range(-1, 2):
        best, least = in_cell(curve, beside(curve, cell, step), px, py, pz, best, least)
    return best
