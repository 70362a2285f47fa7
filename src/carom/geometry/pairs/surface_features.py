"""Vertices, edges, rims and faces of a solid above a freeform surface, in the axes of the surface."""

from __future__ import annotations

from carom.geometry.bvh import TREE_NODE
from carom.geometry.mesh.signed_distance import signed_distance, table
from carom.geometry.mesh.tables import MESH_EDGE, MESH_TRIANGLE, MESH_VERTEX
from carom.geometry.pairs.base import NO_CONTACT, POSE, rotate, to_global, to_local
from carom.geometry.pairs.mesh_features import is_normal_of_edge
from carom.geometry.pairs.mesh_traversal import rotate_back
from carom.geometry.pairs.placed_spots import add_place
from carom.geometry.pairs.spot_selection import CANDIDATES, EDGES, VERTEX
from carom.geometry.pairs.surface_heights import (
    WAY,
    distance_bound,
    listed_patches,
    n_patches,
    next_minimum,
    point_on_way,
    project_point,
)
from carom.geometry.pairs.surface_normal import newton_refine
from carom.geometry.pairs.surface_overlap import (
    add_deepest,
    is_near_side,
)
from carom.geometry.shapes.surface import WORKSPACE
from carom.geometry.surface_projection import (
    evaluate_surface,
    is_local_minimum,
    middle_of_patch,
    net_at,
    patch_of,
    patch_values,
)
from carom.geometry.vectors import along, dot, load, norm, scale, store, subtract
from carom.kernels import FLOAT, floats, jit, record, stack_floats

SURFACE_SEARCH = record(
    relative=POSE,  # pose of the solid in the axes of the surface
    centre=(FLOAT, 3),  # of a sphere around the solid [m]
    radius=FLOAT,  # of this sphere [m]
    candidates=CANDIDATES,
    band=FLOAT,  # gap up to which places are collected [m]
    narrows=FLOAT,  # 1.0 if the band becomes the least gap so far: for the closest points of separated shapes
    least=FLOAT,  # least gap so far [m]
    n_listed=FLOAT,  # number of patches near the solid
)
"""State of a search, in the axes of the surface."""
FAR = 1e30
WAY_NUMBERS = WAY.size
ROUNDING = 1e-9
"""Difference from 1 of the cosine of an angle between equal normals, which rounding may leave [-]."""


@jit
def add_point(surface, search, kind, key, p, radius):
    """Add the place below a point of the solid with a radius around it; return whether the point is above the face."""
    is_above, height, n, _, _ = project_point(surface, int(search.n_listed), p)
    if is_above:
        gap = height - radius
        add_place(search, kind, key, gap, n, along(p, -radius - 0.5 * gap, n))
    return is_above


@jit
def check_edge(mesh, surface, search, index):
    """Add the places where an edge is lowest, with a normal between those of its faces."""
    edge = MESH_EDGE(table(mesh, mesh.edges_offset), index)
    way = WAY(stack_floats(WAY_NUMBERS))
    relative = search.relative
    start = to_global(relative, edge.start[0], edge.start[1], edge.start[2])
    end = to_global(relative, edge.end[0], edge.end[1], edge.end[2])
    direction = subtract(end, start)
    way.length = norm(direction)
    way.radius = 0.0
    store(way.at, start)
    store(way.first, scale(1.0 / way.length, direction))
    count = int(search.n_listed)
    middle = along(start, 0.5, direction)
    if distance_bound(surface, count, middle) - 0.5 * way.length - mesh.radius > search.band:
        return
    step = 0
    while True:
        s, step = next_minimum(surface, count, way, step)
        if step < 0:
            return
        p, _ = point_on_way(way, s)
        is_above, height, n, _, _ = project_point(surface, count, p)
        m = rotate_back(relative, -n[0], -n[1], -n[2])
        if is_above and is_normal_of_edge(edge, m[0], m[1], m[2]):
            gap = height - mesh.radius
            add_place(search, EDGES, -1.0 - index, gap, n, along(p, -mesh.radius - 0.5 * gap, n))


