"""Round or thin convex shape and mesh: all separate places where they touch.

A place is where the shape is lowest above a face, a vertex of the mesh that is near the shape or inside, or a convex
edge that the shape meets with a normal between those of its faces. A shape that goes through a wall has none of them:
it is then moved back through the face or away from the edge with the least overlap. All is in the axes of the mesh.
"""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.bvh import TREE_NODE
from carom.geometry.convex.closest import CONVEX_WORKSPACE, NORMAL_MEMORY, find_closest
from carom.geometry.convex.manifold import GAPS_SIZE, TABLE_SIZE, add_closest_points, corner
from carom.geometry.convex.support import (
    BOX,
    CONVEX,
    CONVEX_FRAME,
    ELLIPSOID,
    POINT,
    POLYTOPE,
    POLYTOPE_HEAD,
    SEGMENT,
    at_place,
    in_axes,
    load_convex,
    local_support,
)
from carom.geometry.mesh.signed_distance import (
    closest_on_triangle,
    signed_distance,
    squared_distance_from_node,
    table,
)
from carom.geometry.mesh.solid import solid_of
from carom.geometry.mesh.tables import MESH, MESH_EDGE, MESH_TRIANGLE, MESH_VERTEX
from carom.geometry.pairs.base import POSE, PairKernel, pair_kernel
from carom.geometry.pairs.convex_convex import check_solid
from carom.geometry.pairs.convex_plane import RIM_POINTS, point_of
from carom.geometry.pairs.mesh_features import is_inside, is_normal_of_edge
from carom.geometry.pairs.mesh_plane import require_solid
from carom.geometry.pairs.mesh_traversal import store_relative_pose
from carom.geometry.pairs.placed_spots import (
    EMPTY_PLACED_SLOTS,
    PLACED_SLOTS,
    add_place,
    read_deepest,
    read_placed_spot,
)
from carom.geometry.pairs.spot_selection import (
    CANDIDATE_NUMBERS,
    CANDIDATES,
    EDGES,
    MAX_SPOTS,
    VERTEX,
    choose_spots,
    drop_far_edges,
)
from carom.geometry.pairs.spots import POSES, SPOT, is_prepared, read_slot
from carom.geometry.vectors import along, cross, dot, load, norm, perpendicular, scale, store, subtract
from carom.kernels import FLOAT, address_of, floats, jit, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 16: slot of a spot
    mesh=MESH,
    a=CONVEX,
)
"""Then the polytope of a."""
MEMORY = record(
    poses=POSES,  # for which the slots hold
    depth=FLOAT,  # largest at the last search [m]
    slots=PLACED_SLOTS,
)
SEARCH = record(
    relative=POSE,  # pose of the shape in the axes of the mesh
    candidates=CANDIDATES,
    band=FLOAT,  # gap up to which places are collected [m]
    narrows=FLOAT,  # 1.0 if the band becomes the least gap so far: for the closest points of separated shapes
    least=FLOAT,  # least gap so far [m]
    pierced_gap=FLOAT,  # of the face or edge that the shape goes through with the least overlap [m]; −FAR: none
    pierced_n=(FLOAT, 3),  # and its normal
    pierced_middle=(FLOAT, 3),  # and its place [m]
    points=FLOAT,  # addresses of tables for the closest points of the shape and an edge
    gaps=FLOAT,
    work=FLOAT,
    other=FLOAT,  # address of the frame of this edge
)
"""State of a search, in the axes of the mesh."""
BAND = 0.1
"""Largest band per size of the shape [-]."""
DEPTH_RATIO = 1.5
"""Ratio of the band to the depth at the last search [-]."""
DEEP, WIDENING, MAX_SEARCHES = 0.9, 8.0, 5
"""Ratio of the depth to the band above which the band is widened, its factor, and the largest number of searches."""
MERGE_RATIO = 1e-6
"""Distance below which two places with one normal are one, per size of the shape [-]."""
SAME_HEIGHT = 1e-9
"""Difference of two heights that are equal, per size of the shape [-]."""
SEARCH_NUMBERS, FRAME_NUMBERS = SEARCH.size, CONVEX_FRAME.size
WORK_NUMBERS, NORMAL_NUMBERS = CONVEX_WORKSPACE.size, NORMAL_MEMORY.size
NEARLY_LEVEL, LOWEST_POINTS = 0.05, 2
"""Sine of the angle of a rim below which more than its lowest point may touch; number of the lowest points."""
FAR = 1e30
PIERCED_KEY = 0.0
"""Key of a face or an edge that the shape goes through."""


