"""Places where two meshes touch: vertices of one near or inside the other, and convex edges that cross.

A vertex has the distance to the surface of the other mesh, negative inside. Two edges cross where their common normal
is one of both, within the angle between their faces; their gap is that of the lines along it. Meshes may have a radius:
that of a capsule, whose mesh is one edge. All is in the axes of b.
"""

from __future__ import annotations

import math

from carom.geometry.mesh.signed_distance import closest_on_triangle, signed_distance, table
from carom.geometry.mesh.tables import MESH_EDGE, MESH_TRIANGLE, MESH_VERTEX
from carom.geometry.pairs.base import NO_CONTACT, POSE, dot, rotate, to_global, to_local
from carom.geometry.pairs.mesh_traversal import rotate_back
from carom.geometry.pairs.spot_selection import CANDIDATES, EDGES, VERTEX, add_candidate
from carom.kernels import FLOAT, floats, jit, record

MESH_SEARCH = record(
    relative=POSE,  # pose of a in the axes of b
    candidates=CANDIDATES,
    band=FLOAT,  # gap up to which places are collected [m]
    least_vertex_gap=FLOAT,  # of all vertices so far [m]
    least_edge_gap=FLOAT,  # of all crossing edges so far [m]
    intersects=FLOAT,  # 1.0 if two triangles intersect
    n_near=FLOAT,  # number of near pairs of triangles
    checked_a=FLOAT,  # addresses of the lists of vertices that are done
    checked_b=FLOAT,
    n_checked_a=FLOAT,
    n_checked_b=FLOAT,
)
"""State of a search for the places where two meshes touch."""
MAX_CHECKED = 256
"""Largest number of vertices that are remembered as done."""
MAX_EDGES = 1 << 23
"""Larger than the number of edges of a mesh."""
CONE_TOLERANCE = 1e-9
"""Sine of the angle by which a normal may leave those of an edge [-]."""
PARALLEL_SINE = 1e-6
"""Sine of the angle between two edges below which they do not cross [-]."""
INSIDE_TOLERANCE = 1e-12
"""Ratio to the size of a mesh below which a distance is rounding [-]."""


@jit
def is_checked(search, side, index):
    """Return whether a vertex of a (side 0) or b (side 1) is done already; remember it if not."""
    address = search.checked_a
    count = int(search.n_checked_a)
    if side == 1:
        address = search.checked_b
        count = int(search.n_checked_b)
    checked = floats(int(address))
    for k in range(count):
        if checked[k] == index:
            return True
    if count < MAX_CHECKED:
        checked[count] = float(index)
        if side == 0:
            search.n_checked_a += 1.0
        else:
            search.n_checked_b += 1.0
    return False


@jit
def check_vertex(a, b, search, side, index):
    """Add a vertex of a (side 0) or b (side 1) if it is near the other mesh or inside."""
    relative = search.relative
    if side == 0:
        vertex = MESH_VERTEX(table(a, a.vertices_offset), index)
        rank = vertex.rank
        v = vertex.point
        x, y, z = to_global(relative, v[0], v[1], v[2])
        height, nx, ny, nz = signed_distance(b, x, y, z)
    else:
        vertex = MESH_VERTEX(table(b, b.vertices_offset), index)
        rank = 15.0 + 15.0 * vertex.rank  # from the other end
        v = vertex.point
        x, y, z = to_local(relative, v[0], v[1], v[2])
        height, nx, ny, nz = signed_distance(a, x, y, z)
        nx, ny, nz = rotate(relative, -nx, -ny, -nz)
        x = v[0] + height * nx
        y = v[1] + height * ny
        z = v[2] + height * nz
    gap = height - a.radius - b.radius
    search.least_vertex_gap = min(search.least_vertex_gap, gap)
    if gap <= search.band:
        x -= a.radius * nx
        y -= a.radius * ny
        z -= a.radius * nz
        key = float(2 * index + side)
        add_candidate(
            search.candidates, VERTEX, key, rank, gap, nx, ny, nz, x, y, z,
            x - gap * nx, y - gap * ny, z - gap * nz,
        )  # fmt: skip


@jit
def is_normal_of_edge(edge, nx, ny, nz):
    """Return whether n is between the normals of the two faces of a convex edge."""
    f = edge.first_tangent
    s = edge.second_tangent
    if f[0] * nx + f[1] * ny + f[2] * nz > CONE_TOLERANCE:
        return False
    return s[0] * nx + s[1] * ny + s[2] * nz <= CONE_TOLERANCE


@jit
def is_inside(mesh, x, y, z):
    """Return whether a point is inside a mesh."""
    height, _, _, _ = signed_distance(mesh, x, y, z)
    return height <= INSIDE_TOLERANCE * mesh.size


