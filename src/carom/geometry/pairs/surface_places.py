"""Places at which a freeform surface touches another shape, by their parameters, from search to search."""

from __future__ import annotations

from carom.geometry.pairs.base import NO_CONTACT, to_local
from carom.geometry.pairs.spots import SPOT, assign_slots, copy_spot, read_slot, store_poses
from carom.kernels import FLOAT, RecordType, address_of, floats, jit, record

MAX_PLACES = 8
"""Largest number of places, those of the least gap."""
PLACE = record("u v  p q  gap  x y z")
"""Parameters on both surfaces, gap [m], and point of the first one [m]."""
PLACES = record(count=FLOAT, table=RecordType({f"place_{k}": PLACE for k in range(1, MAX_PLACES + 1)}))
"""Places, one after the other."""
PLACES_NUMBERS = PLACES.size
PLACE_SLOTS = RecordType({f"slot_{k}": SPOT for k in range(1, MAX_PLACES + 1)})
"""Places, as spots in slots."""
FOUND_NUMBERS = MAX_PLACES * SPOT.size
MAX_INDENTATION = 0.25
"""Ratio of the indentation to the size of the smaller shape above which a nearer contact is preferred [-]."""
REACH = 0.1
"""Ratio of the gap of further places to this size up to which they are followed [-]."""
SAME_PLACE = 1e-3
"""Ratio to this size below which the distance of two places is that of one place from itself [-]."""
PLACE_OUTWARDS = 0.2
"""Distance of the place of a spot from its point, relative to this size [-]: places on both sides of a thin part are
far apart."""


@jit
def place_at(places, k):
    """Return place ``k``."""
    return PLACE(floats(address_of(places.table)), k)


@jit
def copy_place(place, out):
    """Store a copy of a place."""
    out.u = place.u
    out.v = place.v
    out.p = place.p
    out.q = place.q
    out.gap = place.gap
    out.x = place.x
    out.y = place.y
    out.z = place.z


@jit
def copy_places(places, out):
    """Store a copy of all places."""
    out.count = places.count
    for k in range(int(places.count)):
        copy_place(place_at(places, k), place_at(out, k))


@jit
def is_better(gap, best, deepest):
    """Return True if a contact of this gap precedes the best one so far: the deepest that is not too deep."""
    if best >= NO_CONTACT:
        return True
    if (gap < deepest) != (best < deepest):
        return best < deepest
    if gap < deepest:
        return gap > best
    return gap < best


@jit
def is_known(places, point, size):
    """Return whether one of the places is at this point."""
    same = SAME_PLACE * SAME_PLACE * size * size
    for k in range(int(places.count)):
        place = place_at(places, k)
        if (point[0] - place.x) ** 2 + (point[1] - place.y) ** 2 + (point[2] - place.z) ** 2 <= same:
            return True
    return False


@jit
def add_place(places, u, v, p, q, gap, point, size):
    """Add a place that is not known yet; where there are too many, the worst one is dropped."""
    if is_known(places, point, size):
        return
    deepest = -MAX_INDENTATION * size
    k = int(places.count)
    if k == MAX_PLACES:
        k = 0
        for m in range(1, MAX_PLACES):
            if is_better(place_at(places, k).gap, place_at(places, m).gap, deepest):
                k = m
        if not is_better(gap, place_at(places, k).gap, deepest):
            return
    else:
        places.count = k + 1.0
    place = place_at(places, k)
    place.u = u
    place.v = v
    place.p = p
    place.q = q
    place.gap = gap
    place.x = point[0]
    place.y = point[1]
    place.z = point[2]


@jit
def best_place(places, size):
    """Return the best of the places, −1 if there is none."""
    deepest = -MAX_INDENTATION * size
    best = -1
    for k in range(int(places.count)):
        if best < 0 or is_better(place_at(places, k).gap, place_at(places, best).gap, deepest):
            best = k
    return best


@jit
def best_gap(places, size):
    """Return the gap of the best place [m], NO_CONTACT if there is none."""
    best = best_place(places, size)
    return NO_CONTACT if best < 0 else place_at(places, best).gap


@jit
def margin_of(places, best):
    """Return the least difference of the gap of another place from that of the best one [m]."""
    margin = NO_CONTACT
    for k in range(int(places.count)):
        if k != best:
            margin = min(margin, abs(place_at(places, k).gap - place_at(places, best).gap))
    return margin


@jit
def remove_place(places, k):
    """Remove place ``k``: the last one takes its place."""
    places.count -= 1.0
    if k != int(places.count):
        copy_place(place_at(places, int(places.count)), place_at(places, k))


@jit
def keep_near(places, size):
    """Remove the places that are farther than the best one and the reach, or too deep beside it."""
    best = best_gap(places, size)
    farthest = max(best, 0.0) + REACH * size
    deepest = min(best, -MAX_INDENTATION * size)
    k = 0
    while k < int(places.count):
        if deepest <= place_at(places, k).gap <= farthest:
            k += 1
        else:
            remove_place(places, k)


@jit
def store_place_of_spot(pose, size, spot):
    """Store where a spot is, in the axes of a pose, for the choice of its slot."""
    outwards = PLACE_OUTWARDS * size
    x, y, z = to_local(
        pose,
        spot.point_b[0] + outwards * spot.normal[0],
        spot.point_b[1] + outwards * spot.normal[1],
        spot.point_b[2] + outwards * spot.normal[2],
    )
    spot.place[0] = x
    spot.place[1] = y
    spot.place[2] = z


@jit
def keep_spots(pose_a, pose_b, index, size, memory, found):
    """Move the found spots into their slots, or, for index 0, the best of them into the first one."""
    slots = floats(address_of(memory.slots))
    if index > 0:
        assign_slots(found, int(memory.places.count), slots, MAX_PLACES)
        store_poses(pose_a, pose_b, memory.poses)
        return
    best = best_place(memory.places, size)
    SPOT(slots, 0).is_occupied = 0.0
    if best >= 0:
        copy_spot(SPOT(found, best), SPOT(slots, 0))


@jit
def read_spot(index, memory, out):
    """Store the spot of a contact point, or the first one for index 0, in the output of a pair."""
    read_slot(SPOT(floats(address_of(memory.slots)), max(index - 1, 0)), out)
