"""Segments of a driven non-smooth run: equal steps up to a node and the copy of the node, in one call."""

from __future__ import annotations

from carom.kernels import ADDRESS, SEGMENT, call_run, kernel, record
from carom.solve.many_body.node_buffer import NODE_BUFFER, NODE_STORED, store_node
from carom.solve.many_body.rigid_records import FINISHED, RIGID, RIGID_BODY

RIGID_SEGMENT = record(
    rigid=ADDRESS,  # `RIGID`
    kernel=ADDRESS,  # loop over steps
    nodes=ADDRESS,  # `NODE_BUFFER`
)
"""Data of the segments of a run."""


@kernel(SEGMENT, RIGID_SEGMENT)
def advance_rigid_to_node(segment, t, h, n_steps):
    """Make the steps and copy the node; return `NODE_STORED`, or the status of the loop."""
    rigid = RIGID(segment.rigid)
    rigid.t_begin = t
    rigid.h = h
    rigid.n_done = 0
    rigid.n_planned = n_steps
    status = call_run(segment.kernel, rigid)
    if status != FINISHED:
        return status
    for k in range(rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        for d in range(3):
            total = body.r[d] + body.v[d] + body.omega[d]
            if total - total != 0.0:  # NaN or infinite
                return FINISHED
    store_node(NODE_BUFFER(segment.nodes))
    return NODE_STORED
