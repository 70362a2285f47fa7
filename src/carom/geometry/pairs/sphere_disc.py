"""A ball and a thin disc: one of its two sides, or its rim."""

from __future__ import annotations

import math

from carom.geometry.pairs.ball import about_axis, ball_at, no_cavity, some_radius
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, kernel


@kernel(PAIR)
def sphere_disc(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; centre, axis and radius of the disc, whether only its sides touch."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    ox, oy, oz = placed(pose_b, par[4], par[5], par[6])
    ux, uy, uz = turned(pose_b, par[7], par[8], par[9])
    height, away, ex, ey, ez = about_axis(x - ox, y - oy, z - oz, ux, uy, uz)
    past = max(away - par[10], 0.0)
    distance = math.sqrt(height * height + past * past)
    part = 0.0
    side = 1.0
    if height < 0.0:
        side = -1.0
    if past > 0.0 and distance > 0.0:
        part = past / distance
        side = height / distance
    nx = part * ex + side * ux
    ny = part * ey + side * uy
    nz = part * ez + side * uz
    ball_at(out, x, y, z, par[3], nx, ny, nz, distance, past == 0.0, par[11])


SPHERE_DISC = Pair(sphere_disc, check=no_cavity, meet=some_radius)
