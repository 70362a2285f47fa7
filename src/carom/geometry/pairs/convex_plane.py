"""Convex shape and plane: corners of polygons and hulls, the lowest points of rims or of an ellipsoid."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.convex.manifold import TILT, select_candidates
from carom.geometry.convex.support import (
    BOX,
    CONVEX,
    CONVEX_FRAME,
    FRUSTUM,
    POLYTOPE,
    POLYTOPE_HEAD,
    at_place,
    in_axes,
    load_convex,
    local_support,
    vertex_at,
)
from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import store_sphere_contact
from carom.geometry.pairs.spots import (
    EMPTY_SLOTS,
    MAX_SPOTS,
    POSES,
    SLOTS,
    SPOT,
    assign_slots,
    is_prepared,
    store_poses,
)
from carom.geometry.shapes.plane import PLANE
from carom.geometry.vectors import along, dot, load, scale, subtract
from carom.kernels import FLOAT, jit, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: lowest point, or middle of a level face or edge; then corners, points of rims or slots
    a=CONVEX,
    plane=PLANE,
)
"""Then the polytope of a."""
MEMORY = record(poses=POSES, slots=SLOTS)
"""For polytopes with many vertices: poses for which the slots hold."""

FRAME_SIZE, FOUND_SIZE = CONVEX_FRAME.size, SLOTS.size
MAX_LOW = 256
"""Largest number of vertices that are compared as lowest ones."""
LOW_SIZE = 3 * MAX_LOW
LEVEL_HEIGHT = 1e-12
"""Ratio to the size of the shape below which a difference of heights is rounding [-]."""
LEVEL_SINE = 1e-12
"""Sine of the angle between an end face and the plane below which it is level [-]."""
RIM_POINTS = 4
"""Contact points of a frustum: the lowest point of each rim, and two at ±120° from it on the lower rim."""


@jit
def lowest_end(slope, size, extent):
    """Return the sign of the lower end of an axis that rises by ``slope``, 0.0 if it is level."""
    if abs(slope * size) < LEVEL_HEIGHT * extent:
        return 0.0
    return -math.copysign(1.0, slope)


@jit
def box_point(frame, k, n):
    """Return corner ``k`` of a flat box, or for 0 its lowest point or the middle of what is level, in its axes [m]."""
    half_x = frame.size[0]
    half_y = frame.size[1]
    half_z = frame.size[2]
    if k == 0:
        extent = frame.extent
        x = lowest_end(n[0], half_x, extent) * half_x
        y = lowest_end(n[1], half_y, extent) * half_y
        return x, y, lowest_end(n[2], half_z, extent) * half_z
    x = half_x if k == 1 or k == 4 else -half_x
    y = half_y if k < 3 else -half_y
    return x, y, 0.0 * half_z


@jit
def rim_point(radius, height, n, angle):
    """Return the point of a rim at ``angle`` [rad] from its lowest point, in the axes of the frustum [m]."""
    sine = math.sqrt(n[0] * n[0] + n[1] * n[1])
    x = -1.0
    y = 0.0
    if sine > LEVEL_SINE:
        x = -n[0] / sine
        y = -n[1] / sine
    c = radius * math.cos(angle)
    s = radius * math.sin(angle)
    return c * x - s * y, s * x + c * y, height


@jit
def frustum_point(frame, k, n):
    """Return contact point ``k`` of a frustum, or for 0 its lowest point or the middle of what is level, in its axes.

    ``k`` is 1 and 2 for the lowest point of each rim, 3 and 4 for the points at ±120° from it on the lower rim.
    """
    none = 0.0
    half = frame.size[2]
    third = 2.0 * math.pi / 3.0
    start = rim_point(frame.size[0], -half, n, none)
    end = rim_point(frame.size[1], half, n, none)
    if k == 1:
        return start
    if k == 2:
        return end
    rise = dot(subtract(end, start), n)
    if k > 2:
        angle = third if k == 3 else -third
        if n[2] > 0.0:
            return rim_point(frame.size[0], -half, n, angle)
        return rim_point(frame.size[1], half, n, angle)
    is_flat = n[0] * n[0] + n[1] * n[1] <= LEVEL_SINE * LEVEL_SINE
    if is_flat:
        return none, none, (half if rise < 0.0 else -half)
    if abs(rise) < LEVEL_HEIGHT * frame.extent:
        return scale(0.5, along(start, 1.0, end))
    return end if rise < 0.0 else start


@jit
def lowest_vertices(frame, n):
    """Return the middle of the lowest vertices of a polytope, in its axes [m]."""
    n_vertices = int(POLYTOPE_HEAD(frame.polytope).n_vertices)
    least = NO_CONTACT
    for k in range(n_vertices):
        least = min(least, dot(vertex_at(frame, k), n))
    total = (0.0, 0.0, 0.0)
    count = 0
    for k in range(n_vertices):
        p = vertex_at(frame, k)
        if dot(p, n) <= least + LEVEL_HEIGHT * frame.extent:
            total = along(total, 1.0, p)
            count += 1
    return scale(1.0 / count, total)


@jit
def point_of(frame, k, n):
    """Return contact point ``k`` of a convex shape above a plane with the normal n, all in the axes of the shape."""
    core = frame.core
    if core == BOX:
        return box_point(frame, k, n)
    if core == FRUSTUM:
        return frustum_point(frame, k, n)
    if core == POLYTOPE:
        return lowest_vertices(frame, n) if k == 0 else vertex_at(frame, k - 1)
    return local_support(frame, scale(-1.0, n))


@jit
def height_limit(frame, n, base):
    """Return the height up to which vertices may be spots: those that touch, and at least MAX_SPOTS of them [m].

    ``base`` is the height of the origin above the plane.
    """
    lowest = stack_floats(MAX_SPOTS)
    for i in range(MAX_SPOTS):
        lowest[i] = NO_CONTACT
    last = MAX_SPOTS - 1
    for k in range(int(POLYTOPE_HEAD(frame.polytope).n_vertices)):
        height = base + dot(vertex_at(frame, k), n)
        if height < lowest[last]:
            i = last
            while i > 0 and lowest[i - 1] > height:
                lowest[i] = lowest[i - 1]
                i -= 1
            lowest[i] = height
    return max(lowest[last], max(lowest[0] + 2.0 * TILT * frame.extent, 0.0))


@jit
def find_lowest(frame, n, base, found):
    """Store up to MAX_SPOTS of the lowest vertices as spots; return their number."""
    points = stack_floats(LOW_SIZE)
    heights = stack_floats(MAX_LOW)
    selected = stack_floats(MAX_SPOTS)
    limit = height_limit(frame, n, base)
    count = 0
    for k in range(int(POLYTOPE_HEAD(frame.polytope).n_vertices)):
        p = vertex_at(frame, k)
        height = base + dot(p, n)
        if height <= limit and count < MAX_LOW:
            for d in range(3):
                points[3 * count + d] = p[d]
            heights[count] = height
            count += 1
    n_spots = select_candidates(points, heights, count, n, MAX_SPOTS, TILT, selected)
    for i in range(n_spots):
        spot = SPOT(found, i)
        k = int(selected[i])
        spot.gap = heights[k]
        for d in range(3):
            spot.place[d] = points[3 * k + d]
    return n_spots


@pair_kernel(PARAMS, MEMORY)
def convex_plane(pose_a, pose_b, params, memory, out):
    """Compute the contact of a convex shape (a), or one of its points, with a plane (b), on which the force acts."""
    frame = CONVEX_FRAME(stack_floats(FRAME_SIZE))
    plane = params.plane
    p = to_global(pose_b, plane.px, plane.py, plane.pz)
    normal = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    load_convex(pose_a, params.a, p, frame)
    n = in_axes(frame, normal)
    k = int(params.point_index)
    if k > 0 and frame.core == POLYTOPE and POLYTOPE_HEAD(frame.polytope).n_vertices > MAX_SPOTS:
        if not is_prepared(pose_a, pose_b, memory.poses):
            found = SLOTS(stack_floats(FOUND_SIZE))
            count = find_lowest(frame, n, dot(load(frame.at), normal), found)
            assign_slots(found, count, memory.slots, MAX_SPOTS)
            store_poses(pose_a, pose_b, memory.poses)
        slot = SPOT(memory.slots, k - 1)
        exists = slot.gap < NO_CONTACT
        local = load(slot.place)
    else:
        local = point_of(frame, k, n)
        # At an apex there is no rim.
        exists = k < 3 or frame.core != FRUSTUM or local[0] != 0.0 or local[1] != 0.0
    point = at_place(frame, local)
    height = dot(point, normal)
    point = along(point, 1.0, p)
    store_sphere_contact(out, point[0], point[1], point[2], frame.radius, normal[0], normal[1], normal[2], height)
    if not exists:
        out.gap = NO_CONTACT


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a convex shape and a plane."""
    shape = a.convex()
    return (0.0, *shape.numbers(CONVEX.size + PLANE.size), *b.parameters, *shape.polytope)


def contact_points(a: Any, b: Any) -> int:
    """Return the number of points at which a convex shape can touch a plane."""
    shape = a.convex()
    if shape.core == POLYTOPE:
        return min(shape.n_vertices, MAX_SPOTS)
    return {BOX: 4, FRUSTUM: RIM_POINTS}.get(shape.core, 1)


def check(owner: str, a: Any, b: Any) -> None:
    """Raise for a shape that is hollow or touches with its faces only."""
    if a.convex() is None:
        raise ModelError(f"{owner}: {a.label} is hollow (inside=True) and cannot touch {b.label}; omit inside")
    if a.edges == "ignore":
        raise ModelError(
            f"{owner}: {a.label} touches {b.label} with its edges, which edges='ignore' excludes; omit edges"
        )


CONVEX_PLANE = PairKernel(
    convex_plane, PARAMS, parameters_of, (*(0.0,) * POSES.size, *EMPTY_SLOTS), check, contact_points=contact_points,
    shares_warm_start=True, slots_offset=MEMORY.index("slots"),
)  # fmt: skip
