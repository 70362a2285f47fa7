"""Broad phase for shapes of any size: a tree of axis-aligned bounding boxes that is updated as the shapes move.

Nodes 0 … n − 1 are the leaves, one per shape; the others have two children. The box of a leaf is wider than that of its
shape. While a shape stays inside the box of its leaf, nothing changes. When it leaves the box, the leaf is removed and
inserted again where the boxes above it grow least.
"""

from __future__ import annotations

from carom.compiled_model.many_body_records import BODY_PAIR_DATA, SEARCH_SHAPE
from carom.kernels import CANDIDATE_SEARCH, ints, jit, kernel
from carom.solve.many_body.pair_search import are_separated, check_pair, update_box
from carom.solve.many_body.records import BODY_POSE, BOX, MANY_BODY, PAIR_SEARCH, TREE_NODE, VERLET_SETTINGS

NONE = -1
"""Index for a missing node."""

N_IMAGES = 13
"""Images of a shape in half of the directions to the 26 neighbours of the periodic domain."""

LEAF_MARGIN = 1.0
"""Margin between the box of a shape and that of its leaf, relative to the skin [-]."""


def workspace_size(n_shapes: int) -> int:
    """Return the number of integers of the workspace: nodes that are still to be visited."""
    return 2 * n_shapes + 2


@jit
def half_area(box):
    """Return half the surface of a box [m²]."""
    x = box.high[0] - box.low[0]
    y = box.high[1] - box.low[1]
    z = box.high[2] - box.low[2]
    return x * y + y * z + z * x


@jit
def half_area_of_union(a, b):
    """Return half the surface of the box about two boxes [m²]."""
    x = max(a.high[0], b.high[0]) - min(a.low[0], b.low[0])
    y = max(a.high[1], b.high[1]) - min(a.low[1], b.low[1])
    z = max(a.high[2], b.high[2]) - min(a.low[2], b.low[2])
    return x * y + y * z + z * x


@jit
def refit(search, node):
    """Recompute the boxes from ``node`` up to the root from those of their children."""
    while node != NONE:
        links = TREE_NODE(search.tree_nodes, node)
        box = BOX(search.tree_boxes, node)
        a = BOX(search.tree_boxes, links.left)
        b = BOX(search.tree_boxes, links.right)
        for d in range(3):
            box.low[d] = min(a.low[d], b.low[d])
            box.high[d] = max(a.high[d], b.high[d])
        node = links.parent


@jit
def insertion_cost(search, child, leaf_box, inherited):
    """Return the growth of all boxes if a leaf is inserted below or beside ``child`` [m²]."""
    box = BOX(search.tree_boxes, child)
    cost = inherited + half_area_of_union(box, leaf_box)
    if TREE_NODE(search.tree_nodes, child).left != NONE:
        cost -= half_area(box)
    return cost


@jit
def best_sibling(search, leaf_box):
    """Return the node beside which a leaf lets the boxes grow least."""
    node = search.root
    while TREE_NODE(search.tree_nodes, node).left != NONE:
        links = TREE_NODE(search.tree_nodes, node)
        box = BOX(search.tree_boxes, node)
        union = half_area_of_union(box, leaf_box)
        inherited = 2.0 * (union - half_area(box))
        best = NONE
        least = 2.0 * union
        cost = insertion_cost(search, links.left, leaf_box, inherited)
        if cost < least:
            least = cost
            best = links.left
        cost = insertion_cost(search, links.right, leaf_box, inherited)
        if cost < least:
            best = links.right
        if best == NONE:
            break
        node = best
    return node


@jit
def replace_child(search, parent, child, new):
    """Replace a child of a node; without a parent the new node becomes the root."""
    TREE_NODE(search.tree_nodes, new).parent = parent
    if parent == NONE:
        search.root = new
        return
    links = TREE_NODE(search.tree_nodes, parent)
    if links.left == child:
        links.left = new
    else:
        links.right = new


@jit
def insert(search, leaf, branch):
    """Insert a leaf; the free node ``branch`` becomes the parent of the leaf and of its sibling."""
    if search.root == NONE:
        TREE_NODE(search.tree_nodes, leaf).parent = NONE
        search.root = leaf
        return
    sibling = best_sibling(search, BOX(search.tree_boxes, leaf))
    replace_child(search, TREE_NODE(search.tree_nodes, sibling).parent, sibling, branch)
    links = TREE_NODE(search.tree_nodes, branch)
    links.left = sibling
    links.right = leaf
    TREE_NODE(search.tree_nodes, sibling).parent = branch
    TREE_NODE(search.tree_nodes, leaf).parent = branch
    refit(search, branch)


@jit
def remove(search, leaf):
    """Remove a leaf; its parent becomes a free node."""
    parent = TREE_NODE(search.tree_nodes, leaf).parent
    links = TREE_NODE(search.tree_nodes, parent)
    sibling = links.left
    if sibling == leaf:
        sibling = links.right
    replace_child(search, links.parent, parent, sibling)
    refit(search, links.parent)


@jit
def widen_leaf(search, leaf, margin):
    """Set the box of a leaf: that of its shape, wider by ``margin`` [m] on each side."""
    box = BOX(search.global_boxes, leaf)
    wide = BOX(search.tree_boxes, leaf)
    for d in range(3):
        wide.low[d] = box.low[d] - margin
        wide.high[d] = box.high[d] + margin


