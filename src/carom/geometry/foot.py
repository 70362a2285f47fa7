"""The foot of the perpendicular from a point to a parametric surface, by Newton's method.

With d from the surface to the point, n the normal and h = dᵀn, the foot has no part of d across n: Eᵀd = 0 for two
unit vectors E across n. A step is (Eᵀs_u + h Eᵀn_u) Δ = Eᵀd, which needs no unit tangents: it works beside poles, and
with normals that are interpolated on their own (L's tables). Where that matrix is not the one of a minimum (I + h A, A
the curvatures, not positive) the step is one of Gauss and Newton.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.ball import across
from carom.geometry.surface import (
    COLUMNS,
    FINE_AT,
    KERNEL,
    OWN_AT,
    PARTS_AT,
    PATCH,
    PATCHES,
    REACH,
    ROOM,
    ROOM_HEAD,
    ROWS,
    SIZE,
    U_HIGH,
    U_HIGH_END,
    U_LOW,
    U_LOW_END,
    V_HIGH,
    V_HIGH_END,
    V_LOW,
    V_LOW_END,
)
from carom.geometry.surfaces.base import NORMAL, NORMAL_U, NORMAL_V, POINT_U, POINT_V
from carom.kernels import call_surface, floats, jit, offset

ITERATIONS, HALVINGS = 40, 12
LAST = 1e-7
"""A step so short, in parts of the size of the surface, is the last: Newton's method has converged after it."""
PERIODIC_END, POLE_END = 1.0, 2.0
LONGEST = 0.25
"""Step, in parts of the range of a parameter."""
SAME = 1e-6
"""Distance of feet, in parts of the size of the surface, under which they are one."""
FLAT = 1e-9
"""Determinant of I + h A that counts as none."""


@jit
def look_at(shape, u, v, out):
    """Point, normal and their derivatives at (u, v)."""
    call_surface(int(shape[KERNEL]), offset(shape, int(shape[OWN_AT])), u, v, out)


@jit
def within(value, low, high, low_end, high_end):
    """A parameter brought into its range, and whether it went through a pole for that."""
    if low_end == PERIODIC_END:
        period = high - low
        return value - math.floor((value - low) / period) * period, False
    if value < low:
        if low_end == POLE_END:
            return min(2.0 * low - value, high), True
        return low, False
    if value > high:
        if high_end == POLE_END:
            return max(2.0 * high - value, low), True
        return high, False
    return value, False


@jit
def brought_in(shape, u, v):
    """(u, v) brought into their ranges; beyond a pole the other parameter is half a period on."""
    u, over = within(u, shape[U_LOW], shape[U_HIGH], shape[U_LOW_END], shape[U_HIGH_END])
    if over:
        v += 0.5 * (shape[V_HIGH] - shape[V_LOW])
    v, over = within(v, shape[V_LOW], shape[V_HIGH], shape[V_LOW_END], shape[V_HIGH_END])
    if over:
        u += 0.5 * (shape[U_HIGH] - shape[U_LOW])
        u, over = within(u, shape[U_LOW], shape[U_HIGH], shape[U_LOW_END], shape[U_HIGH_END])
    return u, v


@jit
def held(value, step, low, high, low_end, high_end):
    """Whether a step leaves the surface at an open end."""
    return (value <= low and step < 0.0 and low_end == 0.0) or (value >= high and step > 0.0 and high_end == 0.0)


@jit
def limited(du, dv, shape):
    """The step, shortened to LONGEST of the ranges."""
    much = max(abs(du) / (shape[U_HIGH] - shape[U_LOW]), abs(dv) / (shape[V_HIGH] - shape[V_LOW])) / LONGEST
    if much > 1.0:
        return du / much, dv / much
    return du, dv


@jit
def across_normal(out, px, py, pz):
    """Part of p − s across the normal, its square; and the square of p − s."""
    dx = px - out[0]
    dy = py - out[1]
    dz = pz - out[2]
    h = dx * out[NORMAL] + dy * out[NORMAL + 1] + dz * out[NORMAL + 2]
    rx = dx - h * out[NORMAL]
    ry = dy - h * out[NORMAL + 1]
    rz = dz - h * out[NORMAL + 2]
    return rx * rx + ry * ry + rz * rz, dx * dx + dy * dy + dz * dz


@jit
def way(out, du, dv):
    """Length of a step on the surface."""
    x = out[POINT_U] * du + out[POINT_V] * dv
    y = out[POINT_U + 1] * du + out[POINT_V + 1] * dv
    z = out[POINT_U + 2] * du + out[POINT_V + 2] * dv
    return math.sqrt(x * x + y * y + z * z)


