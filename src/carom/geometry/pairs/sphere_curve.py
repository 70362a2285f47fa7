"""A ball and a curve: a roller on a profile in a plane, or a bead at a wire or a tube in space."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.nearest import CLOSED, KNOTS, MEMORY, SEGMENTS, nearest, nearest_numbers, point_at
from carom.geometry.pairs.ball import across, ball_above, no_cavity, some_radius
from carom.geometry.pairs.base import POSITION, ROTATION, Pair, placed, turned
from carom.kernels import PAIR, jit, kernel, offset

UPRIGHT = 1e-9
"""Cosine of the angle between the curve and the way to an end, up to which that is a perpendicular."""


@jit
def seen_from(pose, x, y, z):
    """A point of the global axes in those of a body."""
    r = ROTATION
    x -= pose[POSITION]
    y -= pose[POSITION + 1]
    z -= pose[POSITION + 2]
    return (
        pose[r] * x + pose[r + 3] * y + pose[r + 6] * z,
        pose[r + 1] * x + pose[r + 4] * y + pose[r + 7] * z,
        pose[r + 2] * x + pose[r + 5] * y + pose[r + 8] * z,
    )


@kernel(PAIR)
def sphere_curve(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; side of the solid (0.0 in space) and radius of the curve; the curve. The
    force acts on the skin of the curve. An end of an open profile pushes away from itself."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    side = par[4]
    tube = par[5]
    curve = offset(par, 6)
    px, py, pz = seen_from(pose_b, x, y, z)
    s = nearest(curve, px, py, pz, memory)
    qx, qy, qz, tx, ty, tz, _, _, _ = point_at(curve, s)
    dx = px - qx
    dy = py - qy
    dz = pz - qz
    speed = math.sqrt(tx * tx + ty * ty + tz * tz)
    tx /= speed
    ty /= speed
    tz /= speed
    height = math.sqrt(dx * dx + dy * dy + dz * dz)
    at_end = curve[CLOSED] == 0.0 and (s == curve[KNOTS] or s == curve[KNOTS + int(curve[SEGMENTS])])
    slanted = at_end and abs(dx * tx + dy * ty + dz * tz) > UPRIGHT * height
    if side != 0.0 and not slanted:  # along the normal of the profile, which is on the left with the solid on the right
        nx = -side * ty
        ny = side * tx
        nz = 0.0
        height = dx * nx + dy * ny
    elif height > 0.0:
        nx = dx / height
        ny = dy / height
        nz = dz / height
    else:
        nx, ny, nz = across(tx, ty, tz)
    nx, ny, nz = turned(pose_b, nx, ny, nz)
    ball_above(out, x, y, z, par[3], nx, ny, nz, height - tube)


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    return (*a.numbers, b.side, b.radius, *nearest_numbers(b.path))


def check(owner: str, a: Any, b: Any) -> None:
    no_cavity(owner, a, b)
    if b.side != 0.0 and not (a.planar and b.planar):
        raise ModelError(
            f"{owner}: {b.label} is a profile in a plane and needs planar bodies; give points (x, y, z) for a curve in "
            "space"
        )


SPHERE_CURVE = Pair(sphere_curve, numbers, MEMORY, check, some_radius)
