"""Two curves in a plane: where they have a common normal, eqs. (12)–(13) of the compliant models paper.

At parameters (s_a, s_b) the tangents are parallel and the line between the points is along the normals, which look at
each other. That holds for skins apart and for indented ones; the sign of the gap comes from the normals. The pair
follows one such place from call to call by Newton's method. It searches both curves for all of them at the start, when
the one it followed has ended, and, between shapes that are not both convex, while they are apart and have moved so far
that another place may have become the nearest.
"""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.curve import CELLS, CONVEX, PATH, REACH, SAMPLE, SAMPLES, SIDE, SIZE, TX, TY, S, X, Y
from carom.geometry.pairs.base import (
    CONTACT_POINT,
    FAR,
    GAP,
    NORMAL_AT,
    POINT_A,
    POINT_B,
    POSITION,
    ROTATION,
    Pair,
    put,
)
from carom.geometry.path import CLOSED, KNOTS, SEGMENTS, curve_at
from carom.kernels import PAIR, jit, kernel, offset

# Memory: what is known, the two parameters, the pose of a seen from b at the last search (x, y, cos, sin), how far the
# bodies may move until the next, and how many iterations the last call took.
KNOWN, AT_A, AT_B, SEEN, FREE, ITERATIONS = 0, 1, 2, 3, 7, 8
NOT_SEARCHED, NOTHING, NEAREST, DOUBTFUL = -1.0, 0.0, 1.0, 2.0
"""What is known: nothing yet; there is no common normal; one where the gap is least among its neighbours; another."""

MOST_ITERATIONS = 40
LONGEST_STEP = 0.05
FARTHEST = 0.25
"""A step, and the way from the last place to the next one of the same contact, in parts of the parameter's range."""
CONVERGED = 1e-9
"""Newton's step after which the next would be below rounding, in parts of the range."""
PARALLEL = 1e-9
"""Sine of the angle between the rows of the Jacobian, under which the common normals form a line."""
RESIDUAL = 1e-7
RESOLUTION = 1e-3
"""Motion that asks for a new search in any case, in parts of the smaller curve."""
TIE = 1e-12
"""Difference that is rounding: of gaps in parts of the smaller curve, of parameters in parts of their range."""


@jit
def extent_of(curve):
    """First parameter of a curve, and the range of the parameter."""
    path = offset(curve, PATH)
    first = path[KNOTS]
    return first, path[KNOTS + int(path[SEGMENTS])] - first


@jit
def within(curve, s):
    """``s`` on the curve: once round a closed one, between the ends of an open one."""
    first, extent = extent_of(curve)
    if curve[PATH + CLOSED] != 0.0:
        return first + (s - first) % extent
    return min(max(s, first), first + extent)


@jit
def seen_at(pose, curve, s):
    """Point and unit tangent τ with the solid on its right, in global axes; ds along τ, and turning, a unit of s."""
    x, y, x1, y1, x2, y2, _, _ = curve_at(offset(curve, PATH), s)
    r = ROTATION
    speed = math.sqrt(x1 * x1 + y1 * y1)
    tx = curve[SIDE] * x1 / speed
    ty = curve[SIDE] * y1 / speed
    return (
        pose[POSITION] + pose[r] * x + pose[r + 1] * y,
        pose[POSITION + 1] + pose[r + 3] * x + pose[r + 4] * y,
        pose[r] * tx + pose[r + 1] * ty,
        pose[r + 3] * tx + pose[r + 4] * ty,
        curve[SIDE] * speed,
        (x1 * y2 - y1 * x2) / (speed * speed),
    )


