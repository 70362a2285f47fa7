"""Straight segment or capsule against a rectangle, a triangle or a cylinder: one kernel for all of them.

Along the segment the distance from a convex shape is a convex function, also inside a solid, where it is negative: the
closest point is where its slope changes sign. Where the segment itself pierces the shape, the closest points are those
of the least translation that separates them; its spots remain those of its ends and of the point between them. Only
the distance from a thin shell is not convex; there all candidates for the minimum are known in closed form, except
those close to its rims.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, rotate, to_global
from carom.geometry.pairs.convex_convex import PARAMS as CONVEX_PARAMS
from carom.geometry.pairs.convex_convex import find_closest_points_afresh
from carom.geometry.pairs.convex_convex import parameters_of as convex_parameters
from carom.geometry.pairs.sphere_box import height_above_box
from carom.geometry.pairs.sphere_common import require_radius, store_sphere_contact
from carom.geometry.pairs.sphere_cone import height_above_cone
from carom.geometry.pairs.sphere_triangle import height_above_triangle
from carom.geometry.rotation import frame_along
from carom.geometry.shapes.segment import SEGMENT
from carom.kernels import FLOAT, address_of, floats, jit, offset, record

RECTANGLE, TRIANGLE, CYLINDER, SHELL = 0.0, 1.0, 2.0, 3.0
"""Kinds of shapes. A rectangle is a box without height."""

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1, 2: closest points of the two ends; 3: closest points if not at an end
    kind=FLOAT,
    segment=SEGMENT,
    origin=(FLOAT, 3),  # origin of the axes of the shape [m]
    axes=(FLOAT, 9),  # unit vectors along the axes of the shape, one after the other
    size=(FLOAT, 3),  # rectangle: half sides; triangle: length of the base, x and y of the third corner; cylinder:
    # radius and half length [m]
    is_thin=FLOAT,
    ignores_edges=FLOAT,
    is_convex=FLOAT,  # 1.0 for a convex shape that touches with its edges; then both follow as convex shapes
)
PARAMS_SIZE = PARAMS.size

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
        if slope < 0.0:
            low = at
            below = slope
            if side < 0:
                above *= 0.5
            side = -1
        else:
            high = at
            above = slope
            if side > 0:
                below *= 0.5
            side = 1
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


@jit
def contact_fraction(params, x, y, z, ux, uy, uz):
    """Return the fraction of the segment at the contact point, and whether there is a contact.

    The segment leads from (x, y, z) along u, in the axes of the shape.
    """
    kind = params.kind
    size = params.size
    tolerance = DISTANCE_TOLERANCE * math.sqrt(ux * ux + uy * uy + uz * uz)
    start, _, _, _, on_start = height_above_shape(kind, size, x, y, z)
    end, _, _, _, on_end = height_above_shape(kind, size, x + ux, y + uy, z + uz)
    s = min(params.point_index - 1.0, 1.0)
    exists = params.segment.ignores_edges == 0.0
    if params.point_index == 0.0 or params.point_index == 3.0:
        if kind == SHELL:
            s = closest_fraction_to_shell(kind, size, x, y, z, ux, uy, uz)
        else:
            s = closest_fraction(kind, size, x, y, z, ux, uy, uz)
        height, _, _, _, on_face = height_above_shape(kind, size, x + s * ux, y + s * uy, z + s * uz)
        is_inner = 0.0 < s < 1.0
        if params.point_index == 3.0:
            exists = is_inner and (height < min(start, end) - tolerance or not exists)
        elif not exists:
            exists = is_inner
        elif params.ignores_edges != 0.0 and not on_face:  # then the end that is closer to a face
            if on_start and (start <= end or not on_end):
                s = 0.0
            elif on_end:
                s = 1.0
    return s, exists


@pair_kernel(PARAMS)
def segment_shape(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a segment (a) with a shape (b); the force acts on the surface of the shape."""
    kind = params.kind
    size = params.size
    axes = params.axes
    segment = params.segment
    sx, sy, sz = to_global(pose_a, segment.sx, segment.sy, segment.sz)
    ux, uy, uz = to_global(pose_a, segment.ex, segment.ey, segment.ez)
    ox, oy, oz = to_global(pose_b, params.origin[0], params.origin[1], params.origin[2])
    xx, xy, xz = rotate(pose_b, axes[0], axes[1], axes[2])
    yx, yy, yz = rotate(pose_b, axes[3], axes[4], axes[5])
    zx, zy, zz = rotate(pose_b, axes[6], axes[7], axes[8])
    ux -= sx
    uy -= sy
    uz -= sz
    ox = sx - ox
    oy = sy - oy
    oz = sz - oz
    # The segment in the axes of the shape: from (x, y, z) along (a, b, c).
    x = ox * xx + oy * xy + oz * xz
    y = ox * yx + oy * yy + oz * yz
    z = ox * zx + oy * zy + oz * zz
    a = ux * xx + uy * xy + uz * xz
    b = ux * yx + uy * yy + uz * yz
    c = ux * zx + uy * zy + uz * zz
    tolerance = DISTANCE_TOLERANCE * math.sqrt(a * a + b * b + c * c)
    s, exists = contact_fraction(params, x, y, z, a, b, c)
    height, nx, ny, nz, on_face = height_above_shape(kind, size, x + s * a, y + s * b, z + s * c)
    if params.point_index == 0.0 and params.is_convex != 0.0 and height <= tolerance:
        shapes = CONVEX_PARAMS(offset(floats(address_of(params)), PARAMS_SIZE))
        find_closest_points_afresh(pose_a, pose_b, shapes, out)
        return
    if params.ignores_edges != 0.0:
        exists = exists and on_face
    if params.is_thin != 0.0 and height <= tolerance:  # on the surface: to the side where most of the segment is
        if kind != SHELL:
            nx = 0.0
            ny = 0.0
            nz = 1.0
        if (0.5 - s) * (nx * a + ny * b + nz * c) < 0.0:
            nx = -nx
            ny = -ny
            nz = -nz
    elif 0.0 < s < 1.0 and height < 0.0:
        nx, ny, nz = normal_inside(kind, size, s, x, y, z, a, b, c, nx, ny, nz)
    px = sx + s * ux
    py = sy + s * uy
    pz = sz + s * uz
    gx = nx * xx + ny * yx + nz * zx
    gy = nx * xy + ny * yy + nz * zy
    gz = nx * xz + ny * yz + nz * zz
    store_sphere_contact(out, px, py, pz, segment.radius, gx, gy, gz, height)
    if not exists:
        out.gap = NO_CONTACT


