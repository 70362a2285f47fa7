"""Candidate pairs of a group: bounding boxes of the shapes and the test of two shapes.

The shapes of a group are numbered: first the ``n_shapes`` that can touch each other, then the ``n_others`` that these
can touch besides.
"""

from __future__ import annotations

from carom.compiled_model.many_body_records import (
    BODY_PAIR_DATA,
    KIND_RANGE,
    LISTED_PAIR,
    LOCAL_BOX,
    PAIR_KIND,
    SEARCH_SHAPE,
)
from carom.geometry.pairs.base import NO_CONTACT, PAIR_OUTPUT
from carom.kernels import CANDIDATE_SEARCH, floats, jit, kernel
from carom.solve.many_body.pair_geometry import evaluate_pair, poses_of
from carom.solve.many_body.records import BODY_POSE, BOX, CANDIDATE_PAIR, MANY_BODY, PAIR_SEARCH


@jit
def store_pair(search, body_a, body_b, group_or_kind):
    """Store a candidate pair; pairs beyond the capacity are only counted."""
    count = search.n_pairs
    if count < search.pair_capacity:
        pair = CANDIDATE_PAIR(search.pairs, count)
        pair.body_a = body_a
        pair.body_b = body_b
        pair.group_or_kind = group_or_kind
    search.n_pairs = count + 1


@jit
def update_box(search, s, margin):
    """Update the bounding box of shape ``s`` in global axes, wider by ``margin`` [m] on each side."""
    many_body = MANY_BODY(search.many_body)
    shape = SEARCH_SHAPE(search.shapes, s)
    local = LOCAL_BOX(search.local_boxes, s)
    box = BOX(search.global_boxes, s)
    if shape.is_centred_sphere != 0:
        body = BODY_PAIR_DATA(many_body.pair_data, shape.body)
        for d in range(3):
            box.low[d] = body.r[d] - local.half_sides[0] - margin
            box.high[d] = body.r[d] + local.half_sides[0] + margin
        return
    pose = BODY_POSE(many_body.poses, shape.body)
    for d in range(3):
        row = 3 * d
        centre = (
            pose.r[d]
            + pose.R[row] * local.centre[0]
            + pose.R[row + 1] * local.centre[1]
            + pose.R[row + 2] * local.centre[2]
        )
        half = margin
        for e in range(3):
            # An infinite side would give NaN if it were multiplied by zero.
            if pose.R[row + e] != 0.0:
                half += abs(pose.R[row + e]) * local.half_sides[e]
        box.low[d] = centre - half
        box.high[d] = centre + half


@jit
def are_separated(a, b):
    """Return True if two boxes do not overlap."""
    return (
        a.low[0] > b.high[0] or b.low[0] > a.high[0]
        or a.low[1] > b.high[1] or b.low[1] > a.high[1]
        or a.low[2] > b.high[2] or b.low[2] > a.high[2]
    )  # fmt: skip


@jit
def check_pair(search, s, t):
    """Store the pair of shapes ``s`` and ``t`` if they are closer than the skin; ``s`` is one of the first shapes."""
    one = SEARCH_SHAPE(search.shapes, s)
    two = SEARCH_SHAPE(search.shapes, t)
    if one.body == two.body:
        return
    if are_separated(BOX(search.global_boxes, s), BOX(search.global_boxes, t)):
        return
    is_self_contact = t < search.n_shapes
    # The pair is stored with the body of smaller index, so that its history is found again in the next list.
    if is_self_contact and one.body > two.body:
        one = SEARCH_SHAPE(search.shapes, t)
        two = SEARCH_SHAPE(search.shapes, s)
    if one.is_centred_sphere != 0 and two.is_centred_sphere != 0:
        check_spheres(search, one.body, two.body)
        return
    if is_self_contact:
        kinds = KIND_RANGE(search.kinds, one.type * search.n_types + two.type)
    else:
        kinds = KIND_RANGE(search.kinds_with_others, one.type * search.n_other_types + two.type)
    kind = kinds.first_kind
    is_bounded = one.is_unbounded == 0 and two.is_unbounded == 0
    if is_bounded and not are_close(search, one.body, two.body, kind):
        return
    store_contact_points(search, one.body, two.body, kind, kinds.n_contact_points)