@jit
def settle(pose_a, pose_b, a, b, s_a, s_b):
    """Newton's method from (s_a, s_b): whether it converged, the parameters, the number of iterations.

    F₁ = τ_a × τ_b, F₂ = ½ d·(τ_a − τ_b) with d = p_a − p_b: written so that exchanging a and b changes no digit.
    """
    _, extent_a = extent_of(a)
    _, extent_b = extent_of(b)
    size = min(a[SIZE], b[SIZE])
    for iteration in range(1, MOST_ITERATIONS + 1):
        ax, ay, tax, tay, ua, ka = seen_at(pose_a, a, s_a)
        bx, by, tbx, tby, ub, kb = seen_at(pose_b, b, s_b)
        dx = ax - bx
        dy = ay - by
        along = tax * tbx + tay * tby
        f1 = tax * tby - tay * tbx
        f2 = 0.5 * (dx * (tax - tbx) + dy * (tay - tby))
        # Columns for parameters in parts of their range, the second row in parts of the size.
        f1a = -extent_a * ka * along
        f1b = extent_b * kb * along
        f2a = 0.5 * extent_a * (ua * (1.0 - along) + ka * (dy * tax - dx * tay)) / size
        f2b = 0.5 * extent_b * (ub * (1.0 - along) - kb * (dy * tbx - dx * tby)) / size
        f2 /= size
        det = f1a * f2b - f1b * f2a
        first = f1a * f1a + f1b * f1b
        second = f2a * f2a + f2b * f2b
        if abs(det) > PARALLEL * math.sqrt(first * second):
            da = (f1b * f2 - f2b * f1) / det
            db = (f2a * f1 - f1a * f2) / det
        else:  # straight pieces, or arcs of one centre: the nearest place with d across them
            da = -f2a * f2 / second
            db = -f2b * f2 / second
        step = max(abs(da), abs(db))
        if not step < 1e6:
            return False, s_a, s_b, iteration
        scale = 1.0
        if step > LONGEST_STEP:
            scale = LONGEST_STEP / step
        s_a = within(a, s_a + scale * da * extent_a)
        s_b = within(b, s_b + scale * db * extent_b)
        if step <= CONVERGED:
            return True, s_a, s_b, iteration
    return False, s_a, s_b, MOST_ITERATIONS


@jit
def measure(pose_a, pose_b, a, b, s_a, s_b):
    """What the place is (NOTHING when it has no common normal), points, normal from b to a, gap."""
    ax, ay, tax, tay, ua, ka = seen_at(pose_a, a, s_a)
    bx, by, tbx, tby, ub, kb = seen_at(pose_b, b, s_b)
    dx = ax - bx
    dy = ay - by
    # Outward normals are on the left of τ; the common one is the mean of n_b and −n_a.
    nx = tay - tby
    ny = tbx - tax
    length = math.sqrt(nx * nx + ny * ny)
    nx /= length
    ny /= length
    gap = dx * nx + dy * ny
    size = min(a[SIZE], b[SIZE])
    slope = tax * tby - tay * tbx
    aside = 0.5 * (dx * (tax - tbx) + dy * (tay - tby))
    known = NOTHING
    if tax * tbx + tay * tby < 0.0 and abs(slope) <= RESIDUAL and abs(aside) <= RESIDUAL * size:
        # Curvatures, positive where convex; the gap is least among its neighbours when the relative one is positive
        # and neither centre of curvature has been passed.
        ca = -ka / ua
        cb = -kb / ub
        known = DOUBTFUL
        if (ca + cb + gap * ca * cb) * size > PARALLEL and 1.0 + gap * ca > 0.0 and 1.0 + gap * cb > 0.0:
            known = NEAREST
    return known, ax, ay, bx, by, nx, ny, gap


@jit
def seen_from(pose_a, pose_b):
    """The pose of a in the axes of b: x, y, cos, sin."""
    r = ROTATION
    x = pose_a[POSITION] - pose_b[POSITION]
    y = pose_a[POSITION + 1] - pose_b[POSITION + 1]
    return (
        pose_b[r] * x + pose_b[r + 3] * y,
        pose_b[r + 1] * x + pose_b[r + 4] * y,
        pose_a[r] * pose_b[r] + pose_a[r + 3] * pose_b[r + 3],
        pose_a[r + 3] * pose_b[r] - pose_a[r] * pose_b[r + 3],
    )


@jit
def corner(x, y, tx, ty, sample):
    """F₁, F₂ and τ_a·τ_b at two samples, and their distance squared."""
    dx = x - sample[X]
    dy = y - sample[Y]
    return (
        tx * sample[TY] - ty * sample[TX],
        dx * (tx - sample[TX]) + dy * (ty - sample[TY]),
        tx * sample[TX] + ty * sample[TY],
        dx * dx + dy * dy,
    )


