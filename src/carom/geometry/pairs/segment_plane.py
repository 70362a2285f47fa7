"""Straight segment or capsule and plane: the two ends of the segment."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, require_edge_contact, rotate, to_global
from carom.geometry.pairs.sphere_common import store_sphere_contact
from carom.geometry.shapes.plane import PLANE
from carom.geometry.shapes.segment import SEGMENT
from carom.kernels import FLOAT, record

PARAMS = record(
    point_index=FLOAT,  # 0: the lowest end, or the middle of a level segment; 1: start; 2: end
    segment=SEGMENT,
    plane=PLANE,
)

HEIGHT_TOLERANCE = 1e-12
"""Ratio to the length of the segment below which a difference of heights is rounding [-]."""


@pair_kernel(PARAMS)
def segment_plane(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a segment (a) with a plane (b); the force acts on the plane."""
    segment = params.segment
    plane = params.plane
    sx, sy, sz = to_global(pose_a, segment.sx, segment.sy, segment.sz)
    ex, ey, ez = to_global(pose_a, segment.ex, segment.ey, segment.ez)
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    fraction = params.point_index - 1.0
    if params.point_index == 0.0:
        rise = dot(ex - sx, ey - sy, ez - sz, nx, ny, nz)
        length = math.sqrt((ex - sx) ** 2 + (ey - sy) ** 2 + (ez - sz) ** 2)
        fraction = 0.5
        if rise > HEIGHT_TOLERANCE * length:
            fraction = 0.0
        if rise < -HEIGHT_TOLERANCE * length:
            fraction = 1.0
    rest = 1.0 - fraction
    x = rest * sx + fraction * ex
    y = rest * sy + fraction * ey
    z = rest * sz + fraction * ez
    height = dot(x - px, y - py, z - pz, nx, ny, nz)
    store_sphere_contact(out, x, y, z, segment.radius, nx, ny, nz, height)


SEGMENT_PLANE = PairKernel(segment_plane, PARAMS, check=require_edge_contact("ends"), contact_points=2)
