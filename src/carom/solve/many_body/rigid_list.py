"""Neighbour lists of non-smooth runs: candidate pairs sorted by bodies, with the impulses of the last step."""

from __future__ import annotations

from carom.compiled_model.many_body_records import BODY_PAIR_DATA
from carom.kernels import LIST_CONSTRUCTION, ints, jit, kernel
from carom.solve.many_body.neighbour_list import find_entry, sort_by_body, store_shifts
from carom.solve.many_body.records import LIST_UPDATE, MANY_BODY, NEIGHBOUR_ENTRY
from carom.solve.many_body.rigid_records import PAIR_IMPULSE, RIGID_BODY, RIGID_LIST_UPDATE
from carom.solve.many_body.warm_starts import fill_warm_start, place_warm_starts


@jit
def copy_impulse(source, target):
    """Copy a `PAIR_IMPULSE`."""
    for d in range(3):
        target.P[d] = source.P[d]
        target.T[d] = source.T[d]
        target.b[d] = source.b[d]
    target.P_N = source.P_N
    target.status = source.status
    target.gap = source.gap
    target.group = source.group


@jit
def clear_impulse(target):
    """Set a `PAIR_IMPULSE` to that of a separated pair."""
    for d in range(3):
        target.P[d] = 0.0
        target.T[d] = 0.0
        target.b[d] = 0.0
    target.P_N = 0.0
    target.status = 0
    target.gap = 0.0
    target.group = 0


@jit
def copy_pairs(update, mid):
    """Copy impulses and start values of pair kernels from the old list to the new one."""
    first = ints(mid.first_entry)
    first_old = ints(update.old_first_entry)
    has_warm_starts = mid.warm_start_offsets != 0
    if has_warm_starts:
        place_warm_starts(mid)
    for i in range(1, mid.n_bodies + 1):
        p = first_old[i]
        for k in range(first[i], first[i + 1]):
            entry = NEIGHBOUR_ENTRY(mid.entries, k)
            p, is_old = find_entry(update.old_entries, p, first_old[i + 1], entry)
            if is_old:
                copy_impulse(PAIR_IMPULSE(update.old_pairs, p), PAIR_IMPULSE(update.pairs, k))
            else:
                clear_impulse(PAIR_IMPULSE(update.pairs, k))
            if has_warm_starts:
                old = p if is_old else -1
                fill_warm_start(mid, k, update.old_warm_start, update.old_warm_start_offsets, old)


@kernel(LIST_CONSTRUCTION, RIGID_LIST_UPDATE)
def build_rigid_list(update):
    """Build a neighbour list, valid for the midpoint positions of the bodies."""
    mid = MANY_BODY(update.mid)
    sort_by_body(LIST_UPDATE(update.update), mid)
    copy_pairs(update, mid)
    if mid.pair_shifts != 0:
        store_shifts(mid)
    for i in range(1, mid.n_bodies + 1):
        body = RIGID_BODY(update.bodies, i)
        for d in range(3):
            body.r_at_list[d] = BODY_PAIR_DATA(mid.pair_data, i).r[d]
        body.rotation_since_list = 0.0