def shape_parameters(a: Any, kind: float, origin: Any, axes: Any, size: tuple[float, ...], b: Any) -> tuple[float, ...]:
    """Return the parameters after the index of the contact point; ``axes`` are those of the shape, as columns."""
    rows = (float(part) for part in np.asarray(axes).T.ravel())
    padded = (*size, 0.0)[:3]
    is_convex = b.convex() is not None and a.edges == "contact" and b.edges == "contact"
    convex = convex_parameters(a, b) if is_convex else ()
    return (
        kind, *a.parameters, *origin, *rows, *padded, float(b.thin), float(b.edges == "ignore"), float(is_convex),
        *convex,
    )  # fmt: skip


def cylinder_parameters(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a segment and a cylinder, which is solid or a thin shell."""
    kind = SHELL if b.inside else CYLINDER
    return shape_parameters(a, kind, b.at, frame_along(b.axis), (b.radius, b.half_length), b)


def rectangle_parameters(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a segment and a rectangle."""
    axes = np.column_stack([b.axis_u, b.axis_v, b.normal])
    return shape_parameters(a, RECTANGLE, b.at, axes, (b.half_u, b.half_v), b)


def triangle_parameters(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a segment and a triangle."""
    side = np.subtract(b.b, b.a)
    axes = frame_along(b.normal, side)
    corner = axes.T @ np.subtract(b.c, b.a)
    size = (float(np.linalg.norm(side)), float(corner[0]), float(corner[1]))
    return shape_parameters(a, TRIANGLE, b.a, axes, size, b)


def _pair(parameters_of: Any) -> PairKernel:
    return PairKernel(segment_shape, PARAMS, parameters_of, check_contact=require_radius, contact_points=3)


SEGMENT_CYLINDER = _pair(cylinder_parameters)
SEGMENT_RECTANGLE = _pair(rectangle_parameters)
SEGMENT_TRIANGLE = _pair(triangle_parameters)
