"""Spatial curves c(s): piecewise polynomials as compiled code reads them (see `planar_path.PATH`); local projection."""

from __future__ import annotations

from carom.geometry.planar_path import PATH, SEARCH_DISTANCE, locate, range_of
from carom.kernels import jit, offset


@jit
def space_curve_at(path, s):
    """Return the point and the first three derivatives at parameter ``s``, each (x, y, z)."""
    c, terms, h, beyond = locate(path, s, 3)
    x, x1, x2, x3 = coordinate_at(c, terms, h, beyond)
    y, y1, y2, y3 = coordinate_at(offset(c, terms), terms, h, beyond)
    z, z1, z2, z3 = coordinate_at(offset(c, 2 * terms), terms, h, beyond)
    return (x, y, z), (x1, y1, z1), (x2, y2, z2), (x3, y3, z3)


@jit
def coordinate_at(c, terms, h, beyond):
    """Return one coordinate and its first three derivatives by Horner's rule; straight ``beyond`` the ends."""
    x = 0.0
    x1 = 0.0
    x2 = 0.0
    x3 = 0.0
    for k in range(terms):  # Horner's rule for the k-th derivative over k!
        x3 = x3 * h + x2
        x2 = x2 * h + x1
        x1 = x1 * h + x
        x = x * h + c[k]
    if beyond != 0.0:
        return x + x1 * beyond, x1, 0.0, 0.0
    return x, x1, 2.0 * x2, 6.0 * x3


@jit
def nearest_spatial_sample(path, p):
    """Return the parameter of the closest of many samples."""
    first, extent = range_of(path)
    samples = 16 * int(PATH(path).n_segments)
    best = first
    min_distance = 1e300
    for k in range(samples + 1):
        s = first + extent * k / samples
        c, _, _, _ = space_curve_at(path, s)
        distance = (c[0] - p[0]) ** 2 + (c[1] - p[1]) ** 2 + (c[2] - p[2]) ** 2
        if distance < min_distance:
            min_distance = distance
            best = s
    return best


@jit
def difference_at(path, s, p):
    """Return p − c(s), c' and c''."""
    c, c1, c2, _ = space_curve_at(path, s)
    return (p[0] - c[0], p[1] - c[1], p[2] - c[2]), c1, c2


@jit
def spatial_newton(path, start, p):
    """Solve c'(s)·(p − c(s)) = 0 by Newton's method from ``start``; return s and whether it is a closest point."""
    s = start
    _, extent = range_of(path)
    for _ in range(60):
        e, c1, c2 = difference_at(path, s, p)
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
def project_in_space(path, start, p):
    """Return the parameter of the projection of p, from that of the last call (see `planar_path.project`)."""
    s, is_closest = spatial_newton(path, start, p)
    _, extent = range_of(path)
    e, _, _ = difference_at(path, s, p)
    square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    if not is_closest or square > (SEARCH_DISTANCE * extent) ** 2:
        other = nearest_spatial_sample(path, p)
        e, _, _ = difference_at(path, other, p)
        if not is_closest or e[0] * e[0] + e[1] * e[1] + e[2] * e[2] < square:
            s, _ = spatial_newton(path, other, p)
    return s
