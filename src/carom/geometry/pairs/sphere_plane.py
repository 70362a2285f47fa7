"""A ball and a wall."""

from __future__ import annotations

from carom.geometry.pairs.ball import ball_above, no_cavity
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, kernel


@kernel(PAIR)
def sphere_plane(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere, point and normal of the plane."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    ox, oy, oz = placed(pose_b, par[4], par[5], par[6])
    nx, ny, nz = turned(pose_b, par[7], par[8], par[9])
    height = (x - ox) * nx + (y - oy) * ny + (z - oz) * nz
    ball_above(out, x, y, z, par[3], nx, ny, nz, height)


SPHERE_PLANE = Pair(sphere_plane, check=no_cavity)
