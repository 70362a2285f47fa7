"""A ball and a box: a face, an edge or a corner, also when the centre of the ball is in the box."""

from __future__ import annotations

import math

from carom.geometry.pairs.ball import ball_above, no_cavity
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, jit, kernel


@jit
def above_box(u, v, w, half_u, half_v, half_w):
    """A point (u, v, w) in the axes of a box about the origin: how high it is above its skin, and the unit normal."""
    none = 0.0
    out_u = abs(u) - half_u
    out_v = abs(v) - half_v
    out_w = abs(w) - half_w
    most = max(out_u, max(out_v, out_w))
    if most <= 0.0:  # in the box: to the nearest face
        if out_u == most:
            return most, towards(u), none, none
        if out_v == most:
            return most, none, towards(v), none
        return most, none, none, towards(w)
    u = towards(u) * max(out_u, none)
    v = towards(v) * max(out_v, none)
    w = towards(w) * max(out_w, none)
    distance = most * math.sqrt((u / most) ** 2 + (v / most) ** 2 + (w / most) ** 2)
    return distance, u / distance, v / distance, w / distance


@jit
def towards(x):
    """1.0 or −1.0, the sign of ``x``."""
    if x < 0.0:
        return -1.0
    return 1.0


@kernel(PAIR)
def sphere_box(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; centre, axes (a rotation matrix, row by row) and half sides of the box."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    ox, oy, oz = placed(pose_b, par[4], par[5], par[6])
    ux, uy, uz = turned(pose_b, par[7], par[10], par[13])
    vx, vy, vz = turned(pose_b, par[8], par[11], par[14])
    wx, wy, wz = turned(pose_b, par[9], par[12], par[15])
    dx = x - ox
    dy = y - oy
    dz = z - oz
    u = dx * ux + dy * uy + dz * uz
    v = dx * vx + dy * vy + dz * vz
    w = dx * wx + dy * wy + dz * wz
    height, u, v, w = above_box(u, v, w, par[16], par[17], par[18])
    nx = u * ux + v * vx + w * wx
    ny = u * uy + v * vy + w * wy
    nz = u * uz + v * vz + w * wz
    ball_above(out, x, y, z, par[3], nx, ny, nz, height)


SPHERE_BOX = Pair(sphere_box, check=no_cavity)
