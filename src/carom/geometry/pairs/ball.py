"""What the pairs of a ball share: its answer above a skin, coordinates about an axis, and what is refused."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import CONTACT_POINT, FAR, GAP, NORMAL_AT, POINT_A, POINT_B, put
from carom.kernels import jit, offset


@jit
def ball_above(out, x, y, z, radius, nx, ny, nz, height):
    """The ball about (x, y, z), ``height`` above a skin along its unit normal n. The force acts on that skin."""
    out[GAP] = height - radius
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), x - radius * nx, y - radius * ny, z - radius * nz)
    put(offset(out, POINT_B), x - height * nx, y - height * ny, z - height * nz)
    put(offset(out, CONTACT_POINT), out[POINT_B], out[POINT_B + 1], out[POINT_B + 2])


@jit
def ball_at(out, x, y, z, radius, nx, ny, nz, height, on_face, face_only):
    """As `ball_above`, of a skin with edges: no contact at those when ``face_only`` is not 0."""
    ball_above(out, x, y, z, radius, nx, ny, nz, height)
    if face_only != 0.0 and not on_face:
        out[GAP] = FAR


@jit
def across(ux, uy, uz):
    """A unit vector across the unit vector u: in the xy-plane to its left, x where u goes along z."""
    length = math.sqrt(ux * ux + uy * uy)
    if length > 0.1:
        return -uy / length, ux / length, 0.0
    length = math.sqrt(1.0 - ux * ux)
    return length, -ux * uy / length, -ux * uz / length


@jit
def about_axis(x, y, z, ux, uy, uz):
    """How far the vector (x, y, z) goes along the unit vector u and away from it, and the unit vector away from it."""
    along = x * ux + y * uy + z * uz
    ex = x - along * ux
    ey = y - along * uy
    ez = z - along * uz
    radius = math.sqrt(ex * ex + ey * ey + ez * ez)
    if radius > 0.0:
        ex /= radius
        ey /= radius
        ez /= radius
        # All but on the axis, rounding leaves a part along it.
        slip = ex * ux + ey * uy + ez * uz
        ex -= slip * ux
        ey -= slip * uy
        ez -= slip * uz
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        if length > 0.5:
            return along, radius, ex / length, ey / length, ez / length
    ex, ey, ez = across(ux, uy, uz)
    return along, radius, ex, ey, ez


def no_cavity(owner: str, a: Any, b: Any) -> None:
    if a.inside:
        raise ModelError(f"{owner}: {a.label} is a cavity, which only a ball can touch; {b.label} cannot")


def some_radius(owner: str, a: Any, b: Any) -> None:
    if a.radius == 0.0 and b.thin:
        raise ModelError(
            f"{owner}: {a.label} and {b.label} can never touch, as neither has a radius; give one, or a Sphere"
        )
