"""A ball and a thin triangle: one of its two faces, a side or a corner."""

from __future__ import annotations

import math

from carom.geometry.pairs.ball import ball_at, no_cavity, some_radius
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, jit, kernel


@jit
def from_side(x, y, z, ax, ay, az, bx, by, bz, nx, ny, nz):
    """How far a point is outside the side from a to b of a triangle with the normal n (times the side's length), its
    distance from that side, and the way from there."""
    ux = bx - ax
    uy = by - ay
    uz = bz - az
    x -= ax
    y -= ay
    z -= az
    outside = x * (uy * nz - uz * ny) + y * (uz * nx - ux * nz) + z * (ux * ny - uy * nx)
    part = (x * ux + y * uy + z * uz) / (ux * ux + uy * uy + uz * uz)
    part = min(max(part, 0.0), 1.0)
    x -= part * ux
    y -= part * uy
    z -= part * uz
    return outside, math.sqrt(x * x + y * y + z * z), x, y, z


@jit
def above_triangle(x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz):
    """Distance of a point from a triangle with the unit normal n, the unit vector from there, whether that is ±n."""
    height = (x - ax) * nx + (y - ay) * ny + (z - az) * nz
    out_ab, distance, dx, dy, dz = from_side(x, y, z, ax, ay, az, bx, by, bz, nx, ny, nz)
    out_bc, other, ex, ey, ez = from_side(x, y, z, bx, by, bz, cx, cy, cz, nx, ny, nz)
    if other < distance:
        distance = other
        dx = ex
        dy = ey
        dz = ez
    out_ca, other, ex, ey, ez = from_side(x, y, z, cx, cy, cz, ax, ay, az, nx, ny, nz)
    if other < distance:
        distance = other
        dx = ex
        dy = ey
        dz = ez
    on_face = out_ab <= 0.0 and out_bc <= 0.0 and out_ca <= 0.0
    if on_face or distance == 0.0:
        distance = abs(height)
        if height < 0.0:
            return distance, -nx, -ny, -nz, on_face
        return distance, nx, ny, nz, on_face
    return distance, dx / distance, dy / distance, dz / distance, on_face


@kernel(PAIR)
def sphere_triangle(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; corners and normal of the triangle, whether only its faces touch."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    ax, ay, az = placed(pose_b, par[4], par[5], par[6])
    bx, by, bz = placed(pose_b, par[7], par[8], par[9])
    cx, cy, cz = placed(pose_b, par[10], par[11], par[12])
    nx, ny, nz = turned(pose_b, par[13], par[14], par[15])
    distance, nx, ny, nz, on_face = above_triangle(x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz)
    ball_at(out, x, y, z, par[3], nx, ny, nz, distance, on_face, par[16])


SPHERE_TRIANGLE = Pair(sphere_triangle, check=no_cavity, meet=some_radius)