@jit
def newton_step(out, px, py, pz):
    """Δu, Δv, and whether the matrix they come from is that of a minimum: 1.0, −1.0 when it is not, 0.0 when it is flat
    in a direction, as on the axis of a cylinder or in the middle of a sphere."""
    nx = out[NORMAL]
    ny = out[NORMAL + 1]
    nz = out[NORMAL + 2]
    dx = px - out[0]
    dy = py - out[1]
    dz = pz - out[2]
    h = dx * nx + dy * ny + dz * nz
    ex, ey, ez = across(nx, ny, nz)
    fx = ny * ez - nz * ey
    fy = nz * ex - nx * ez
    fz = nx * ey - ny * ex
    r1 = ex * dx + ey * dy + ez * dz
    r2 = fx * dx + fy * dy + fz * dz
    s11 = ex * out[POINT_U] + ey * out[POINT_U + 1] + ez * out[POINT_U + 2]
    s21 = fx * out[POINT_U] + fy * out[POINT_U + 1] + fz * out[POINT_U + 2]
    s12 = ex * out[POINT_V] + ey * out[POINT_V + 1] + ez * out[POINT_V + 2]
    s22 = fx * out[POINT_V] + fy * out[POINT_V + 1] + fz * out[POINT_V + 2]
    a11 = s11 + h * (ex * out[NORMAL_U] + ey * out[NORMAL_U + 1] + ez * out[NORMAL_U + 2])
    a21 = s21 + h * (fx * out[NORMAL_U] + fy * out[NORMAL_U + 1] + fz * out[NORMAL_U + 2])
    a12 = s12 + h * (ex * out[NORMAL_V] + ey * out[NORMAL_V + 1] + ez * out[NORMAL_V + 2])
    a22 = s22 + h * (fx * out[NORMAL_V] + fy * out[NORMAL_V + 1] + fz * out[NORMAL_V + 2])
    metric = s11 * s22 - s12 * s21
    det = a11 * a22 - a12 * a21
    trace = a11 * s22 - a12 * s21 - a21 * s12 + a22 * s11
    least = FLAT * metric * metric
    good = 1.0 if det * metric > 1e-12 * metric * metric and trace * metric > 0.0 else -1.0
    if good < 0.0 and abs(det * metric) <= least and trace * metric >= -least:
        good = 0.0
    if good <= 0.0:
        a11 = s11
        a12 = s12
        a21 = s21
        a22 = s22
        det = metric
    along_u = a11 * a11 + a21 * a21
    along_v = a12 * a12 + a22 * a22
    if det * det <= 1e-20 * along_u * along_v:  # a pole: only one parameter moves the point
        if along_u >= along_v:
            return (a11 * r1 + a21 * r2) / along_u if along_u > 0.0 else 0.0, 0.0, good
        return 0.0, (a12 * r1 + a22 * r2) / along_v, good
    return (a22 * r1 - a12 * r2) / det, (a11 * r2 - a21 * r1) / det, good


@jit
def foot(shape, px, py, pz, u, v, out):
    """The foot near (u, v): its parameters, and whether it is on the face (1.0), on the border (0.0), or not found
    (−1.0). ``out`` is what the kernel gives there."""
    look_at(shape, u, v, out)
    rest, distance = across_normal(out, px, py, pz)
    answer = -1.0
    # The last step along a border, and the slope before it.
    border = -1
    gone = 0.0
    old_slope = 0.0
    for _ in range(ITERATIONS):
        du, dv, good = newton_step(out, px, py, pz)
        hold_u = held(u, du, shape[U_LOW], shape[U_HIGH], shape[U_LOW_END], shape[U_HIGH_END])
        hold_v = held(v, dv, shape[V_LOW], shape[V_HIGH], shape[V_LOW_END], shape[V_HIGH_END])
        if hold_u or hold_v:
            # Along the border d has no part along the tangent there.
            k = POINT_V if hold_u else POINT_U
            m = NORMAL_V if hold_u else NORMAL_U
            dx = px - out[0]
            dy = py - out[1]
            dz = pz - out[2]
            h = dx * out[NORMAL] + dy * out[NORMAL + 1] + dz * out[NORMAL + 2]
            slope = dx * out[k] + dy * out[k + 1] + dz * out[k + 2]
            square = out[k] ** 2 + out[k + 1] ** 2 + out[k + 2] ** 2
            # How the slope changes: first without the bend of the border in the surface, then from the last step.
            bend = square + h * (out[k] * out[m] + out[k + 1] * out[m + 1] + out[k + 2] * out[m + 2])
            sure = border == k and gone != 0.0 and (old_slope - slope) / gone > 0.0
            if sure:
                bend = (old_slope - slope) / gone
            elif bend <= 0.1 * square:
                bend = square
            step = slope / bend if square > 0.0 else 0.0
            if hold_u:
                du = 0.0
                dv = step
                hold_v = held(v, dv, shape[V_LOW], shape[V_HIGH], shape[V_LOW_END], shape[V_HIGH_END])
                if hold_v:
                    dv = 0.0
            else:
                dv = 0.0
                du = step
                hold_u = held(u, du, shape[U_LOW], shape[U_HIGH], shape[U_LOW_END], shape[U_HIGH_END])
                if hold_u:
                    du = 0.0
            if abs(step) * math.sqrt(square) <= 1e-15 * shape[SIZE] or (du == 0.0 and dv == 0.0):
                return u, v, 0.0
            last = sure and abs(step) * math.sqrt(square) <= LAST * shape[SIZE]
            border = k
            old_slope = slope
        else:
            last = good > 0.0 and way(out, du, dv) <= LAST * shape[SIZE]
            border = -1
        du, dv = limited(du, dv, shape)
        share = 1.0
        moved = False
        for _ in range(HALVINGS):
            new_u, new_v = brought_in(shape, u + share * du, v + share * dv)
            look_at(shape, new_u, new_v, out)
            new_rest, new_distance = across_normal(out, px, py, pz)
            on_border = hold_u or hold_v
            if last or (new_rest < rest and not on_border) or new_distance < distance * (1.0 - 1e-15):
                moved = True
                break
            share *= 0.5
        if not moved:
            look_at(shape, u, v, out)
            if hold_u or hold_v:
                return u, v, 0.0
            if math.sqrt(rest) <= 1e-9 * shape[SIZE] + 1e-9 * math.sqrt(distance) and good >= 0.0:
                answer = 1.0  # as near as rounding lets it
            return u, v, answer
        u = new_u
        v = new_v
        rest = new_rest
        distance = new_distance
        gone = share * (du + dv)  # at a border one of them is 0
        if last:
            return u, v, 0.0 if border >= 0 else 1.0
    return u, v, answer


