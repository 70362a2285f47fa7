"""Two straight pieces, or capsules: skew, side by side, in line, or at an end."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.pairs.ball import across, some_radius
from carom.geometry.pairs.base import CONTACT_POINT, FAR, GAP, NORMAL_AT, POINT_A, POINT_B, Pair, placed, put
from carom.geometry.pairs.lines import PARALLEL, first_of, nearest_parts
from carom.kernels import PAIR, jit, kernel, offset

TOUCHING = 1e-14
"""Distance of two lines that is rounding, in parts of their length."""
UPRIGHT = 1e-9
"""Cosine of the angle between a line and the way to its foot, up to which it is a perpendicular."""


@jit
def oriented(nx, ny, nz, gx, gy, gz):
    """The unit vector along n, to the side of g."""
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if nx * gx + ny * gy + nz * gz < 0.0:
        length = -length
    return nx / length, ny / length, nz / length


@jit
def in_plane(wx, wy, ux, uy, vx, vy):
    """Normal from b to a of lines that cross in a plane, with w from the start of b to that of a: the end that has
    least to go is pushed back."""
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
def capsules(ax, ay, az, ux, uy, uz, a_only, bx, by, bz, vx, vy, vz, b_only, planar):
    """Closest points of two pieces from a along u, from b along v: both, their distance, the unit normal from b to a;
    the distance is FAR where it ends at an end that does not touch."""
    wx = ax - bx
    wy = ay - by
    wz = az - bz
    s, t, how, cx, cy, cz = nearest_parts(wx, wy, wz, ux, uy, uz, vx, vy, vz)
    dx = wx + s * ux - t * vx
    dy = wy + s * uy - t * vy
    dz = wz + s * uz - t * vz
    u = math.sqrt(ux * ux + uy * uy + uz * uz)
    v = math.sqrt(vx * vx + vy * vy + vz * vz)
    size = min(u, v)
    # From the middle of b to that of a, for a side where the distance gives none.
    gx = wx + 0.5 * (ux - vx)
    gy = wy + 0.5 * (uy - vy)
    gz = wz + 0.5 * (uz - vz)
    if how == 2.0:  # along the lines there is nothing but rounding
        slip = (dx * ux + dy * uy + dz * uz) / (u * u)
        dx -= slip * ux
        dy -= slip * uy
        dz -= slip * uz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    sine = math.sqrt(cx * cx + cy * cy + cz * cz) / (u * v)
    if planar != 0.0 and sine > PARALLEL and (how == 1.0 or distance <= TOUCHING * size):
        distance = 0.0
        nx, ny, nz = in_plane(wx, wy, ux, uy, vx, vy)
    elif how == 1.0 and sine * size > distance:  # the common normal is known better than the way between the points
        along = (dx * cx + dy * cy + dz * cz) / (u * v * sine)
        if along != 0.0:
            gx = dx
            gy = dy
            gz = dz
        distance = abs(along)
        nx, ny, nz = oriented(cx, cy, cz, gx, gy, gz)
    elif distance > TOUCHING * size:
        nx = dx / distance
        ny = dy / distance
        nz = dz / distance
    elif how == 2.0:  # one in the other
        nx, ny, nz = across(ux / u, uy / u, uz / u)
        nx, ny, nz = oriented(nx, ny, nz, gx, gy, gz)
    elif sine > PARALLEL:  # an end on the other
        nx, ny, nz = oriented(cx, cy, cz, gx, gy, gz)
    else:  # end to end
        nx, ny, nz = oriented(ux, uy, uz, gx, gy, gz)
    if how == 0.0:
        if a_only != 0.0 and abs(nx * ux + ny * uy + nz * uz) > UPRIGHT * u:
            distance = FAR
        if b_only != 0.0 and abs(nx * vx + ny * vy + nz * vz) > UPRIGHT * v:
            distance = FAR
    return ax + s * ux, ay + s * uy, az + s * uz, bx + t * vx, by + t * vy, bz + t * vz, distance, nx, ny, nz


@kernel(PAIR)
def segment_segment(pose_a, pose_b, par, memory, out):
    """par: ends and radius of a, whether only its side touches, then those of b; 1.0 for bodies in a plane. The
    force acts midway."""
    ax, ay, az = placed(pose_a, par[0], par[1], par[2])
    ux, uy, uz = placed(pose_a, par[3], par[4], par[5])
    bx, by, bz = placed(pose_b, par[8], par[9], par[10])
    vx, vy, vz = placed(pose_b, par[11], par[12], par[13])
    order = first_of(ax, ay, az, bx, by, bz)
    if order == 0.0:
        order = first_of(ux, uy, uz, vx, vy, vz)
    ux -= ax
    uy -= ay
    uz -= az
    vx -= bx
    vy -= by
    vz -= bz
    # The same computation whichever of the two is called a, so that exchanging them changes no digit.
    if order < 0.0:
        bx, by, bz, ax, ay, az, distance, nx, ny, nz = capsules(
            bx, by, bz, vx, vy, vz, par[15], ax, ay, az, ux, uy, uz, par[7], par[16]
        )
        nx = -nx
        ny = -ny
        nz = -nz
    else:
        ax, ay, az, bx, by, bz, distance, nx, ny, nz = capsules(
            ax, ay, az, ux, uy, uz, par[7], bx, by, bz, vx, vy, vz, par[15], par[16]
        )
    ra = par[6]
    rb = par[14]
    out[GAP] = distance - (ra + rb)
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), ax - ra * nx, ay - ra * ny, az - ra * nz)
    put(offset(out, POINT_B), bx + rb * nx, by + rb * ny, bz + rb * nz)
    middle = offset(out, CONTACT_POINT)
    for k in range(3):
        middle[k] = 0.5 * (out[POINT_A + k] + out[POINT_B + k])


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    return (*a.numbers, *b.numbers, float(a.planar and b.planar))


SEGMENT_SEGMENT = Pair(segment_segment, numbers, meet=some_radius)
