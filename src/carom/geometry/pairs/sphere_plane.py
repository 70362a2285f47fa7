"""A ball and a wall."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import CONTACT_POINT, GAP, NORMAL_AT, POINT_A, POINT_B, Pair, placed, put, turned
from carom.kernels import PAIR, kernel, offset


@kernel(PAIR)
def sphere_plane(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere, point and normal of the plane. The force acts on the skin of the plane."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    radius = par[3]
    ox, oy, oz = placed(pose_b, par[4], par[5], par[6])
    nx, ny, nz = turned(pose_b, par[7], par[8], par[9])
    height = (x - ox) * nx + (y - oy) * ny + (z - oz) * nz
    out[GAP] = height - radius
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), x - radius * nx, y - radius * ny, z - radius * nz)
    put(offset(out, POINT_B), x - height * nx, y - height * ny, z - height * nz)
    put(offset(out, CONTACT_POINT), out[POINT_B], out[POINT_B + 1], out[POINT_B + 2])


def check(owner: str, a: Any, b: Any) -> None:
    if a.inside:
        raise ModelError(f"{owner}: {a.label} is a cavity, which only a ball can touch; {b.label} cannot")


SPHERE_PLANE = Pair(sphere_plane, check=check)
