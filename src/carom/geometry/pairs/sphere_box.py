"""Sphere and box: a face, an edge or a corner, also for a centre inside the box."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import reject_cavity, store_sphere_contact
from carom.geometry.shapes.box import BOX
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import jit, record

PARAMS = record(sphere=SPHERE, box=BOX)


@jit
def height_above_box(u, v, w, half_u, half_v, half_w):
    """Return the height of a point (u, v, w) [m] above a box centred at the origin, and the unit normal there."""
    none = 0.0
    out_u = abs(u) - half_u
    out_v = abs(v) - half_v
    out_w = abs(w) - half_w
    largest = max(out_u, max(out_v, out_w))
    if largest <= 0.0:  # inside the box, the nearest face counts
        if out_u == largest:
            return largest, sign_of(u), none, none
        if out_v == largest:
            return largest, none, sign_of(v), none
        return largest, none, none, sign_of(w)
    u = sign_of(u) * max(out_u, none)
    v = sign_of(v) * max(out_v, none)
    w = sign_of(w) * max(out_w, none)
    distance = largest * math.sqrt((u / largest) ** 2 + (v / largest) ** 2 + (w / largest) ** 2)
    return distance, u / distance, v / distance, w / distance


@jit
def sign_of(x):
    """Return −1.0 for a negative ``x``, else 1.0."""
    if x < 0.0:
        return -1.0
    return 1.0


@pair_kernel(PARAMS)
def sphere_box(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a box (b)."""
    sphere = params.sphere
    box = params.box
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    ox, oy, oz = to_global(pose_b, box.ox, box.oy, box.oz)
    ux, uy, uz = rotate(pose_b, box.r11, box.r21, box.r31)
    vx, vy, vz = rotate(pose_b, box.r12, box.r22, box.r32)
    wx, wy, wz = rotate(pose_b, box.r13, box.r23, box.r33)
    dx = cx - ox
    dy = cy - oy
    dz = cz - oz
    u = dot(dx, dy, dz, ux, uy, uz)
    v = dot(dx, dy, dz, vx, vy, vz)
    w = dot(dx, dy, dz, wx, wy, wz)
    height, u, v, w = height_above_box(u, v, w, box.half_x, box.half_y, box.half_z)
    nx = u * ux + v * vx + w * wx
    ny = u * uy + v * vy + w * wy
    nz = u * uz + v * vz + w * wz
    store_sphere_contact(out, cx, cy, cz, sphere.radius, nx, ny, nz, height)


SPHERE_BOX = PairKernel(sphere_box, PARAMS, check=reject_cavity)
