"""A ball and a cone or a cylinder: side, ends and rims of the solid, or side and rims of the thin shell."""

from __future__ import annotations

import math

from carom.geometry.pairs.ball import about_axis, ball_at, no_cavity, some_radius
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, jit, kernel


@jit
def above_cone(away, along, first, last, half, shell):
    """A point ``away`` from the axis and ``along`` it from the middle of a cone, of radius ``first`` at −half and
    ``last`` at +half: the parts of the unit normal away from the axis and along it, how high the point is above the
    skin along that, and whether it is above a face."""
    slope = last - first
    side = math.sqrt(4.0 * half * half + slope * slope)
    away_part = 2.0 * half / side
    along_part = -slope / side
    none = 0.0
    # Above the side, and how far along it.
    height = (away - first) * away_part + (along + half) * along_part
    way = (along + half) * away_part - (away - first) * along_part
    if shell != 0.0:
        if height <= 0.0:  # what is on the skin is pushed in
            height = -height
            away_part = -away_part
            along_part = -along_part
    else:
        below = -half - along
        above = along - half
        if max(height, max(below, above)) <= 0.0:  # in the solid: to the nearest face
            if height < below and above <= below:
                return none, -1.0, below, True
            if height < above:
                return none, 1.0, above, True
            return away_part, along_part, height, True
        if below > 0.0 and away <= first:
            return none, -1.0, below, True
        if above > 0.0 and away <= last:
            return none, 1.0, above, True
    if 0.0 <= way <= side:
        return away_part, along_part, height, True
    if way < 0.0:
        away -= first
        along += half
    else:
        away -= last
        along -= half
    distance = math.sqrt(away * away + along * along)
    if distance > 0.0:
        away_part = away / distance
        along_part = along / distance
    return away_part, along_part, distance, False


@kernel(PAIR)
def sphere_cone(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; middle, axis, radii at −half length and at +half length, and half length of
    the cone, whether it is a shell, whether only its faces touch."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    ox, oy, oz = placed(pose_b, par[4], par[5], par[6])
    ux, uy, uz = turned(pose_b, par[7], par[8], par[9])
    along, away, ex, ey, ez = about_axis(x - ox, y - oy, z - oz, ux, uy, uz)
    e, u, height, on_face = above_cone(away, along, par[10], par[11], par[12], par[13])
    ball_at(out, x, y, z, par[3], e * ex + u * ux, e * ey + u * uy, e * ez + u * uz, height, on_face, par[14])


SPHERE_CONE = Pair(sphere_cone, check=no_cavity, meet=some_radius)
SPHERE_CYLINDER = SPHERE_CONE
"""The numbers of a cylinder are those of a cone with two equal radii."""
