"""Warm starts of pair kernels in a neighbour list, one after the other in one array."""

from __future__ import annotations

from carom.compiled_model.many_body_records import PAIR_KIND
from carom.kernels import floats, ints, jit, offset
from carom.solve.many_body.records import NEIGHBOUR_ENTRY


@jit
def warm_start_of(many_body, kind, k):
    """Return the warm start of pair ``k`` of the list, which has the given kind."""
    warm_starts = floats(many_body.warm_start)
    if kind.warm_start_size == 0:
        return warm_starts  # the kernel does not use it
    return offset(warm_starts, ints(many_body.warm_start_offsets)[k - kind.warm_start_shift])


@jit
def place_warm_starts(many_body):
    """Store where the warm start of each pair of a sorted list begins."""
    offsets = ints(many_body.warm_start_offsets)
    n = 0
    for k in range(ints(many_body.first_entry)[many_body.n_bodies + 1]):
        offsets[k] = n
        index = -1 - NEIGHBOUR_ENTRY(many_body.entries, k).group_or_kind
        if index >= 0 and PAIR_KIND(many_body.pair_kinds, index).warm_start_shift == 0:
            n += PAIR_KIND(many_body.pair_kinds, index).warm_start_size


@jit
def fill_warm_start(many_body, k, old_warm_start, old_offsets, p):
    """Fill the warm start of pair ``k`` from that of pair ``p`` of the old list, or with initial values if p < 0."""
    index = -1 - NEIGHBOUR_ENTRY(many_body.entries, k).group_or_kind
    if index < 0:
        return
    kind = PAIR_KIND(many_body.pair_kinds, index)
    if kind.warm_start_size == 0 or kind.warm_start_shift != 0:
        return
    target = offset(floats(many_body.warm_start), ints(many_body.warm_start_offsets)[k])
    source = floats(kind.initial_warm_start)
    if p >= 0:
        source = offset(floats(old_warm_start), ints(old_offsets)[p])
    for d in range(kind.warm_start_size):
        target[d] = source[d]
