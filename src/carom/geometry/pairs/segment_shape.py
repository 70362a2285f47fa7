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
from carom.geometry.pairs.segment_fraction import (
    CYLINDER,
    DISTANCE_TOLERANCE,
    RECTANGLE,
    SHELL,
    TRIANGLE,
    closest_fraction,
    closest_fraction_to_shell,
    height_above_shape,
    normal_inside,
)
from carom.geometry.pairs.sphere_common import require_radius, store_sphere_contact
from carom.geometry.rotation import frame_along
from carom.geometry.shapes.segment import SEGMENT
from carom.kernels import FLOAT, address_of, floats, jit, offset, record

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
