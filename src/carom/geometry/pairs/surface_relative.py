"""Relative pose of two freeform surfaces, searches that are due after a motion, and contacts in global axes."""

from __future__ import annotations

import math

from carom.geometry.lookup.window import release_pages, update_window
from carom.geometry.pairs.base import POSE, rotate, store, to_global, to_local
from carom.geometry.surface_projection import net_at
from carom.kernels import address_of, floats, jit

POSE_SIZE = POSE.size
SEARCH_DISTANCE, SEARCH_DISTANCE_WITHOUT = 1.0, 0.1
"""Relative motion over the distance of patches of the coarse net after which all of them are searched again at the
latest: with a known common normal, and without [-]."""


@jit
def vector_to_local(pose, x, y, z):
    """Return a vector of global axes in the axes of a pose, as the difference of two points."""
    return to_local(pose, pose.x + x, pose.y + y, pose.z + z)


@jit
def store_relative_pose(pose_a, pose_b, i, j, pose):
    """Store the pose of surface i in the axes of surface j."""
    zero = 0.0
    one = 1.0
    x, y, z = to_global(pose_a, i.x, i.y, i.z)
    x, y, z = to_local(pose_b, x, y, z)
    pose.x, pose.y, pose.z = to_local(j, x, y, z)
    pose.r11, pose.r21, pose.r31 = relative_axis(pose_a, pose_b, i, j, one, zero, zero)
    pose.r12, pose.r22, pose.r32 = relative_axis(pose_a, pose_b, i, j, zero, one, zero)
    pose.r13, pose.r23, pose.r33 = relative_axis(pose_a, pose_b, i, j, zero, zero, one)


@jit
def relative_axis(pose_a, pose_b, i, j, x, y, z):
    """Return a vector of the axes of surface i in those of surface j."""
    x, y, z = rotate(i, x, y, z)
    x, y, z = rotate(pose_a, x, y, z)
    x, y, z = vector_to_local(pose_b, x, y, z)
    return to_local(j, x + j.x, y + j.y, z + j.z)


@jit
def is_search_due(pose, warm_start, i):
    """Return True if the surfaces have moved so far since the last search that another one is due."""
    current = floats(address_of(pose))
    before = floats(address_of(warm_start.pose))
    shift = 0.0
    turn = 0.0
    for d in range(3):
        shift += (current[d] - before[d]) ** 2
    for d in range(3, POSE_SIZE):
        turn += (current[d] - before[d]) ** 2
    return not math.sqrt(shift) + i.size * math.sqrt(turn) < warm_start.free_distance


@jit
def spacing_of(i, j):
    """Return the lesser distance of the patches of two surfaces [m]."""
    return min(net_at(i, i.coarse_net).spacing, net_at(j, j.coarse_net).spacing)


@jit
def store_search(warm_start, pose, status, free_distance):
    """Store pose and success of a search, and how far the surfaces may move until the next one [m]."""
    warm_start.status = status
    warm_start.free_distance = free_distance
    current = floats(address_of(pose))
    stored = floats(address_of(warm_start.pose))
    for d in range(POSE_SIZE):
        stored[d] = current[d]


@jit
def update_windows(i, j, warm_start):
    """Move the windows of lookup tables to the known common normal."""
    if i.window != 0.0:
        update_window(int(i.window), warm_start.u, warm_start.v)
    if j.window != 0.0:
        update_window(int(j.window), warm_start.p, warm_start.q)


@jit
def release_windows(i, j):
    """Release the pages of lookup tables: a search has read all of them."""
    if i.window != 0.0:
        release_pages(int(i.window))
    if j.window != 0.0:
        release_pages(int(j.window))


@jit
def store_contact(j, pose_b, workspace, out):
    """Store normal and points of the common normal in the workspace, from the axes of surface j to global axes."""
    first = workspace.first
    second = workspace.second
    nx, ny, nz = rotate(j, second.normal[0], second.normal[1], second.normal[2])
    nx, ny, nz = rotate(pose_b, nx, ny, nz)
    ax, ay, az = to_global(j, first.point[0], first.point[1], first.point[2])
    ax, ay, az = to_global(pose_b, ax, ay, az)
    bx, by, bz = to_global(j, second.point[0], second.point[1], second.point[2])
    bx, by, bz = to_global(pose_b, bx, by, bz)
    store(out.normal, nx, ny, nz)
    store(out.point_a, ax, ay, az)
    store(out.point_b, bx, by, bz)