@jit
def size_of(shape):
    """Return the radius of a sphere around a convex shape [m]."""
    return shape.extent + shape.radius


@jit
def n_points(shape, n):
    """Return the number of points of a shape that touch a plane with the normal n: corners, or points of rims.

    The normal is in the axes of the shape. Points beside the lowest one of a rim count where it is nearly level.
    """
    if shape.core == POLYTOPE:
        return int(POLYTOPE_HEAD(shape.polytope).n_vertices)
    if shape.core == ELLIPSOID:
        return 1
    return RIM_POINTS if shape.core == BOX or math.hypot(n[0], n[1]) < NEARLY_LEVEL else LOWEST_POINTS


@jit
def keep_pierced(search, gap, n, middle):
    """Remember a face or an edge that the shape goes through if it has the least overlap so far."""
    if gap > search.pierced_gap:
        search.pierced_gap = gap
        store(search.pierced_n, n)
        store(search.pierced_middle, middle)


@jit
def check_pierced(shape, mesh, search, triangle, p, height, n):
    """Remember the triangle if the line from the lowest point p of the shape to its highest one crosses it."""
    d = in_axes(shape, n)
    top = along(at_place(shape, local_support(shape, d)), shape.radius, n)
    above = height + dot(subtract(top, p), n)
    if above <= 0.0:
        return
    x = along(p, height / (height - above), subtract(top, p))
    square, _, _, _, _ = closest_on_triangle(mesh, triangle, x[0], x[1], x[2])
    if square <= (SAME_HEIGHT * size_of(shape)) ** 2:
        keep_pierced(search, height, n, along(p, -0.5 * height, n))


@jit
def check_face(shape, mesh, search, k):
    """Add the points of the shape that are lowest above triangle ``k`` if no other part of the mesh is closer."""
    triangle = MESH_TRIANGLE(table(mesh, mesh.triangles_offset), k)
    first = 0
    v = load(MESH_VERTEX(table(mesh, mesh.vertices_offset), int(triangle.vertices[first])).point)
    n = load(triangle.normal)
    tolerance = SAME_HEIGHT * size_of(shape)
    m = in_axes(shape, n)
    for i in range(1, n_points(shape, m) + 1):
        p = along(at_place(shape, point_of(shape, i, m)), -shape.radius, n)
        height = dot(subtract(p, v), n)
        if height > search.band:
            continue
        if height < 0.0:
            check_pierced(shape, mesh, search, triangle, p, height, n)
        square, _, _, _, _ = closest_on_triangle(mesh, triangle, p[0], p[1], p[2])
        if math.sqrt(square) > abs(height) + tolerance:
            continue
        distance, _, _, _ = signed_distance(mesh, p[0], p[1], p[2])
        if abs(distance - height) <= tolerance:
            add_place(search, VERTEX, float(i), height, n, along(p, -0.5 * height, n))


@jit
def find_closest_of(shape, other, search):
    """Find the closest points of the shape and another one; return the number of corners of their contact."""
    points = floats(int(search.points))
    gaps = floats(int(search.gaps))
    work = CONVEX_WORKSPACE(int(search.work))
    memory = NORMAL_MEMORY(stack_floats(NORMAL_NUMBERS))
    sign = 1.0
    memory.is_set = 0.0
    memory.vertex_a = 0.0
    memory.vertex_b = 0.0
    find_closest(shape, other, sign, memory, work, points, gaps)
    return add_closest_points(shape, other, work, points, gaps, int(work.n_corners))


