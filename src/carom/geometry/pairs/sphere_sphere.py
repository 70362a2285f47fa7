"""Two spheres outside each other, or a sphere in a spherical cavity."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import POSE, PairKernel, pair_kernel, store, store_midpoint, to_global
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import address_of, floats, jit, record

PARAMS = record(a=SPHERE, b=SPHERE)
POSE_SIZE = POSE.size


@jit
def concentric_direction(pose_a, pose_b, a, b):
    """Return the x component of the normal of concentric spheres: 1.0 or −1.0, opposite when a and b are exchanged.

    The radii decide, or else the first number in which the spheres differ.
    """
    if abs(a.radius) != abs(b.radius):
        if abs(a.radius) < abs(b.radius):
            return 1.0
        return -1.0
    numbers_a = floats(address_of(pose_a))
    numbers_b = floats(address_of(pose_b))
    for k in range(POSE_SIZE):
        if numbers_a[k] != numbers_b[k]:
            if numbers_a[k] < numbers_b[k]:
                return 1.0
            return -1.0
    centre_a = floats(address_of(a))
    centre_b = floats(address_of(b))
    for k in range(3):
        if centre_a[k] < centre_b[k]:
            return 1.0
        if centre_a[k] > centre_b[k]:
            return -1.0
    return 1.0


@pair_kernel(PARAMS)
def sphere_sphere(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of two spheres; the force acts midway between the surfaces."""
    a = params.a
    b = params.b
    ax, ay, az = to_global(pose_a, a.cx, a.cy, a.cz)
    bx, by, bz = to_global(pose_b, b.cx, b.cy, b.cz)
    dx = ax - bx
    dy = ay - by
    dz = az - bz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    # The normal points from b to a along the line of centres, in a cavity from its wall to the sphere.
    sign = 1.0
    if a.radius < 0.0 or b.radius < 0.0:
        sign = -1.0
    nx = 0.0
    ny = 0.0
    nz = 0.0
    if distance > 0.0:
        nx = sign * dx / distance
        ny = sign * dy / distance
        nz = sign * dz / distance
    else:
        nx = concentric_direction(pose_a, pose_b, a, b)
    out.gap = sign * distance - (a.radius + b.radius)
    store(out.normal, nx, ny, nz)
    store(out.point_a, ax - a.radius * nx, ay - a.radius * ny, az - a.radius * nz)
    store(out.point_b, bx + b.radius * nx, by + b.radius * ny, bz + b.radius * nz)
    store_midpoint(out)


def check_cavity(owner: str, a: Any, b: Any) -> None:
    """Raise for two cavities, or for a sphere larger than the cavity."""
    if a.inside and b.inside:
        raise ModelError(f"{owner}: {a.label} and {b.label} are both cavities; one of them must be solid")
    if (a.inside or b.inside) and a.signed_radius + b.signed_radius > 0.0:
        sphere, cavity = (a, b) if b.inside else (b, a)
        raise ModelError(
            f"{owner}: {sphere.label} must fit into the cavity of {cavity.label}, "
            f"got radius {sphere.radius:g} in {cavity.radius:g}"
        )


def require_a_radius(owner: str, a: Any, b: Any) -> None:
    """Raise for two points."""
    if a.radius == 0.0 and b.radius == 0.0:
        raise ModelError(f"{owner}: {a.label} and {b.label} are both points and can never touch; set a radius for one")


SPHERE_SPHERE = PairKernel(sphere_sphere, PARAMS, check=check_cavity, check_contact=require_a_radius)
