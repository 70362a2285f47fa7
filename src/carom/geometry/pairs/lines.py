"""Two straight pieces: where they are closest, and which of them comes first."""

from __future__ import annotations

import math

from carom.kernels import jit

PARALLEL = 1e-10
"""Sine of the angle under which two lines are parallel: along a metre of them the gap changes by less than 1e-10 m."""

END = 1e-12
"""Part of the length that is no overlap."""


@jit
def nearest_parts(wx, wy, wz, ux, uy, uz, vx, vy, vz):
    """Parts s, t of the way along p + s u and q + t v, with w = p − q, where they are closest, 0 ≤ s, t ≤ 1; 1.0 when
    both are inner points of lines that cross, 2.0 when the lines are parallel side by side, 0.0 otherwise; and u × v.

    The least of f² = |w + s u − t v|² (eq. (11) of the penalty library paper), clamped to the pieces. Side by side, all
    of the overlap is closest: its middle.
    """
    inner = 1.0
    beside = 2.0
    at_end = 0.0
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    cx = uy * vz - uz * vy
    cy = uz * vx - ux * vz
    cz = ux * vy - uy * vx
    cc = cx * cx + cy * cy + cz * cz
    if cc <= PARALLEL * PARALLEL * uu * vv:
        # Where the ends of the second are along the first.
        one = -uw / uu
        other = (uv - uw) / uu
        low = max(min(one, other), 0.0)
        high = min(max(one, other), 1.0)
        s = min(max(0.5 * (low + high), 0.0), 1.0)
        t = min(max((vw + s * uv) / vv, 0.0), 1.0)
        if low >= high - END:
            s = min(max((t * uv - uw) / uu, 0.0), 1.0)
            return s, t, at_end, cx, cy, cz
        return s, t, beside, cx, cy, cz
    s = -((wy * vz - wz * vy) * cx + (wz * vx - wx * vz) * cy + (wx * vy - wy * vx) * cz) / cc
    t = -((wy * uz - wz * uy) * cx + (wz * ux - wx * uz) * cy + (wx * uy - wy * ux) * cz) / cc
    if 0.0 < s < 1.0 and 0.0 < t < 1.0:
        return s, t, inner, cx, cy, cz
    # The four ends, each against the other piece.
    best_s = 0.0
    best_t = min(max(vw / vv, 0.0), 1.0)
    least = length2(wx - best_t * vx, wy - best_t * vy, wz - best_t * vz)
    t = min(max((vw + uv) / vv, 0.0), 1.0)
    far = length2(wx + ux - t * vx, wy + uy - t * vy, wz + uz - t * vz)
    if far < least:
        least = far
        best_s = 1.0
        best_t = t
    s = min(max(-uw / uu, 0.0), 1.0)
    far = length2(wx + s * ux, wy + s * uy, wz + s * uz)
    if far < least:
        least = far
        best_s = s
        best_t = 0.0
    s = min(max((uv - uw) / uu, 0.0), 1.0)
    far = length2(wx + s * ux - vx, wy + s * uy - vy, wz + s * uz - vz)
    if far < least:
        best_s = s
        best_t = 1.0
    return best_s, best_t, at_end, cx, cy, cz


@jit
def length2(x, y, z):
    return x * x + y * y + z * z


@jit
def first_of(ax, ay, az, bx, by, bz):
    """1.0 when a comes before b, −1.0 when after it, 0.0 when they are one point: an order that depends on no name."""
    if ax != bx:
        return math.copysign(1.0, bx - ax)
    if ay != by:
        return math.copysign(1.0, by - ay)
    if az != bz:
        return math.copysign(1.0, bz - az)
    return 0.0
