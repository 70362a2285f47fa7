"""Sphere and mesh: the closest face, edge or vertex."""

from __future__ import annotations

from carom.geometry.mesh.signed_distance import signed_distance
from carom.geometry.mesh.tables import MESH
from carom.geometry.pairs.base import PairKernel, pair_kernel, rotate, to_global, to_local
from carom.geometry.pairs.sphere_common import reject_cavity, require_radius, store_sphere_contact
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import record

PARAMS = record(sphere=SPHERE, mesh=MESH)


@pair_kernel(PARAMS)
def sphere_mesh(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a mesh (b); the force acts on the surface of the mesh."""
    sphere = params.sphere
    mesh = params.mesh
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    px, py, pz = to_local(pose_b, cx, cy, cz)
    height, nx, ny, nz = signed_distance(mesh, px, py, pz)
    if mesh.is_solid == 0.0 and height < 0.0:
        nx = -nx
        ny = -ny
        nz = -nz
        height = -height
    nx, ny, nz = rotate(pose_b, nx, ny, nz)
    store_sphere_contact(out, cx, cy, cz, sphere.radius, nx, ny, nz, height)


SPHERE_MESH = PairKernel(sphere_mesh, PARAMS, check=reject_cavity, check_contact=require_radius)