@jit
def check_edges(a, b, search, index_a, index_b):
    """Add the place where two convex edges cross if they are near or overlap."""
    relative = search.relative
    edge_a = MESH_EDGE(table(a, a.edges_offset), index_a)
    edge_b = MESH_EDGE(table(b, b.edges_offset), index_b)
    p = edge_a.start
    q = edge_a.end
    ux, uy, uz = rotate(relative, q[0] - p[0], q[1] - p[1], q[2] - p[2])
    q = edge_b.start
    r = edge_b.end
    vx = r[0] - q[0]
    vy = r[1] - q[1]
    vz = r[2] - q[2]
    nx = uy * vz - uz * vy
    ny = uz * vx - ux * vz
    nz = ux * vy - uy * vx
    nn = dot(nx, ny, nz, nx, ny, nz)
    uu = dot(ux, uy, uz, ux, uy, uz)
    vv = dot(vx, vy, vz, vx, vy, vz)
    if nn <= PARALLEL_SINE * PARALLEL_SINE * uu * vv:
        return
    length = math.sqrt(nn)
    nx /= length
    ny /= length
    nz /= length
    mx, my, mz = rotate_back(relative, nx, ny, nz)
    if not (is_normal_of_edge(edge_b, nx, ny, nz) and is_normal_of_edge(edge_a, -mx, -my, -mz)):
        if not (is_normal_of_edge(edge_b, -nx, -ny, -nz) and is_normal_of_edge(edge_a, mx, my, mz)):
            return
        nx = -nx
        ny = -ny
        nz = -nz
    x, y, z = to_global(relative, p[0], p[1], p[2])
    wx = x - q[0]
    wy = y - q[1]
    wz = z - q[2]
    height = dot(wx, wy, wz, nx, ny, nz)
    gap = height - a.radius - b.radius
    if gap > search.band:
        return
    uv = dot(ux, uy, uz, vx, vy, vz)
    uw = dot(ux, uy, uz, wx, wy, wz)
    vw = dot(vx, vy, vz, wx, wy, wz)
    s = (uv * vw - vv * uw) / nn
    t = (uu * vw - uv * uw) / nn
    if s < 0.0 or s > 1.0 or t < 0.0 or t > 1.0:
        return
    x += s * ux
    y += s * uy
    z += s * uz
    if height < 0.0:
        cx = x - 0.5 * height * nx
        cy = y - 0.5 * height * ny
        cz = z - 0.5 * height * nz
        if b.radius == 0.0 and not is_inside(b, cx, cy, cz):
            return
        cx, cy, cz = to_local(relative, cx, cy, cz)
        if a.radius == 0.0 and not is_inside(a, cx, cy, cz):
            return
    x -= a.radius * nx
    y -= a.radius * ny
    z -= a.radius * nz
    search.least_edge_gap = min(search.least_edge_gap, gap)
    key = float(index_a * MAX_EDGES + index_b)
    rank = float(3 * index_a + 5 * index_b)
    add_candidate(
        search.candidates, EDGES, key, rank, gap, nx, ny, nz, x, y, z, x - gap * nx, y - gap * ny, z - gap * nz
    )


