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
MEMORY_SIZE = MEMORY.size
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
def find_contact(pose_a, pose_b, params, memory, out):
    """Find the closest points, or all spots if one of them is asked for.

    The computation does not depend on the order of the shapes.
    """
    frames = stack_floats(FRAMES_SIZE)
    work = CONVEX_WORKSPACE(stack_floats(WORKSPACE_SIZE))
    a = CONVEX_FRAME(frames)
    b = CONVEX_FRAME(offset(frames, FRAME_SIZE))
    p = params.a.at
    p = to_global(pose_a, p[0], p[1], p[2])
    q = params.b.at
    q = to_global(pose_b, q[0], q[1], q[2])
    reference = scale(0.5, add(p, q))
    load_convex(pose_a, params.a, reference, a)
    load_convex(pose_b, params.b, reference, b)
    a.vertex = int(memory.normal.vertex_a)
    b.vertex = int(memory.normal.vertex_b)
    sign = 1.0
    if not is_before(a, b):
        sign = -1.0
        b = CONVEX_FRAME(frames)
        a = CONVEX_FRAME(offset(frames, FRAME_SIZE))
    points = stack_floats(TABLE_SIZE)
    gaps = stack_floats(GAPS_SIZE)
    find_closest(a, b, sign, memory.normal, work, points, gaps)
    memory.normal.vertex_a = float(a.vertex if sign > 0.0 else b.vertex)
    memory.normal.vertex_b = float(b.vertex if sign > 0.0 else a.vertex)
    count = int(work.n_corners)
    if params.point_index == 0.0:
        store(work.middle, find_middle(a, b, work, points, gaps, count))
        store_closest(work, sign, reference, out)
        return
    found = SLOTS(stack_floats(FOUND_SIZE))
    count = add_closest_points(a, b, work, points, gaps, count)
    count = find_spots(a, b, work, points, gaps, count, sign, pose_b, reference, found)
    assign_slots(found, count, memory.slots, MAX_SPOTS)
    store_poses(pose_a, pose_b, memory.poses)


@jit
def find_afresh(pose_a, pose_b, params, out):
    """Find the closest points without the normal of a former call; ``params.point_index`` is 0."""
    numbers = stack_floats(MEMORY_SIZE)
    for k in range(MEMORY_SIZE):
        numbers[k] = 0.0
    find_contact(pose_a, pose_b, params, MEMORY(numbers), out)


@pair_kernel(PARAMS, MEMORY)
def convex_convex(pose_a, pose_b, params, memory, out):
    """Compute the contact of two convex shapes, or one spot of it; the force acts midway."""
    if params.point_index == 0.0 or not is_prepared(pose_a, pose_b, memory.poses):
        find_contact(pose_a, pose_b, params, memory, out)
    if params.point_index != 0.0:
        read_slot(SPOT(memory.slots, int(params.point_index) - 1), out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of two convex shapes."""
    one, two = a.convex(), b.convex()
    after_a, after_b = 2 * CONVEX.size, CONVEX.size + len(one.polytope)
    return (0.0, *one.numbers(after_a), *two.numbers(after_b), *one.polytope, *two.polytope)


def contact_points(a: Any, b: Any) -> int:
    """Return the number of spots at which two convex shapes can touch."""
    return 1 if any(shape.convex().core in POINT_CORES for shape in (a, b)) else MAX_SPOTS


def check(owner: str, a: Any, b: Any) -> None:
    """Raise for shapes that are hollow or touch with their faces only."""
    for shape, other in ((a, b), (b, a)):
        if shape.convex() is None:
            raise ModelError(
                f"{owner}: {shape.label} is hollow (inside=True), and there is no such pair with {other.label}; omit "
                "inside, or use a Mesh"
            )
        if shape.edges == "ignore":
            raise ModelError(f"{owner}: {shape.label} touches {other.label} with its edges, too; omit edges='ignore'")


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
