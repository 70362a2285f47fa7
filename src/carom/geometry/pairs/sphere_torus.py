"""A ball and a ring, or a ball in the cavity of a tube that runs in a circle."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.ball import about_axis, ball_above, no_cavity
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, kernel


@kernel(PAIR)
def sphere_torus(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; centre, axis, radius and signed radius of the tube (negative: cavity)."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    ox, oy, oz = placed(pose_b, par[4], par[5], par[6])
    ux, uy, uz = turned(pose_b, par[7], par[8], par[9])
    tube = par[11]
    along, away, ex, ey, ez = about_axis(x - ox, y - oy, z - oz, ux, uy, uz)
    away -= par[10]
    distance = math.sqrt(away * away + along * along)
    # From the circle in the middle of the tube, but from the wall to the ball when that is a cavity.
    way = 1.0
    if tube < 0.0:
        way = -1.0
    e = 0.0
    u = 1.0
    if distance > 0.0:
        e = way * away / distance
        u = way * along / distance
    height = way * distance - tube
    ball_above(out, x, y, z, par[3], e * ex + u * ux, e * ey + u * uy, e * ez + u * uz, height)


def check(owner: str, a: Any, b: Any) -> None:
    no_cavity(owner, a, b)
    if b.inside and a.radius > b.tube_radius:
        raise ModelError(
            f"{owner}: {a.label} must fit into the tube of {b.label}, got radius {a.radius:g} in {b.tube_radius:g}"
        )


SPHERE_TORUS = Pair(sphere_torus, check=check)
