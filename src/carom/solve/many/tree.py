"""Shapes of any size and kind that are close to each other: by a tree of boxes that changes with them.

Nodes 0 … n − 1 are the leaves, one a shape; the others have two children. A leaf's box in the tree is wider than the
shape's: while a shape stays within it nothing changes, when it leaves it the leaf is taken out and put in again, where
the boxes above it grow least.
"""

from __future__ import annotations

from carom.kernels import RUN, floats, ints, jit, kernel, offset
from carom.kernels.address import INTS
from carom.solve.many.search import (
    AGAINST,
    AMONG,
    BOXES_AT,
    EACH_OTHER,
    EVERYWHERE,
    EXTENT,
    FOUND,
    LINKS_AT,
    ROOT,
    SHAPE,
    SHAPES_AT,
    SKIN_AT,
    TREE_AT,
    WORK_AT,
    apart,
    consider,
    put_box,
)

LINK = 3
PARENT, LEFT, RIGHT = range(LINK)
NONE = -1

FAT = 1.0
"""Of the skin: how much wider than the shapes' boxes, to each side, those of the leaves are."""


def room_for(count: int) -> int:
    """Integers of WORK: nodes still to be looked at."""
    return 2 * count + 2


@jit
def area(box):
    x = box[3] - box[0]
    y = box[4] - box[1]
    z = box[5] - box[2]
    return x * y + y * z + z * x


@jit
def joint_area(a, b):
    """Half the surface of the box about two boxes."""
    x = max(a[3], b[3]) - min(a[0], b[0])
    y = max(a[4], b[4]) - min(a[1], b[1])
    z = max(a[5], b[5]) - min(a[2], b[2])
    return x * y + y * z + z * x


@jit
def refit(boxes, links, node):
    """Boxes from ``node`` up to the root, from those of their children."""
    while node != NONE:
        box = offset(boxes, node * EXTENT)
        a = offset(boxes, links[node * LINK + LEFT] * EXTENT)
        b = offset(boxes, links[node * LINK + RIGHT] * EXTENT)
        for d in range(3):
            box[d] = min(a[d], b[d])
            box[3 + d] = max(a[3 + d], b[3 + d])
        node = links[node * LINK + PARENT]


@jit
def insert(boxes, links, root, leaf, spare):
    """Put a leaf in beside the node where the surfaces grow least; ``spare`` joins them. Answers the root."""
    mine = offset(boxes, leaf * EXTENT)
    if root == NONE:
        links[leaf * LINK + PARENT] = NONE
        return leaf
    node = root
    while links[node * LINK + LEFT] != NONE:
        joint = joint_area(offset(boxes, node * EXTENT), mine)
        here = 2.0 * joint
        passed = 2.0 * (joint - area(offset(boxes, node * EXTENT)))
        best = NONE
        least = here
        for side in range(LEFT, RIGHT + 1):
            child = links[node * LINK + side]
            box = offset(boxes, child * EXTENT)
            cost = passed + joint_area(box, mine)
            if links[child * LINK + LEFT] != NONE:
                cost -= area(box)
            if cost < least:
                least = cost
                best = child
        if best == NONE:
            break
        node = best
    above = links[node * LINK + PARENT]
    links[spare * LINK + PARENT] = above
    links[spare * LINK + LEFT] = node
    links[spare * LINK + RIGHT] = leaf
    links[node * LINK + PARENT] = spare
    links[leaf * LINK + PARENT] = spare
    if above == NONE:
        root = spare
    elif links[above * LINK + LEFT] == node:
        links[above * LINK + LEFT] = spare
    else:
        links[above * LINK + RIGHT] = spare
    refit(boxes, links, spare)
    return root


@jit
def remove(boxes, links, root, leaf):
    """Take a leaf out; its parent is spare then. Answers the root."""
    parent = links[leaf * LINK + PARENT]
    other = links[parent * LINK + LEFT]
    if other == leaf:
        other = links[parent * LINK + RIGHT]
    above = links[parent * LINK + PARENT]
    links[other * LINK + PARENT] = above
    if above == NONE:
        return other
    if links[above * LINK + LEFT] == parent:
        links[above * LINK + LEFT] = other
    else:
        links[above * LINK + RIGHT] = other
    refit(boxes, links, above)
    return root


