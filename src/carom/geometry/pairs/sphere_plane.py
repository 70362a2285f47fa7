"""Sphere and plane."""

from __future__ import annotations

from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import reject_cavity, store_sphere_contact
from carom.geometry.shapes.plane import PLANE
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import record

PARAMS = record(sphere=SPHERE, plane=PLANE)


@pair_kernel(PARAMS)
def sphere_plane(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) above a plane (b)."""
    sphere = params.sphere
    plane = params.plane
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    height = dot(cx - px, cy - py, cz - pz, nx, ny, nz)
    store_sphere_contact(out, cx, cy, cz, sphere.radius, nx, ny, nz, height)


SPHERE_PLANE = PairKernel(sphere_plane, PARAMS, check=reject_cavity)
