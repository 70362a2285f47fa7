"""Sphere and thin triangle: one of its two faces, a side or a corner."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import reject_cavity, require_radius, store_contact_of_face
from carom.geometry.shapes.sphere import SPHERE
from carom.geometry.shapes.triangle import TRIANGLE
from carom.kernels import jit, record

PARAMS = record(sphere=SPHERE, triangle=TRIANGLE)
ROUNDING = 1e-15
"""Ratio to a side of a distance that is rounding [-]."""


@jit
def distance_from_side(x, y, z, ax, ay, az, bx, by, bz, nx, ny, nz):
    """Return the position of a point relative to the side from a to b of a triangle with the normal n.

    The result is the distance outside the side times the side's length [m²], the distance from the side [m], and the
    vector from the closest point of the side [m].
    """
    ux = bx - ax
    uy = by - ay
    uz = bz - az
    x -= ax
    y -= ay
    z -= az
    outside = x * (uy * nz - uz * ny) + y * (uz * nx - ux * nz) + z * (ux * ny - uy * nx)
    fraction = (x * ux + y * uy + z * uz) / (ux * ux + uy * uy + uz * uz)
    fraction = min(max(fraction, 0.0), 1.0)
    x -= fraction * ux
    y -= fraction * uy
    z -= fraction * uz
    return outside, math.sqrt(x * x + y * y + z * z), x, y, z


@jit
def height_above_triangle(x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz):
    """Return the distance of a point from a triangle [m], the unit vector from there, and whether that is ±n."""
    height = (x - ax) * nx + (y - ay) * ny + (z - az) * nz
    out_ab, distance, dx, dy, dz = distance_from_side(x, y, z, ax, ay, az, bx, by, bz, nx, ny, nz)
    out_bc, other, ex, ey, ez = distance_from_side(x, y, z, bx, by, bz, cx, cy, cz, nx, ny, nz)
    if other < distance:
        distance = other
        dx = ex
        dy = ey
        dz = ez
    out_ca, other, ex, ey, ez = distance_from_side(x, y, z, cx, cy, cz, ax, ay, az, nx, ny, nz)
    if other < distance:
        distance = other
        dx = ex
        dy = ey
        dz = ez
    on_face = out_ab <= 0.0 and out_bc <= 0.0 and out_ca <= 0.0
    if on_face or distance <= ROUNDING * (abs(bx - ax) + abs(by - ay) + abs(bz - az)):
        distance = abs(height)
        if height < 0.0:
            return distance, -nx, -ny, -nz, on_face
        return distance, nx, ny, nz, on_face
    return distance, dx / distance, dy / distance, dz / distance, on_face


@pair_kernel(PARAMS)
def sphere_triangle(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a triangle (b)."""
    sphere = params.sphere
    triangle = params.triangle
    x, y, z = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    ax, ay, az = to_global(pose_b, triangle.ax, triangle.ay, triangle.az)
    bx, by, bz = to_global(pose_b, triangle.bx, triangle.by, triangle.bz)
    cx, cy, cz = to_global(pose_b, triangle.cx, triangle.cy, triangle.cz)
    nx, ny, nz = rotate(pose_b, triangle.nx, triangle.ny, triangle.nz)
    distance, nx, ny, nz, on_face = height_above_triangle(x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz)
    store_contact_of_face(out, x, y, z, sphere.radius, nx, ny, nz, distance, on_face, triangle.ignores_edges)


SPHERE_TRIANGLE = PairKernel(sphere_triangle, PARAMS, check=reject_cavity, check_contact=require_radius)
