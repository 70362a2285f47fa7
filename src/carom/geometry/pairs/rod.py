"""A straight piece, or a capsule, against a shape: one kernel for all shapes that know their distance from a point.

Along the piece that distance is a convex function, also within a solid, where it is negative: the closest point is
where its slope changes sign. Only the distance from a thin shell is not; there the places where it may be least are
known in closed form but for its rims.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.pairs.ball import ball_above
from carom.geometry.pairs.base import FAR, GAP, placed, turned
from carom.geometry.pairs.sphere_box import above_box
from carom.geometry.pairs.sphere_cone import above_cone
from carom.geometry.pairs.sphere_triangle import above_triangle
from carom.kernels import PAIR, jit, kernel, offset

RECTANGLE, TRIANGLE, CYLINDER, SHELL = 0.0, 1.0, 2.0, 3.0
# The kernel's numbers: spot, shape, ends and radius of the piece, whether only its side touches; the shape's place and
# three axes, its four sizes, whether it is thin, whether only its faces touch.
SPOT, SHAPE, START, END, RADIUS, SIDE_ONLY, AT, AXES, SIZES, THIN, FACE_ONLY = 0, 1, 2, 5, 8, 9, 10, 13, 22, 26, 27

SLOPE = 1e-11
"""Of the distance along the piece, up to which it is level: its middle is taken where it lies flat."""
HALVINGS = 54
TOUCHING = 1e-12
"""Distance and difference of distances that are none, in parts of the length."""


@jit
def above_shape(shape, size, x, y, z):
    """Height of a point above a shape in its own axes, the unit normal there, and whether that belongs to a face."""
    none = 0.0
    if shape == RECTANGLE:
        height, nx, ny, nz = above_box(x, y, z, size[0], size[1], none)  # without height
        return height, nx, ny, nz, abs(x) <= size[0] and abs(y) <= size[1]
    if shape == TRIANGLE:
        up = 1.0
        return above_triangle(
            x, y, z, none, none, none, size[0], none, none, size[1], size[2], none, none, none, up
        )  # fmt: skip
    away = math.sqrt(x * x + y * y)
    out, up, height, on_face = above_cone(away, z, size[0], size[0], size[1], shape - CYLINDER)
    if away == 0.0:
        return height, out, none, up, on_face
    return height, out * x / away, out * y / away, up, on_face


@jit
def slope(shape, size, s, x, y, z, ux, uy, uz):
    """How the distance from the shape grows with s at (x, y, z) + s u."""
    _, nx, ny, nz, _ = above_shape(shape, size, x + s * ux, y + s * uy, z + s * uz)
    return nx * ux + ny * uy + nz * uz


@jit
def turning(shape, size, level, x, y, z, ux, uy, uz):
    """Where the slope passes ``level``, between 0 and 1."""
    low = 0.0
    high = 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if slope(shape, size, middle, x, y, z, ux, uy, uz) < level:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@jit
def lowest(shape, size, x, y, z, ux, uy, uz):
    """The part of the way from (x, y, z) along u that is nearest to a convex shape; the middle of a level one."""
    level = SLOPE * math.sqrt(ux * ux + uy * uy + uz * uz)
    first = 0.0
    last = 1.0
    at_start = slope(shape, size, first, x, y, z, ux, uy, uz)
    at_end = slope(shape, size, last, x, y, z, ux, uy, uz)
    if at_start > level:
        return first
    if at_end < -level:
        return last
    if at_start < -level:
        first = turning(shape, size, -level, x, y, z, ux, uy, uz)
        if slope(shape, size, first + 1e-9, x, y, z, ux, uy, uz) > level:
            return first
    if at_end > level:
        last = turning(shape, size, level, x, y, z, ux, uy, uz)
    return 0.5 * (first + last)


@jit
def rim_slope(s, a, b, c, radius, z, uz):
    """Half the slope of the squared distance from a rim, where the squared distance from the axis is a s² + 2 b s + c
    and the height above the rim z + s uz."""
    away = math.sqrt(max(a * s * s + 2.0 * b * s + c, 0.0))
    part = 0.0
    if away > 0.0:
        part = radius / away
    return (a * s + b) * (1.0 - part) + uz * (z + s * uz)


@jit
def nearest_to_rim(side, a, b, c, radius, z, uz):
    """A part of the way at which the distance from a rim may be least: after (``side`` = 1) or before (−1) the way is
    nearest to the axis, the slope falls, then rises (rises, then falls), and where it turns is known."""
    none = 0.0
    if a <= 0.0:
        return none
    nearest = -b / a
    rest = max(c - b * b / a, 0.0)  # squared distance from the axis there
    # The slope turns where the curvature of the distance from the axis, a·rest/away³, is (a + uz²)/radius.
    away = (radius * a * rest / (a + uz * uz)) ** (1.0 / 3.0)
    turn = nearest + side * math.sqrt(max(away * away - rest, 0.0) / a)
    low = none
    high = 1.0
    if side > 0.0:
        low = min(max(turn, low), high)
    else:
        high = min(max(turn, low), high)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if rim_slope(middle, a, b, c, radius, z, uz) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@jit
def crossing(which, size, x, y, z, ux, uy, uz):
    """The ``which``-th part of the way at which the distance from a shell may be least: at the ends, where it passes
    the rims' planes, through the side, closest to the axis, and close to the rims."""
    radius = size[0]
    half = size[1]
    a = ux * ux + uy * uy
    b = x * ux + y * uy
    c = x * x + y * y
    sign = 1.0 - 2.0 * (which % 2)
    if which < 2:
        return 1.0 * which
    if which < 4:
        return (sign * half - z) / uz
    if which < 6:
        return (-b + sign * math.sqrt(max(b * b - a * (c - radius * radius), 0.0))) / a
    if which < 7:
        return -b / a
    rim = half
    if which > 8:
        rim = -half
    return nearest_to_rim(sign, a, b, c, radius, z - rim, uz)