@jit
def widen(box, leaf, margin):
    for d in range(3):
        leaf[d] = box[d] - margin
        leaf[3 + d] = box[3 + d] + margin


@jit
def within(box, leaf):
    return (
        box[0] >= leaf[0] and box[1] >= leaf[1] and box[2] >= leaf[2]
        and box[3] <= leaf[3] and box[4] <= leaf[4] and box[5] <= leaf[5]
    )  # fmt: skip


@jit
def plant(boxes, tree, links, n, margin):
    """A new tree about ``n`` boxes, put in well mixed, so that it grows evenly. Answers the root."""
    root = NONE
    stride = max(int(0.618 * n), 1)
    while True:  # the first stride without a common divisor visits all
        a = n
        b = stride
        while b != 0:
            c = a % b
            a = b
            b = c
        if a == 1:
            break
        stride += 1
    leaf = 0
    for count in range(n):
        links[leaf * LINK + LEFT] = NONE
        links[leaf * LINK + RIGHT] = NONE
        widen(offset(boxes, leaf * EXTENT), offset(tree, leaf * EXTENT), margin)
        root = insert(tree, links, root, leaf, n + count - 1)
        leaf = (leaf + stride) % n
    return root


@jit
def follow(boxes, tree, links, n, root, margin):
    """Put the leaves in again whose boxes have left them. Answers the root."""
    for leaf in range(n):
        box = offset(boxes, leaf * EXTENT)
        wide = offset(tree, leaf * EXTENT)
        if within(box, wide):
            continue
        spare = links[leaf * LINK + PARENT]
        if spare != NONE:
            root = remove(tree, links, root, leaf)
            widen(box, wide, margin)
            root = insert(tree, links, root, leaf, spare)
        else:
            widen(box, wide, margin)
    return root


@jit
def ask(search, box, from_leaf, with_shape):
    """Consider every leaf after ``from_leaf`` whose box overlaps ``box`` as a partner of ``with_shape``."""
    tree = floats(search[TREE_AT])
    links = ints(search[LINKS_AT])
    todo = ints(search[WORK_AT])
    count = 1
    todo[0] = search[ROOT]
    while count > 0:
        count -= 1
        node = todo[count]
        if apart(offset(tree, node * EXTENT), box):
            continue
        if links[node * LINK + LEFT] != NONE:
            todo[count] = links[node * LINK + LEFT]
            todo[count + 1] = links[node * LINK + RIGHT]
            count += 2
        elif node > from_leaf:
            consider(search, node, with_shape)


@kernel(RUN, INTS)
def search_tree(search):
    """Pairs of a group of any shapes; answers how many."""
    n = search[AMONG]
    skin = floats(search[SKIN_AT])[0]
    margin = FAT * skin
    half = 0.5 * skin
    boxes = floats(search[BOXES_AT])
    tree = floats(search[TREE_AT])
    links = ints(search[LINKS_AT])
    shapes = ints(search[SHAPES_AT])
    search[FOUND] = 0
    for s in range(n + search[AGAINST]):
        put_box(search, s, half)
    if search[ROOT] == NONE:
        search[ROOT] = plant(boxes, tree, links, n, margin)
    else:
        search[ROOT] = follow(boxes, tree, links, n, search[ROOT], margin)
    if search[EACH_OTHER] != 0:
        for s in range(n):
            ask(search, offset(boxes, s * EXTENT), s, s)
    for t in range(n, n + search[AGAINST]):
        if shapes[t * SHAPE + EVERYWHERE] != 0:  # a leaf may be anywhere
            for s in range(n):
                consider(search, s, t)
        else:
            before = NONE
            ask(search, offset(boxes, t * EXTENT), before, t)
    return search[FOUND]
