"""A ball and a mesh: the nearest face, edge or vertex."""

from __future__ import annotations

import math

from carom.geometry.bvh import COUNT, FIRST, HIGH, LOW, NODE, SKIP
from carom.geometry.mesh import EDGE, EDGES, NODES, SIZE, SOLID, TREE, TRIANGLE, TRIANGLES, VERTEX, VERTICES
from carom.geometry.pairs.ball import ball_above, no_cavity, some_radius
from carom.geometry.pairs.base import Pair, placed, turned
from carom.geometry.pairs.sphere_curve import seen_from
from carom.kernels import PAIR, jit, kernel, offset

ON_SKIN = 1e-14
"""Distance from an edge or a vertex that is none, in parts of the size of the mesh."""


@jit
def box_distance2(node, x, y, z):
    """Squared distance of a point from the box of a node."""
    dx = max(max(node[LOW] - x, x - node[HIGH]), 0.0)
    dy = max(max(node[LOW + 1] - y, y - node[HIGH + 1]), 0.0)
    dz = max(max(node[LOW + 2] - z, z - node[HIGH + 2]), 0.0)
    return dx * dx + dy * dy + dz * dz


@jit
def on_triangle(mesh, triangle, x, y, z):
    """Squared distance of a point from a triangle, the nearest point there, and where it is: 0 on the face, 1 … 3 on
    the side from that corner to the next, 4 … 6 at a corner."""
    vertices = offset(mesh, int(mesh[VERTICES]))
    nx = triangle[6]
    ny = triangle[7]
    nz = triangle[8]
    above = True
    least = 1e300
    where = 0
    qx = x
    qy = y
    qz = z
    for k in range(3):
        a = offset(vertices, VERTEX * int(triangle[k]))
        b = offset(vertices, VERTEX * int(triangle[(k + 1) % 3]))
        ux = b[0] - a[0]
        uy = b[1] - a[1]
        uz = b[2] - a[2]
        dx = x - a[0]
        dy = y - a[1]
        dz = z - a[2]
        outside = dx * (uy * nz - uz * ny) + dy * (uz * nx - ux * nz) + dz * (ux * ny - uy * nx)
        if outside < 0.0:
            continue
        above = False
        part = (dx * ux + dy * uy + dz * uz) / (ux * ux + uy * uy + uz * uz)
        at = 1 + k
        if part <= 0.0:
            part = 0.0
            at = 4 + k
        elif part >= 1.0:
            part = 1.0
            at = 4 + (k + 1) % 3
        dx -= part * ux
        dy -= part * uy
        dz -= part * uz
        distance = dx * dx + dy * dy + dz * dz
        if distance < least:
            least = distance
            where = at
            qx = x - dx
            qy = y - dy
            qz = z - dz
    if above:
        a = offset(vertices, VERTEX * int(triangle[0]))
        height = (x - a[0]) * nx + (y - a[1]) * ny + (z - a[2]) * nz
        return height * height, x - height * nx, y - height * ny, z - height * nz, 0
    return least, qx, qy, qz, where


@jit
def in_leaf(mesh, node, x, y, z, least, best):
    """The nearest triangle of a leaf, if it is nearer than √``least``: that, squared, and its number."""
    first = int(node[FIRST])
    for k in range(first, first + int(node[COUNT])):
        triangle = offset(mesh, int(mesh[TRIANGLES]) + TRIANGLE * k)
        distance, _, _, _, _ = on_triangle(mesh, triangle, x, y, z)
        if distance < least:
            least = distance
            best = k
    return least, best


@jit
def nearest_triangle(mesh, x, y, z):
    """Number of the triangle nearest to a point: down to the nearest leaf, then all that may be nearer."""
    nodes = offset(mesh, TREE)
    count = int(mesh[NODES])
    k = 0
    while int(nodes[NODE * k + SKIP]) - k > 1:
        one = k + 1
        other = int(nodes[NODE * one + SKIP])
        k = one
        if box_distance2(offset(nodes, NODE * other), x, y, z) < box_distance2(offset(nodes, NODE * one), x, y, z):
            k = other
    least = 1e300
    best = 0
    least, best = in_leaf(mesh, offset(nodes, NODE * k), x, y, z, least, best)
    k = 0
    while k < count:
        node = offset(nodes, NODE * k)
        if box_distance2(node, x, y, z) < least:
            least, best = in_leaf(mesh, node, x, y, z, least, best)
            k += 1
        else:
            k = int(node[SKIP])
    return best


@kernel(PAIR)
def sphere_mesh(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; the mesh. The force acts on the skin of the mesh."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    mesh = offset(par, 4)
    px, py, pz = seen_from(pose_b, x, y, z)
    triangle = offset(mesh, int(mesh[TRIANGLES]) + TRIANGLE * nearest_triangle(mesh, px, py, pz))
    _, qx, qy, qz, where = on_triangle(mesh, triangle, px, py, pz)
    # The outward normal there: of the face, or the pseudo-normal of the edge or the vertex.
    outward = offset(triangle, 6)
    if where > 3:
        outward = offset(mesh, int(mesh[VERTICES]) + VERTEX * int(triangle[where - 4]) + 3)
    elif where > 0:
        outward = offset(mesh, int(mesh[EDGES]) + EDGE * int(triangle[2 + where]))
    nx = outward[0]
    ny = outward[1]
    nz = outward[2]
    dx = px - qx
    dy = py - qy
    dz = pz - qz
    side = 1.0
    if dx * nx + dy * ny + dz * nz < 0.0:
        side = -1.0
    height = math.sqrt(dx * dx + dy * dy + dz * dz)
    if where > 0 and height > ON_SKIN * mesh[SIZE]:
        nx = side * dx / height
        ny = side * dy / height
        nz = side * dz / height
    else:
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        if length > 0.0:
            nx /= length
            ny /= length
            nz /= length
        else:  # a vertex whose faces look all ways
            nz = 1.0
    height *= side
    if mesh[SOLID] == 0.0 and side < 0.0:
        nx = -nx
        ny = -ny
        nz = -nz
        height = -height
    nx, ny, nz = turned(pose_b, nx, ny, nz)
    ball_above(out, x, y, z, par[3], nx, ny, nz, height)


SPHERE_MESH = Pair(sphere_mesh, check=no_cavity, meet=some_radius)