@jit
def lowest_in_shell(shape, size, x, y, z, ux, uy, uz):
    """As `lowest`, for a thin shell."""
    near = TOUCHING * math.sqrt(ux * ux + uy * uy + uz * uz)
    least = FAR
    first = 0.0
    last = 0.0
    for which in range(11):
        s = crossing(which, size, x, y, z, ux, uy, uz)
        if not 0.0 <= s <= 1.0:
            continue
        height, _, _, _, _ = above_shape(shape, size, x + s * ux, y + s * uy, z + s * uz)
        if height < least - near:
            least = height
            first = s
            last = s
        elif height <= least + near:
            least = min(least, height)
            first = min(first, s)
            last = max(last, s)
    middle = 0.5 * (first + last)
    height, _, _, _, _ = above_shape(shape, size, x + middle * ux, y + middle * uy, z + middle * uz)
    if height <= least + near:
        return middle
    return first


@jit
def way_out(shape, size, s, x, y, z, ux, uy, uz, nx, ny, nz):
    """The unit normal at the deepest point of a piece in a solid: across the piece also where two faces are equally
    far, between their normals; round the axis where these are opposite."""
    step = 1e-9
    _, ax, ay, az, _ = above_shape(shape, size, x + (s - step) * ux, y + (s - step) * uy, z + (s - step) * uz)
    _, bx, by, bz, _ = above_shape(shape, size, x + (s + step) * ux, y + (s + step) * uy, z + (s + step) * uz)
    falls = ax * ux + ay * uy + az * uz
    rises = bx * ux + by * uy + bz * uz
    level = 1e-6 * math.sqrt(ux * ux + uy * uy + uz * uz)
    if falls > -level or rises < level:
        return nx, ny, nz
    part = rises / (rises - falls)
    ax = part * ax + (1.0 - part) * bx
    ay = part * ay + (1.0 - part) * by
    az = part * az + (1.0 - part) * bz
    length = math.sqrt(ax * ax + ay * ay + az * az)
    if length < 1e-3:
        flat = math.sqrt(ux * ux + uy * uy)
        if flat <= level:
            return nx, ny, nz
        return -uy / flat, ux / flat, 0.0 * uz
    return ax / length, ay / length, az / length


