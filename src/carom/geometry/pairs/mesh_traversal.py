"""Two trees of boxes at once: pairs of leaves that are close, and the distance of two meshes.

Boxes of mesh a are turned into the axes of mesh b, which are those of all results.
"""

from __future__ import annotations

import math

from carom.geometry.bvh import TREE_NODE
from carom.geometry.mesh.signed_distance import closest_on_triangle, table
from carom.geometry.mesh.tables import MESH_TRIANGLE, MESH_VERTEX
from carom.geometry.pairs.base import NO_CONTACT, to_global, to_local
from carom.geometry.pairs.segment_distance import closest_fractions
from carom.kernels import FLOAT, floats, jit, record, stack_floats

NEAREST = record(
    distance=FLOAT,  # least so far [m]
    triangle_a=FLOAT,
    triangle_b=FLOAT,
    p=(FLOAT, 3),  # point of a [m]
    q=(FLOAT, 3),  # point of b [m]
)
"""Closest points of two meshes without their radii, in the axes of b."""
STACK_SIZE = 256
"""Numbers on the stack of pairs of nodes: two for each level of both trees."""


@jit
def box_separation(node_a, node_b, relative):
    """Return the distance of two boxes along the axes of b, x, y and z [m]; negative where they overlap."""
    hx = 0.5 * (node_a.high[0] - node_a.low[0])
    hy = 0.5 * (node_a.high[1] - node_a.low[1])
    hz = 0.5 * (node_a.high[2] - node_a.low[2])
    x, y, z = to_global(
        relative,
        0.5 * (node_a.high[0] + node_a.low[0]),
        0.5 * (node_a.high[1] + node_a.low[1]),
        0.5 * (node_a.high[2] + node_a.low[2]),
    )
    ex = abs(relative.r11) * hx + abs(relative.r12) * hy + abs(relative.r13) * hz
    ey = abs(relative.r21) * hx + abs(relative.r22) * hy + abs(relative.r23) * hz
    ez = abs(relative.r31) * hx + abs(relative.r32) * hy + abs(relative.r33) * hz
    return (
        max(x - ex - node_b.high[0], node_b.low[0] - x - ex),
        max(y - ey - node_b.high[1], node_b.low[1] - y - ey),
        max(z - ez - node_b.high[2], node_b.low[2] - z - ez),
    )


@jit
def box_separation_in_a(node_a, node_b, relative):
    """Return the largest distance of two boxes along an axis of a [m]; negative if they overlap."""
    hx = 0.5 * (node_b.high[0] - node_b.low[0])
    hy = 0.5 * (node_b.high[1] - node_b.low[1])
    hz = 0.5 * (node_b.high[2] - node_b.low[2])
    x, y, z = to_local(
        relative,
        0.5 * (node_b.high[0] + node_b.low[0]),
        0.5 * (node_b.high[1] + node_b.low[1]),
        0.5 * (node_b.high[2] + node_b.low[2]),
    )
    ex = abs(relative.r11) * hx + abs(relative.r21) * hy + abs(relative.r31) * hz
    ey = abs(relative.r12) * hx + abs(relative.r22) * hy + abs(relative.r32) * hz
    ez = abs(relative.r13) * hx + abs(relative.r23) * hy + abs(relative.r33) * hz
    return max(
        max(x - ex - node_a.high[0], node_a.low[0] - x - ex),
        max(
            max(y - ey - node_a.high[1], node_a.low[1] - y - ey),
            max(z - ez - node_a.high[2], node_a.low[2] - z - ez),
        ),
    )


@jit
def longest_side(node):
    """Return the sum of the sides of the box of a node [m]."""
    return node.high[0] + node.high[1] + node.high[2] - node.low[0] - node.low[1] - node.low[2]


@jit
def divides_first(nodes_a, ka, nodes_b, kb):
    """Return whether the node of a is to be divided, the larger one that is not a leaf."""
    a = TREE_NODE(nodes_a, ka)
    b = TREE_NODE(nodes_b, kb)
    if int(b.next) - kb == 1:
        return True
    if int(a.next) - ka == 1:
        return False
    return longest_side(a) >= longest_side(b)


