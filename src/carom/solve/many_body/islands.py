"""Islands: bodies that contacts and joints connect, and the order of their contacts in the sweeps.

The contacts of an island are sorted by colours: contacts of one colour have no body in common, so that a processor can
work on several of them at once. The order depends on the neighbour list only.
"""

from __future__ import annotations

from carom.kernels import ints, jit
from carom.solve.many_body.rigid_records import DETECTED_CONTACT, ISLAND, RIGID_BODY

N_COLOURS = 62
"""Number of colours; contacts beyond them have the last one."""


@jit
def root_of(parents, k):
    """Return the representative of the island of body ``k``, and shorten the path to it."""
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = parents[k]
    return k


@jit
def join(parents, a, b):
    """Unite the islands of two bodies under the smaller representative."""
    a = root_of(parents, a)
    b = root_of(parents, b)
    if a < b:
        parents[b] = a
    elif b < a:
        parents[a] = b


@jit
def connect_bodies(rigid):
    """Unite bodies that contacts connect, and bodies of one component of the mechanism."""
    parents = ints(rigid.parents)
    for k in range(rigid.n_bodies + 1):
        parents[k] = k
    first = ints(rigid.component_first)
    members = ints(rigid.component_bodies)
    for c in range(rigid.n_components):
        for index in range(first[c] + 1, first[c + 1]):
            join(parents, members[first[c]], members[index])
    for k in range(rigid.n_active):
        contact = DETECTED_CONTACT(rigid.contacts, k)
        if contact.body_a != 0 and contact.body_b != 0:
            join(parents, contact.body_a, contact.body_b)


@jit
def number_islands(rigid):
    """Assign numbers to the islands in the order of their first contacts."""
    parents = ints(rigid.parents)
    island_of_body = ints(rigid.island_of_body)
    for k in range(rigid.n_bodies + 1):
        island_of_body[k] = -1
    count = 0
    for k in range(rigid.n_active):
        contact = DETECTED_CONTACT(rigid.contacts, k)
        root = root_of(parents, contact.body_a if contact.body_a != 0 else contact.body_b)
        if island_of_body[root] < 0:
            island_of_body[root] = count
            island = ISLAND(rigid.islands, count)
            island.has_ground = 0
            island.scale = 0.0
            island.has_mechanism = 0
            island.first_row = 0
            island.end_row = 0
            island.first_body = 0
            island.end_body = 0
            count += 1
        contact.island = island_of_body[root]
        if contact.body_a == 0 or contact.body_b == 0:
            ISLAND(rigid.islands, contact.island).has_ground = 1
    for k in range(1, rigid.n_bodies + 1):
        island_of_body[k] = island_of_body[root_of(parents, k)]
    rigid.n_islands = count


@jit
def colour_owner(rigid, k):
    """Return the body whose colours represent body ``k``: the first one of its component."""
    component = RIGID_BODY(rigid.bodies, k).component
    return k if component < 0 else ints(rigid.component_bodies)[ints(rigid.component_first)[component]]


@jit
def colour_contacts(rigid):
    """Give each contact the first colour that no other contact of its bodies has."""
    colours = ints(rigid.colours)
    for k in range(rigid.n_bodies + 1):
        colours[k] = 0
    for k in range(rigid.n_active):
        contact = DETECTED_CONTACT(rigid.contacts, k)
        a = colour_owner(rigid, contact.body_a)
        b = colour_owner(rigid, contact.body_b)
        used = colours[a] if a != 0 else 0
        if b != 0:
            used |= colours[b]
        colour = 0
        while colour < N_COLOURS - 1 and (used >> colour) & 1 != 0:
            colour += 1
        contact.colour = colour
        if a != 0:
            colours[a] |= 1 << colour
        if b != 0:
            colours[b] |= 1 << colour


@jit
def sort_by_colour(rigid, order):
    """Store the contacts in the order of their colours."""
    index = 0
    count = rigid.n_active
    for colour in range(N_COLOURS):
        if index == count:
            break
        for k in range(count):
            if DETECTED_CONTACT(rigid.contacts, k).colour == colour:
                order[index] = k
                index += 1


@jit
def sort_by_island(rigid):
    """Store the contacts in the order of islands and colours, and the bodies in the order of islands."""
    by_colour = ints(rigid.order_workspace)
    order = ints(rigid.order)
    sort_by_colour(rigid, by_colour)
    for k in range(rigid.n_active):
        ISLAND(rigid.islands, DETECTED_CONTACT(rigid.contacts, k).island).end_row += 1
    island_of_body = ints(rigid.island_of_body)
    for k in range(1, rigid.n_bodies + 1):
        if island_of_body[k] >= 0:
            ISLAND(rigid.islands, island_of_body[k]).end_body += 1
    n_rows = 0
    n_bodies = 0
    for i in range(rigid.n_islands):
        island = ISLAND(rigid.islands, i)
        island.first_row = n_rows
        island.first_body = n_bodies
        n_rows += island.end_row
        n_bodies += island.end_body
        island.end_row = island.first_row
        island.end_body = island.first_body
    for index in range(rigid.n_active):
        k = by_colour[index]
        island = ISLAND(rigid.islands, DETECTED_CONTACT(rigid.contacts, k).island)
        order[island.end_row] = k
        island.end_row += 1
    for k in range(1, rigid.n_bodies + 1):
        if island_of_body[k] >= 0:
            island = ISLAND(rigid.islands, island_of_body[k])
            ints(rigid.island_bodies)[island.end_body] = k
            island.end_body += 1
            if RIGID_BODY(rigid.bodies, k).mechanism_index >= 0:
                island.has_mechanism = 1


@jit
def find_islands(rigid):
    """Divide the closed contacts into islands and order them for the sweeps."""
    connect_bodies(rigid)
    number_islands(rigid)
    colour_contacts(rigid)
    sort_by_island(rigid)
