"""Common parts of sphere pairs: output, coordinates about an axis, and checks of the shapes."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import NO_CONTACT, store
from carom.kernels import jit


@jit
def store_sphere_contact(out, cx, cy, cz, radius, nx, ny, nz, height):
    """Store the contact of a sphere with a surface that is ``height`` [m] below its centre c along the unit normal n.

    The force acts on that surface.
    """
    out.gap = height - radius
    store(out.normal, nx, ny, nz)
    store(out.point_a, cx - radius * nx, cy - radius * ny, cz - radius * nz)
    store(out.point_b, cx - height * nx, cy - height * ny, cz - height * nz)
    store(out.force_point, cx - height * nx, cy - height * ny, cz - height * nz)


@jit
def store_contact_of_face(out, cx, cy, cz, radius, nx, ny, nz, height, on_face, ignores_edges):
    """Store the contact of a sphere with a surface that has edges; these do not touch if ``ignores_edges`` is not 0."""
    store_sphere_contact(out, cx, cy, cz, radius, nx, ny, nz, height)
    if ignores_edges != 0.0 and not on_face:
        out.gap = NO_CONTACT


@jit
def perpendicular_to(ux, uy, uz):
    """Return a unit vector perpendicular to the unit vector u: to its left in the xy-plane, or x if u is along z."""
    length = math.sqrt(ux * ux + uy * uy)
    if length > 0.1:
        return -uy / length, ux / length, 0.0
    length = math.sqrt(1.0 - ux * ux)
    return length, -ux * uy / length, -ux * uz / length


@jit
def axial_coordinates(x, y, z, ux, uy, uz):
    """Return the components of a vector along the unit vector u and radial to it, and the radial unit vector."""
    axial = x * ux + y * uy + z * uz
    ex = x - axial * ux
    ey = y - axial * uy
    ez = z - axial * uz
    radius = math.sqrt(ex * ex + ey * ey + ez * ez)
    if radius > 0.0:
        ex /= radius
        ey /= radius
        ez /= radius
        # Close to the axis, rounding leaves a component along it.
        rest = ex * ux + ey * uy + ez * uz
        ex -= rest * ux
        ey -= rest * uy
        ez -= rest * uz
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        if length > 0.5:
            return axial, radius, ex / length, ey / length, ez / length
    ex, ey, ez = perpendicular_to(ux, uy, uz)
    return axial, radius, ex, ey, ez


def reject_cavity(owner: str, a: Any, b: Any) -> None:
    """Raise if the sphere ``a`` is a cavity."""
    if a.inside:
        raise ModelError(f"{owner}: {a.label} is a cavity, which only a sphere can touch; {b.label} cannot")


def require_radius(owner: str, a: Any, b: Any) -> None:
    """Raise if neither shape has a thickness: such shapes never touch."""
    if a.radius == 0.0 and b.thin:
        raise ModelError(
            f"{owner}: {a.label} and {b.label} can never touch, as neither has a radius; set a radius or use a Sphere"
        )
