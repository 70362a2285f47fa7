"""A ball and a straight piece: its side or one of its ends."""

from __future__ import annotations

import math

from carom.geometry.pairs.ball import about_axis, ball_at, no_cavity, some_radius
from carom.geometry.pairs.base import Pair, placed
from carom.kernels import PAIR, kernel


@kernel(PAIR)
def sphere_segment(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; ends and radius of the segment, whether only its side touches."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    sx, sy, sz = placed(pose_b, par[4], par[5], par[6])
    ux, uy, uz = placed(pose_b, par[7], par[8], par[9])
    ux -= sx
    uy -= sy
    uz -= sz
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    ux /= length
    uy /= length
    uz /= length
    along, away, nx, ny, nz = about_axis(x - sx, y - sy, z - sz, ux, uy, uz)
    past = along - min(max(along, 0.0), length)
    distance = math.sqrt(away * away + past * past)
    if past != 0.0 and distance > 0.0:
        nx = (away * nx + past * ux) / distance
        ny = (away * ny + past * uy) / distance
        nz = (away * nz + past * uz) / distance
    ball_at(out, x, y, z, par[3], nx, ny, nz, distance - par[10], past == 0.0, par[11])


SPHERE_SEGMENT = Pair(sphere_segment, check=no_cavity, meet=some_radius)
