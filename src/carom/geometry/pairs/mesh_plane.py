"""Mesh and plane: the lowest vertices.

Only a vertex that is further than its neighbours in some direction can touch a plane first; vertices within a flat face
or a straight edge are left out.
"""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.geometry.bvh import TREE_NODE
from carom.geometry.mesh.signed_distance import table
from carom.geometry.mesh.tables import MESH, MESH_TRIANGLE, MESH_VERTEX
from carom.geometry.pairs.base import (
    NO_CONTACT,
    PairKernel,
    dot,
    pair_kernel,
    rotate,
    store,
    store_midpoint,
    to_global,
    to_local,
)
from carom.geometry.pairs.spot_selection import (
    CANDIDATE,
    CANDIDATE_NUMBERS,
    CANDIDATES,
    MAX_SPOTS,
    MESH_SLOTS,
    VERTEX,
    add_candidate,
    choose_spots,
    keep_spots,
    read_mesh_slot,
)
from carom.geometry.pairs.spots import POSES, is_prepared, store_poses
from carom.geometry.shapes.plane import PLANE
from carom.kernels import FLOAT, address_of, floats, jit, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: lowest vertex; 1 … 16: slot of a spot
    mesh=MESH,
    plane=PLANE,
)
MEMORY = record(poses=POSES, slots=MESH_SLOTS)
"""Poses for which the slots hold."""

MERGE_RATIO = 1e-9
"""Distance of two vertices that are one, per size of the mesh [-]."""
HEAD_NUMBERS = CANDIDATES.size


@jit
def lowest_corner(node, nx, ny, nz):
    """Return the least height of the box of a node along n [m]."""
    return (
        (node.low[0] if nx > 0.0 else node.high[0]) * nx
        + (node.low[1] if ny > 0.0 else node.high[1]) * ny
        + (node.low[2] if nz > 0.0 else node.high[2]) * nz
    )


@jit
def lowest_vertex(mesh, nx, ny, nz):
    """Return the least height of a vertex along n [m], and its index."""
    nodes = floats(int(mesh.tables))
    triangles = table(mesh, mesh.triangles_offset)
    vertices = table(mesh, mesh.vertices_offset)
    count = int(mesh.n_nodes)
    lowest = NO_CONTACT
    best = 0
    k = 0
    while k < count:
        node = TREE_NODE(nodes, k)
        if lowest_corner(node, nx, ny, nz) >= lowest:
            k = int(node.next)
            continue
        first = int(node.first_triangle)
        for i in range(first, first + int(node.n_triangles)):
            triangle = MESH_TRIANGLE(triangles, i)
            for d in range(3):
                p = MESH_VERTEX(vertices, int(triangle.vertices[d])).point
                height = dot(p[0], p[1], p[2], nx, ny, nz)
                if height < lowest:
                    lowest = height
                    best = int(triangle.vertices[d])
        k += 1
    return lowest, best


@jit
def collect_vertices(mesh, level, limit, nx, ny, nz, candidates):
    """Collect all supporting vertices below ``limit`` along n; their gaps are heights above ``level`` [m]."""
    nodes = floats(int(mesh.tables))
    triangles = table(mesh, mesh.triangles_offset)
    vertices = table(mesh, mesh.vertices_offset)
    count = int(mesh.n_nodes)
    k = 0
    while k < count:
        node = TREE_NODE(nodes, k)
        if lowest_corner(node, nx, ny, nz) > limit:
            k = int(node.next)
            continue
        first = int(node.first_triangle)
        for i in range(first, first + int(node.n_triangles)):
            triangle = MESH_TRIANGLE(triangles, i)
            for d in range(3):
                if triangle.owned_vertices[d] != 0.0:
                    vertex = MESH_VERTEX(vertices, int(triangle.vertices[d]))
                    p = vertex.point
                    x = p[0]
                    y = p[1]
                    z = p[2]
                    height = dot(x, y, z, nx, ny, nz)
                    gap = height - level
                    if height <= limit:
                        key = triangle.vertices[d]
                        add_candidate(
                            candidates, VERTEX, key, vertex.rank, gap, nx, ny, nz, x, y, z,
                            x - gap * nx, y - gap * ny, z - gap * nz,
                        )  # fmt: skip
        k += 1


@jit
def find_spots(pose_a, pose_b, params, memory, level, nx, ny, nz):
    """Find the spots of a mesh on a plane, whose height along n is ``level`` [m], in the axes of the mesh."""
    mesh = params.mesh
    head = stack_floats(HEAD_NUMBERS)
    spots = stack_floats(CANDIDATE_NUMBERS)
    candidates = CANDIDATES(head)
    candidates.table = float(address_of(spots))
    candidates.count = 0.0
    candidates.merge_distance = MERGE_RATIO * mesh.size
    lowest, _ = lowest_vertex(mesh, nx, ny, nz)
    limit = max(level, lowest) + mesh.band
    collect_vertices(mesh, level, limit, nx, ny, nz, candidates)
    choose_spots(candidates, mesh.size)
    keep_spots(pose_a, candidates, memory.slots)
    store_poses(pose_a, pose_b, memory.poses)


@pair_kernel(PARAMS, MEMORY)
def mesh_plane(pose_a, pose_b, params, memory, out):
    """Compute the contact of a mesh (a) with a plane (b), or one spot of it; the force acts midway."""
    plane = params.plane
    if params.point_index != 0.0 and is_prepared(pose_a, pose_b, memory.poses):
        read_mesh_slot(CANDIDATE(memory.slots, int(params.point_index) - 1), out)
        return
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    qx, qy, qz = to_local(pose_a, px, py, pz)
    mx, my, mz = to_local(pose_a, pose_a.x + nx, pose_a.y + ny, pose_a.z + nz)
    level = dot(qx, qy, qz, mx, my, mz)
    if params.point_index != 0.0:
        find_spots(pose_a, pose_b, params, memory, level, mx, my, mz)
        read_mesh_slot(CANDIDATE(memory.slots, int(params.point_index) - 1), out)
        return
    _, k = lowest_vertex(params.mesh, mx, my, mz)
    p = MESH_VERTEX(table(params.mesh, params.mesh.vertices_offset), k).point
    x, y, z = to_global(pose_a, p[0], p[1], p[2])
    gap = dot(x - px, y - py, z - pz, nx, ny, nz)
    out.gap = gap
    store(out.normal, nx, ny, nz)
    store(out.point_a, x, y, z)
    store(out.point_b, x - gap * nx, y - gap * ny, z - gap * nz)
    store_midpoint(out)


def require_solid(owner: str, a: Any, b: Any) -> None:
    """Raise for an open mesh, which has no inside."""
    for shape, other in ((a, b), (b, a)):
        if shape.kind == "Mesh" and shape.thin:
            raise ModelError(
                f"{owner}: {shape.label} is not closed, so that it has no inside where {other.label} could be: "
                f"{shape.open_edges} of its edges do not join two faces of the same orientation; close it"
            )


MESH_PLANE = PairKernel(
    mesh_plane, PARAMS, warm_start=(0.0,) * MEMORY.size, check=require_solid, contact_points=MAX_SPOTS,
    shares_warm_start=True,
)  # fmt: skip
