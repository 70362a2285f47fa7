"""Boxes in global axes, as the kernels of box pairs use them."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import rotate, to_global
from carom.geometry.pairs.sphere_box import height_above_box
from carom.kernels import FLOAT, jit, record

BOX_FRAME = record(
    "x y z",  # centre [m]
    axes=(FLOAT, 9),  # unit vectors along the three axes, one after the other
    half=(FLOAT, 3),  # half sides [m]
)
CORNERS = 8
"""Number of corners of a box."""


@jit
def load_box(pose, box, frame):
    """Store a box of a body (`carom.geometry.shapes.box.BOX`) in global axes."""
    frame.x, frame.y, frame.z = to_global(pose, box.ox, box.oy, box.oz)
    first = 0
    second = 1
    third = 2
    store_axis(frame, first, rotate(pose, box.r11, box.r21, box.r31), box.half_x)
    store_axis(frame, second, rotate(pose, box.r12, box.r22, box.r32), box.half_y)
    store_axis(frame, third, rotate(pose, box.r13, box.r23, box.r33), box.half_z)


@jit
def store_axis(frame, k, axis, half):
    """Store axis ``k`` of a box and its half side [m]."""
    frame.axes[3 * k] = axis[0]
    frame.axes[3 * k + 1] = axis[1]
    frame.axes[3 * k + 2] = axis[2]
    frame.half[k] = half


@jit
def axis_of(box, k):
    """Return the unit vector along axis ``k``."""
    return box.axes[3 * k], box.axes[3 * k + 1], box.axes[3 * k + 2]


@jit
def axis_component(box, k, x, y, z):
    """Return the component of a vector along axis ``k``."""
    return box.axes[3 * k] * x + box.axes[3 * k + 1] * y + box.axes[3 * k + 2] * z


@jit
def point_at(box, u, v, w):
    """Return the point at (u, v, w) half sides from the centre [m]."""
    u *= box.half[0]
    v *= box.half[1]
    w *= box.half[2]
    return (
        box.x + u * box.axes[0] + v * box.axes[3] + w * box.axes[6],
        box.y + u * box.axes[1] + v * box.axes[4] + w * box.axes[7],
        box.z + u * box.axes[2] + v * box.axes[5] + w * box.axes[8],
    )


@jit
def corner(box, k):
    """Return corner ``k`` = 0 … 7 [m]; consecutive corners differ in one coordinate."""
    code = k ^ (k >> 1)
    u = 2.0 * (code & 1) - 1.0
    v = 2.0 * ((code >> 1) & 1) - 1.0
    w = 2.0 * ((code >> 2) & 1) - 1.0
    return point_at(box, u, v, w)


@jit
def height_above(box, x, y, z):
    """Return the height of a point above the surface of the box [m] and the unit normal there."""
    x -= box.x
    y -= box.y
    z -= box.z
    first = 0
    second = 1
    third = 2
    u = axis_component(box, first, x, y, z)
    v = axis_component(box, second, x, y, z)
    w = axis_component(box, third, x, y, z)
    height, u, v, w = height_above_box(u, v, w, box.half[0], box.half[1], box.half[2])
    return (
        height,
        u * box.axes[0] + v * box.axes[3] + w * box.axes[6],
        u * box.axes[1] + v * box.axes[4] + w * box.axes[7],
        u * box.axes[2] + v * box.axes[5] + w * box.axes[8],
    )


@jit
def extent_along(box, x, y, z):
    """Return the extent of the box from its centre along a unit vector [m]."""
    first = 0
    second = 1
    third = 2
    return (
        box.half[0] * abs(axis_component(box, first, x, y, z))
        + box.half[1] * abs(axis_component(box, second, x, y, z))
        + box.half[2] * abs(axis_component(box, third, x, y, z))
    )


@jit
def half_diagonal(box):
    """Return half of the space diagonal [m]."""
    return math.sqrt(box.half[0] ** 2 + box.half[1] ** 2 + box.half[2] ** 2)
