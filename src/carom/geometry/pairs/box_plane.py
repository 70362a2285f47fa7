"""A box and a wall: its eight corners."""

from __future__ import annotations

from carom.geometry.pairs.ball import ball_above
from carom.geometry.pairs.base import Pair, placed, turned
from carom.geometry.pairs.boxes import AXIS, BOX, CORNERS, HALF, corner, dot, load, point_of, size_of
from carom.kernels import PAIR, jit, kernel, offset

LEVEL = 1e-12
"""Difference of heights that is none, in parts of the box."""


@jit
def down(box, k, nx, ny, nz):
    """1.0 or −1.0: to which end of its ``k``-th axis the box reaches deepest against n; 0.0 when that is level."""
    rise = box[HALF + k] * dot(offset(box, AXIS + 3 * k), nx, ny, nz)
    if rise > LEVEL * size_of(box):
        return -1.0
    if rise < -LEVEL * size_of(box):
        return 1.0
    return 0.0


@kernel(PAIR)
def box_plane(pose_a, pose_b, par, memory, out):
    """par: spot (0 the deepest corner, or the middle of a level edge or face; 1 … 8 a corner); centre, axes and half
    sides of the box; point and normal of the plane. The force acts on the skin of the plane."""
    box = memory
    load(pose_a, offset(par, 1), box)
    ox, oy, oz = placed(pose_b, par[16], par[17], par[18])
    nx, ny, nz = turned(pose_b, par[19], par[20], par[21])
    x, y, z = corner(box, int(par[0]) - 1)
    if par[0] == 0.0:
        first = 0
        second = 1
        third = 2
        u = down(box, first, nx, ny, nz)
        v = down(box, second, nx, ny, nz)
        w = down(box, third, nx, ny, nz)
        x, y, z = point_of(box, u, v, w)
    height = (x - ox) * nx + (y - oy) * ny + (z - oz) * nz
    radius = 0.0
    ball_above(out, x, y, z, radius, nx, ny, nz, height)


BOX_PLANE = Pair(box_plane, memory=(0.0,) * BOX, spots=CORNERS)
