"""Segments of a driven compliant run: equal steps up to a node and the copy of the node, in one call."""

from __future__ import annotations

from carom.kernels import ADDRESS, SEGMENT, call_threaded_run, ints, kernel, record
from carom.kernels.thread_sync import N_CLAIMED, N_THREADS
from carom.solve.many_body.contact_geometry import store_geometries
from carom.solve.many_body.node_buffer import CONTACTS_ENDED, NODE_BUFFER, NODE_STORED, store_node
from carom.solve.many_body.records import CONTACT_NODE, FINISHED, FROM_BODIES, MANY_BODY, VERLET_SETTINGS

VERLET_SEGMENT = record(
    many_body=ADDRESS,  # `MANY_BODY`
    kernel=ADDRESS,  # loop over steps
    contact_node=ADDRESS,  # `CONTACT_NODE` of the single contacts
    nodes=ADDRESS,  # `NODE_BUFFER`
)
"""Data of the segments of a run, which one thread advances."""


@kernel(SEGMENT, VERLET_SEGMENT)
def advance_to_node(segment, t, h, n_steps):
    """Make the steps and copy the node; return `NODE_STORED`, `CONTACTS_ENDED`, or the status of the loop."""
    many_body = MANY_BODY(segment.many_body)
    settings = VERLET_SETTINGS(many_body.settings)
    settings.h = settings.h_friction = settings.h_damping = h
    settings.t_begin = t
    many_body.n_steps = n_steps
    many_body.n_done = 0
    many_body.stage = FROM_BODIES
    thread_data = ints(many_body.thread_data)
    thread_data[N_THREADS] = 1
    thread_data[N_CLAIMED] = 0
    status = call_threaded_run(segment.kernel, many_body, 0)
    if status != FINISHED:
        return status
    contact_node = CONTACT_NODE(segment.contact_node)
    store_geometries(contact_node)
    if not store_node(NODE_BUFFER(segment.nodes)):
        return FINISHED
    n_logged = ints(many_body.n_logged)
    for k in range(contact_node.n_contacts):
        if n_logged[k] != 0:
            return CONTACTS_ENDED
    return NODE_STORED
