"""Signed distance of a point from a mesh: the closest face, edge or vertex, and the side of its pseudo-normal."""

from __future__ import annotations

import math

from carom.geometry.bvh import TREE_NODE
from carom.geometry.mesh.tables import MESH_EDGE, MESH_TRIANGLE, MESH_VERTEX
from carom.kernels import floats, jit, offset

SURFACE_TOLERANCE = 1e-14
"""Ratio to the size of the mesh below which the distance from an edge or a vertex is rounding [-]."""


@jit
def table(mesh, start):
    """Return the table of a mesh that begins at number ``start``."""
    return offset(floats(int(mesh.tables)), int(start))


@jit
def squared_distance_from_node(node, x, y, z):
    """Return the squared distance of a point from the box of a node [m²]."""
    dx = max(max(node.low[0] - x, x - node.high[0]), 0.0)
    dy = max(max(node.low[1] - y, y - node.high[1]), 0.0)
    dz = max(max(node.low[2] - z, z - node.high[2]), 0.0)
    return dx * dx + dy * dy + dz * dz


@jit
def closest_on_triangle(mesh, triangle, x, y, z):
    """Return the squared distance of a point from a triangle [m²], the closest point there [m], and its feature.

    The feature is 0 for the face, 1 … 3 for the side from that corner to the next, 4 … 6 for a corner.
    """
    vertices = table(mesh, mesh.vertices_offset)
    nx = triangle.normal[0]
    ny = triangle.normal[1]
    nz = triangle.normal[2]
    is_above = True
    min_distance = 1e300
    feature = 0
    qx = x
    qy = y
    qz = z
    for k in range(3):
        a = MESH_VERTEX(vertices, int(triangle.vertices[k])).point
        b = MESH_VERTEX(vertices, int(triangle.vertices[(k + 1) % 3])).point
        ux = b[0] - a[0]
        uy = b[1] - a[1]
        uz = b[2] - a[2]
        dx = x - a[0]
        dy = y - a[1]
        dz = z - a[2]
        square = ux * ux + uy * uy + uz * uz
        if square == 0.0:  # a triangle that stands for an edge
            continue
        outside = dx * (uy * nz - uz * ny) + dy * (uz * nx - ux * nz) + dz * (ux * ny - uy * nx)
        if outside < 0.0:
            continue
        is_above = False
        fraction = (dx * ux + dy * uy + dz * uz) / square
        nearest = 1 + k
        if fraction <= 0.0:
            fraction = 0.0
            nearest = 4 + k
        elif fraction >= 1.0:
            fraction = 1.0
            nearest = 4 + (k + 1) % 3
        dx -= fraction * ux
        dy -= fraction * uy
        dz -= fraction * uz
        distance = dx * dx + dy * dy + dz * dz
        if distance < min_distance:
            min_distance = distance
            feature = nearest
            qx = x - dx
            qy = y - dy
            qz = z - dz
    if is_above:
        corner = MESH_VERTEX(vertices, int(triangle.vertices[0])).point
        height = (x - corner[0]) * nx + (y - corner[1]) * ny + (z - corner[2]) * nz
        return height * height, x - height * nx, y - height * ny, z - height * nz, 0
    return min_distance, qx, qy, qz, feature


@jit
def search_leaf(mesh, node, x, y, z, min_distance, best):
    """Return the least squared distance [m²] and the index of the closest triangle, after those of a leaf."""
    triangles = table(mesh, mesh.triangles_offset)
    first = int(node.first_triangle)
    for k in range(first, first + int(node.n_triangles)):
        distance, _, _, _, _ = closest_on_triangle(mesh, MESH_TRIANGLE(triangles, k), x, y, z)
        if distance < min_distance:
            min_distance = distance
            best = k
    return min_distance, best


@jit
def closest_triangle(mesh, x, y, z):
    """Return the index of the triangle closest to a point: the nearest leaf first, then all that may be nearer."""
    nodes = floats(int(mesh.tables))
    count = int(mesh.n_nodes)
    k = 0
    while int(TREE_NODE(nodes, k).next) - k > 1:
        first = k + 1
        second = int(TREE_NODE(nodes, first).next)
        k = first
        first_distance = squared_distance_from_node(TREE_NODE(nodes, first), x, y, z)
        if squared_distance_from_node(TREE_NODE(nodes, second), x, y, z) < first_distance:
            k = second
    min_distance = 1e300
    best = 0
    min_distance, best = search_leaf(mesh, TREE_NODE(nodes, k), x, y, z, min_distance, best)
    k = 0
    while k < count:
        node = TREE_NODE(nodes, k)
        if squared_distance_from_node(node, x, y, z) < min_distance:
            min_distance, best = search_leaf(mesh, node, x, y, z, min_distance, best)
            k += 1
        else:
            k = int(node.next)
    return best


@jit
def outward_normal(mesh, triangle, feature):
    """Return the normal of the face, or the pseudo-normal of the edge or the vertex (not of unit length)."""
    if feature > 3:
        vertex = int(triangle.vertices[feature - 4])
        normal = MESH_VERTEX(table(mesh, mesh.vertices_offset), vertex).normal
        return normal[0], normal[1], normal[2]
    if feature > 0:
        edge = int(triangle.edges[feature - 1])
        normal = MESH_EDGE(table(mesh, mesh.edges_offset), edge).normal
        return normal[0], normal[1], normal[2]
    return triangle.normal[0], triangle.normal[1], triangle.normal[2]


@jit
def distance_from_triangle(mesh, k, x, y, z):
    """Return the distance of a point from the mesh, whose closest triangle is ``k`` [m]: negative inside.

    The outward unit normal there follows.
    """
    triangle = MESH_TRIANGLE(table(mesh, mesh.triangles_offset), k)
    _, qx, qy, qz, feature = closest_on_triangle(mesh, triangle, x, y, z)
    nx, ny, nz = outward_normal(mesh, triangle, feature)
    dx = x - qx
    dy = y - qy
    dz = z - qz
    side = 1.0
    if dx * nx + dy * ny + dz * nz < 0.0:
        side = -1.0
    height = math.sqrt(dx * dx + dy * dy + dz * dz)
    if feature > 0 and height > SURFACE_TOLERANCE * mesh.size:
        return side * height, side * dx / height, side * dy / height, side * dz / height
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length == 0.0:  # the normals of the faces around a vertex cancel
        return side * height, 0.0, 0.0, 1.0
    return side * height, nx / length, ny / length, nz / length


@jit
def signed_distance(mesh, x, y, z):
    """Return the distance of a point from a mesh [m], negative inside, and the outward unit normal there."""
    return distance_from_triangle(mesh, closest_triangle(mesh, x, y, z), x, y, z)
