"""Any two convex shapes: closest points or least separating translation, and up to four spots where they are flat."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.geometry.convex.closest import CONVEX_WORKSPACE, NORMAL_MEMORY, find_closest
from carom.geometry.convex.manifold import GAPS_SIZE, TABLE_SIZE, add_closest_points, find_middle, find_spots
from carom.geometry.convex.support import CONVEX, CONVEX_FRAME, ELLIPSOID, POINT, load_convex
from carom.geometry.pairs.base import PairKernel, pair_kernel, store_midpoint, to_global
from carom.geometry.pairs.spots import (
    EMPTY_SLOTS,
    MAX_SPOTS,
    POSES,
    SLOTS,
    SPOT,
    assign_slots,
    is_prepared,
    read_slot,
    store_poses,
)
from carom.geometry.vectors import add, scale, store
from carom.kernels import FLOAT, jit, offset, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 4: slot of a spot
    a=CONVEX,
    b=CONVEX,
)
"""Then the polytopes of a and b."""
MEMORY = record(normal=NORMAL_MEMORY, poses=POSES, slots=SLOTS)
"""Normal of the last call; poses for which the slots hold."""

WORKSPACE_SIZE, FRAME_SIZE, FOUND_SIZE = CONVEX_WORKSPACE.size, CONVEX_FRAME.size, SLOTS.size
FRAMES_SIZE = 2 * FRAME_SIZE
NORMAL_SIZE = NORMAL_MEMORY.size
POINT_CORES = (POINT, ELLIPSOID)
"""Cores that touch at one point only."""


@jit
def is_before(a, b):
    """Return whether a comes before b by position, axes and size, which do not depend on the names of the shapes."""
    for d in range(3):
        if a.at[d] != b.at[d]:
            return a.at[d] < b.at[d]
    for d in range(9):
        if a.axes[d] != b.axes[d]:
            return a.axes[d] < b.axes[d]
    return a.extent <= b.extent


@jit
def store_closest(work, sign, reference, out):
    """Store the closest points; ``sign`` is −1.0 if the shapes are exchanged."""
    half = 0.5 * work.gap * sign
    out.gap = work.gap
    for d in range(3):
        middle = work.middle[d] + reference[d]
        out.normal[d] = sign * work.n[d]
        out.point_a[d] = middle + half * work.n[d]
        out.point_b[d] = middle - half * work.n[d]
    store_midpoint(out)


@jit
def search(pose_a, pose_b, params, memory, frames, work, points, gaps):
    """Find normal, closest points and corners of contact, which are stored in the workspace.

    The computation does not depend on the order of the shapes. Return −1.0 if they are exchanged, and the origin of all
    coordinates [m].
    """
    a = CONVEX_FRAME(frames)
    b = CONVEX_FRAME(offset(frames, FRAME_SIZE))
    p = params.a.at
    p = to_global(pose_a, p[0], p[1], p[2])
    q = params.b.at
    q = to_global(pose_b, q[0], q[1], q[2])
    reference = scale(0.5, add(p, q))
    load_convex(pose_a, params.a, reference, a)
    load_convex(pose_b, params.b, reference, b)
    a.vertex = int(memory.vertex_a)
    b.vertex = int(memory.vertex_b)
    sign = 1.0
    if is_before(a, b):
        find_closest(a, b, sign, memory, work, points, gaps)
    else:
        sign = -1.0
        find_closest(b, a, sign, memory, work, points, gaps)
    memory.vertex_a = float(a.vertex)
    memory.vertex_b = float(b.vertex)
    return sign, reference


@jit
def first_and_second(frames, sign):
    """Return the shapes in the order of the search."""
    if sign < 0.0:
        return CONVEX_FRAME(offset(frames, FRAME_SIZE)), CONVEX_FRAME(frames)
    return CONVEX_FRAME(frames), CONVEX_FRAME(offset(frames, FRAME_SIZE))


@jit
def find_closest_points(pose_a, pose_b, params, memory, out):
    """Compute the closest points of two convex shapes; ``memory`` is the normal of the last call."""
    frames = stack_floats(FRAMES_SIZE)
    work = CONVEX_WORKSPACE(stack_floats(WORKSPACE_SIZE))
    points = stack_floats(TABLE_SIZE)
    gaps = stack_floats(GAPS_SIZE)
    sign, reference = search(pose_a, pose_b, params, memory, frames, work, points, gaps)
    a, b = first_and_second(frames, sign)
    store(work.middle, find_middle(a, b, work, points, gaps, int(work.n_corners)))
    store_closest(work, sign, reference, out)


@jit
def find_all_spots(pose_a, pose_b, params, memory):
    """Find all spots of two convex shapes, and move them into their slots."""
    frames = stack_floats(FRAMES_SIZE)
    work = CONVEX_WORKSPACE(stack_floats(WORKSPACE_SIZE))
    points = stack_floats(TABLE_SIZE)
    gaps = stack_floats(GAPS_SIZE)
    sign, reference = search(pose_a, pose_b, params, memory.normal, frames, work, points, gaps)
    a, b = first_and_second(frames, sign)
    found = SLOTS(stack_floats(FOUND_SIZE))
    count = add_closest_points(a, b, work, points, gaps, int(work.n_corners))
    count = find_spots(a, b, work, points, gaps, count, sign, pose_b, reference, found)
    assign_slots(found, count, memory.slots, MAX_SPOTS)
    store_poses(pose_a, pose_b, memory.poses)


@jit
def find_closest_points_afresh(pose_a, pose_b, params, out):
    """Compute the closest points of two convex shapes without the normal of a former call."""
    memory = NORMAL_MEMORY(stack_floats(NORMAL_SIZE))
    memory.is_set = 0.0
    memory.vertex_a = 0.0
    memory.vertex_b = 0.0
    find_closest_points(pose_a, pose_b, params, memory, out)


@pair_kernel(PARAMS, MEMORY)
def convex_convex(pose_a, pose_b, params, memory, out):
    """Compute the contact of two convex shapes, or one spot of it; the force acts midway."""
    if params.point_index == 0.0:
        find_closest_points(pose_a, pose_b, params, memory.normal, out)
        return
    if not is_prepared(pose_a, pose_b, memory.poses):
        find_all_spots(pose_a, pose_b, params, memory)
    read_slot(SPOT(memory.slots, int(params.point_index) - 1), out)


@pair_kernel(PARAMS)
def convex_convex_afresh(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of two convex shapes without the normal of a former call; the force acts midway."""
    find_closest_points_afresh(pose_a, pose_b, params, out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of two convex shapes."""
    one, two = a.convex(), b.convex()
    after_a, after_b = 2 * CONVEX.size, CONVEX.size + len(one.polytope)
    return (0.0, *one.numbers(after_a), *two.numbers(after_b), *one.polytope, *two.polytope)


def contact_points(a: Any, b: Any) -> int:
    """Return the number of spots at which two convex shapes can touch."""
    return 1 if any(shape.convex().core in POINT_CORES for shape in (a, b)) else MAX_SPOTS


def check_solid(owner: str, shape: Any, other: Any) -> None:
    """Raise for a shape that is hollow or touches with its faces only."""
    if shape.convex() is None:
        raise ModelError(
            f"{owner}: {shape.label} is hollow (inside=True), and there is no such pair with {other.label}; omit "
            "inside, or use a Mesh"
        )
    if shape.edges == "ignore":
        raise ModelError(f"{owner}: {shape.label} touches {other.label} with its edges, too; omit edges='ignore'")


def check(owner: str, a: Any, b: Any) -> None:
    """Raise for shapes that are hollow or touch with their faces only."""
    check_solid(owner, a, b)
    check_solid(owner, b, a)


def check_contact(owner: str, a: Any, b: Any) -> None:
    """Raise for two thin shapes, which never overlap."""
    if a.thin and b.thin:
        raise ModelError(f"{owner}: {a.label} and {b.label} have no thickness and cannot touch; use a Box or a radius")


WARM_START = (*(0.0,) * (NORMAL_MEMORY.size + POSES.size), *EMPTY_SLOTS)
CONVEX_CONVEX = PairKernel(
    convex_convex,
    PARAMS,
    parameters_of,
    WARM_START,
    check,
    check_contact,
    contact_points,
    shares_warm_start=True,
    slots_offset=MEMORY.index("slots"),
)
SPHERE_CONVEX = PairKernel(convex_convex_afresh, PARAMS, parameters_of, (), check)
"""Sphere and a convex shape without a memory, for a pair that moves one sphere to many places."""