@jit
def check_mesh(mesh, surface, search):
    """Add vertices, edges and faces of a mesh."""
    nodes = floats(int(mesh.tables))
    triangles = table(mesh, mesh.triangles_offset)
    vertices = table(mesh, mesh.vertices_offset)
    relative = search.relative
    k = 0
    while k < int(mesh.n_nodes):
        node = TREE_NODE(nodes, k)
        low = load(node.low)
        diagonal = subtract(load(node.high), low)
        c = along(low, 0.5, diagonal)
        c = to_global(relative, c[0], c[1], c[2])
        bound = distance_bound(surface, int(search.n_listed), c) - 0.5 * norm(diagonal) - mesh.radius
        if bound > search.band:
            k = int(node.next)
            continue
        first = int(node.first_triangle)
        for i in range(first, first + int(node.n_triangles)):
            triangle = MESH_TRIANGLE(triangles, i)
            for d in range(3):
                if triangle.owned_corners[d] != 0.0:
                    index = int(triangle.vertices[d])
                    v = MESH_VERTEX(vertices, index).point
                    p = to_global(relative, v[0], v[1], v[2])
                    add_point(surface, search, VERTEX, 1.0 + index, p, mesh.radius)
                if triangle.owned_edges[d] != 0.0:
                    check_edge(mesh, surface, search, int(triangle.edges[d]))
        k += 1
    if mesh.radius == 0.0:
        check_bumps(mesh, surface, search)


@jit
def next_bump(surface, search, start):
    """Return where the surface may touch a face of the solid, and the next ``start``; −1 after the last place.

    These are the listed patches that are nearer to the solid than their neighbours, and the foot of its centre.
    """
    net = net_at(surface, surface.fine_net)
    listed = listed_patches(surface)
    values = patch_values(surface)
    columns = int(net.n_v)
    count = int(search.n_listed)
    for i in range(start, count):
        k = int(listed[i])
        row = k // columns
        column = k - row * columns
        is_near = values[k] - patch_of(net, k).radius <= search.band
        if is_near and is_local_minimum(surface, net, values, row, column, False):
            u, v = middle_of_patch(surface, net, row, column)
            return u, v, i + 1
    if start <= count:
        is_above, _, _, u, v = project_point(surface, count, load(search.centre))
        if is_above:
            return u, v, count + 1
    return 0.0, 0.0, -1


@jit
def check_bumps(mesh, surface, search):
    """Add the places where the surface touches a face of a mesh within its outline."""
    net = net_at(surface, surface.fine_net)
    values = patch_values(surface)
    listed = listed_patches(surface)
    relative = search.relative
    for k in range(n_patches(surface)):
        values[k] = NO_CONTACT
    for i in range(int(search.n_listed)):
        k = int(listed[i])
        patch = patch_of(net, k)
        p = load(patch.point)
        if norm(subtract(p, load(search.centre))) <= search.radius + search.band + patch.radius:
            x, y, z = to_local(relative, p[0], p[1], p[2])
            values[k], _, _, _ = signed_distance(mesh, x, y, z)
            if mesh.is_solid == 0.0:  # near one of two faces that coincide, the sign is by chance
                values[k] = abs(values[k])
    start = 0
    while start >= 0:
        u, v, start = next_bump(surface, search, start)
        if start >= 0:
            check_bump(mesh, surface, search, u, v)
    add_deepest(mesh, surface, search)


@jit
def check_bump(mesh, surface, search, u, v):
    """Add the place where the surface near (u, v) touches a face of a mesh, if it has its normal."""
    relative = search.relative
    out = WORKSPACE(int(surface.workspace)).first
    evaluate_surface(surface, u, v, out)
    for _ in range(3):
        x, y, z = to_local(relative, out.point[0], out.point[1], out.point[2])
        _, nx, ny, nz = signed_distance(mesh, x, y, z)
        n = rotate(relative, nx, ny, nz)
        side = 1.0
        if mesh.is_solid == 0.0 and dot(n, load(out.normal)) > 0.0:  # a thin mesh touches on both sides
            side = -1.0
        n = scale(side, n)
        u, v, is_contact = newton_refine(surface, n[0], n[1], n[2], u, v, out)
        if not is_contact:
            return
        q = load(out.point)
        x, y, z = to_local(relative, q[0], q[1], q[2])
        height, nx, ny, nz = signed_distance(mesh, x, y, z)
        if side * dot(rotate(relative, nx, ny, nz), n) > 1.0 - ROUNDING:
            height *= side
            if mesh.is_solid != 0.0 or is_near_side(surface, search, q, scale(-1.0, n), height):
                add_place(search, VERTEX, 0.0, height, scale(-1.0, n), along(q, -0.5 * height, n))
            return
