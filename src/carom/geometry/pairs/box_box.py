"""Two boxes: their closest points, as those of any convex shapes, and their contact manifold."""

from __future__ import annotations

from typing import Any

from carom.geometry.convex.closest import NORMAL_MEMORY
from carom.geometry.pairs.base import PairKernel, pair_kernel, store, store_midpoint
from carom.geometry.pairs.box_frame import BOX_FRAME, axis_of, load_box
from carom.geometry.pairs.box_manifold import EDGE_POINT, contact_at_point, exchanged
from carom.geometry.pairs.box_separating_axes import best_direction
from carom.geometry.pairs.convex_convex import PARAMS as CONVEX_PARAMS
from carom.geometry.pairs.convex_convex import find_closest_points
from carom.geometry.pairs.convex_convex import parameters_of as convex_parameters
from carom.geometry.pairs.segment_distance import order_of_points
from carom.geometry.pairs.spots import POSES, is_prepared, store_poses
from carom.geometry.shapes.box import BOX
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 8: corner of a; 9 … 16: corner of b; 17 … 24: edge leaving; 25: edges
    a=BOX,
    b=BOX,
    shapes=CONVEX_PARAMS,  # both as convex shapes, for their closest points
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
    normal=NORMAL_MEMORY,  # of the closest points
)


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
    if point_index == 0:
        find_closest_points(pose_a, pose_b, params.shapes, workspace.normal, out)
        return
    a = workspace.a
    b = workspace.b
    closest = workspace.closest
    prepare_boxes(pose_a, pose_b, params, workspace)
    is_exchanged = workspace.is_exchanged != 0.0
    if is_exchanged:
        a = workspace.b
        b = workspace.a
        point_index = exchanged(point_index)
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


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of two boxes without the index of the contact point."""
    return (*a.parameters, *b.parameters, *convex_parameters(a, b))


BOX_BOX = PairKernel(
    box_box,
    PARAMS,
    parameters_of,
    warm_start=(0.0,) * WORKSPACE.size,
    contact_points=EDGE_POINT,
    shares_warm_start=True,
)
