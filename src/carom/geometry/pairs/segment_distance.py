"""Closest points of two straight segments."""

from __future__ import annotations

import math

from carom.kernels import jit

AT_END, INNER, PARALLEL_OVERLAP = 0.0, 1.0, 2.0
"""Kinds of closest points: at least one is an end; both are inner points of crossing lines; the segments are parallel
and overlap."""

PARALLEL_SINE = 1e-10
"""Sine of the angle below which two lines are parallel [-]; over 1 m the gap then changes by less than 1e-10 m."""

MIN_OVERLAP = 1e-12
"""Ratio to the length of parallel segments below which they do not overlap [-]."""


@jit
def closest_fractions(wx, wy, wz, ux, uy, uz, vx, vy, vz):
    """Return the fractions s, t of the closest points p + s u and q + t v with w = p − q, their kind, and u × v.

    It is the least of f² = |w + s u − t v|² (eq. (11) of the penalty library paper) for 0 ≤ s, t ≤ 1. Of parallel
    segments that overlap, the middle of the overlap is taken.
    """
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    cx = uy * vz - uz * vy
    cy = uz * vx - ux * vz
    cz = ux * vy - uy * vx
    cc = cx * cx + cy * cy + cz * cz
    if cc <= PARALLEL_SINE * PARALLEL_SINE * uu * vv:
        # Fractions of the first segment at which the ends of the second one are.
        one = -uw / uu
        other = (uv - uw) / uu
        low = max(min(one, other), 0.0)
        high = min(max(one, other), 1.0)
        s = min(max(0.5 * (low + high), 0.0), 1.0)
        t = min(max((vw + s * uv) / vv, 0.0), 1.0)
        if low >= high - MIN_OVERLAP:
            s = min(max((t * uv - uw) / uu, 0.0), 1.0)
            return s, t, AT_END, cx, cy, cz
        return s, t, PARALLEL_OVERLAP, cx, cy, cz
    s = -((wy * vz - wz * vy) * cx + (wz * vx - wx * vz) * cy + (wx * vy - wy * vx) * cz) / cc
    t = -((wy * uz - wz * uy) * cx + (wz * ux - wx * uz) * cy + (wx * uy - wy * ux) * cz) / cc
    if 0.0 < s < 1.0 and 0.0 < t < 1.0:
        return s, t, INNER, cx, cy, cz
    # The four ends, each against the other segment.
    best_s = 0.0
    best_t = min(max(vw / vv, 0.0), 1.0)
    min_square = squared_length(wx - best_t * vx, wy - best_t * vy, wz - best_t * vz)
    t = min(max((vw + uv) / vv, 0.0), 1.0)
    square = squared_length(wx + ux - t * vx, wy + uy - t * vy, wz + uz - t * vz)
    if square < min_square:
        min_square = square
        best_s = 1.0
        best_t = t
    s = min(max(-uw / uu, 0.0), 1.0)
    square = squared_length(wx + s * ux, wy + s * uy, wz + s * uz)
    if square < min_square:
        min_square = square
        best_s = s
        best_t = 0.0
    s = min(max((uv - uw) / uu, 0.0), 1.0)
    square = squared_length(wx + s * ux - vx, wy + s * uy - vy, wz + s * uz - vz)
    if square < min_square:
        best_s = s
        best_t = 1.0
    return best_s, best_t, AT_END, cx, cy, cz


@jit
def squared_length(x, y, z):
    """Return the square of the length of a vector."""
    return x * x + y * y + z * z


@jit
def order_of_points(ax, ay, az, bx, by, bz):
    """Return 1.0 if a comes before b by its coordinates, −1.0 if after it, 0.0 if they coincide."""
    if ax != bx:
        return math.copysign(1.0, bx - ax)
    if ay != by:
        return math.copysign(1.0, by - ay)
    if az != bz:
        return math.copysign(1.0, bz - az)
    return 0.0
