"""Sphere and straight segment or capsule: its side or one of its ends."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, pair_kernel, to_global
from carom.geometry.pairs.sphere_common import axial_coordinates, reject_cavity, require_radius, store_contact_of_face
from carom.geometry.shapes.segment import SEGMENT
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import record

PARAMS = record(sphere=SPHERE, segment=SEGMENT)


@pair_kernel(PARAMS)
def sphere_segment(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a segment (b)."""
    sphere = params.sphere
    segment = params.segment
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    sx, sy, sz = to_global(pose_b, segment.sx, segment.sy, segment.sz)
    ux, uy, uz = to_global(pose_b, segment.ex, segment.ey, segment.ez)
    ux -= sx
    uy -= sy
    uz -= sz
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    ux /= length
    uy /= length
    uz /= length
    axial, radial, nx, ny, nz = axial_coordinates(cx - sx, cy - sy, cz - sz, ux, uy, uz)
    beyond = axial - min(max(axial, 0.0), length)
    distance = math.sqrt(radial * radial + beyond * beyond)
    if beyond != 0.0 and distance > 0.0:
        nx = (radial * nx + beyond * ux) / distance
        ny = (radial * ny + beyond * uy) / distance
        nz = (radial * nz + beyond * uz) / distance
    height = distance - segment.radius
    store_contact_of_face(out, cx, cy, cz, sphere.radius, nx, ny, nz, height, beyond == 0.0, segment.ignores_edges)


SPHERE_SEGMENT = PairKernel(sphere_segment, PARAMS, check=reject_cavity, check_contact=require_radius)
