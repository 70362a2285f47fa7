"""A straight piece, or a capsule, and a wall: its two ends."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import CONTACT_POINT, GAP, NORMAL_AT, POINT_A, POINT_B, Pair, placed, put, turned
from carom.kernels import PAIR, jit, kernel, offset

LEVEL = 1e-12
"""Difference of heights that is none, in parts of the length."""


@jit
def above_plane(out, x, y, z, radius, ox, oy, oz, nx, ny, nz):
    """The ball about (x, y, z) above the wall through o with the normal n. The force acts on the skin of the wall."""
    height = (x - ox) * nx + (y - oy) * ny + (z - oz) * nz
    out[GAP] = height - radius
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), x - radius * nx, y - radius * ny, z - radius * nz)
    put(offset(out, POINT_B), x - height * nx, y - height * ny, z - height * nz)
    put(offset(out, CONTACT_POINT), out[POINT_B], out[POINT_B + 1], out[POINT_B + 2])


@kernel(PAIR)
def segment_plane(pose_a, pose_b, par, memory, out):
    """par: spot (0 the deepest end, 1 start, 2 end); ends and radius of the segment, whether only its side touches;
    point and normal of the plane. A level segment is deepest in its middle."""
    sx, sy, sz = placed(pose_a, par[1], par[2], par[3])
    ex, ey, ez = placed(pose_a, par[4], par[5], par[6])
    ox, oy, oz = placed(pose_b, par[9], par[10], par[11])
    nx, ny, nz = turned(pose_b, par[12], par[13], par[14])
    part = par[0] - 1.0
    if par[0] == 0.0:
        rise = (ex - sx) * nx + (ey - sy) * ny + (ez - sz) * nz
        length = math.sqrt((ex - sx) ** 2 + (ey - sy) ** 2 + (ez - sz) ** 2)
        part = 0.5
        if rise > LEVEL * length:
            part = 0.0
        if rise < -LEVEL * length:
            part = 1.0
    rest = 1.0 - part
    x = rest * sx + part * ex
    y = rest * sy + part * ey
    z = rest * sz + part * ez
    above_plane(out, x, y, z, par[7], ox, oy, oz, nx, ny, nz)


def check(owner: str, a: Any, b: Any) -> None:
    if a.edge == "face_only":
        raise ModelError(
            f"{owner}: {a.label} meets {b.label} with its ends, which edge='face_only' forbids; leave that out"
        )


SEGMENT_PLANE = Pair(segment_plane, check=check, spots=2)
