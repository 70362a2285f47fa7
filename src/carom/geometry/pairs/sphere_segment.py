"""A ball and a straight piece: its side or one of its ends."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import CONTACT_POINT, GAP, NORMAL_AT, POINT_A, POINT_B, Pair, placed, put
from carom.kernels import PAIR, kernel, offset


@kernel(PAIR)
def sphere_segment(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere, ends and radius of the segment. The force acts on the segment's skin."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    radius = par[3]
    sx, sy, sz = placed(pose_b, par[4], par[5], par[6])
    ex, ey, ez = placed(pose_b, par[7], par[8], par[9])
    thickness = par[10]
    ux = ex - sx
    uy = ey - sy
    uz = ez - sz
    part = ((x - sx) * ux + (y - sy) * uy + (z - sz) * uz) / (ux * ux + uy * uy + uz * uz)
    part = min(max(part, 0.0), 1.0)
    qx = sx + part * ux
    qy = sy + part * uy
    qz = sz + part * uz
    nx = x - qx
    ny = y - qy
    nz = z - qz
    distance = math.sqrt(nx * nx + ny * ny + nz * nz)
    length = distance
    if distance == 0.0:  # the centre is on the line: any direction across it, in the xy-plane
        nx = -uy
        ny = ux
        nz = 0.0
        length = math.sqrt(nx * nx + ny * ny)
        if length == 0.0:
            nx = 1.0
            length = 1.0
    nx /= length
    ny /= length
    nz /= length
    out[GAP] = distance - (radius + thickness)
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), x - radius * nx, y - radius * ny, z - radius * nz)
    put(offset(out, POINT_B), qx + thickness * nx, qy + thickness * ny, qz + thickness * nz)
    put(offset(out, CONTACT_POINT), out[POINT_B], out[POINT_B + 1], out[POINT_B + 2])


def check(owner: str, a: Any, b: Any) -> None:
    if a.inside:
        raise ModelError(f"{owner}: {a.label} is a cavity, which only a ball can touch; {b.label} cannot")
    if a.radius == 0.0 and b.radius == 0.0:
        raise ModelError(f"{owner}: {a.label} and {b.label} can never touch, as neither has a radius; give one")


SPHERE_SEGMENT = Pair(sphere_segment, check=check)
