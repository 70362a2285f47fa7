"""Parts of two meshes that are near each other: triangles, listed for several searches, and what is deep inside."""

from __future__ import annotations

import math

from carom.geometry.bvh import TREE_NODE
from carom.geometry.mesh.signed_distance import signed_distance, table
from carom.geometry.mesh.tables import MESH_TRIANGLE, MESH_VERTEX
from carom.geometry.pairs.base import POSE, to_global
from carom.geometry.pairs.mesh_features import (
    check_triangles,
    check_vertex,
    heights_above,
    in_axes_of,
    is_checked,
    is_inside,
)
from carom.geometry.pairs.mesh_traversal import (
    STACK_SIZE,
    next_near_leaves,
    triangle_distance,
    triangle_separation,
)
from carom.geometry.pairs.spots import copy_pose
from carom.kernels import FLOAT, floats, jit, record, stack_floats

MAX_LISTED = 512
"""Largest number of near pairs of triangles that are remembered from search to search."""
NEAR_LIST = record(
    relative=POSE,  # pose of a in the axes of b when the pairs were listed
    reach=FLOAT,  # distance up to which they were listed [m]
    is_complete=FLOAT,  # 1.0 if the list holds all of them
    count=FLOAT,  # number of pairs
    first=(FLOAT, MAX_LISTED),  # triangles of a
    second=(FLOAT, MAX_LISTED),  # triangles of b
)
"""Pairs of triangles that may be near until the meshes have moved."""


@jit
def motion_since(a, relative, former):
    """Return a bound of the motion of all points of a between two poses in the axes of b [m]."""
    node = TREE_NODE(floats(int(a.tables)))
    x = 0.5 * (node.low[0] + node.high[0])
    y = 0.5 * (node.low[1] + node.high[1])
    z = 0.5 * (node.low[2] + node.high[2])
    radius = math.sqrt((node.high[0] - x) ** 2 + (node.high[1] - y) ** 2 + (node.high[2] - z) ** 2)
    px, py, pz = to_global(relative, x, y, z)
    qx, qy, qz = to_global(former, x, y, z)
    turn = (
        (relative.r11 - former.r11) ** 2 + (relative.r12 - former.r12) ** 2 + (relative.r13 - former.r13) ** 2
        + (relative.r21 - former.r21) ** 2 + (relative.r22 - former.r22) ** 2 + (relative.r23 - former.r23) ** 2
        + (relative.r31 - former.r31) ** 2 + (relative.r32 - former.r32) ** 2 + (relative.r33 - former.r33) ** 2
    )  # fmt: skip
    # A rotation by φ has ‖ΔR‖ = √8 sin φ/2, and moves a point by 2 ρ sin φ/2 at most.
    return math.sqrt((px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2) + math.sqrt(0.5 * turn) * radius


@jit
def list_triangles(a, b, search, listed, reach):
    """List all pairs of triangles that are not further apart than ``reach`` [m], and check them."""
    stack = stack_floats(STACK_SIZE)
    stack[0] = 0.0
    stack[1] = 0.0
    n = 2
    first = 0
    second = 1
    count = 0
    relative = search.relative
    while n > 0:
        ka, kb, n = next_near_leaves(a, b, relative, reach, stack, n)
        if ka < 0:
            break
        node_a = TREE_NODE(floats(int(a.tables)), ka)
        node_b = TREE_NODE(floats(int(b.tables)), kb)
        first_a = int(node_a.first_triangle)
        first_b = int(node_b.first_triangle)
        for i in range(first_a, first_a + int(node_a.n_triangles)):
            for j in range(first_b, first_b + int(node_b.n_triangles)):
                if triangle_separation(a, b, relative, i, j) > reach:
                    continue
                p, q, r = heights_above(a, b, relative, first, i, j)
                if min(p, min(q, r)) > reach:
                    continue
                p, q, r = heights_above(b, a, relative, second, j, i)
                if min(p, min(q, r)) > reach:
                    continue
                check_triangles(a, b, search, i, j)
                if count < MAX_LISTED:
                    listed.first[count] = float(i)
                    listed.second[count] = float(j)
                count += 1
    copy_pose(relative, listed.relative)
    listed.reach = reach
    listed.count = float(count)
    listed.is_complete = 1.0 if count <= MAX_LISTED else 0.0


@jit
def check_near_triangles(a, b, search, listed, margin):
    """Check all triangles of two meshes that are near each other; those in the list while the meshes moved little."""
    reach = search.band + a.radius + b.radius
    if listed.is_complete != 0.0 and reach + motion_since(a, search.relative, listed.relative) <= listed.reach:
        for k in range(int(listed.count)):
            check_triangles(a, b, search, int(listed.first[k]), int(listed.second[k]))
    else:
        list_triangles(a, b, search, listed, reach + margin)


@jit
def find_nearest_listed(a, b, search, listed, nearest):
    """Find the closest points of the listed triangles; return whether they are those of the meshes."""
    if listed.is_complete == 0.0:
        return False
    nearest.distance = listed.reach - motion_since(a, search.relative, listed.relative)
    is_found = False
    for k in range(int(listed.count)):
        i = int(listed.first[k])
        j = int(listed.second[k])
        before = nearest.distance
        if triangle_separation(a, b, search.relative, i, j) < before:
            triangle_distance(a, b, i, j, search.relative, nearest)
            is_found = is_found or nearest.distance < before
    return is_found


@jit
def check_inner_vertices(a, b, search, side):
    """Check all vertices of a (side 0) or b (side 1) that may be inside the other mesh, however deep."""
    mesh = a
    other = b
    if side == 1:
        mesh = b
        other = a
    nodes = floats(int(mesh.tables))
    triangles = table(mesh, mesh.triangles_offset)
    vertices = table(mesh, mesh.vertices_offset)
    k = 0
    while k < int(mesh.n_nodes):
        node = TREE_NODE(nodes, k)
        x = 0.5 * (node.low[0] + node.high[0])
        y = 0.5 * (node.low[1] + node.high[1])
        z = 0.5 * (node.low[2] + node.high[2])
        radius = math.sqrt((node.high[0] - x) ** 2 + (node.high[1] - y) ** 2 + (node.high[2] - z) ** 2)
        x, y, z = in_axes_of(search.relative, side, x, y, z)
        height, _, _, _ = signed_distance(other, x, y, z)
        if height - a.radius - b.radius > radius:
            k = int(node.next)
            continue
        first = int(node.first_triangle)
        for i in range(first, first + int(node.n_triangles)):
            triangle = MESH_TRIANGLE(triangles, i)
            for d in range(3):
                index = int(triangle.vertices[d])
                if MESH_VERTEX(vertices, index).is_sharp != 0.0 and not is_checked(search, side, index):
                    check_vertex(a, b, search, side, index)
        k += 1


@jit
def contains_component(a, b, relative, side):
    """Return whether a vertex of a component of a (side 0) or b (side 1) is inside the other mesh."""
    mesh = a
    other = b
    if side == 1:
        mesh = b
        other = a
    components = table(mesh, mesh.components_offset)
    vertices = table(mesh, mesh.vertices_offset)
    root = TREE_NODE(floats(int(other.tables)))
    for k in range(int(mesh.n_components)):
        v = MESH_VERTEX(vertices, int(components[k])).point
        x, y, z = in_axes_of(relative, side, v[0], v[1], v[2])
        if x < root.low[0] or x > root.high[0] or y < root.low[1] or y > root.high[1]:
            continue
        if z >= root.low[2] and z <= root.high[2] and is_inside(other, x, y, z):
            return True
    return False
