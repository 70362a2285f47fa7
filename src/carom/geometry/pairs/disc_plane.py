"""Thin disc and plane: the rim of the disc."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, require_edge_contact, rotate, to_global
from carom.geometry.pairs.sphere_common import perpendicular_to, store_sphere_contact
from carom.geometry.shapes.disc import DISC
from carom.geometry.shapes.plane import PLANE
from carom.kernels import FLOAT, record

PARAMS = record(
    point_index=FLOAT,  # 0: lowest point of the rim, or centre of a flat disc; 1: lowest point; 2, 3: at ±120° from it
    disc=DISC,
    plane=PLANE,
)

FLAT_SINE = 1e-12
"""Sine of the angle between disc and plane below which the disc lies flat [-]."""


@pair_kernel(PARAMS)
def disc_plane(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of the rim of a disc (a) with a plane (b); the force acts on the plane."""
    disc = params.disc
    plane = params.plane
    x, y, z = to_global(pose_a, disc.ox, disc.oy, disc.oz)
    ux, uy, uz = rotate(pose_a, disc.ux, disc.uy, disc.uz)
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    # d points down in the disc, e is perpendicular to d in the disc.
    cosine = nx * ux + ny * uy + nz * uz
    dx = cosine * ux - nx
    dy = cosine * uy - ny
    dz = cosine * uz - nz
    sine = math.sqrt(dx * dx + dy * dy + dz * dz)
    radius = disc.radius
    if sine > FLAT_SINE:
        dx /= sine
        dy /= sine
        dz /= sine
    else:
        dx, dy, dz = perpendicular_to(disc.ux, disc.uy, disc.uz)
        dx, dy, dz = rotate(pose_a, dx, dy, dz)
        if params.point_index == 0.0:
            radius = 0.0
    ex = uy * dz - uz * dy
    ey = uz * dx - ux * dz
    ez = ux * dy - uy * dx
    angle = max(params.point_index - 1.0, 0.0) * 2.0 * math.pi / 3.0
    c = radius * math.cos(angle)
    s = radius * math.sin(angle)
    x += c * dx + s * ex
    y += c * dy + s * ey
    z += c * dz + s * ez
    height = dot(x - px, y - py, z - pz, nx, ny, nz)
    point_radius = 0.0
    store_sphere_contact(out, x, y, z, point_radius, nx, ny, nz, height)


DISC_PLANE = PairKernel(disc_plane, PARAMS, check=require_edge_contact("rim"), contact_points=3)
