"""Sphere and cone or cylinder: side, ends and rims of the solid, or side and rims of the thin shell."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import axial_coordinates, reject_cavity, require_radius, store_contact_of_face
from carom.geometry.shapes.cone import CONE
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import jit, record

PARAMS = record(sphere=SPHERE, cone=CONE)


@jit
def height_above_cone(radial, axial, start_radius, end_radius, half, is_shell):
    """Return the normal and the height [m] of a point above a cone, and whether the point is above a face.

    The point has the coordinates ``radial`` and ``axial`` from the middle of the axis; the cone has ``start_radius``
    at −half and ``end_radius`` at +half. The result is the radial and the axial component of the unit normal, the
    height along it, and the flag.
    """
    slope = end_radius - start_radius
    side = math.sqrt(4.0 * half * half + slope * slope)
    radial_part = 2.0 * half / side
    axial_part = -slope / side
    none = 0.0
    # Height above the side, and position along it.
    height = (radial - start_radius) * radial_part + (axial + half) * axial_part
    position = (axial + half) * radial_part - (radial - start_radius) * axial_part
    if is_shell != 0.0:
        if height <= 0.0:  # a point on the shell is pushed inwards
            height = -height
            radial_part = -radial_part
            axial_part = -axial_part
    else:
        below = -half - axial
        above = axial - half
        if max(height, max(below, above)) <= 0.0:  # inside the solid, the nearest face counts
            if height < below and above <= below:
                return none, -1.0, below, True
            if height < above:
                return none, 1.0, above, True
            return radial_part, axial_part, height, True
        if below > 0.0 and radial <= start_radius:
            return none, -1.0, below, True
        if above > 0.0 and radial <= end_radius:
            return none, 1.0, above, True
    if 0.0 <= position <= side:
        return radial_part, axial_part, height, True
    if position < 0.0:
        radial -= start_radius
        axial += half
    else:
        radial -= end_radius
        axial -= half
    distance = math.sqrt(radial * radial + axial * axial)
    if distance > 0.0:
        radial_part = radial / distance
        axial_part = axial / distance
    return radial_part, axial_part, distance, False


@pair_kernel(PARAMS)
def sphere_cone(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a cone or cylinder (b)."""
    sphere = params.sphere
    cone = params.cone
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    ox, oy, oz = to_global(pose_b, cone.ox, cone.oy, cone.oz)
    ux, uy, uz = rotate(pose_b, cone.ux, cone.uy, cone.uz)
    axial, radial, ex, ey, ez = axial_coordinates(cx - ox, cy - oy, cz - oz, ux, uy, uz)
    e, u, height, on_face = height_above_cone(
        radial, axial, cone.start_radius, cone.end_radius, cone.half_length, cone.is_shell
    )
    nx = e * ex + u * ux
    ny = e * ey + u * uy
    nz = e * ez + u * uz
    store_contact_of_face(out, cx, cy, cz, sphere.radius, nx, ny, nz, height, on_face, cone.ignores_edges)


SPHERE_CONE = PairKernel(sphere_cone, PARAMS, check=reject_cavity, check_contact=require_radius)
SPHERE_CYLINDER = SPHERE_CONE
"""A cylinder has the parameters of a cone with two equal radii."""