@jit
def in_part(shape, part, u, v):
    """Whether (u, v) is in part 1, 2 …, or on the surface at all: 0."""
    if part == 0:
        return True
    bounds = offset(shape, int(shape[PARTS_AT]) + 4 * (part - 1))
    return bounds[0] <= u <= bounds[1] and bounds[2] <= v <= bounds[3]


@jit
def middle(shape, net, a, b):
    """Parameters of the middle of patch (a, b)."""
    u = shape[U_LOW] + (a + 0.5) * (shape[U_HIGH] - shape[U_LOW]) / net[ROWS]
    v = shape[V_LOW] + (b + 0.5) * (shape[V_HIGH] - shape[V_LOW]) / net[COLUMNS]
    return u, v


@jit
def lowest(shape, net, values, a, b, borders):
    """Whether the value of patch (a, b) is not above those of the patches around it; with ``borders``, of a patch at an
    open border not above those along it: the border itself may be nearer than all their middles."""
    rows = int(net[ROWS])
    columns = int(net[COLUMNS])
    here = values[a * columns + b]
    wide = 1
    high = 1
    if borders and ((a == 0 and shape[U_LOW_END] == 0.0) or (a == rows - 1 and shape[U_HIGH_END] == 0.0)):
        wide = 0
    if borders and ((b == 0 and shape[V_LOW_END] == 0.0) or (b == columns - 1 and shape[V_HIGH_END] == 0.0)):
        high = 0
    for i in range(a - wide, a + wide + 1):
        for j in range(b - high, b + high + 1):
            p = i
            q = j
            if shape[U_LOW_END] == PERIODIC_END:
                p = (i + rows) % rows
            if shape[V_LOW_END] == PERIODIC_END:
                q = (j + columns) % columns
            if 0 <= p < rows and 0 <= q < columns and values[p * columns + q] < here:
                return False
    return True


@jit
def seek(shape, part, px, py, pz, u, v, known, out):
    """The nearest foot of all, from every patch that is nearer than those around it, and from (u, v) if ``known``.

    Answers as `foot`, and how much farther away the next foot is, at least; a part has a foot on its own ground only.
    """
    values = offset(floats(int(shape[ROOM])), ROOM_HEAD)
    net = offset(shape, int(shape[FINE_AT]))
    patches = offset(net, PATCHES)
    rows = int(net[ROWS])
    columns = int(net[COLUMNS])
    for k in range(rows * columns):
        patch = offset(patches, PATCH * k)
        values[k] = (patch[0] - px) ** 2 + (patch[1] - py) ** 2 + (patch[2] - pz) ** 2
    best_u = u
    best_v = v
    best = 1e150
    next_one = 1e150
    x = 0.0
    y = 0.0
    z = 0.0
    answer = -1.0
    borders = True
    same = SAME * SAME * shape[SIZE] * shape[SIZE]
    for k in range(-1, rows * columns):
        one_u = u
        one_v = v
        if k < 0:
            if not known:
                continue
        else:
            a = k // columns
            b = k - a * columns
            if not lowest(shape, net, values, a, b, borders):
                continue
            nearest = math.sqrt(values[k]) - patches[PATCH * k + REACH]
            if nearest > best:
                next_one = min(next_one, nearest)
                continue
            one_u, one_v = middle(shape, net, a, b)
        one_u, one_v, found = foot(shape, px, py, pz, one_u, one_v, out)
        if found < 0.0 or not in_part(shape, part, one_u, one_v):
            continue
        _, square = across_normal(out, px, py, pz)
        distance = math.sqrt(square)
        other = (out[0] - x) ** 2 + (out[1] - y) ** 2 + (out[2] - z) ** 2 > same
        if distance < best * (1.0 - 1e-12):
            if other:
                next_one = best
            best = distance
            best_u = one_u
            best_v = one_v
            x = out[0]
            y = out[1]
            z = out[2]
            answer = found
        elif other:
            next_one = min(next_one, distance)
    if answer >= 0.0:
        look_at(shape, best_u, best_v, out)
    return best_u, best_v, answer, next_one - best
