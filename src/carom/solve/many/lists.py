"""Neighbour lists from the pairs found: by first bodies, in a fixed order, with what pairs that touch remember."""

from __future__ import annotations

from carom.kernels import RUN, floats, ints, jit, kernel, offset
from carom.kernels.address import INTS
from carom.solve.many import layout as at
from carom.solve.many.search import TRIPLE

LISTS = 12
(
    NEW_AT,  # plan with the arrays of the new list
    OLD_AT,  # plan with those of the old one
    PAIRS_AT,  # what was found
    COUNT,
    PLACES_AT,  # work: an integer a body
) = range(5)


@jit
def sort_by_body(lists):
    """Pairs found into the rows of their first bodies."""
    plan = ints(lists[NEW_AT])
    found = ints(lists[PAIRS_AT])
    first = ints(plan[at.FIRST_AT])
    entries = ints(plan[at.ENTRIES_AT])
    places = ints(lists[PLACES_AT])
    n = plan[at.BODIES]
    for i in range(n + 2):
        places[i] = 0
    for k in range(lists[COUNT]):
        places[found[k * TRIPLE] + 1] += 1
    for i in range(n + 1):
        places[i + 1] += places[i]
    for i in range(n + 2):
        first[i] = places[i]
    for k in range(lists[COUNT]):
        i = found[k * TRIPLE]
        place = places[i]
        places[i] = place + 1
        # Rows are short: each pair goes to its place among those of its body.
        j = found[k * TRIPLE + 1]
        code = found[k * TRIPLE + 2]
        while place > first[i]:
            before = offset(entries, (place - 1) * at.ENTRY)
            if before[0] < j or (before[0] == j and before[1] <= code):
                break
            entries[place * at.ENTRY] = before[0]
            entries[place * at.ENTRY + 1] = before[1]
            place -= 1
        entries[place * at.ENTRY] = j
        entries[place * at.ENTRY + 1] = code


@jit
def carry_over(lists):
    """What pairs that touch remember, from the old list."""
    new = ints(lists[NEW_AT])
    old = ints(lists[OLD_AT])
    first = ints(new[at.FIRST_AT])
    entries = ints(new[at.ENTRIES_AT])
    touching = ints(new[at.TOUCHING_AT])
    first_old = ints(old[at.FIRST_AT])
    entries_old = ints(old[at.ENTRIES_AT])
    touching_old = ints(old[at.TOUCHING_AT])
    size = new[at.MEMORY_SIZE]
    for i in range(1, new[at.BODIES] + 1):
        p = first_old[i]
        for k in range(first[i], first[i + 1]):
            touching[k] = 0
            j = entries[k * at.ENTRY]
            code = entries[k * at.ENTRY + 1]
            while p < first_old[i + 1]:  # both rows are in order
                other = entries_old[p * at.ENTRY]
                if other > j or (other == j and entries_old[p * at.ENTRY + 1] >= code):
                    break
                p += 1
            known = p < first_old[i + 1] and entries_old[p * at.ENTRY] == j
            if known and entries_old[p * at.ENTRY + 1] == code:
                touching[k] = touching_old[p]
                if touching[k] != 0:
                    damped = floats(old[at.WRENCHES_AT])[p * at.WRENCH + at.DAMPED]
                    floats(new[at.WRENCHES_AT])[k * at.WRENCH + at.DAMPED] = damped
                    for d in range(at.RECORD):
                        floats(new[at.RECORDS_AT])[k * at.RECORD + d] = floats(old[at.RECORDS_AT])[p * at.RECORD + d]
                    for d in range(at.STATE):
                        floats(new[at.STATES_AT])[k * at.STATE + d] = floats(old[at.STATES_AT])[p * at.STATE + d]
                for d in range(size):
                    floats(new[at.MEMORY_AT])[k * size + d] = floats(old[at.MEMORY_AT])[p * size + d]
            else:
                for d in range(size):
                    floats(new[at.MEMORY_AT])[k * size + d] = 0.0


@jit
def list_arrivals(plan, places):
    """For every body the pairs in which it is the second one, in their order."""
    n = plan[at.BODIES]
    first = ints(plan[at.FIRST_AT])
    entries = ints(plan[at.ENTRIES_AT])
    begins = ints(plan[at.ARRIVALS_FIRST_AT])
    arrivals = ints(plan[at.ARRIVALS_AT])
    for i in range(n + 2):
        places[i] = 0
    for k in range(first[1], first[n + 1]):
        places[entries[k * at.ENTRY] + 1] += 1
    for i in range(n + 1):
        places[i + 1] += places[i]
    for i in range(n + 2):
        begins[i] = places[i]
    for k in range(first[1], first[n + 1]):
        j = entries[k * at.ENTRY]
        arrivals[places[j]] = k
        places[j] += 1


@kernel(RUN, INTS)
def make_list(lists):
    """The new list; bodies are where it holds."""
    sort_by_body(lists)
    carry_over(lists)
    plan = ints(lists[NEW_AT])
    list_arrivals(plan, ints(lists[PLACES_AT]))
    for i in range(1, plan[at.BODIES] + 1):
        cold = offset(floats(plan[at.COLD_AT]), i * at.COLD)
        hot = offset(floats(plan[at.HOT_AT]), i * at.HOT)
        for d in range(3):
            cold[at.WAS + d] = hot[at.X + d]
        cold[at.ANGLE] = 0.0
    plan[at.MOVED] = 0
    return 0
