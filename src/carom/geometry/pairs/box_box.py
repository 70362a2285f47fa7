"""Two boxes: closest points of corners, edges and faces, or the shortest way out; and their contact manifold."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, store, store_midpoint
from carom.geometry.pairs.box_frame import BOX_FRAME, CORNERS, axis_of, corner, half_diagonal, height_above, load_box
from carom.geometry.pairs.box_manifold import EDGE_POINT, contact_at_point, exchanged
from carom.geometry.pairs.box_separating_axes import best_direction, candidate_separation, edge
from carom.geometry.pairs.segment_distance import INNER, closest_fractions, order_of_points
from carom.geometry.pairs.spots import POSES, is_prepared, store_poses
from carom.geometry.shapes.box import BOX
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 8: corner of a; 9 … 16: corner of b; 17 … 24: edge leaving; 25: edges
    a=BOX,
    b=BOX,
)
CLOSEST = record("distance  count  ax ay az  bx by bz")
"""Least distance [m], number of pairs of points that have it, and the sums (later means) of these points [m]."""
WORKSPACE = record(
    a=BOX_FRAME,
    b=BOX_FRAME,
    closest=CLOSEST,
    # poses of the bodies for which the boxes and the direction of contact are those above, for all contact points
    poses=POSES,
    direction=FLOAT,  # see `best_direction`
    is_exchanged=FLOAT,
)

DISTANCE_TOLERANCE = 1e-11
"""Ratio to the size of the smaller box below which a difference of two distances is rounding [-]."""


@jit
def largest_separation(a, b, dx, dy, dz):
    """Return the largest gap of the separating-axis test [m] and its direction; faces are preferred to edges."""
    tolerance = DISTANCE_TOLERANCE * min(half_diagonal(a), half_diagonal(b))
    first = 0
    largest, nx, ny, nz = candidate_separation(a, b, first, dx, dy, dz)
    for k in range(1, 15):
        gap, x, y, z = candidate_separation(a, b, k, dx, dy, dz)
        if gap > largest + tolerance:
            largest = gap
            nx = x
            ny = y
            nz = z
    return largest, nx, ny, nz


@jit
def add_candidate(closest, tolerance, ax, ay, az, bx, by, bz):
    """Add a pair of points if it is as close as the closest so far."""
    distance = math.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2)
    if distance > closest.distance + tolerance:
        return
    if distance < closest.distance - tolerance:
        closest.count = 0.0
        closest.ax = 0.0
        closest.ay = 0.0
        closest.az = 0.0
        closest.bx = 0.0
        closest.by = 0.0
        closest.bz = 0.0
    closest.distance = min(closest.distance, distance)
    closest.count += 1.0
    closest.ax += ax
    closest.ay += ay
    closest.az += az
    closest.bx += bx
    closest.by += by
    closest.bz += bz


@jit
def add_crossing_edges(a, b, axis_a, axis_b, tolerance, closest):
    """Add all crossing edges of two axes."""
    for i in range(4):
        ax, ay, az, ux, uy, uz = edge(a, axis_a, i)
        for j in range(4):
            bx, by, bz, vx, vy, vz = edge(b, axis_b, j)
            s, t, kind, _, _, _ = closest_fractions(ax - bx, ay - by, az - bz, ux, uy, uz, vx, vy, vz)
            if kind == INNER:
                add_candidate(
                    closest, tolerance, ax + s * ux, ay + s * uy, az + s * uz, bx + t * vx, by + t * vy, bz + t * vz
                )


@jit
def find_closest_features(a, b, gap, closest):
    """Find the mean of all closest pairs of points of boxes with this ``gap`` [m], which is not negative.

    Candidates are corners with boxes, and crossing edges. Only edges whose common normal has this gap are that close.
    """
    tolerance = DISTANCE_TOLERANCE * min(half_diagonal(a), half_diagonal(b))
    closest.distance = NO_CONTACT
    for k in range(CORNERS):
        x, y, z = corner(a, k)
        height, nx, ny, nz = height_above(b, x, y, z)
        height = max(height, 0.0)
        add_candidate(closest, tolerance, x, y, z, x - height * nx, y - height * ny, z - height * nz)
        x, y, z = corner(b, k)
        height, nx, ny, nz = height_above(a, x, y, z)
        height = max(height, 0.0)
        add_candidate(closest, tolerance, x - height * nx, y - height * ny, z - height * nz, x, y, z)
    for k in range(6, 15):
        edge_gap, _, _, _ = candidate_separation(a, b, k, a.x - b.x, a.y - b.y, a.z - b.z)
        if edge_gap >= gap - tolerance:
            axis_a = (k - 6) // 3
            axis_b = (k - 6) % 3
            add_crossing_edges(a, b, axis_a, axis_b, tolerance, closest)
    closest.ax /= closest.count
    closest.ay /= closest.count
    closest.az /= closest.count
    closest.bx /= closest.count
    closest.by /= closest.count
    closest.bz /= closest.count


@jit
def closest_points(a, b, closest):
    """Return the gap [m] and the normal from b to a; the points are stored in ``closest``."""
    gap, nx, ny, nz = largest_separation(a, b, a.x - b.x, a.y - b.y, a.z - b.z)
    # Overlapping boxes are moved apart along the shortest way; their contact is at the points that touch then.
    shift = max(-gap, 0.0)
    a.x += shift * nx
    a.y += shift * ny
    a.z += shift * nz
    separated_gap = max(gap, 0.0)
    find_closest_features(a, b, separated_gap, closest)
    closest.ax -= shift * nx
    closest.ay -= shift * ny
    closest.az -= shift * nz
    if gap > 0.0:
        gap, nx, ny, nz = distance_of_points(closest, nx, ny, nz)
    return gap, nx, ny, nz


@jit
def distance_of_points(closest, nx, ny, nz):
    """Return the distance of the points [m] and the unit vector between them, or n where the distance is rounding."""
    x = closest.ax - closest.bx
    y = closest.ay - closest.by
    z = closest.az - closest.bz
    distance = math.sqrt(x * x + y * y + z * z)
    if distance < 1e-12:
        return distance, nx, ny, nz
    return distance, x / distance, y / distance, z / distance


@jit
def order_of_boxes(a, b):
    """Return −1.0 if b comes first by its position and orientation, which do not depend on the names of the boxes."""
    order = order_of_points(a.x, a.y, a.z, b.x, b.y, b.z)
    for k in range(3):
        if order == 0.0:
            px, py, pz = axis_of(a, k)
            qx, qy, qz = axis_of(b, k)
            order = order_of_points(px, py, pz, qx, qy, qz)
    return order


@jit
def prepare_boxes(pose_a, pose_b, params, workspace):
    """Store both boxes and their direction of contact, unless they are those of another contact point already.

    The computation does not depend on the order of the boxes, so that exchanging them changes no digit.
    """
    if params.point_index != 0.0 and is_prepared(pose_a, pose_b, workspace.poses):
        return
    a = workspace.a
    b = workspace.b
    load_box(pose_a, params.a, a)
    load_box(pose_b, params.b, b)
    workspace.is_exchanged = 0.0
    if order_of_boxes(a, b) < 0.0:
        workspace.is_exchanged = 1.0
        a = workspace.b
        b = workspace.a
    if params.point_index != 0.0:
        workspace.direction = best_direction(a, b, a.x - b.x, a.y - b.y, a.z - b.z)
        store_poses(pose_a, pose_b, workspace.poses)


@pair_kernel(PARAMS, WORKSPACE)
def box_box(pose_a, pose_b, params, workspace, out):
    """Compute the closest points of two boxes, or one point of their contact manifold; the force acts midway."""
    point_index = int(params.point_index)
    a = workspace.a
    b = workspace.b
    closest = workspace.closest
    prepare_boxes(pose_a, pose_b, params, workspace)
    is_exchanged = workspace.is_exchanged != 0.0
    if is_exchanged:
        a = workspace.b
        b = workspace.a
        point_index = exchanged(point_index)
    if point_index == 0:
        gap, nx, ny, nz = closest_points(a, b, closest)
    else:
        gap, nx, ny, nz = contact_at_point(a, b, int(workspace.direction), point_index, closest)
    out.gap = gap
    if is_exchanged:
        store(out.normal, -nx, -ny, -nz)
        store(out.point_b, closest.ax, closest.ay, closest.az)
        store(out.point_a, closest.bx, closest.by, closest.bz)
    else:
        store(out.normal, nx, ny, nz)
        store(out.point_a, closest.ax, closest.ay, closest.az)
        store(out.point_b, closest.bx, closest.by, closest.bz)
    store_midpoint(out)


BOX_BOX = PairKernel(
    box_box, PARAMS, warm_start=(0.0,) * WORKSPACE.size, contact_points=EDGE_POINT, shares_warm_start=True
)