@kernel(PAIR)
def rod(pose_a, pose_b, par, memory, out):
    """par: as above. Spots 1 and 2 are the two ends with their own closest points, spot 3 is the closest point of all
    where it is neither of them. The force acts on the skin of the shape."""
    shape = par[SHAPE]
    size = offset(par, SIZES)
    axes = offset(par, AXES)
    sx, sy, sz = placed(pose_a, par[START], par[START + 1], par[START + 2])
    ux, uy, uz = placed(pose_a, par[END], par[END + 1], par[END + 2])
    ox, oy, oz = placed(pose_b, par[AT], par[AT + 1], par[AT + 2])
    xx, xy, xz = turned(pose_b, axes[0], axes[1], axes[2])
    yx, yy, yz = turned(pose_b, axes[3], axes[4], axes[5])
    zx, zy, zz = turned(pose_b, axes[6], axes[7], axes[8])
    ux -= sx
    uy -= sy
    uz -= sz
    ox = sx - ox
    oy = sy - oy
    oz = sz - oz
    # The piece in the axes of the shape: from (x, y, z) along (a, b, c).
    x = ox * xx + oy * xy + oz * xz
    y = ox * yx + oy * yy + oz * yz
    z = ox * zx + oy * zy + oz * zz
    a = ux * xx + uy * xy + uz * xz
    b = ux * yx + uy * yy + uz * yz
    c = ux * zx + uy * zy + uz * zz
    near = TOUCHING * math.sqrt(a * a + b * b + c * c)

    start, _, _, _, on_start = above_shape(shape, size, x, y, z)
    end, _, _, _, on_end = above_shape(shape, size, x + a, y + b, z + c)
    s = min(par[SPOT] - 1.0, 1.0)
    there = par[SIDE_ONLY] == 0.0
    if par[SPOT] == 0.0 or par[SPOT] == 3.0:
        if shape == SHELL:
            s = lowest_in_shell(shape, size, x, y, z, a, b, c)
        else:
            s = lowest(shape, size, x, y, z, a, b, c)
        height, _, _, _, on_face = above_shape(shape, size, x + s * a, y + s * b, z + s * c)
        inner = 0.0 < s < 1.0
        if par[SPOT] == 3.0:
            there = inner and (height < min(start, end) - near or not there)
        elif not there:
            there = inner
        elif par[FACE_ONLY] != 0.0 and not on_face:  # then that end which is nearer to a face
            if on_start and (start <= end or not on_end):
                s = 0.0
            elif on_end:
                s = 1.0
    height, nx, ny, nz, on_face = above_shape(shape, size, x + s * a, y + s * b, z + s * c)
    if par[FACE_ONLY] != 0.0:
        there = there and on_face
    if par[THIN] != 0.0 and height <= near:  # on the skin: to the side where most of the piece is
        if shape != SHELL:
            nx = 0.0
            ny = 0.0
            nz = 1.0
        if (0.5 - s) * (nx * a + ny * b + nz * c) < 0.0:
            nx = -nx
            ny = -ny
            nz = -nz
    elif 0.0 < s < 1.0 and height < 0.0:
        nx, ny, nz = way_out(shape, size, s, x, y, z, a, b, c, nx, ny, nz)
    px = sx + s * ux
    py = sy + s * uy
    pz = sz + s * uz
    gx = nx * xx + ny * yx + nz * zx
    gy = nx * xy + ny * yy + nz * zy
    gz = nx * xz + ny * yz + nz * zz
    ball_above(out, px, py, pz, par[RADIUS], gx, gy, gz, height)
    if not there:
        out[GAP] = FAR


def rod_numbers(a: Any, shape: float, at: Any, axes: Any, sizes: tuple[float, ...], b: Any) -> tuple[float, ...]:
    """The kernel's numbers after the spot; ``axes`` are the shape's own, as columns."""
    frame = (float(part) for part in np.asarray(axes).T.ravel())
    padded = (*sizes, 0.0, 0.0, 0.0, 0.0)[:4]
    return (shape, *a.numbers, *at, *frame, *padded, float(b.thin), float(b.edge == "face_only"))
