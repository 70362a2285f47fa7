"""A point of b on a curve of a in space: the rows of `PointOnCurve`, and how its curve is written down."""

from __future__ import annotations

import numpy as np

from carom.geometry.marker import Marker
from carom.geometry.pose import to_axes
from carom.geometry.spatial_path import project_in_space, space_curve_at
from carom.geometry.spline import Spline
from carom.joints.base import Coordinate
from carom.joints.spatial_rows import ROW, seen_row
from carom.kernels import JOINT, jit, kernel, offset
from carom.mechanics.spatial import R
from carom.mechanics.vectors import centre, cross, dot, minus, omega, plus, speed_at, taken, times, turned, velocity

# Parameters: point of b, a direction that the curve never runs along, the last foot found, the curve in the axes of a.
ACROSS, WARM, CURVE = 3, 6, 7

DIRECTIONS = 400
"""Among which the one is found that stays farthest from the curve's tangents."""


@jit
def turned_back(bodies, b, v):
    """A vector of the global axes in those of body ``b``."""
    r = b + R
    return (
        bodies[r] * v[0] + bodies[r + 3] * v[1] + bodies[r + 6] * v[2],
        bodies[r + 1] * v[0] + bodies[r + 4] * v[1] + bodies[r + 7] * v[2],
        bodies[r + 2] * v[0] + bodies[r + 5] * v[1] + bodies[r + 8] * v[2],
    )


@jit
def seen(bodies, a, b, sb):
    """The point of b and its velocity as seen from a, in the axes of a."""
    arm = minus(plus(centre(bodies, b), sb), centre(bodies, a))
    drift = minus(speed_at(bodies, b, sb), plus(velocity(bodies, a), cross(omega(bodies, a), arm)))
    return turned_back(bodies, a, arm), turned_back(bodies, a, drift)


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    """(k × c')·(p − c) and k·(p − c) at the foot c(s) of p, k the direction ACROSS: two rows.

    Each is G(p, s(p)): the row is along G_p + G_s s_p, and Φ̈ has 2 G_ps ṗ ṡ + G_ss ṡ² + G_s s̈ beside it.
    """
    a = members[0]
    b = members[1]
    sb = turned(bodies, b, par)
    p, u = seen(bodies, a, b, sb)
    curve = offset(par, CURVE)
    par[WARM] = project_in_space(curve, par[WARM], p)
    c, c1, c2, c3 = space_curve_at(curve, par[WARM])
    k = taken(offset(par, ACROSS))
    e = minus(p, c)
    slope = dot(c1, c1) - dot(c2, e)
    rate = dot(c1, u) / slope
    bend = (2.0 * dot(c2, u) + (dot(c3, e) - 3.0 * dot(c1, c2)) * rate) * rate
    m = cross(k, c1)
    m1 = cross(k, c2)
    phi[0] = dot(m, e)
    share = dot(m1, e) / slope
    second = 2.0 * dot(m1, u) * rate + (dot(cross(k, c3), e) - dot(m1, c1)) * rate * rate + share * bend
    n = turned(bodies, a, plus(m, times(share, c1)))
    gamma[0] = -second - seen_row(bodies, a, b, n, sb, jac)
    phi[1] = dot(k, e)
    share = -dot(k, c1) / slope
    second = share * bend - dot(k, c2) * rate * rate
    n = turned(bodies, a, plus(k, times(share, c1)))
    gamma[1] = -second - seen_row(bodies, a, b, n, sb, offset(jac, ROW))


@kernel(JOINT)
def parameter(bodies, members, par, phi, jac, gamma):
    """Parameter s of the foot: c'·(p − c) = 0 differentiated twice."""
    a = members[0]
    b = members[1]
    sb = turned(bodies, b, par)
    p, u = seen(bodies, a, b, sb)
    curve = offset(par, CURVE)
    par[WARM] = project_in_space(curve, par[WARM], p)
    c, c1, c2, c3 = space_curve_at(curve, par[WARM])
    e = minus(p, c)
    slope = dot(c1, c1) - dot(c2, e)
    rate = dot(c1, u) / slope
    bend = (2.0 * dot(c2, u) + (dot(c3, e) - 3.0 * dot(c1, c2)) * rate) * rate
    phi[0] = par[WARM]
    n = turned(bodies, a, times(1.0 / slope, c1))
    gamma[0] = -bend / slope - seen_row(bodies, a, b, n, sb, jac)


space_parameter = Coordinate(parameter, "m", "m/s")


def curve_numbers(curve: Spline, first: Marker, second: Marker) -> tuple[float, ...]:
    """The parameters of the kernels, for a curve in the axes of the body of ``first``."""
    warm = curve.nearest(to_axes(first.body, second.position))
    return (*second.at, *across(curve), warm, *curve.parameters())


def across(curve: Spline) -> tuple[float, ...]:
    """The direction that stays farthest from the tangents of the curve: the normal of its plane, if it has one."""
    tangents = curve.spline(curve.samples(400), 1)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    flattest = np.linalg.svd(tangents)[2][-1]
    k = np.arange(DIRECTIONS) + 0.5  # evenly over the half sphere, by the golden angle
    height = k / DIRECTIONS
    turns = k * np.pi * (3.0 - np.sqrt(5.0))
    around = np.sqrt(1.0 - height**2)
    many = np.column_stack([around * np.cos(turns), around * np.sin(turns), height])
    tried = np.vstack([flattest, many])
    best = tried[np.argmin(np.abs(tangents @ tried.T).max(axis=0))]
    return tuple(float(part) for part in best)
