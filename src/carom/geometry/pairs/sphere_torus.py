"""Sphere and torus, or sphere in the cavity of a circular tube."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import PairKernel, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import axial_coordinates, reject_cavity, store_sphere_contact
from carom.geometry.shapes.sphere import SPHERE
from carom.geometry.shapes.torus import TORUS
from carom.kernels import record

PARAMS = record(sphere=SPHERE, torus=TORUS)


@pair_kernel(PARAMS)
def sphere_torus(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a torus (b)."""
    sphere = params.sphere
    torus = params.torus
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    ox, oy, oz = to_global(pose_b, torus.ox, torus.oy, torus.oz)
    ux, uy, uz = rotate(pose_b, torus.ux, torus.uy, torus.uz)
    axial, radial, ex, ey, ez = axial_coordinates(cx - ox, cy - oy, cz - oz, ux, uy, uz)
    radial -= torus.radius
    distance = math.sqrt(radial * radial + axial * axial)
    # The normal points away from the circle in the middle of the tube, in a cavity towards it.
    sign = 1.0
    if torus.tube_radius < 0.0:
        sign = -1.0
    e = 0.0
    u = 1.0
    if distance > 0.0:
        e = sign * radial / distance
        u = sign * axial / distance
    height = sign * distance - torus.tube_radius
    store_sphere_contact(
        out, cx, cy, cz, sphere.radius, e * ex + u * ux, e * ey + u * uy, e * ez + u * uz, height
    )  # fmt: skip


def check_tube(owner: str, a: Any, b: Any) -> None:
    """Raise for a cavity, or for a sphere larger than the tube that holds it."""
    reject_cavity(owner, a, b)
    if b.inside and a.radius > b.tube_radius:
        raise ModelError(
            f"{owner}: {a.label} must fit into the tube of {b.label}, got radius {a.radius:g} in {b.tube_radius:g}"
        )


SPHERE_TORUS = PairKernel(sphere_torus, PARAMS, check=check_tube)
