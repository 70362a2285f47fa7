"""A thin disc and a wall: its rim."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.ball import across, ball_above
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, kernel

LEVEL = 1e-12
"""Sine of the angle between disc and wall, under which it lies flat."""


@kernel(PAIR)
def disc_plane(pose_a, pose_b, par, memory, out):
    """par: spot (0 the deepest point of the rim, or the centre of a flat disc; 1 the deepest, 2 and 3 a third of a turn
    from it); centre, axis and radius of the disc, whether only its faces touch; point and normal of the plane. The
    force acts on the skin of the plane."""
    x, y, z = placed(pose_a, par[1], par[2], par[3])
    ux, uy, uz = turned(pose_a, par[4], par[5], par[6])
    ox, oy, oz = placed(pose_b, par[9], par[10], par[11])
    nx, ny, nz = turned(pose_b, par[12], par[13], par[14])
    # Down the disc, and across that in the disc.
    upright = nx * ux + ny * uy + nz * uz
    dx = upright * ux - nx
    dy = upright * uy - ny
    dz = upright * uz - nz
    sine = math.sqrt(dx * dx + dy * dy + dz * dz)
    reach = par[7]
    if sine > LEVEL:
        dx /= sine
        dy /= sine
        dz /= sine
    else:
        dx, dy, dz = across(par[4], par[5], par[6])
        dx, dy, dz = turned(pose_a, dx, dy, dz)
        if par[0] == 0.0:
            reach = 0.0
    ex = uy * dz - uz * dy
    ey = uz * dx - ux * dz
    ez = ux * dy - uy * dx
    turn = max(par[0] - 1.0, 0.0) * 2.0 * math.pi / 3.0
    c = reach * math.cos(turn)
    s = reach * math.sin(turn)
    x += c * dx + s * ex
    y += c * dy + s * ey
    z += c * dz + s * ez
    height = (x - ox) * nx + (y - oy) * ny + (z - oz) * nz
    radius = 0.0
    ball_above(out, x, y, z, radius, nx, ny, nz, height)


def check(owner: str, a: Any, b: Any) -> None:
    if a.edge == "face_only":
        raise ModelError(
            f"{owner}: {a.label} meets {b.label} with its rim, which edge='face_only' forbids; leave that out"
        )


DISC_PLANE = Pair(disc_plane, check=check, spots=3)