@jit
def place_other(other, core, at, direction, half):
    """Make ``other`` a point, or a segment along a unit vector, without a radius."""
    s = perpendicular(direction)
    t = cross(direction, s)
    other.core = core
    other.radius = 0.0
    other.extent = half
    other.vertex = 0
    for d in range(3):
        other.at[d] = at[d]
        other.size[d] = 0.0
        other.axes[d] = s[d]
        other.axes[3 + d] = t[d]
        other.axes[6 + d] = direction[d]
    other.size[2] = half


@jit
def is_near_point(shape, p, radius, band):
    """Return whether a sphere of ``radius`` around p may be within the band of the shape."""
    d = subtract(p, load(shape.at))
    reach = size_of(shape) + band + radius
    return dot(d, d) <= reach * reach


@jit
def check_vertex(shape, mesh, search, index):
    """Add a vertex of the mesh that is near the shape or inside."""
    v = load(MESH_VERTEX(table(mesh, mesh.vertices_offset), index).point)
    none = 0.0
    if not is_near_point(shape, v, none, search.band):
        return
    other = CONVEX_FRAME(int(search.other))
    place_other(other, POINT, v, (0.0, 0.0, 1.0), none)
    find_closest_of(shape, other, search)
    work = CONVEX_WORKSPACE(int(search.work))
    add_place(search, VERTEX, float(RIM_POINTS + 1 + index), work.gap, load(work.n), load(work.middle))


@jit
def check_edge(shape, mesh, search, index):
    """Add the places where the shape meets a convex edge, with a normal between those of its faces."""
    edge = MESH_EDGE(table(mesh, mesh.edges_offset), index)
    start = load(edge.start)
    along_edge = subtract(load(edge.end), start)
    length = norm(along_edge)
    middle = along(start, 0.5, along_edge)
    if not is_near_point(shape, middle, 0.5 * length, search.band):
        return
    other = CONVEX_FRAME(int(search.other))
    place_other(other, SEGMENT, middle, scale(1.0 / length, along_edge), 0.5 * length)
    count = find_closest_of(shape, other, search)
    work = CONVEX_WORKSPACE(int(search.work))
    n = load(work.n)
    if work.gap > search.band:
        return
    if not is_normal_of_edge(edge, n[0], n[1], n[2]):
        if work.gap < 0.0:
            keep_pierced(search, work.gap, n, load(work.middle))
        return
    if work.gap < 0.0:
        p = along(load(work.middle), -0.5 * work.gap, n)
        q = load(work.middle)
        if not (is_inside(mesh, p[0], p[1], p[2]) or is_inside(mesh, q[0], q[1], q[2])):
            return
    for k in range(count):
        add_place(
            search, EDGES, -1.0 - index, floats(int(search.gaps))[k], n, corner(floats(int(search.points)), k)
        )  # fmt: skip


@jit
def check_leaf(shape, mesh, search, node):
    """Check faces, vertices and edges of the triangles of a leaf."""
    first = int(node.first_triangle)
    for k in range(first, first + int(node.n_triangles)):
        check_face(shape, mesh, search, k)
        triangle = MESH_TRIANGLE(table(mesh, mesh.triangles_offset), k)
        for d in range(3):
            if triangle.owned_corners[d] != 0.0:
                check_vertex(shape, mesh, search, int(triangle.vertices[d]))
            if triangle.owned_edges[d] != 0.0:
                check_edge(shape, mesh, search, int(triangle.edges[d]))