@jit
def next_near_leaves(a, b, relative, limit, stack, n):
    """Return the next two leaves whose boxes are not further apart than ``limit`` [m], and the height of the stack.

    The leaves are −1 at the end. The caller puts the pair of roots on the stack.
    """
    nodes_a = floats(int(a.tables))
    nodes_b = floats(int(b.tables))
    while n > 0:
        n -= 2
        ka = int(stack[n])
        kb = int(stack[n + 1])
        node_a = TREE_NODE(nodes_a, ka)
        node_b = TREE_NODE(nodes_b, kb)
        x, y, z = box_separation(node_a, node_b, relative)
        if max(x, max(y, z)) > limit or box_separation_in_a(node_a, node_b, relative) > limit:
            continue
        if int(node_a.next) - ka == 1 and int(node_b.next) - kb == 1:
            return ka, kb, n
        if divides_first(nodes_a, ka, nodes_b, kb):
            first = ka + 1
            stack[n] = float(int(TREE_NODE(nodes_a, first).next))
            stack[n + 1] = float(kb)
            stack[n + 2] = float(first)
            stack[n + 3] = float(kb)
        else:
            first = kb + 1
            stack[n] = float(ka)
            stack[n + 1] = float(int(TREE_NODE(nodes_b, first).next))
            stack[n + 2] = float(ka)
            stack[n + 3] = float(first)
        n += 4
    return -1, -1, 0


@jit
def box_distance(nodes_a, ka, nodes_b, kb, relative):
    """Return a lower bound of the distance of two nodes [m]."""
    node_a = TREE_NODE(nodes_a, ka)
    node_b = TREE_NODE(nodes_b, kb)
    x, y, z = box_separation(node_a, node_b, relative)
    x = max(x, 0.0)
    y = max(y, 0.0)
    z = max(z, 0.0)
    return max(math.sqrt(x * x + y * y + z * z), box_separation_in_a(node_a, node_b, relative))


