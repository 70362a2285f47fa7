"""What a search for pairs of one group reads and writes.

Shapes of the group are numbered: first those that touch each other (``among``), then those they touch besides
(``against``). What is found goes to FOUND, three numbers a pair: the first body, the second one, and the pair's code
(see `layout.CODE`).
"""

from __future__ import annotations

from carom.geometry.pairs.base import FAR, GAP, PAIR_OUT
from carom.kernels import call_pair, floats, ints, jit, offset
from carom.solve.many_body import records as at
from carom.solve.many_body.pair_forces import pose_of

SEARCH = 24
(
    PLAN_AT, GROUP, AMONG, AGAINST, SHAPES_AT, EXTENTS_AT, BOXES_AT, TYPES, AMONG_KINDS_AT, AGAINST_KINDS_AT,
    FOUND_AT, ROOM, FOUND, SKIN_AT, WORK_AT, ANSWER_AT, TREE_AT, LINKS_AT, ROOT, EACH_OTHER, AGAINST_TYPES,
) = range(21)  # fmt: skip

# Columns of SHAPES: its body, its type among those of the group, whether it is a ball about the origin of its body,
# whether all others are close to it (a plane that turns).
SHAPE = 4
BODY, TYPE, BALL, EVERYWHERE = range(SHAPE)

EXTENT = 6
"""Of a shape in its body's axes: the middle of its box and half its sides; in global axes: low and high corner."""

TRIPLE = 3
PAIR_MEMORY = 256
"""Room for what a kernel of a pair remembers, behind its answer."""


@jit
def find(search, i, j, code):
    """Write a pair down; those beyond the room are counted only."""
    count = search[FOUND]
    if count < search[ROOM]:
        found = offset(ints(search[FOUND_AT]), count * TRIPLE)
        found[0] = i
        found[1] = j
        found[2] = code
    search[FOUND] = count + 1


@jit
def put_box(search, s, margin):
    """The box about shape ``s`` in global axes, wider by ``margin``."""
    plan = ints(search[PLAN_AT])
    shape = offset(ints(search[SHAPES_AT]), s * SHAPE)
    extent = offset(floats(search[EXTENTS_AT]), s * EXTENT)
    box = offset(floats(search[BOXES_AT]), s * EXTENT)
    if shape[BALL] != 0:
        row = offset(floats(plan[at.HOT_AT]), shape[BODY] * at.HOT)
        for d in range(3):
            box[d] = row[at.X + d] - extent[3] - margin
            box[3 + d] = row[at.X + d] + extent[3] + margin
        return
    centred = False
    pose = pose_of(plan, shape[BODY], centred)
    for d in range(3):
        r = offset(pose, 3 + 3 * d)
        middle = pose[d] + r[0] * extent[0] + r[1] * extent[1] + r[2] * extent[2]
        half = margin
        for e in range(3):
            if r[e] != 0.0:  # sides without end
                half += abs(r[e]) * extent[3 + e]
        box[d] = middle - half
        box[3 + d] = middle + half


@jit
def apart(a, b):
    """Whether two boxes do not overlap."""
    return a[0] > b[3] or b[0] > a[3] or a[1] > b[4] or b[1] > a[4] or a[2] > b[5] or b[2] > a[5]


@jit
def consider(search, s, t):
    """Write the pair of shapes ``s`` and ``t`` down if they are closer than the skin; ``s`` is one of ``among``."""
    shapes = ints(search[SHAPES_AT])
    one = offset(shapes, s * SHAPE)
    two = offset(shapes, t * SHAPE)
    if one[BODY] == two[BODY]:
        return
    boxes = floats(search[BOXES_AT])
    if apart(offset(boxes, s * EXTENT), offset(boxes, t * EXTENT)):
        return
    plan = ints(search[PLAN_AT])
    skin = floats(search[SKIN_AT])[0]
    among = t < search[AMONG]
    # The body with the smaller number has the pair, so that its records are found again.
    if among and one[BODY] > two[BODY]:
        one = offset(shapes, t * SHAPE)
        two = offset(shapes, s * SHAPE)
    i = one[BODY]
    j = two[BODY]
    if one[BALL] != 0 and two[BALL] != 0:
        a = offset(floats(plan[at.HOT_AT]), i * at.HOT)
        b = offset(floats(plan[at.HOT_AT]), j * at.HOT)
        square = (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
        reach = a[at.RADIUS] + b[at.RADIUS] + skin
        if square < reach * reach:
            find(search, i, j, search[GROUP])
        return
    if among:
        entry = offset(ints(search[AMONG_KINDS_AT]), 2 * (one[TYPE] * search[TYPES] + two[TYPE]))
    else:
        entry = offset(ints(search[AGAINST_KINDS_AT]), 2 * (one[TYPE] * search[AGAINST_TYPES] + two[TYPE]))
    kind = entry[0]
    if one[EVERYWHERE] == 0 and two[EVERYWHERE] == 0 and not close(search, plan, i, j, kind, skin):
        return
    spots = entry[1]
    if spots == 1:
        find(search, i, j, -1 - kind)
        return
    for spot in range(1, spots + 1):  # the first row of several asks for the closest of all
        find(search, i, j, -1 - (kind + spot))


@jit
def close(search, plan, i, j, kind, skin):
    """Whether two shapes are closer than the skin. Faces that touch between their edges only may be close, unseen."""
    row = offset(ints(plan[at.KINDS_AT]), kind * at.KIND)
    a = i
    b = j
    if row[at.SWAPPED] != 0:
        a = j
        b = i
    out = floats(search[ANSWER_AT])
    memory = offset(out, PAIR_OUT)
    for d in range(PAIR_MEMORY):
        memory[d] = 0.0
    pose = pose_of(plan, a, row[at.CENTRED] & 1 != 0)
    other = pose_of(plan, b, row[at.CENTRED] & 2 != 0)
    par = offset(floats(plan[at.PAR_AT]), row[at.PAIR_PAR])
    call_pair(row[at.PAIR_KERNEL], pose, other, par, memory, out)
    return out[GAP] < skin or out[GAP] >= FAR