@jit
def from_seam(curve, s):
    """Return ``s``; the first parameter where it is the last of a closed curve: rounding decides between the two."""
    first, extent = extent_of(curve)
    if curve[PATH + CLOSED] != 0.0 and first + extent - s <= TIE * extent:
        return first
    return s


@jit
def precedes(gap, s_a, s_b, other_gap, other_a, other_b, size, extent):
    """Return True if a place is chosen before another: the one with the smaller gap, or with the smaller parameters.

    Neither rounding nor the order of the curves decides between places of equal gap.
    """
    nearer = abs(other_gap) - abs(gap)
    if abs(nearer) > TIE * size:
        return nearer > 0.0
    high = max(other_a, other_b) - max(s_a, s_b)
    low = min(other_a, other_b) - min(s_a, s_b)
    if abs(high) > TIE * extent:
        return high > 0.0
    if abs(low) > TIE * extent:
        return low > 0.0
    return nearer > 0.0 or (nearer == 0.0 and (high > 0.0 or (high == 0.0 and low > 0.0)))  # one place, found twice


@jit
def search(pose_a, pose_b, a, b):
    """The best common normal of all: Newton's method from every cell of samples where F₁ and F₂ change sign.

    Returns what it is, the parameters, the gap, the least distance of samples, and the number of iterations.
    """
    ox, oy, c, s = seen_from(pose_a, pose_b)
    rows = offset(a, int(a[SAMPLES]))
    columns = offset(b, int(b[SAMPLES]))
    best = NOTHING
    best_a = rows[S]
    best_b = columns[S]
    best_gap = FAR
    least = FAR
    count = 0
    size = min(a[SIZE], b[SIZE])
    _, extent_a = extent_of(a)
    _, extent_b = extent_of(b)
    extent = max(extent_a, extent_b)
    for i in range(int(a[CELLS])):
        this = offset(rows, SAMPLE * i)
        nearby = offset(rows, SAMPLE * (i + 1))
        x0 = ox + c * this[X] - s * this[Y]
        y0 = oy + s * this[X] + c * this[Y]
        tx0 = c * this[TX] - s * this[TY]
        ty0 = s * this[TX] + c * this[TY]
        x1 = ox + c * nearby[X] - s * nearby[Y]
        y1 = oy + s * nearby[X] + c * nearby[Y]
        tx1 = c * nearby[TX] - s * nearby[TY]
        ty1 = s * nearby[TX] + c * nearby[TY]
        f00, g00, along, distance = corner(x0, y0, tx0, ty0, columns)
        f10, g10, _, _ = corner(x1, y1, tx1, ty1, columns)
        least = min(least, distance)
        for j in range(int(b[CELLS])):
            column = offset(columns, SAMPLE * (j + 1))
            f01, g01, along_next, distance = corner(x0, y0, tx0, ty0, column)
            f11, g11, _, _ = corner(x1, y1, tx1, ty1, column)
            least = min(least, distance)
            facing = along < 0.0
            parallel = min(min(f00, f01), min(f10, f11)) <= 0.0 <= max(max(f00, f01), max(f10, f11))
            across = min(min(g00, g01), min(g10, g11)) <= 0.0 <= max(max(g00, g01), max(g10, g11))
            if facing and parallel and across:
                start_a = 0.5 * (this[S] + nearby[S])
                start_b = 0.5 * (column[S - SAMPLE] + column[S])
                found, s_a, s_b, iterations = settle(pose_a, pose_b, a, b, start_a, start_b)
                count += iterations
                if found:
                    s_a = from_seam(a, s_a)
                    s_b = from_seam(b, s_b)
                    known, _, _, _, _, _, _, gap = measure(pose_a, pose_b, a, b, s_a, s_b)
                    better = precedes(gap, s_a, s_b, best_gap, best_a, best_b, size, extent)
                    if known != best:
                        better = known == NEAREST or best == NOTHING
                    if better and known != NOTHING:
                        best = known
                        best_a = s_a
                        best_b = s_b
                        best_gap = gap
            f00 = f01
            f10 = f11
            g00 = g01
            g10 = g11
            along = along_next
    return best, best_a, best_b, best_gap, math.sqrt(least), count


