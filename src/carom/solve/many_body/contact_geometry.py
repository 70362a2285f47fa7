"""Geometry of the single contacts at an output node, also of those that are separated."""

from __future__ import annotations

from carom.compiled_model.many_body_records import PAIR_KIND, SINGLE_CONTACT
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import LIST_CONSTRUCTION, floats, ints, jit, kernel
from carom.solve.many_body.pair_geometry import evaluate_pair, image_of, poses_of, shift_of
from carom.solve.many_body.records import (
    CONTACT_GEOMETRY,
    CONTACT_NODE,
    MANY_BODY,
    NEIGHBOUR_ENTRY,
    WORKSPACE,
)
from carom.solve.many_body.warm_starts import warm_start_of


@jit
def find_pair(many_body, contact):
    """Return the index of a single contact in the neighbour list, or −1."""
    first_entry = ints(many_body.first_entry)
    for k in range(first_entry[contact.body_a], first_entry[contact.body_a + 1]):
        entry = NEIGHBOUR_ENTRY(many_body.entries, k)
        if entry.group_or_kind == -1 - contact.kind and entry.body_b == contact.body_b:
            return k
    return -1


@jit
def store_geometry(many_body, contact, warm_start, geometry):
    """Store gap, normal and contact point; the warm start of the run is not changed."""
    k = find_pair(many_body, contact)
    geometry.pair = k
    kind = PAIR_KIND(many_body.pair_kinds, contact.kind)
    source = floats(kind.initial_warm_start)
    if k >= 0:
        source = warm_start_of(many_body, kind, k)
    for d in range(kind.warm_start_size):
        warm_start[d] = source[d]
    workspace = WORKSPACE(many_body.workspaces, 0)
    pose_a, pose_b = poses_of(many_body, kind, contact.body_a, contact.body_b)
    if k >= 0:
        sx, sy, sz = shift_of(many_body, k)
        pose_b = image_of(pose_b, sx, sy, sz, floats(workspace.image_pose))
    out = PAIR_OUTPUT(workspace.pair_output)
    sign = evaluate_pair(kind, pose_a, pose_b, warm_start, out)
    geometry.gap = out.gap
    for d in range(3):
        geometry.normal[d] = sign * out.normal[d]
        geometry.point[d] = out.force_point[d]


@jit
def store_geometries(node):
    """Store the geometry of all single contacts for the current poses of the bodies."""
    many_body = MANY_BODY(node.many_body)
    for row in range(node.n_contacts):
        store_geometry(
            many_body, SINGLE_CONTACT(many_body.single_contacts, row), floats(node.warm_start),
            CONTACT_GEOMETRY(node.geometry, row),
        )  # fmt: skip


@kernel(LIST_CONSTRUCTION, CONTACT_NODE)
def store_all_geometry(node):
    """Store the geometry of all single contacts; see `store_geometries`."""
    store_geometries(node)
