"""Several spots of contact of one pair, each in a slot that it keeps while it moves.

A pair that finds all spots of two shapes at once writes them to a table, and `assign_slots` moves them into the slots
of its warm start: a spot stays in the slot whose former place is nearest to it, so that approach speed, stick point and
other history of a slot are those of one spot. Contact point k of the pair then reads slot k. `is_prepared` tells
whether the slots are those of the present poses already, so that the search is done once for all contact points.
"""

from __future__ import annotations

from carom.geometry.pairs.base import NO_CONTACT, POSE, store_midpoint
from carom.kernels import FLOAT, RecordType, jit, record

SPOT = record(
    is_occupied=FLOAT,  # 1.0 for a slot with a spot
    gap=FLOAT,  # [m]
    normal=(FLOAT, 3),  # unit normal from b to a
    point_a=(FLOAT, 3),  # point on the surface of a [m]
    point_b=(FLOAT, 3),  # point on the surface of b [m]
    place=(FLOAT, 3),  # where the spot is on one of the bodies, in its axes [m]
    is_assigned=FLOAT,  # 1.0 once a spot has its slot, or a slot its spot
)
"""A spot of contact, found or in a slot."""
EMPTY_SLOT = (0.0,) * SPOT.size
"""Initial values of a slot."""
MAX_SPOTS = 8
"""Largest number of spots of a pair of convex shapes."""
SLOTS = RecordType({f"slot_{k}": SPOT for k in range(1, MAX_SPOTS + 1)})
"""Spots of such a pair, found or in slots."""
EMPTY_SLOTS = EMPTY_SLOT * MAX_SPOTS
"""Initial values of its slots."""
POSES = record(pose_a=POSE, pose_b=POSE)
"""Poses of both bodies for which the slots of a warm start hold."""


@jit
def is_same_pose(pose, other):
    """Return whether two poses are equal."""
    return (
        pose.x == other.x and pose.y == other.y and pose.z == other.z
        and pose.r11 == other.r11 and pose.r12 == other.r12 and pose.r13 == other.r13
        and pose.r21 == other.r21 and pose.r22 == other.r22 and pose.r23 == other.r23
        and pose.r31 == other.r31 and pose.r32 == other.r32 and pose.r33 == other.r33
    )  # fmt: skip


@jit
def copy_pose(pose, out):
    """Store a copy of a pose."""
    out.x = pose.x
    out.y = pose.y
    out.z = pose.z
    out.r11 = pose.r11
    out.r12 = pose.r12
    out.r13 = pose.r13
    out.r21 = pose.r21
    out.r22 = pose.r22
    out.r23 = pose.r23
    out.r31 = pose.r31
    out.r32 = pose.r32
    out.r33 = pose.r33


@jit
def is_prepared(pose_a, pose_b, poses):
    """Return whether ``poses`` are those of both bodies."""
    return is_same_pose(pose_a, poses.pose_a) and is_same_pose(pose_b, poses.pose_b)


@jit
def store_poses(pose_a, pose_b, poses):
    """Store the poses of both bodies."""
    copy_pose(pose_a, poses.pose_a)
    copy_pose(pose_b, poses.pose_b)


@jit
def copy_spot(spot, slot):
    """Store a copy of a spot in a slot."""
    slot.is_occupied = 1.0
    slot.gap = spot.gap
    for d in range(3):
        slot.normal[d] = spot.normal[d]
        slot.point_a[d] = spot.point_a[d]
        slot.point_b[d] = spot.point_b[d]
        slot.place[d] = spot.place[d]
    slot.is_assigned = 1.0


@jit
def nearest_pair(found, n_found, slots, n_slots):
    """Return the spot and the occupied slot that are nearest to each other among those not assigned; −1: none."""
    best_spot = -1
    best_slot = -1
    least = NO_CONTACT
    for i in range(n_found):
        spot = SPOT(found, i)
        if spot.is_assigned != 0.0:
            continue
        for j in range(n_slots):
            slot = SPOT(slots, j)
            if slot.is_assigned != 0.0 or slot.is_occupied == 0.0:
                continue
            square = 0.0
            for d in range(3):
                square += (spot.place[d] - slot.place[d]) ** 2
            if square < least:
                least = square
                best_spot = i
                best_slot = j
    return best_spot, best_slot


@jit
def assign_slots(found, n_found, slots, n_slots):
    """Move ``n_found`` ≤ ``n_slots`` spots into the slots they had; new ones into empty ones; empty all others."""
    for i in range(n_found):
        SPOT(found, i).is_assigned = 0.0
    for j in range(n_slots):
        SPOT(slots, j).is_assigned = 0.0
    n_left = n_found
    while n_left > 0:
        i, j = nearest_pair(found, n_found, slots, n_slots)
        if i < 0:
            break
        copy_spot(SPOT(found, i), SPOT(slots, j))
        SPOT(found, i).is_assigned = 1.0
        n_left -= 1
    for i in range(n_found):
        spot = SPOT(found, i)
        j = 0
        while spot.is_assigned == 0.0:
            slot = SPOT(slots, j)
            if slot.is_assigned == 0.0:
                copy_spot(spot, slot)
                spot.is_assigned = 1.0
            j += 1
    for j in range(n_slots):
        slot = SPOT(slots, j)
        if slot.is_assigned == 0.0:
            slot.is_occupied = 0.0


@jit
def read_slot(slot, out):
    """Store the spot of a slot in the output of a pair, NO_CONTACT if it is empty; the force acts midway."""
    out.gap = slot.gap if slot.is_occupied != 0.0 else NO_CONTACT
    for d in range(3):
        out.normal[d] = slot.normal[d]
        out.point_a[d] = slot.point_a[d]
        out.point_b[d] = slot.point_b[d]
    store_midpoint(out)