@jit
def collect_places(shape, mesh, search):
    """Collect all places within the band."""
    search.candidates.count = 0.0
    search.least = FAR
    search.pierced_gap = -FAR
    nodes = floats(int(mesh.tables))
    c = load(shape.at)
    k = 0
    while k < int(mesh.n_nodes):
        node = TREE_NODE(nodes, k)
        reach = size_of(shape) + search.band
        if squared_distance_from_node(node, c[0], c[1], c[2]) > reach * reach:
            k = int(node.next)
            continue
        check_leaf(shape, mesh, search, node)
        k += 1


@jit
def find_places(shape, mesh, search, memory):
    """Find all places where the shapes touch or are closer than the band, or else their closest points."""
    search.narrows = 0.0
    search.band = min(mesh.band, BAND * size_of(shape)) + DEPTH_RATIO * memory.depth
    for _ in range(MAX_SEARCHES):
        collect_places(shape, mesh, search)
        if search.least >= -DEEP * search.band:
            break
        search.band *= WIDENING
    drop_far_edges(search.candidates)
    if search.least > 0.0 and search.pierced_gap > -FAR:
        add_place(search, EDGES, PIERCED_KEY, search.pierced_gap, load(search.pierced_n), load(search.pierced_middle))
    if search.candidates.count == 0.0:
        c = load(shape.at)
        height, _, _, _ = signed_distance(mesh, c[0], c[1], c[2])
        search.band = abs(height) + SAME_HEIGHT * size_of(shape)
        search.narrows = 1.0 if height > 0.0 else 0.0
        collect_places(shape, mesh, search)
    memory.depth = max(0.0, -search.least)


@pair_kernel(PARAMS, MEMORY)
def convex_mesh(pose_a, pose_b, params, memory, out):
    """Compute the contact of a convex shape (a) and a mesh (b), or one spot of it; the force acts midway."""
    if params.point_index != 0.0 and is_prepared(pose_a, pose_b, memory.poses):
        read_slot(SPOT(memory.slots, int(params.point_index) - 1), out)
        return
    mesh = params.mesh
    shape = CONVEX_FRAME(stack_floats(FRAME_NUMBERS))
    search = SEARCH(stack_floats(SEARCH_NUMBERS))
    candidates = stack_floats(CANDIDATE_NUMBERS)
    points = stack_floats(TABLE_SIZE)
    gaps = stack_floats(GAPS_SIZE)
    work = stack_floats(WORK_NUMBERS)
    other = stack_floats(FRAME_NUMBERS)
    store_relative_pose(pose_a, pose_b, search.relative)
    load_convex(search.relative, params.a, (0.0, 0.0, 0.0), shape)
    search.candidates.table = float(address_of(candidates))
    search.candidates.merge_distance = MERGE_RATIO * size_of(shape)
    search.points = float(address_of(points))
    search.gaps = float(address_of(gaps))
    search.work = float(address_of(work))
    search.other = float(address_of(other))
    find_places(shape, mesh, search, memory)
    if params.point_index == 0.0:
        read_deepest(pose_b, search.candidates, out)
        return
    choose_spots(search.candidates, 2.0 * size_of(shape))
    index = int(params.point_index)
    read_placed_spot(pose_a, pose_b, index, search.candidates, max(mesh.size, size_of(shape)), memory, out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a convex shape and a mesh, without the index of the contact point."""
    convex = a.convex()
    return (*solid_of(b).parameters, *convex.numbers(CONVEX.size), *convex.polytope)


def check(owner: str, a: Any, b: Any) -> None:
    """Raise for an open mesh and for a hollow shape."""
    require_solid(owner, a, b)
    check_solid(owner, a, b)


WARM_START = (*(0.0,) * (POSES.size + 1), *EMPTY_PLACED_SLOTS)
CONVEX_MESH = PairKernel(
    convex_mesh, PARAMS, parameters_of, WARM_START, check, contact_points=MAX_SPOTS,
    shares_warm_start=True, slots_offset=MEMORY.index("slots"),
)  # fmt: skip
