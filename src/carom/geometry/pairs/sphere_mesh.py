"""Sphere and mesh: the closest face, edge or vertex."""

from __future__ import annotations

import math

from carom.geometry.bvh import TREE_NODE
from carom.geometry.pairs.base import PairKernel, pair_kernel, rotate, to_global, to_local
from carom.geometry.pairs.sphere_common import reject_cavity, require_radius, store_sphere_contact
from carom.geometry.shapes.mesh import MESH, MESH_EDGE, MESH_TRIANGLE, MESH_VERTEX
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import address_of, floats, jit, offset, record

PARAMS = record(sphere=SPHERE, mesh=MESH)

SURFACE_TOLERANCE = 1e-14
"""Ratio to the size of the mesh below which the distance from an edge or a vertex is rounding [-]."""
HEADER_SIZE = MESH.size
"""Numbers before the vertices of a mesh."""


@jit
def table(mesh, start):
    """Return the part of the mesh data that begins at number ``start``."""
    return offset(floats(address_of(mesh)), int(start))


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
        outside = dx * (uy * nz - uz * ny) + dy * (uz * nx - ux * nz) + dz * (ux * ny - uy * nx)
        if outside < 0.0:
            continue
        is_above = False
        fraction = (dx * ux + dy * uy + dz * uz) / (ux * ux + uy * uy + uz * uz)
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
    nodes = table(mesh, HEADER_SIZE)
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


@pair_kernel(PARAMS)
def sphere_mesh(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a mesh (b); the force acts on the surface of the mesh."""
    sphere = params.sphere
    mesh = params.mesh
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    px, py, pz = to_local(pose_b, cx, cy, cz)
    triangle = MESH_TRIANGLE(table(mesh, mesh.triangles_offset), closest_triangle(mesh, px, py, pz))
    _, qx, qy, qz, feature = closest_on_triangle(mesh, triangle, px, py, pz)
    nx, ny, nz = outward_normal(mesh, triangle, feature)
    dx = px - qx
    dy = py - qy
    dz = pz - qz
    side = 1.0
    if dx * nx + dy * ny + dz * nz < 0.0:
        side = -1.0
    height = math.sqrt(dx * dx + dy * dy + dz * dz)
    if feature > 0 and height > SURFACE_TOLERANCE * mesh.size:
        nx = side * dx / height
        ny = side * dy / height
        nz = side * dz / height
    else:
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        if length > 0.0:
            nx /= length
            ny /= length
            nz /= length
        else:  # the normals of the faces around a vertex cancel
            nz = 1.0
    height *= side
    if mesh.is_solid == 0.0 and side < 0.0:
        nx = -nx
        ny = -ny
        nz = -nz
        height = -height
    nx, ny, nz = rotate(pose_b, nx, ny, nz)
    store_sphere_contact(out, cx, cy, cz, sphere.radius, nx, ny, nz, height)


SPHERE_MESH = PairKernel(sphere_mesh, PARAMS, check=reject_cavity, check_contact=require_radius)
