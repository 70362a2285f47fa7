"""Construction of neighbour lists: candidate pairs sorted by bodies, with the history of pairs in contact."""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_MOTION_DATA, BODY_PAIR_DATA
from carom.kernels import LIST_CONSTRUCTION, floats, ints, jit, kernel
from carom.solve.many_body.records import (
    CANDIDATE_PAIR,
    LIST_UPDATE,
    MANY_BODY,
    NEIGHBOUR_ENTRY,
    PAIR_HISTORY,
    PAIR_SHIFT,
    PAIR_STATE,
    PAIR_WRENCH,
    VERLET_SETTINGS,
)
from carom.solve.many_body.warm_starts import fill_warm_start, place_warm_starts


@jit
def sort_by_body(update, many_body):
    """Sort the candidate pairs by first body, second body and kind."""
    first = ints(many_body.first_entry)
    next_index = ints(update.next_index)
    n = many_body.n_bodies
    for i in range(n + 2):
        next_index[i] = 0
    for k in range(update.n_pairs):
        next_index[CANDIDATE_PAIR(update.pairs, k).body_a + 1] += 1
    for i in range(n + 1):
        next_index[i + 1] += next_index[i]
    for i in range(n + 2):
        first[i] = next_index[i]
    for k in range(update.n_pairs):
        pair = CANDIDATE_PAIR(update.pairs, k)
        index = next_index[pair.body_a]
        next_index[pair.body_a] = index + 1
        # Insertion sort, as a body has few pairs.
        while index > first[pair.body_a]:
            entry = NEIGHBOUR_ENTRY(many_body.entries, index)
            before = NEIGHBOUR_ENTRY(many_body.entries, index - 1)
            if not precedes(pair, before):
                break
            entry.body_b = before.body_b
            entry.group_or_kind = before.group_or_kind
            index -= 1
        entry = NEIGHBOUR_ENTRY(many_body.entries, index)
        entry.body_b = pair.body_b
        entry.group_or_kind = pair.group_or_kind


@jit
def precedes(one, two):
    """Return True if the first of two entries of one body comes before the second."""
    return one.body_b < two.body_b or (one.body_b == two.body_b and one.group_or_kind < two.group_or_kind)


@jit
def find_entry(entries, p, end, entry):
    """Return the first of the sorted entries from ``p`` to ``end`` that does not precede ``entry``, True if equal."""
    while p < end and precedes(NEIGHBOUR_ENTRY(entries, p), entry):
        p += 1
    return p, p < end and not precedes(entry, NEIGHBOUR_ENTRY(entries, p))


@jit
def copy_pairs(old, new, old_damping):
    """Copy the history of pairs in contact and the start values of pair kernels from the old list to the new one."""
    first = ints(new.first_entry)
    first_old = ints(old.first_entry)
    is_touching = ints(new.is_touching)
    has_warm_starts = new.warm_start_offsets != 0
    if has_warm_starts:
        place_warm_starts(new)
    for i in range(1, new.n_bodies + 1):
        p = first_old[i]
        for k in range(first[i], first[i + 1]):
            entry = NEIGHBOUR_ENTRY(new.entries, k)
            p, is_old = find_entry(old.entries, p, first_old[i + 1], entry)
            is_touching[k] = 0
            if is_old:
                copy_pair(old, p, new, k, old_damping)
            if has_warm_starts:
                fill_warm_start(new, k, old.warm_start, old.warm_start_offsets, p if is_old else -1)


@jit
def copy_pair(old, p, new, k, old_damping):
    """Copy pair ``p`` of the old list to pair ``k`` of the new one."""
    ints(new.is_touching)[k] = ints(old.is_touching)[p]
    if ints(old.is_touching)[p] != 0:
        PAIR_WRENCH(new.wrenches, k).damping_force = old_damping[p]
        copy_history(PAIR_HISTORY(old.history, p), PAIR_HISTORY(new.history, k))
        if new.pair_states != 0:
            copy_state(PAIR_STATE(old.pair_states, p), PAIR_STATE(new.pair_states, k))


@jit
def copy_history(source, target):
    """Copy a `PAIR_HISTORY`."""
    target.approach_speed = source.approach_speed
    target.last_rate = source.last_rate
    for d in range(3):
        target.last_sliding_velocity[d] = source.last_sliding_velocity[d]
        target.last_friction[d] = source.last_friction[d]


@jit
def copy_state(source, target):
    """Copy a `PAIR_STATE`."""
    target.delta_turn = source.delta_turn
    target.is_unloading = source.is_unloading
    target.max_indentation = source.max_indentation
    for d in range(3):
        target.friction_state[d] = source.friction_state[d]
    target.friction_energy = source.friction_energy
    for d in range(3):
        target.last_rolling_torque[d] = source.last_rolling_torque[d]


@jit
def sort_by_second_body(many_body, next_index):
    """List for each body the pairs in which it is the second one, in their order."""
    n = many_body.n_bodies
    first_entry = ints(many_body.first_entry)
    first = ints(many_body.first_reverse_entry)
    reverse_entries = ints(many_body.reverse_entries)
    for i in range(n + 2):
        next_index[i] = 0
    for k in range(first_entry[1], first_entry[n + 1]):
        next_index[NEIGHBOUR_ENTRY(many_body.entries, k).body_b + 1] += 1
    for i in range(n + 1):
        next_index[i + 1] += next_index[i]
    for i in range(n + 2):
        first[i] = next_index[i]
    for k in range(first_entry[1], first_entry[n + 1]):
        j = NEIGHBOUR_ENTRY(many_body.entries, k).body_b
        reverse_entries[next_index[j]] = k
        next_index[j] += 1


@jit
def store_shifts(many_body):
    """Store the nearest image of the second body of each pair; ground and mechanism have no images."""
    period = VERLET_SETTINGS(many_body.settings).period
    first_entry = ints(many_body.first_entry)
    for i in range(1, many_body.n_bodies + 1):
        a = BODY_PAIR_DATA(many_body.pair_data, i)
        for k in range(first_entry[i], first_entry[i + 1]):
            j = NEIGHBOUR_ENTRY(many_body.entries, k).body_b
            b = BODY_PAIR_DATA(many_body.pair_data, j)
            shift = PAIR_SHIFT(many_body.pair_shifts, k)
            has_images = i <= many_body.n_free_bodies and 0 < j <= many_body.n_free_bodies
            for d in range(3):
                shift.r[d] = 0.0
                if has_images and period[d] > 0.0:
                    shift.r[d] = period[d] * math.floor((a.r[d] - b.r[d]) / period[d] + 0.5)


@kernel(LIST_CONSTRUCTION, LIST_UPDATE)
def sort_candidates(update):
    """Sort the candidate pairs into the entries of a new neighbour list."""
    sort_by_body(update, MANY_BODY(update.new))


@kernel(LIST_CONSTRUCTION, LIST_UPDATE)
def build_list(update):
    """Build a neighbour list of sorted entries, valid for the current positions of the bodies."""
    many_body = MANY_BODY(update.new)
    copy_pairs(MANY_BODY(update.old), many_body, floats(update.old_damping))
    sort_by_second_body(many_body, ints(update.next_index))
    if many_body.pair_shifts != 0:
        store_shifts(many_body)
    for i in range(1, many_body.n_bodies + 1):
        body = BODY_PAIR_DATA(many_body.pair_data, i)
        motion = BODY_MOTION_DATA(many_body.motion_data, i)
        for d in range(3):
            motion.r_at_list[d] = body.r[d]
        motion.rotation_since_list = 0.0
    many_body.list_is_outdated = 0
