"""Box and plane: the eight corners of the box."""

from __future__ import annotations

from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, rotate, to_global
from carom.geometry.pairs.box_frame import (
    BOX_FRAME,
    CORNERS,
    axis_component,
    corner,
    half_diagonal,
    load_box,
    point_at,
)
from carom.geometry.pairs.sphere_common import store_sphere_contact
from carom.geometry.shapes.box import BOX
from carom.geometry.shapes.plane import PLANE
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    point_index=FLOAT,  # 0: the lowest corner, or the middle of a level edge or face; 1 … 8: a corner
    box=BOX,
    plane=PLANE,
)

HEIGHT_TOLERANCE = 1e-12
"""Ratio to the half diagonal of the box below which a difference of heights is rounding [-]."""


@jit
def lowest_end(box, k, nx, ny, nz):
    """Return the end of axis ``k`` that is lowest along n: 1.0 or −1.0, or 0.0 if the axis is level."""
    rise = box.half[k] * axis_component(box, k, nx, ny, nz)
    if rise > HEIGHT_TOLERANCE * half_diagonal(box):
        return -1.0
    if rise < -HEIGHT_TOLERANCE * half_diagonal(box):
        return 1.0
    return 0.0


@pair_kernel(PARAMS, BOX_FRAME)
def box_plane(pose_a, pose_b, params, box, out):
    """Compute the contact of a corner of a box (a) with a plane (b); the force acts on the plane."""
    plane = params.plane
    load_box(pose_a, params.box, box)
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    x, y, z = corner(box, int(params.point_index) - 1)
    if params.point_index == 0.0:
        first = 0
        second = 1
        third = 2
        u = lowest_end(box, first, nx, ny, nz)
        v = lowest_end(box, second, nx, ny, nz)
        w = lowest_end(box, third, nx, ny, nz)
        x, y, z = point_at(box, u, v, w)
    height = dot(x - px, y - py, z - pz, nx, ny, nz)
    radius = 0.0
    store_sphere_contact(out, x, y, z, radius, nx, ny, nz, height)


BOX_PLANE = PairKernel(box_plane, PARAMS, warm_start=(0.0,) * BOX_FRAME.size, contact_points=CORNERS)