@jit
def crosses(triangle, vertices, px, py, pz, qx, qy, qz):
    """Return whether the segment from p to q, whose ends are on both sides of a triangle, crosses it."""
    positive = 0
    for k in range(3):
        r = MESH_VERTEX(vertices, int(triangle.vertices[k])).point
        s = MESH_VERTEX(vertices, int(triangle.vertices[(k + 1) % 3])).point
        ax = r[0] - px
        ay = r[1] - py
        az = r[2] - pz
        bx = s[0] - px
        by = s[1] - py
        bz = s[2] - pz
        volume = dot(qx - px, qy - py, qz - pz, ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
        if volume > 0.0:
            positive += 1
    return positive == 0 or positive == 3


@jit
def in_axes_of(relative, side, x, y, z):
    """Return a point of a in the axes of b (side 0), or a point of b in those of a (side 1)."""
    if side == 0:
        return to_global(relative, x, y, z)
    return to_local(relative, x, y, z)


@jit
def heights_above(mesh, other, relative, side, i, j):
    """Return the heights of the corners of triangle i of a mesh above the plane of triangle j of the other one [m]."""
    triangle = MESH_TRIANGLE(table(mesh, mesh.triangles_offset), i)
    plane = MESH_TRIANGLE(table(other, other.triangles_offset), j)
    vertices = table(mesh, mesh.vertices_offset)
    first = 0
    second = 1
    third = 2
    c = MESH_VERTEX(table(other, other.vertices_offset), int(plane.vertices[first])).point
    n = plane.normal
    level = dot(c[0], c[1], c[2], n[0], n[1], n[2])
    v = MESH_VERTEX(vertices, int(triangle.vertices[first])).point
    x, y, z = in_axes_of(relative, side, v[0], v[1], v[2])
    one = dot(x, y, z, n[0], n[1], n[2]) - level
    v = MESH_VERTEX(vertices, int(triangle.vertices[second])).point
    x, y, z = in_axes_of(relative, side, v[0], v[1], v[2])
    two = dot(x, y, z, n[0], n[1], n[2]) - level
    v = MESH_VERTEX(vertices, int(triangle.vertices[third])).point
    x, y, z = in_axes_of(relative, side, v[0], v[1], v[2])
    return one, two, dot(x, y, z, n[0], n[1], n[2]) - level


@jit
def check_corner(a, b, search, side, k, height, straddles, i, j):
    """Check corner k of triangle i of a (side 0) or b (side 1), at a height above triangle j of the other mesh [m]."""
    reach = search.band + a.radius + b.radius
    if height > reach:
        return
    mesh = a
    other = b
    if side == 1:
        mesh = b
        other = a
    triangle = MESH_TRIANGLE(table(mesh, mesh.triangles_offset), i)
    index = int(triangle.vertices[k])
    vertex = MESH_VERTEX(table(mesh, mesh.vertices_offset), index)
    if vertex.is_sharp == 0.0:
        return
    if not (straddles and height < -reach):
        v = vertex.point
        x, y, z = in_axes_of(search.relative, side, v[0], v[1], v[2])
        plane = MESH_TRIANGLE(table(other, other.triangles_offset), j)
        square, _, _, _, feature = closest_on_triangle(other, plane, x, y, z)
        if feature != 0 and square > reach * reach:
            return
    if not is_checked(search, side, index):
        check_vertex(a, b, search, side, index)


@jit
def check_corners(a, b, search, side, i, j, one, two, three):
    """Check the corners of triangle i of a (side 0) or b (side 1) near triangle j of the other mesh.

    The numbers are their heights above it [m].
    """
    first = 0
    second = 1
    third = 2
    straddles = max(one, max(two, three)) >= 0.0
    check_corner(a, b, search, side, first, one, straddles, i, j)
    check_corner(a, b, search, side, second, two, straddles, i, j)
    check_corner(a, b, search, side, third, three, straddles, i, j)


@jit
def check_intersection(a, b, search, side, i, j):
    """Check whether a side of triangle i of a (side 0) or b (side 1) crosses triangle j of the other mesh."""
    mesh = a
    other = b
    if side == 1:
        mesh = b
        other = a
    triangle = MESH_TRIANGLE(table(mesh, mesh.triangles_offset), i)
    plane = MESH_TRIANGLE(table(other, other.triangles_offset), j)
    vertices = table(mesh, mesh.vertices_offset)
    other_vertices = table(other, other.vertices_offset)
    n = plane.normal
    c = MESH_VERTEX(other_vertices, int(plane.vertices[0])).point
    last = 2
    v = MESH_VERTEX(vertices, int(triangle.vertices[last])).point
    px, py, pz = in_axes_of(search.relative, side, v[0], v[1], v[2])
    height = dot(px - c[0], py - c[1], pz - c[2], n[0], n[1], n[2])
    for k in range(3):
        v = MESH_VERTEX(vertices, int(triangle.vertices[k])).point
        x, y, z = in_axes_of(search.relative, side, v[0], v[1], v[2])
        next_height = dot(x - c[0], y - c[1], z - c[2], n[0], n[1], n[2])
        if height * next_height < 0.0 and crosses(plane, other_vertices, px, py, pz, x, y, z):
            search.intersects = 1.0
        px = x
        py = y
        pz = z
        height = next_height


@jit
def check_triangles(a, b, search, i, j):
    """Check corners and edges of two triangles that may be near."""
    first = 0
    second = 1
    reach = search.band + a.radius + b.radius
    p, q, r = heights_above(a, b, search.relative, first, i, j)
    if min(p, min(q, r)) > reach:
        return
    u, v, w = heights_above(b, a, search.relative, second, j, i)
    if min(u, min(v, w)) > reach:
        return
    search.n_near += 1.0
    if search.intersects == 0.0 and min(p, min(q, r)) < 0.0 < max(p, max(q, r)):
        check_intersection(a, b, search, first, i, j)
    if search.intersects == 0.0 and min(u, min(v, w)) < 0.0 < max(u, max(v, w)):
        check_intersection(a, b, search, second, j, i)
    check_corners(a, b, search, first, i, j, p, q, r)
    check_corners(a, b, search, second, j, i, u, v, w)
    one = MESH_TRIANGLE(table(a, a.triangles_offset), i)
    two = MESH_TRIANGLE(table(b, b.triangles_offset), j)
    for k in range(3):
        if one.owned_edges[k] == 0.0:
            continue
        for m in range(3):
            if two.owned_edges[m] != 0.0:
                check_edges(a, b, search, int(one.edges[k]), int(two.edges[m]))


@jit
def start_search(search, band):
    """Reset a search with another band [m]."""
    search.band = band
    search.candidates.count = 0.0
    search.least_vertex_gap = NO_CONTACT
    search.least_edge_gap = NO_CONTACT
    search.intersects = 0.0
    search.n_near = 0.0
    search.n_checked_a = 0.0
    search.n_checked_b = 0.0
