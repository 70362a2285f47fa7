"""Sphere and thin disc: one of its two sides, or its rim."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import axial_coordinates, reject_cavity, require_radius, store_contact_of_face
from carom.geometry.shapes.disc import DISC
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import record

PARAMS = record(sphere=SPHERE, disc=DISC)


@pair_kernel(PARAMS)
def sphere_disc(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a disc (b)."""
    sphere = params.sphere
    disc = params.disc
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    ox, oy, oz = to_global(pose_b, disc.ox, disc.oy, disc.oz)
    ux, uy, uz = rotate(pose_b, disc.ux, disc.uy, disc.uz)
    height, radial, ex, ey, ez = axial_coordinates(cx - ox, cy - oy, cz - oz, ux, uy, uz)
    beyond = max(radial - disc.radius, 0.0)
    distance = math.sqrt(height * height + beyond * beyond)
    e = 0.0
    u = 1.0
    if height < 0.0:
        u = -1.0
    if beyond > 0.0 and distance > 0.0:
        e = beyond / distance
        u = height / distance
    nx = e * ex + u * ux
    ny = e * ey + u * uy
    nz = e * ez + u * uz
    store_contact_of_face(out, cx, cy, cz, sphere.radius, nx, ny, nz, distance, beyond == 0.0, disc.ignores_edges)


SPHERE_DISC = PairKernel(sphere_disc, PARAMS, check=reject_cavity, check_contact=require_radius)