@jit
def store_contact_points(search, body_a, body_b, kind, n_contact_points):
    """Store a pair for each contact point of two shapes, whose first kind is given."""
    if n_contact_points == 1:
        store_pair(search, body_a, body_b, -1 - kind)
        return
    # The first kind of several gives the closest contact point only.
    for point in range(1, n_contact_points + 1):
        store_pair(search, body_a, body_b, -1 - (kind + point))


@jit
def check_spheres(search, i, j):
    """Store the pair of two centred spheres if they are closer than the skin."""
    many_body = MANY_BODY(search.many_body)
    a = BODY_PAIR_DATA(many_body.pair_data, i)
    b = BODY_PAIR_DATA(many_body.pair_data, j)
    square = (a.r[0] - b.r[0]) ** 2 + (a.r[1] - b.r[1]) ** 2 + (a.r[2] - b.r[2]) ** 2
    limit = a.bounding_radius + b.bounding_radius + search.skin
    if square < limit * limit:
        store_pair(search, i, j, search.group)


@jit
def are_close(search, i, j, kind):
    """Return True if two shapes are closer than the skin, or if the kernel cannot exclude it."""
    gap = gap_of(search, i, j, kind)
    # Faces that touch only between their edges may be close although the kernel reports no contact.
    return gap < search.skin or gap >= NO_CONTACT


@jit
def gap_of(search, i, j, kind):
    """Return the gap of two shapes with a pair kernel [m]."""
    many_body = MANY_BODY(search.many_body)
    out = floats(search.pair_output)
    warm_start = floats(search.warm_start)
    pair_kind = PAIR_KIND(many_body.pair_kinds, kind)
    for d in range(pair_kind.warm_start_size):
        warm_start[d] = floats(pair_kind.initial_warm_start)[d]
    pose_a, pose_b = poses_of(many_body, pair_kind, i, j)
    evaluate_pair(pair_kind, pose_a, pose_b, warm_start, out)
    return PAIR_OUTPUT(out).gap


@jit
def may_be_images(search, body_a, body_b):
    """Return True if one of two bodies may touch the periodic image of the other."""
    many_body = MANY_BODY(search.many_body)
    is_free = body_a <= many_body.n_free_bodies and 0 < body_b <= many_body.n_free_bodies
    return many_body.pair_shifts != 0 and is_free


@kernel(CANDIDATE_SEARCH, PAIR_SEARCH)
def search_listed(search):
    """Find the candidate pairs among the single contacts; return their number."""
    search.n_pairs = 0
    for k in range(search.n_shapes):
        pair = LISTED_PAIR(search.listed_pairs, k)
        a = pair.body_a
        b = pair.body_b
        if may_be_images(search, a, b) or are_close(search, a, b, pair.first_kind):
            store_contact_points(search, a, b, pair.first_kind, pair.n_contact_points)
    return search.n_pairs


@kernel(CANDIDATE_SEARCH, PAIR_SEARCH)
def keep_close_pairs(search):
    """Keep the candidate pairs whose gap is certainly less than the skin; return their number."""
    count = 0
    for k in range(search.n_pairs):
        pair = CANDIDATE_PAIR(search.pairs, k)
        kind = -1 - pair.group_or_kind
        if kind < 0 or gap_of(search, pair.body_a, pair.body_b, kind) < search.skin:
            close = CANDIDATE_PAIR(search.pairs, count)
            close.body_a = pair.body_a
            close.body_b = pair.body_b
            close.group_or_kind = pair.group_or_kind
            count += 1
    return count
