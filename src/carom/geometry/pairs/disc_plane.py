"""Thin disc or torus and plane: the rim of the disc, which has the thickness of the tube of a torus."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, require_edge_contact, rotate, to_global
from carom.geometry.pairs.sphere_common import perpendicular_to, store_sphere_contact
from carom.geometry.shapes.disc import DISC
from carom.geometry.shapes.plane import PLANE
from carom.kernels import FLOAT, record

PARAMS = record(
    point_index=FLOAT,  # 0: lowest point of the rim, or centre if it lies flat; 1: lowest point; 2, 3: at ±120° from it
    disc=DISC,
    plane=PLANE,
    tube_radius=FLOAT,  # [m], 0 for a disc
)

FLAT_SINE = 1e-12
"""Sine of the angle between disc and plane below which the disc lies flat [-]."""


@pair_kernel(PARAMS)
def disc_plane(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of the rim of a disc or torus (a) with a plane (b); the force acts on the plane."""
    disc = params.disc
    plane = params.plane
    x, y, z = to_global(pose_a, disc.ox, disc.oy, disc.oz)
    ux, uy, uz = rotate(pose_a, disc.ux, disc.uy, disc.uz)
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    # d points down in the disc, e is perpendicular to d in the disc.
    cosine = nx * ux + ny * uy + nz * uz
    dx = cosine * ux - nx
    dy = cosine * uy - ny
    dz = cosine * uz - nz
    sine = math.sqrt(dx * dx + dy * dy + dz * dz)
    radius = disc.radius
    if sine > FLAT_SINE:
        dx /= sine
        dy /= sine
        dz /= sine
    else:
        dx, dy, dz = perpendicular_to(disc.ux, disc.uy, disc.uz)
        dx, dy, dz = rotate(pose_a, dx, dy, dz)
        if params.point_index == 0.0:
            radius = 0.0
    ex = uy * dz - uz * dy
    ey = uz * dx - ux * dz
    ez = ux * dy - uy * dx
    angle = max(params.point_index - 1.0, 0.0) * 2.0 * math.pi / 3.0
    c = radius * math.cos(angle)
    s = radius * math.sin(angle)
    x += c * dx + s * ex
    y += c * dy + s * ey
    z += c * dz + s * ez
    height = dot(x - px, y - py, z - pz, nx, ny, nz)
    store_sphere_contact(out, x, y, z, params.tube_radius, nx, ny, nz, height)


def parameters_of_disc(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a disc and a plane."""
    return (*a.parameters, *b.parameters, 0.0)


def parameters_of_torus(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a torus and a plane."""
    circle = (*a.at, *a.axis, a.radius, 0.0)
    return (*circle, *b.parameters, a.tube_radius)


def require_solid(owner: str, a: Any, b: Any) -> None:
    """Raise if the torus ``a`` is a cavity."""
    if a.inside:
        raise ModelError(f"{owner}: {a.label} is a cavity, which only a sphere can touch; {b.label} cannot")


DISC_PLANE = PairKernel(disc_plane, PARAMS, parameters_of_disc, check=require_edge_contact("rim"), contact_points=3)
TORUS_PLANE = PairKernel(disc_plane, PARAMS, parameters_of_torus, check=require_solid, contact_points=3)