@jit
def contains(outer, inner):
    """Return True if a box lies inside another one."""
    return (
        inner.low[0] >= outer.low[0] and inner.low[1] >= outer.low[1] and inner.low[2] >= outer.low[2]
        and inner.high[0] <= outer.high[0] and inner.high[1] <= outer.high[1] and inner.high[2] <= outer.high[2]
    )  # fmt: skip


@jit
def build_tree(search, margin):
    """Build a new tree; leaves are inserted in a mixed order, so that the tree is balanced."""
    n = search.n_shapes
    stride = max(int(0.618 * n), 1)
    # A stride without a common divisor with n visits all leaves.
    while greatest_common_divisor(n, stride) != 1:
        stride += 1
    leaf = 0
    for count in range(n):
        links = TREE_NODE(search.tree_nodes, leaf)
        links.left = NONE
        links.right = NONE
        widen_leaf(search, leaf, margin)
        insert(search, leaf, n + count - 1)
        leaf = (leaf + stride) % n


@jit
def greatest_common_divisor(a, b):
    """Return the greatest common divisor by Euclid's algorithm."""
    while b != 0:
        a, b = b, a % b
    return a


@jit
def update_tree(search, margin):
    """Insert the leaves again whose shapes have left their boxes."""
    for leaf in range(search.n_shapes):
        if contains(BOX(search.tree_boxes, leaf), BOX(search.global_boxes, leaf)):
            continue
        branch = TREE_NODE(search.tree_nodes, leaf).parent
        if branch != NONE:
            remove(search, leaf)
            widen_leaf(search, leaf, margin)
            insert(search, leaf, branch)
        else:
            widen_leaf(search, leaf, margin)


@jit
def check_leaves(search, shape, first_leaf):
    """Check a shape with all leaves from ``first_leaf`` on whose boxes overlap its box."""
    box = BOX(search.global_boxes, shape)
    stack = ints(search.workspace)
    count = 1
    stack[0] = search.root
    while count > 0:
        count -= 1
        node = stack[count]
        if are_separated(BOX(search.tree_boxes, node), box):
            continue
        links = TREE_NODE(search.tree_nodes, node)
        if links.left != NONE:
            stack[count] = links.left
            stack[count + 1] = links.right
            count += 2
        elif node >= first_leaf:
            check_pair(search, node, shape)


@jit
def move_body(body, pose, x, y, z):
    """Set the position of a body to (x, y, z) [m]."""
    body.r[0] = x
    body.r[1] = y
    body.r[2] = z
    pose.r[0] = x
    pose.r[1] = y
    pose.r[2] = z


@jit
def is_free(search, s):
    """Return True if no joint or force element acts on the body of shape ``s``, and it is not the ground."""
    return 0 < SEARCH_SHAPE(search.shapes, s).body <= MANY_BODY(search.many_body).n_free_bodies


@jit
def check_images(search, s, first_image):
    """Check the images of shape ``s`` with all leaves; images are numbered from −13 to 13, and 0 is the shape itself.

    A pair of two leaves is found once if only images from 1 on are checked: image k of one shape is at the other shape
    where image −k of the other shape is at the first one.
    """
    many_body = MANY_BODY(search.many_body)
    period = VERLET_SETTINGS(many_body.settings).period
    k = SEARCH_SHAPE(search.shapes, s).body
    body = BODY_PAIR_DATA(many_body.pair_data, k)
    pose = BODY_POSE(many_body.poses, k)
    rx = body.r[0]
    ry = body.r[1]
    rz = body.r[2]
    for image in range(first_image, N_IMAGES + 1):
        a = (image + N_IMAGES) // 9 - 1
        b = (image + N_IMAGES) // 3 % 3 - 1
        c = (image + N_IMAGES) % 3 - 1
        is_periodic = (a == 0 or period[0] > 0.0) and (b == 0 or period[1] > 0.0) and (c == 0 or period[2] > 0.0)
        if image == 0 or not is_periodic:
            continue
        move_body(body, pose, rx + a * period[0], ry + b * period[1], rz + c * period[2])
        update_box(search, s, 0.5 * search.skin)
        check_leaves(search, s, 0)
    move_body(body, pose, rx, ry, rz)
    update_box(search, s, 0.5 * search.skin)


@kernel(CANDIDATE_SEARCH, PAIR_SEARCH)
def search_tree(search):
    """Find the candidate pairs of a group of any shapes; return their number."""
    n = search.n_shapes
    margin = LEAF_MARGIN * search.skin
    # A plane of a mechanism, which has no images, is the only leaf.
    is_periodic = MANY_BODY(search.many_body).pair_shifts != 0 and is_free(search, 0)
    search.n_pairs = 0
    for s in range(n + search.n_others):
        update_box(search, s, 0.5 * search.skin)
    if search.root == NONE:
        build_tree(search, margin)
    else:
        update_tree(search, margin)
    if search.self_contact != 0:
        for s in range(n):
            check_leaves(search, s, s + 1)
            if is_periodic and is_free(search, s):
                check_images(search, s, 1)
    for t in range(n, n + search.n_others):
        # An unbounded shape has no box.
        if SEARCH_SHAPE(search.shapes, t).is_unbounded != 0:
            for s in range(n):
                check_pair(search, s, t)
        else:
            check_leaves(search, t, 0)
            if is_periodic and is_free(search, t):
                check_images(search, t, -N_IMAGES)
    return search.n_pairs
