"""Curves in space c(s) as polynomials between knots, as compiled code reads them (see `carom.geometry.path`).

Coefficients a segment: those of x, of y, then of z.
"""

from __future__ import annotations

from carom.geometry.path import CLOSED, DEGREE, FAR, KNOTS, SEGMENTS
from carom.kernels import jit


@jit
def space_curve_at(curve, s):
    """Point and first three derivatives at parameter ``s``, each (x, y, z)."""
    count = int(curve[SEGMENTS])
    first = curve[KNOTS]
    last = curve[KNOTS + count]
    if curve[CLOSED] != 0.0:
        s = first + (s - first) % (last - first)
    inside = min(max(s, first), last)
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if curve[KNOTS + middle] <= inside:
            low = middle
        else:
            high = middle
    h = inside - curve[KNOTS + low]
    beyond = s - inside
    terms = int(curve[DEGREE]) + 1
    c = KNOTS + count + 1 + 3 * terms * low
    x, x1, x2, x3 = part_at(curve, c, terms, h, beyond)
    y, y1, y2, y3 = part_at(curve, c + terms, terms, h, beyond)
    z, z1, z2, z3 = part_at(curve, c + 2 * terms, terms, h, beyond)
    return (x, y, z), (x1, y1, z1), (x2, y2, z2), (x3, y3, z3)


@jit
def part_at(curve, place, terms, h, beyond):
    """One coordinate and its derivatives by Horner's rule; straight on beyond the ends."""
    x = 0.0
    x1 = 0.0
    x2 = 0.0
    x3 = 0.0
    for k in range(place, place + terms):
        x3 = x3 * h + x2
        x2 = x2 * h + x1
        x1 = x1 * h + x
        x = x * h + curve[k]
    if beyond != 0.0:
        return x + x1 * beyond, x1, 0.0, 0.0
    return x, x1, 2.0 * x2, 6.0 * x3


@jit
def nearest_sample(curve, p):
    """Parameter of the closest of many samples."""
    count = int(curve[SEGMENTS])
    first = curve[KNOTS]
    extent = curve[KNOTS + count] - first
    samples = 16 * count
    best = first
    least = 1e300
    for k in range(samples + 1):
        s = first + extent * k / samples
        c, _, _, _ = space_curve_at(curve, s)
        distance = (c[0] - p[0]) ** 2 + (c[1] - p[1]) ** 2 + (c[2] - p[2]) ** 2
        if distance < least:
            least = distance
            best = s
    return best


@jit
def gap_at(curve, s, p):
    """p − c(s) with c' and c''."""
    c, c1, c2, _ = space_curve_at(curve, s)
    return (p[0] - c[0], p[1] - c[1], p[2] - c[2]), c1, c2


@jit
def space_newton(curve, start, p):
    """c'(s)·(p − c(s)) = 0 by Newton's method from ``start``, and whether it found a nearest point."""
    s = start
    extent = curve[KNOTS + int(curve[SEGMENTS])] - curve[KNOTS]
    for _ in range(60):
        e, c1, c2 = gap_at(curve, s, p)
        slope = c1[0] * c1[0] + c1[1] * c1[1] + c1[2] * c1[2] - c2[0] * e[0] - c2[1] * e[1] - c2[2] * e[2]
        if slope <= 0.0:  # beyond the centre of curvature
            return s, False
        change = (c1[0] * e[0] + c1[1] * e[1] + c1[2] * e[2]) / slope
        change = min(max(change, -0.1 * extent), 0.1 * extent)
        s += change
        if abs(change) <= 1e-15 * extent:
            break
    return s, True


@jit
def space_foot(curve, start, p):
    """Parameter of the foot of p, from ``start``, the last one found.

    Where that leads to a point far from p, another one may be nearer: p has jumped, as from the end of a run to its
    first node.
    """
    s, found = space_newton(curve, start, p)
    extent = curve[KNOTS + int(curve[SEGMENTS])] - curve[KNOTS]
    e, _, _ = gap_at(curve, s, p)
    square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    if not found or square > (FAR * extent) ** 2:
        other = nearest_sample(curve, p)
        e, _, _ = gap_at(curve, other, p)
        if not found or e[0] * e[0] + e[1] * e[1] + e[2] * e[2] < square:
            s, _ = space_newton(curve, other, p)
    return s
