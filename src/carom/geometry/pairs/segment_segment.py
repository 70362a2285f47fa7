"""Two straight segments or capsules: skew, parallel, in line, or at an end."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, store, store_midpoint, to_global
from carom.geometry.pairs.segment_distance import (
    AT_END,
    INNER,
    PARALLEL_OVERLAP,
    PARALLEL_SINE,
    closest_fractions,
    order_of_points,
)
from carom.geometry.pairs.sphere_common import perpendicular_to, require_radius
from carom.geometry.shapes.segment import SEGMENT
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    a=SEGMENT,
    b=SEGMENT,
    is_planar=FLOAT,  # 1.0 for planar bodies
)

DISTANCE_TOLERANCE = 1e-14
"""Ratio to the length of the lines below which their distance is rounding [-]."""
PERPENDICULAR_COSINE = 1e-9
"""Cosine of the angle between a line and the normal up to which they are perpendicular [-]."""


@jit
def unit_towards(nx, ny, nz, gx, gy, gz):
    """Return the unit vector along ±n that points to the side of g."""
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if nx * gx + ny * gy + nz * gz < 0.0:
        length = -length
    return nx / length, ny / length, nz / length


@jit
def planar_normal(wx, wy, ux, uy, vx, vy):
    """Return the normal from b to a of lines that cross in a plane; w leads from the start of b to that of a.

    The end with the smallest indentation is pushed back.
    """
    u = math.sqrt(ux * ux + uy * uy)
    v = math.sqrt(vx * vx + vy * vy)
    # Heights of the ends of a to the left of b, and of those of b to the left of a.
    a_start = (wy * vx - wx * vy) / v
    a_end = ((wy + uy) * vx - (wx + ux) * vy) / v
    b_start = (wx * uy - wy * ux) / u
    b_end = ((vy - wy) * ux - (vx - wx) * uy) / u
    if min(abs(a_start), abs(a_end)) <= min(abs(b_start), abs(b_end)):
        v = math.copysign(v, a_start + a_end)
        return -vy / v, vx / v, 0.0 * v
    u = math.copysign(u, b_start + b_end)
    return uy / u, -ux / u, 0.0 * u


@jit
def closest_on_axes(ax, ay, az, ux, uy, uz, a_side_only, bx, by, bz, vx, vy, vz, b_side_only, is_planar):
    """Return the closest points of the segments from a along u and from b along v, their distance and the normal.

    The unit normal points from b to a. The distance is NO_CONTACT where the closest point is an end that may not touch.
    """
    wx = ax - bx
    wy = ay - by
    wz = az - bz
    s, t, kind, cx, cy, cz = closest_fractions(wx, wy, wz, ux, uy, uz, vx, vy, vz)
    dx = wx + s * ux - t * vx
    dy = wy + s * uy - t * vy
    dz = wz + s * uz - t * vz
    u = math.sqrt(ux * ux + uy * uy + uz * uz)
    v = math.sqrt(vx * vx + vy * vy + vz * vz)
    size = min(u, v)
    # g leads from the middle of b to that of a: it decides on the side where the distance does not.
    gx = wx + 0.5 * (ux - vx)
    gy = wy + 0.5 * (uy - vy)
    gz = wz + 0.5 * (uz - vz)
    if kind == PARALLEL_OVERLAP:  # a component along the lines is rounding
        rest = (dx * ux + dy * uy + dz * uz) / (u * u)
        dx -= rest * ux
        dy -= rest * uy
        dz -= rest * uz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    sine = math.sqrt(cx * cx + cy * cy + cz * cz) / (u * v)
    if is_planar != 0.0 and sine > PARALLEL_SINE and (kind == INNER or distance <= DISTANCE_TOLERANCE * size):
        distance = 0.0
        nx, ny, nz = planar_normal(wx, wy, ux, uy, vx, vy)
    elif kind == INNER and sine * size > distance:  # the common normal is more accurate than the difference of points
        signed_distance = (dx * cx + dy * cy + dz * cz) / (u * v * sine)
        if signed_distance != 0.0:
            gx = dx
            gy = dy
            gz = dz
        distance = abs(signed_distance)
        nx, ny, nz = unit_towards(cx, cy, cz, gx, gy, gz)
    elif distance > DISTANCE_TOLERANCE * size:
        nx = dx / distance
        ny = dy / distance
        nz = dz / distance
    elif kind == PARALLEL_OVERLAP:  # one axis on the other
        nx, ny, nz = perpendicular_to(ux / u, uy / u, uz / u)
        nx, ny, nz = unit_towards(nx, ny, nz, gx, gy, gz)
    elif sine > PARALLEL_SINE:  # an end on the other axis
        nx, ny, nz = unit_towards(cx, cy, cz, gx, gy, gz)
    else:  # end to end
        nx, ny, nz = unit_towards(ux, uy, uz, gx, gy, gz)
    if kind == AT_END:
        if a_side_only != 0.0 and abs(nx * ux + ny * uy + nz * uz) > PERPENDICULAR_COSINE * u:
            distance = NO_CONTACT
        if b_side_only != 0.0 and abs(nx * vx + ny * vy + nz * vz) > PERPENDICULAR_COSINE * v:
            distance = NO_CONTACT
    return ax + s * ux, ay + s * uy, az + s * uz, bx + t * vx, by + t * vy, bz + t * vz, distance, nx, ny, nz


@pair_kernel(PARAMS)
def segment_segment(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of two segments; the force acts midway."""
    a = params.a
    b = params.b
    ax, ay, az = to_global(pose_a, a.sx, a.sy, a.sz)
    ux, uy, uz = to_global(pose_a, a.ex, a.ey, a.ez)
    bx, by, bz = to_global(pose_b, b.sx, b.sy, b.sz)
    vx, vy, vz = to_global(pose_b, b.ex, b.ey, b.ez)
    order = order_of_points(ax, ay, az, bx, by, bz)
    if order == 0.0:
        order = order_of_points(ux, uy, uz, vx, vy, vz)
    ux -= ax
    uy -= ay
    uz -= az
    vx -= bx
    vy -= by
    vz -= bz
    # The computation does not depend on the order of the segments, so that exchanging them changes no digit.
    if order < 0.0:
        bx, by, bz, ax, ay, az, distance, nx, ny, nz = closest_on_axes(
            bx, by, bz, vx, vy, vz, b.ignores_edges, ax, ay, az, ux, uy, uz, a.ignores_edges, params.is_planar
        )
        nx = -nx
        ny = -ny
        nz = -nz
    else:
        ax, ay, az, bx, by, bz, distance, nx, ny, nz = closest_on_axes(
            ax, ay, az, ux, uy, uz, a.ignores_edges, bx, by, bz, vx, vy, vz, b.ignores_edges, params.is_planar
        )
    out.gap = distance - (a.radius + b.radius)
    store(out.normal, nx, ny, nz)
    store(out.point_a, ax - a.radius * nx, ay - a.radius * ny, az - a.radius * nz)
    store(out.point_b, bx + b.radius * nx, by + b.radius * ny, bz + b.radius * nz)
    store_midpoint(out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of both segments and the flag of planar bodies."""
    return (*a.parameters, *b.parameters, float(a.planar and b.planar))


SEGMENT_SEGMENT = PairKernel(segment_segment, PARAMS, parameters_of, check_contact=require_radius)
