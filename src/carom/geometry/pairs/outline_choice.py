"""Choice among the contacts that a search of two planar outlines has found."""

from __future__ import annotations

from carom.geometry.pairs.outline_search import FOUND, found_at
from carom.geometry.pairs.spots import SPOT
from carom.kernels import address_of, floats, jit

FOUND_SIZE = FOUND.size
LEVEL = 1e-11
"""Ratio to the size of the smaller outline below which the difference of two gaps is rounding [-]."""
FLUSH_NORMAL = 0.95
"""Cosine between the normals of the ends of flush sides from which they belong together [-]."""


@jit
def exchange_with_first(search, k):
    """Exchange contact ``k`` with the first one."""
    one = floats(address_of(found_at(search, k)))
    other = floats(address_of(search.found))
    for i in range(FOUND_SIZE):
        number = one[i]
        one[i] = other[i]
        other[i] = number


@jit
def remove(search, k):
    """Remove contact ``k``: the last one takes its place."""
    last = int(search.n_found) - 1
    if k != last:
        one = floats(address_of(found_at(search, k)))
        other = floats(address_of(found_at(search, last)))
        for i in range(FOUND_SIZE):
            one[i] = other[i]
    search.n_found = float(last)


@jit
def best_contact(search, sign):
    """Return the local minimum with the largest gap times ``sign``, or another contact for want of one; −1: none."""
    best = -1
    for k in range(int(search.n_found)):
        if best < 0:
            best = k
            continue
        other = found_at(search, k)
        found = found_at(search, best)
        if other.is_minimum > found.is_minimum or (
            other.is_minimum == found.is_minimum and sign * other.spot.gap > sign * found.spot.gap
        ):
            best = k
    return best


@jit
def deepest_slot(slots, n_slots):
    """Return the slot with the least gap; the first one if all are empty."""
    deepest = 0
    for j in range(1, n_slots):
        slot = SPOT(slots, j)
        if slot.is_occupied != 0.0 and slot.gap < SPOT(slots, deepest).gap:
            deepest = j
    return deepest


@jit
def followed_contact(search, slot, best):
    """Return the local minimum whose normal is nearest to that of a slot that overlaps, or else ``best``."""
    if slot.is_occupied == 0.0 or slot.gap >= 0.0:
        return best
    largest = -1.0
    for k in range(int(search.n_found)):
        found = found_at(search, k)
        cosine = found.spot.normal[0] * slot.normal[0] + found.spot.normal[1] * slot.normal[1]
        if found.is_minimum != 0.0 and cosine > largest:
            largest = cosine
            best = k
    return best


@jit
def keep_one_place(search, slots, n_slots, is_above_plane):
    """Keep the place of two convex solids first, and behind it the other ends of its flush sides.

    Above a half plane it is the lowest place, else the one that was followed so far or separates them first.
    """
    sign = -1.0 if is_above_plane else 1.0
    best = best_contact(search, sign)
    if best < 0:
        return
    if not is_above_plane:
        best = followed_contact(search, SPOT(slots, deepest_slot(slots, n_slots)), best)
    exchange_with_first(search, best)
    first = found_at(search, 0)
    k = 1
    while k < int(search.n_found):
        found = found_at(search, k)
        cosine = found.spot.normal[0] * first.spot.normal[0] + found.spot.normal[1] * first.spot.normal[1]
        if cosine < FLUSH_NORMAL or found.is_smooth != 0.0:
            remove(search, k)
        else:
            k += 1


@jit
def keep_shallowest(search, radii):
    """Keep, of several contacts of one corner inside the other solid, the one with the least depth.

    ``radii`` is the sum of the radii of the outlines.
    """
    k = 0
    while k < int(search.n_found):
        one = found_at(search, k)
        is_superseded = False
        for i in range(int(search.n_found)):
            other = found_at(search, i)
            is_shared = other.s_a == one.s_a or other.s_b == one.s_b
            if i != k and is_shared and one.spot.gap < other.spot.gap < -radii:
                cosine = one.spot.normal[0] * other.spot.normal[0] + one.spot.normal[1] * other.spot.normal[1]
                is_superseded = is_superseded or cosine < FLUSH_NORMAL
        if is_superseded:
            remove(search, k)
        else:
            k += 1


@jit
def has_overlap(search, radii):
    """Return whether the paths overlap at a local minimum; ``radii`` is the sum of the radii of the outlines."""
    for k in range(int(search.n_found)):
        found = found_at(search, k)
        if found.is_minimum != 0.0 and found.spot.gap < -radii:
            return True
    return False


@jit
def drop_far(search, reach, radii):
    """Remove contacts that were found before the closest one: with gaps beyond ``reach`` [m], or deeper than searched.

    ``radii`` is the sum of the radii of the outlines.
    """
    rounding = LEVEL * search.features.size
    largest_gap = max(reach, search.least) + rounding
    largest_depth = max(search.margin, search.least) + rounding
    k = 0
    while k < int(search.n_found):
        if -largest_depth <= found_at(search, k).spot.gap + radii <= largest_gap:
            k += 1
        else:
            remove(search, k)


@jit
def keep_closest(search, count):
    """Keep not more than ``count`` contacts, those with the least gaps."""
    while int(search.n_found) > count:
        worst = 0
        for k in range(1, int(search.n_found)):
            if found_at(search, k).spot.gap > found_at(search, worst).spot.gap:
                worst = k
        remove(search, worst)