@jit
def keep_nearest(nearest, i, j, px, py, pz, qx, qy, qz):
    """Store two points of the triangles i and j if they are closer than the closest so far."""
    distance = math.sqrt((px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2)
    if distance < nearest.distance:
        nearest.distance = distance
        nearest.triangle_a = float(i)
        nearest.triangle_b = float(j)
        nearest.p[0] = px
        nearest.p[1] = py
        nearest.p[2] = pz
        nearest.q[0] = qx
        nearest.q[1] = qy
        nearest.q[2] = qz


@jit
def triangle_distance(a, b, i, j, relative, nearest):
    """Update the closest points by those of two triangles: corners with triangles, sides with sides."""
    one = MESH_TRIANGLE(table(a, a.triangles_offset), i)
    two = MESH_TRIANGLE(table(b, b.triangles_offset), j)
    vertices_a = table(a, a.vertices_offset)
    vertices_b = table(b, b.vertices_offset)
    for k in range(3):
        v = MESH_VERTEX(vertices_a, int(one.vertices[k])).point
        x, y, z = to_global(relative, v[0], v[1], v[2])
        _, qx, qy, qz, _ = closest_on_triangle(b, two, x, y, z)
        keep_nearest(nearest, i, j, x, y, z, qx, qy, qz)
        v = MESH_VERTEX(vertices_b, int(two.vertices[k])).point
        x, y, z = to_local(relative, v[0], v[1], v[2])
        _, x, y, z, _ = closest_on_triangle(a, one, x, y, z)
        px, py, pz = to_global(relative, x, y, z)
        keep_nearest(nearest, i, j, px, py, pz, v[0], v[1], v[2])
    for k in range(3):
        s = MESH_VERTEX(vertices_a, int(one.vertices[k])).point
        e = MESH_VERTEX(vertices_a, int(one.vertices[(k + 1) % 3])).point
        sx, sy, sz = to_global(relative, s[0], s[1], s[2])
        ex, ey, ez = to_global(relative, e[0], e[1], e[2])
        ux = ex - sx
        uy = ey - sy
        uz = ez - sz
        for m in range(3):
            q = MESH_VERTEX(vertices_b, int(two.vertices[m])).point
            r = MESH_VERTEX(vertices_b, int(two.vertices[(m + 1) % 3])).point
            vx = r[0] - q[0]
            vy = r[1] - q[1]
            vz = r[2] - q[2]
            if ux * ux + uy * uy + uz * uz == 0.0 or vx * vx + vy * vy + vz * vz == 0.0:
                continue
            f, g, _, _, _, _ = closest_fractions(sx - q[0], sy - q[1], sz - q[2], ux, uy, uz, vx, vy, vz)
            keep_nearest(
                nearest, i, j, sx + f * ux, sy + f * uy, sz + f * uz, q[0] + g * vx, q[1] + g * vy, q[2] + g * vz
            )


@jit
def triangle_separation(a, b, relative, i, j):
    """Return the largest distance of the boxes around two triangles along an axis of b [m]; negative: overlap."""
    vertices_a = table(a, a.vertices_offset)
    vertices_b = table(b, b.vertices_offset)
    one = MESH_TRIANGLE(table(a, a.triangles_offset), i)
    two = MESH_TRIANGLE(table(b, b.triangles_offset), j)
    first = 0
    second = 1
    third = 2
    v = MESH_VERTEX(vertices_a, int(one.vertices[first])).point
    px, py, pz = to_global(relative, v[0], v[1], v[2])
    v = MESH_VERTEX(vertices_a, int(one.vertices[second])).point
    qx, qy, qz = to_global(relative, v[0], v[1], v[2])
    v = MESH_VERTEX(vertices_a, int(one.vertices[third])).point
    rx, ry, rz = to_global(relative, v[0], v[1], v[2])
    u = MESH_VERTEX(vertices_b, int(two.vertices[first])).point
    v = MESH_VERTEX(vertices_b, int(two.vertices[second])).point
    w = MESH_VERTEX(vertices_b, int(two.vertices[third])).point
    x = max(min(px, min(qx, rx)) - max(u[0], max(v[0], w[0])), min(u[0], min(v[0], w[0])) - max(px, max(qx, rx)))
    y = max(min(py, min(qy, ry)) - max(u[1], max(v[1], w[1])), min(u[1], min(v[1], w[1])) - max(py, max(qy, ry)))
    z = max(min(pz, min(qz, rz)) - max(u[2], max(v[2], w[2])), min(u[2], min(v[2], w[2])) - max(pz, max(qz, rz)))
    return max(x, max(y, z))


@jit
def leaf_distance(a, b, ka, kb, relative, nearest):
    """Update the closest points by those of all triangles of two leaves."""
    node_a = TREE_NODE(floats(int(a.tables)), ka)
    node_b = TREE_NODE(floats(int(b.tables)), kb)
    first_a = int(node_a.first_triangle)
    first_b = int(node_b.first_triangle)
    for i in range(first_a, first_a + int(node_a.n_triangles)):
        for j in range(first_b, first_b + int(node_b.n_triangles)):
            if triangle_separation(a, b, relative, i, j) < nearest.distance:
                triangle_distance(a, b, i, j, relative, nearest)


@jit
def find_nearest(a, b, relative, nearest):
    """Find the closest points of two meshes that do not intersect; start from the triangles of the last search."""
    stack = stack_floats(STACK_SIZE)
    nodes_a = floats(int(a.tables))
    nodes_b = floats(int(b.tables))
    last_a = int(nearest.triangle_a)
    last_b = int(nearest.triangle_b)
    nearest.distance = NO_CONTACT
    triangle_distance(a, b, last_a, last_b, relative, nearest)
    stack[0] = 0.0
    stack[1] = 0.0
    n = 2
    while n > 0:
        n -= 2
        ka = int(stack[n])
        kb = int(stack[n + 1])
        if box_distance(nodes_a, ka, nodes_b, kb, relative) >= nearest.distance:
            continue
        if int(TREE_NODE(nodes_a, ka).next) - ka == 1 and int(TREE_NODE(nodes_b, kb).next) - kb == 1:
            leaf_distance(a, b, ka, kb, relative, nearest)
            continue
        first_a = ka
        first_b = kb
        second_a = ka
        second_b = kb
        if divides_first(nodes_a, ka, nodes_b, kb):
            first_a = ka + 1
            second_a = int(TREE_NODE(nodes_a, first_a).next)
        else:
            first_b = kb + 1
            second_b = int(TREE_NODE(nodes_b, first_b).next)
        first = box_distance(nodes_a, first_a, nodes_b, first_b, relative)
        second = box_distance(nodes_a, second_a, nodes_b, second_b, relative)
        if first < second:  # the nearer one is visited first
            first_a, second_a = second_a, first_a
            first_b, second_b = second_b, first_b
        stack[n] = float(first_a)
        stack[n + 1] = float(first_b)
        stack[n + 2] = float(second_a)
        stack[n + 3] = float(second_b)
        n += 4


@jit
def rotate_back(pose, x, y, z):
    """Return a vector of global axes in body axes."""
    return (
        pose.r11 * x + pose.r21 * y + pose.r31 * z,
        pose.r12 * x + pose.r22 * y + pose.r32 * z,
        pose.r13 * x + pose.r23 * y + pose.r33 * z,
    )


@jit
def store_relative_pose(pose_a, pose_b, out):
    """Store the pose of a in the axes of b."""
    out.x, out.y, out.z = to_local(pose_b, pose_a.x, pose_a.y, pose_a.z)
    out.r11, out.r21, out.r31 = rotate_back(pose_b, pose_a.r11, pose_a.r21, pose_a.r31)
    out.r12, out.r22, out.r32 = rotate_back(pose_b, pose_a.r12, pose_a.r22, pose_a.r32)
    out.r13, out.r23, out.r33 = rotate_back(pose_b, pose_a.r13, pose_a.r23, pose_a.r33)
