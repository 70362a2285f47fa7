"""Closest point of a segment to a rectangle, a triangle, a cylinder or a shell, in the axes of the shape.

It is a fraction of the segment, from 0 at its start to 1 at its end.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.illinois import narrow
from carom.geometry.pairs.sphere_box import height_above_box
from carom.geometry.pairs.sphere_cone import height_above_cone
from carom.geometry.pairs.sphere_triangle import height_above_triangle
from carom.kernels import jit

RECTANGLE, TRIANGLE, CYLINDER, SHELL = 0.0, 1.0, 2.0, 3.0
"""Kinds of shapes. A rectangle is a box without height."""
LEVEL_SLOPE = 1e-11
"""Slope of the distance along the segment below which the segment is level, and its midpoint the contact point [-]."""
N_BISECTIONS = 54
"""Number of bisections, which reduce an interval to rounding."""
SAME_FRACTION = 2e-16
"""Difference of two fractions that is rounding [-]."""
DISTANCE_TOLERANCE = 1e-12
"""Ratio to the length of the segment below which a distance, or a difference of distances, is rounding [-]."""


@jit
def height_above_shape(kind, size, x, y, z):
    """Return the height of a point above a shape in its axes, the unit normal, and whether that belongs to a face."""
    none = 0.0
    if kind == RECTANGLE:
        height, nx, ny, nz = height_above_box(x, y, z, size[0], size[1], none)
        return height, nx, ny, nz, abs(x) <= size[0] and abs(y) <= size[1]
    if kind == TRIANGLE:
        up = 1.0
        return height_above_triangle(
            x, y, z, none, none, none, size[0], none, none, size[1], size[2], none, none, none, up
        )  # fmt: skip
    radial = math.sqrt(x * x + y * y)
    outward, up, height, on_face = height_above_cone(radial, z, size[0], size[0], size[1], kind - CYLINDER)
    if radial == 0.0:
        return height, outward, none, up, on_face
    return height, outward * x / radial, outward * y / radial, up, on_face


@jit
def slope_at(kind, size, s, x, y, z, ux, uy, uz):
    """Return the derivative of the distance from the shape with respect to s at (x, y, z) + s u [m]."""
    _, nx, ny, nz, _ = height_above_shape(kind, size, x + s * ux, y + s * uy, z + s * uz)
    return nx * ux + ny * uy + nz * uz


@jit
def find_slope(kind, size, level_slope, x, y, z, ux, uy, uz):
    """Return the fraction between 0 and 1 at which the slope passes ``level_slope``.

    The slope increases, with jumps at edges: a step of the Illinois method is followed by a bisection unless it has
    halved the interval.
    """
    low = 0.0
    high = 1.0
    below = slope_at(kind, size, low, x, y, z, ux, uy, uz) - level_slope
    above = slope_at(kind, size, high, x, y, z, ux, uy, uz) - level_slope
    side = 0
    for _ in range(N_BISECTIONS):
        width = high - low
        if width <= SAME_FRACTION:
            break
        at = low + width * below / (below - above)
        if not low < at < high:
            at = low + 0.5 * width
        slope = slope_at(kind, size, at, x, y, z, ux, uy, uz) - level_slope
        if slope == 0.0:
            return at
        low, high, below, above, side = narrow(low, high, below, above, side, at, slope)
        if high - low > 0.5 * width:
            at = low + 0.5 * (high - low)
            slope = slope_at(kind, size, at, x, y, z, ux, uy, uz) - level_slope
            side = 0
            if slope < 0.0:
                low = at
                below = slope
            else:
                high = at
                above = slope
    return 0.5 * (low + high)


@jit
def closest_fraction(kind, size, x, y, z, ux, uy, uz):
    """Return the fraction of the segment from (x, y, z) along u closest to a convex shape; the middle if level."""
    level_slope = LEVEL_SLOPE * math.sqrt(ux * ux + uy * uy + uz * uz)
    first = 0.0
    last = 1.0
    at_start = slope_at(kind, size, first, x, y, z, ux, uy, uz)
    at_end = slope_at(kind, size, last, x, y, z, ux, uy, uz)
    if at_start > level_slope:
        return first
    if at_end < -level_slope:
        return last
    if at_start < -level_slope:
        first = find_slope(kind, size, -level_slope, x, y, z, ux, uy, uz)
        if slope_at(kind, size, first + 1e-9, x, y, z, ux, uy, uz) > level_slope:
            return first
    if at_end > level_slope:
        last = find_slope(kind, size, level_slope, x, y, z, ux, uy, uz)
    return 0.5 * (first + last)


@jit
def rim_slope(s, a, b, c, radius, z, uz):
    """Return half the slope of the squared distance from a rim [m²].

    The squared distance from the axis is a s² + 2 b s + c, the height above the rim is z + s uz.
    """
    radial = math.sqrt(max(a * s * s + 2.0 * b * s + c, 0.0))
    ratio = 0.0
    if radial > 0.0:
        ratio = radius / radial
    return (a * s + b) * (1.0 - ratio) + uz * (z + s * uz)


@jit
def closest_to_rim(side, a, b, c, radius, z, uz):
    """Return a fraction at which the distance from a rim may be least.

    Beyond (``side`` = 1) or before (−1) the point closest to the axis the slope first falls, then rises (or the
    reverse); its turning point is known.
    """
    none = 0.0
    if a <= 0.0:
        return none
    nearest = -b / a
    axial_distance_2 = max(c - b * b / a, 0.0)  # squared distance from the axis there
    # The slope turns where the curvature of the distance from the axis, a·rest/radial³, is (a + uz²)/radius.
    radial = (radius * a * axial_distance_2 / (a + uz * uz)) ** (1.0 / 3.0)
    turning_point = nearest + side * math.sqrt(max(radial * radial - axial_distance_2, 0.0) / a)
    low = none
    high = 1.0
    if side > 0.0:
        low = min(max(turning_point, low), high)
    else:
        high = min(max(turning_point, low), high)
    for _ in range(N_BISECTIONS):
        midpoint = 0.5 * (low + high)
        if rim_slope(midpoint, a, b, c, radius, z, uz) < 0.0:
            low = midpoint
        else:
            high = midpoint
    return 0.5 * (low + high)


@jit
def shell_candidate(index, size, x, y, z, ux, uy, uz):
    """Return fraction ``index`` = 0 … 10 at which the distance from a shell may be least.

    These are the ends, the planes of the rims, the side, the point closest to the axis, and points close to the rims.
    """
    radius = size[0]
    half = size[1]
    a = ux * ux + uy * uy
    b = x * ux + y * uy
    c = x * x + y * y
    sign = 1.0 - 2.0 * (index % 2)
    if index < 2:
        return 1.0 * index
    if index < 4:
        return (sign * half - z) / uz
    if index < 6:
        return (-b + sign * math.sqrt(max(b * b - a * (c - radius * radius), 0.0))) / a
    if index < 7:
        return -b / a
    rim = half
    if index > 8:
        rim = -half
    return closest_to_rim(sign, a, b, c, radius, z - rim, uz)


@jit
def closest_fraction_to_shell(kind, size, x, y, z, ux, uy, uz):
    """Return the fraction of the segment closest to a thin shell; the middle of a level part."""
    tolerance = DISTANCE_TOLERANCE * math.sqrt(ux * ux + uy * uy + uz * uz)
    min_height = NO_CONTACT
    first = 0.0
    last = 0.0
    for index in range(11):
        s = shell_candidate(index, size, x, y, z, ux, uy, uz)
        if not 0.0 <= s <= 1.0:
            continue
        height, _, _, _, _ = height_above_shape(kind, size, x + s * ux, y + s * uy, z + s * uz)
        if height < min_height - tolerance:
            min_height = height
            first = s
            last = s
        elif height <= min_height + tolerance:
            min_height = min(min_height, height)
            first = min(first, s)
            last = max(last, s)
    midpoint = 0.5 * (first + last)
    height, _, _, _, _ = height_above_shape(kind, size, x + midpoint * ux, y + midpoint * uy, z + midpoint * uz)
    if height <= min_height + tolerance:
        return midpoint
    return first


@jit
def normal_inside(kind, size, s, x, y, z, ux, uy, uz, nx, ny, nz):
    """Return the unit normal at the deepest point of a segment in a solid.

    Where two faces are equally far, it is perpendicular to the segment, between their normals; where these are
    opposite, it is perpendicular to the axis of the shape.
    """
    step = 1e-9
    _, ax, ay, az, _ = height_above_shape(kind, size, x + (s - step) * ux, y + (s - step) * uy, z + (s - step) * uz)
    _, bx, by, bz, _ = height_above_shape(kind, size, x + (s + step) * ux, y + (s + step) * uy, z + (s + step) * uz)
    slope_before = ax * ux + ay * uy + az * uz
    slope_after = bx * ux + by * uy + bz * uz
    level_slope = 1e-6 * math.sqrt(ux * ux + uy * uy + uz * uz)
    if slope_before > -level_slope or slope_after < level_slope:
        return nx, ny, nz
    fraction = slope_after / (slope_after - slope_before)
    ax = fraction * ax + (1.0 - fraction) * bx
    ay = fraction * ay + (1.0 - fraction) * by
    az = fraction * az + (1.0 - fraction) * bz
    length = math.sqrt(ax * ax + ay * ay + az * az)
    if length < 1e-3:
        horizontal = math.sqrt(ux * ux + uy * uy)
        if horizontal <= level_slope:
            return nx, ny, nz
        return -uy / horizontal, ux / horizontal, 0.0 * uz
    return ax / length, ay / length, az / length
