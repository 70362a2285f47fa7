"""Boxes in global axes, as the kernels of their pairs keep them while they work: centre, three axes, half sides."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import placed, put, turned
from carom.geometry.pairs.sphere_box import above_box
from carom.kernels import jit, offset

BOX = 15
CENTRE, AXIS, HALF = 0, 3, 12
CORNERS = 8


@jit
def load(pose, par, box):
    """Fill ``box`` from its numbers: centre, axes (a rotation matrix, row by row), half sides."""
    x, y, z = placed(pose, par[0], par[1], par[2])
    put(box, x, y, z)
    for k in range(3):
        x, y, z = turned(pose, par[3 + k], par[6 + k], par[9 + k])
        put(offset(box, AXIS + 3 * k), x, y, z)
        box[HALF + k] = par[12 + k]


@jit
def dot(v, x, y, z):
    return v[0] * x + v[1] * y + v[2] * z


@jit
def point_of(box, u, v, w):
    """The point at (u, v, w) half sides from the centre."""
    u *= box[HALF]
    v *= box[HALF + 1]
    w *= box[HALF + 2]
    return (
        box[0] + u * box[AXIS] + v * box[AXIS + 3] + w * box[AXIS + 6],
        box[1] + u * box[AXIS + 1] + v * box[AXIS + 4] + w * box[AXIS + 7],
        box[2] + u * box[AXIS + 2] + v * box[AXIS + 5] + w * box[AXIS + 8],
    )


@jit
def corner(box, k):
    """The ``k``-th corner, 0 … 7: each differs from the next in one coordinate."""
    code = k ^ (k >> 1)
    u = 2.0 * (code & 1) - 1.0
    v = 2.0 * ((code >> 1) & 1) - 1.0
    w = 2.0 * ((code >> 2) & 1) - 1.0
    return point_of(box, u, v, w)


@jit
def above(box, x, y, z):
    """Height of a point above the skin of the box, and the unit normal there."""
    x -= box[0]
    y -= box[1]
    z -= box[2]
    u = dot(offset(box, AXIS), x, y, z)
    v = dot(offset(box, AXIS + 3), x, y, z)
    w = dot(offset(box, AXIS + 6), x, y, z)
    height, u, v, w = above_box(u, v, w, box[HALF], box[HALF + 1], box[HALF + 2])
    return (
        height,
        u * box[AXIS] + v * box[AXIS + 3] + w * box[AXIS + 6],
        u * box[AXIS + 1] + v * box[AXIS + 4] + w * box[AXIS + 7],
        u * box[AXIS + 2] + v * box[AXIS + 5] + w * box[AXIS + 8],
    )


@jit
def reach(box, x, y, z):
    """How far the box reaches from its centre along the vector (x, y, z)."""
    return (
        box[HALF] * abs(dot(offset(box, AXIS), x, y, z))
        + box[HALF + 1] * abs(dot(offset(box, AXIS + 3), x, y, z))
        + box[HALF + 2] * abs(dot(offset(box, AXIS + 6), x, y, z))
    )


@jit
def size_of(box):
    return math.sqrt(box[HALF] ** 2 + box[HALF + 1] ** 2 + box[HALF + 2] ** 2)