@kernel(PAIR)
def curve_curve(pose_a, pose_b, par, memory, out):
    """par: how many numbers a has, then those of a and of b. The force acts midway between the skins."""
    a = offset(par, 1)
    b = offset(par, 1 + int(par[0]))
    known = memory[KNOWN]
    s_a = memory[AT_A]
    s_b = memory[AT_B]
    count = 0
    lost = known == NOT_SEARCHED
    if known > NOTHING:
        found, s_a, s_b, count = settle(pose_a, pose_b, a, b, s_a, s_b)
        lost = not (found and near(a, s_a, memory[AT_A]) and near(b, s_b, memory[AT_B]))
    now, ax, ay, bx, by, nx, ny, gap = measure(pose_a, pose_b, a, b, s_a, s_b)
    if known > NOTHING:
        lost = lost or now == NOTHING or (now == DOUBTFUL and known == NEAREST)
        known = now
    x, y, c, s = seen_from(pose_a, pose_b)
    moved = math.hypot(x - memory[SEEN], y - memory[SEEN + 1])
    moved += a[REACH] * math.hypot(c - memory[SEEN + 2], s - memory[SEEN + 3])
    sure = known == NEAREST and (gap <= 0.0 or a[CONVEX] * b[CONVEX] != 0.0)
    if lost or not (sure or moved <= memory[FREE]):  # also when an earlier pose was not a number
        size = min(a[SIZE], b[SIZE])
        other, other_a, other_b, other_gap, distance, iterations = search(pose_a, pose_b, a, b)
        count += iterations
        # Apart, another place is nearer only if it is not deeper than the bodies can have moved.
        if lost or known != NEAREST or (other == NEAREST and -moved <= other_gap < gap - TIE * size):
            known = other
            s_a = other_a
            s_b = other_b
            _, ax, ay, bx, by, nx, ny, gap = measure(pose_a, pose_b, a, b, s_a, s_b)
        memory[SEEN] = x
        memory[SEEN + 1] = y
        memory[SEEN + 2] = c
        memory[SEEN + 3] = s
        # Nothing can touch before the bodies have moved by the distance between them.
        free = distance
        if known == NEAREST:
            free = gap
        if known == DOUBTFUL:
            free = 0.0
        memory[FREE] = max(0.5 * free, RESOLUTION * size)
    memory[KNOWN] = known
    memory[AT_A] = s_a
    memory[AT_B] = s_b
    memory[ITERATIONS] = count
    if known == NOTHING:  # both parameters are at the starts of their curves
        gap = FAR
        nx = 1.0
        ny = 0.0
    z = 0.0
    out[GAP] = gap
    put(offset(out, NORMAL_AT), nx, ny, z)
    put(offset(out, POINT_A), ax, ay, z)
    put(offset(out, POINT_B), bx, by, z)
    put(offset(out, CONTACT_POINT), 0.5 * (ax + bx), 0.5 * (ay + by), z)


@jit
def near(curve, s, before):
    """Whether ``s`` may be the same contact as ``before``, a call ago."""
    _, extent = extent_of(curve)
    way = abs(s - before)
    if curve[PATH + CLOSED] != 0.0:
        way = min(way, extent - way)
    return way <= FARTHEST * extent


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    return (float(len(a.numbers)), *a.numbers, *b.numbers)


def check(owner: str, a: Any, b: Any) -> None:
    for shape in (a, b):
        if not shape.planar:
            raise ModelError(f"{owner}: {shape.label} is a profile in a plane and needs a planar body to touch another")
    if a.inside and b.inside:
        raise ModelError(f"{owner}: {a.label} and {b.label} are both cavities; one of them must be solid inside")


CURVE_CURVE = Pair(curve_curve, numbers, (NOT_SEARCHED, *(0.0,) * ITERATIONS), check)
