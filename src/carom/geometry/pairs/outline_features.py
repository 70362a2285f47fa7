"""Contacts of two cells of planar outlines: common normals of curved sides, corners on sides, corners on corners.

With the unit tangents τ, which have the solid on their right, and d = p_a − p_b, a common normal of two sides solves
F₁ = τ_a × τ_b = 0 and F₂ = ½ d·(τ_a − τ_b) = 0, eqs. (12)–(13) of the compliant models paper. That of a corner and a
side is the projection of the corner, if it lies within the normals of the corner.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import POSE
from carom.geometry.planar_outline import HALF_PLANE, OUTLINE_NODE
from carom.geometry.planar_path import PATH, find_segment, knots_of
from carom.kernels import FLOAT, address_of, floats, jit, offset, record

POINT_ON_SIDE = record(
    x=FLOAT,  # [m]
    y=FLOAT,
    tx=FLOAT,  # unit tangent τ with the solid on its right
    ty=FLOAT,
    speed=FLOAT,  # arc length along τ per unit of the parameter [m]
    turning=FLOAT,  # turning of τ per arc length, positive to the left: negative where convex [1/m]
)
"""Point of an outline in global axes."""
CONTACT_FEATURE = record(
    exists=FLOAT,  # 1.0 for a contact
    low_a=FLOAT,  # parameters of both points
    low_b=FLOAT,
    gap=FLOAT,  # distance of the paths along the normal [m]
    nx=FLOAT,  # unit normal from b to a
    ny=FLOAT,
    ax=FLOAT,  # points on the paths [m]
    ay=FLOAT,
    bx=FLOAT,
    by=FLOAT,
)
"""Contact of two cells."""
FEATURES = record(
    pose_a=POSE,  # poses of the two bodies
    pose_b=POSE,
    a=POINT_ON_SIDE,
    b=POINT_ON_SIDE,
    result=CONTACT_FEATURE,
    size=FLOAT,  # of the smaller outline [m]
)

MAX_ITERATIONS = 25
"""Largest number of steps of Newton's method."""
CONVERGED_STEP = 1e-9
"""Ratio of a step of Newton's method to the size below which the next step is rounding [-]."""
PARALLEL_SINE = 1e-9
"""Sine of the angle between the rows of the Jacobian below which the common normals form a line [-]."""
BORDER = 1e-7
"""Ratio to the length of a cell up to which a solution outside belongs to it [-]; it belongs to its neighbour, too."""
WANDERING = 2.0
"""Ratio to the length of a cell up to which the search for a solution in it may leave it [-]."""
CORNER_MARGIN = 1e-9
"""Margin of the normals of a corner [-]."""
DEGENERATE = 1e-9
"""Relative curvature, times the size, below which neighbouring common normals are as good [-]."""
COINCIDENT = 1e-14
"""Ratio of the distance of two corners to the size below which it is rounding [-]."""


@jit
def side_point(pose, outline, cell, s, out):
    """Store the point with parameter ``s`` of a side in global axes; the segments of the cell continue beyond it."""
    path = outline.path
    header = PATH(path)
    knots = knots_of(path)
    first = int(cell.first_segment)
    n_segments = int(header.n_segments)
    segment = first + find_segment(offset(knots, first), int(cell.n_segments), s)
    terms = int(header.degree) + 1
    c = offset(knots, n_segments + 1 + 2 * terms * segment)
    h = s - knots[segment]
    x = 0.0
    y = 0.0
    x1 = 0.0
    y1 = 0.0
    x2 = 0.0
    y2 = 0.0
    for k in range(terms):
        x2 = x2 * h + x1
        y2 = y2 * h + y1
        x1 = x1 * h + x
        y1 = y1 * h + y
        x = x * h + c[k]
        y = y * h + c[k + terms]
    speed = math.sqrt(x1 * x1 + y1 * y1)
    tx = outline.side * x1 / speed
    ty = outline.side * y1 / speed
    out.x = pose.x + pose.r11 * x + pose.r12 * y
    out.y = pose.y + pose.r21 * x + pose.r22 * y
    out.tx = pose.r11 * tx + pose.r12 * ty
    out.ty = pose.r21 * tx + pose.r22 * ty
    out.speed = outline.side * speed
    out.turning = outline.side * 2.0 * (x1 * y2 - y1 * x2) / (speed * speed * speed)


@jit
def corner_point(pose, node):
    """Return the place of a corner in global axes [m]."""
    return (
        pose.x + pose.r11 * node.x + pose.r12 * node.y,
        pose.y + pose.r21 * node.x + pose.r22 * node.y,
    )


@jit
def corner_has_normal(pose, node, nx, ny):
    """Return whether n is one of the normals of a corner."""
    cx = pose.r11 * node.nx + pose.r12 * node.ny
    cy = pose.r21 * node.nx + pose.r22 * node.ny
    return nx * cx + ny * cy >= node.cos_half_range - CORNER_MARGIN


@jit
def contains(cell, s):
    """Return whether a parameter belongs to a cell."""
    margin = BORDER * (cell.high - cell.low)
    return cell.low - margin <= s <= cell.high + margin


@jit
def has_wandered(cell, s):
    """Return whether a search has left its cell for good; a straight side has a single solution."""
    margin = WANDERING * (cell.high - cell.low)
    return not cell.low - margin <= s <= cell.high + margin


@jit
def store_feature(result, exists, s_a, s_b, gap, nx, ny, ax, ay, bx, by):
    """Store a contact of two cells."""
    result.exists = 1.0 if exists else 0.0
    result.low_a = s_a
    result.low_b = s_b
    result.gap = gap
    result.nx = nx
    result.ny = ny
    result.ax = ax
    result.ay = ay
    result.bx = bx
    result.by = by


@jit
def is_convex_pair(a, b):
    """Return whether both solids are convex."""
    return a.is_convex * b.is_convex != 0.0


@jit
def is_half_plane(outline):
    """Return whether an outline is the side of a half plane."""
    return outline.size > HALF_PLANE


@jit
def has_depth_limit(a, b):
    """Return whether the depth of a contact is limited: not if both solids are convex, or b is a half plane."""
    return not (is_convex_pair(a, b) or is_half_plane(b))


@jit
def solve_sides(first, second, cell_a, cell_b, s_a, s_b, work):
    """Return whether Newton's method finds the common normal of two sides near (s_a, s_b), and the parameters.

    Exchanging the sides changes no digit. ``first`` and ``second`` are the outlines.
    """
    a = work.a
    b = work.b
    for _ in range(MAX_ITERATIONS):
        side_point(work.pose_a, first, cell_a, s_a, a)
        side_point(work.pose_b, second, cell_b, s_b, b)
        dx = a.x - b.x
        dy = a.y - b.y
        cosine = a.tx * b.tx + a.ty * b.ty
        f1 = a.tx * b.ty - a.ty * b.tx
        f2 = 0.5 * (dx * (a.tx - b.tx) + dy * (a.ty - b.ty))
        f1a = -a.turning * cosine
        f1b = b.turning * cosine
        f2a = 0.5 * (1.0 - cosine + a.turning * (dy * a.tx - dx * a.ty))
        f2b = 0.5 * (1.0 - cosine - b.turning * (dy * b.tx - dx * b.ty))
        det = f1a * f2b - f1b * f2a
        squares = (f1a * f1a + f1b * f1b) * (f2a * f2a + f2b * f2b)
        if abs(det) > PARALLEL_SINE * math.sqrt(squares):
            step_a = (f1b * f2 - f2b * f1) / det
            step_b = (f2a * f1 - f1a * f2) / det
        else:  # concentric arcs: the nearest solution with d perpendicular to them
            step_a = -f2a * f2 / (f2a * f2a + f2b * f2b)
            step_b = -f2b * f2 / (f2a * f2a + f2b * f2b)
        s_a += step_a / a.speed
        s_b += step_b / b.speed
        if has_wandered(cell_a, s_a) or has_wandered(cell_b, s_b):
            return False, s_a, s_b
        if max(abs(step_a), abs(step_b)) <= CONVERGED_STEP * work.size:
            return True, s_a, s_b
    return False, s_a, s_b


@jit
def evaluate_sides(first, second, cell_a, cell_b, s_a, s_b, work):
    """Store the contact at a solution of two sides; return whether its gap is a local minimum."""
    a = work.a
    b = work.b
    side_point(work.pose_a, first, cell_a, s_a, a)
    side_point(work.pose_b, second, cell_b, s_b, b)
    # Outward normals are to the left of τ; the common one is the mean of n_b and −n_a.
    nx = a.ty - b.ty
    ny = b.tx - a.tx
    length = math.sqrt(nx * nx + ny * ny)
    nx /= length
    ny /= length
    gap = (a.x - b.x) * nx + (a.y - b.y) * ny
    opposite = a.tx * b.tx + a.ty * b.ty < 0.0
    # The gap is a local minimum if the relative curvature is positive, and the points lie on the same side of both
    # centres of curvature. Convex solids may overlap beyond these, up to the sum of both radii: their least depth is
    # a minimum over all directions. So may a solid that is pressed into a half plane.
    ca = -a.turning
    cb = -b.turning
    relative = (ca + cb + gap * ca * cb) * work.size
    is_before_centres = 1.0 + gap * ca > 0.0 and 1.0 + gap * cb > 0.0
    closest = relative > -DEGENERATE and (is_before_centres or not has_depth_limit(first, second))
    store_feature(work.result, opposite, s_a, s_b, gap, nx, ny, a.x, a.y, b.x, b.y)
    return opposite and closest


@jit
def contact_of_sides(first, second, cell_a, cell_b, work):
    """Store the contact of two sides; return whether it is a local minimum of the gap."""
    s_a = 0.5 * (cell_a.low + cell_a.high)
    s_b = 0.5 * (cell_b.low + cell_b.high)
    work.result.exists = 0.0
    converged, s_a, s_b = solve_sides(first, second, cell_a, cell_b, s_a, s_b, work)
    if not (converged and contains(cell_a, s_a) and contains(cell_b, s_b)):
        return False
    return evaluate_sides(first, second, cell_a, cell_b, s_a, s_b, work)


@jit
def project_on_side(pose, outline, cell, px, py, size, out):
    """Return the parameter of the projection of p on a side, or NaN; its point is stored in ``out``."""
    s = 0.5 * (cell.low + cell.high)
    for _ in range(MAX_ITERATIONS):
        side_point(pose, outline, cell, s, out)
        dx = px - out.x
        dy = py - out.y
        slope = -1.0 + out.turning * (dy * out.tx - dx * out.ty)
        if slope == 0.0:
            return math.nan
        step = -(dx * out.tx + dy * out.ty) / slope
        s += step / out.speed
        if out.turning != 0.0 and has_wandered(cell, s):
            return math.nan
        if abs(step) <= CONVERGED_STEP * size:
            side_point(pose, outline, cell, s, out)
            return s
    return math.nan


@jit
def contact_of_corner(pose_corner, corner, pose, outline, cell, is_a, work):
    """Store the contact of a corner with a side; return whether it is a local minimum of the gap.

    ``is_a`` is True if the corner is of the first outline.
    """
    point = work.a
    px, py = corner_point(pose_corner, corner)
    s = project_on_side(pose, outline, cell, px, py, work.size, point)
    work.result.exists = 0.0
    if not contains(cell, s):  # also without a projection
        return False
    nx = -point.ty
    ny = point.tx
    gap = (px - point.x) * nx + (py - point.y) * ny
    closest = 1.0 - gap * point.turning > 0.0 and corner_has_normal(pose_corner, corner, -nx, -ny)
    if is_a:
        store_feature(work.result, True, corner.low, s, gap, nx, ny, px, py, point.x, point.y)
    else:
        store_feature(work.result, True, s, corner.low, gap, -nx, -ny, point.x, point.y, px, py)
    return closest


@jit
def contact_of_corners(corner_a, corner_b, work):
    """Store the contact of two corners that are apart; return whether they are closest."""
    ax, ay = corner_point(work.pose_a, corner_a)
    bx, by = corner_point(work.pose_b, corner_b)
    nx = ax - bx
    ny = ay - by
    distance = math.sqrt(nx * nx + ny * ny)
    work.result.exists = 0.0
    if distance <= COINCIDENT * work.size:
        return False
    nx /= distance
    ny /= distance
    closest = corner_has_normal(work.pose_a, corner_a, -nx, -ny) and corner_has_normal(work.pose_b, corner_b, nx, ny)
    store_feature(work.result, closest, corner_a.low, corner_b.low, distance, nx, ny, ax, ay, bx, by)
    return closest


@jit
def node_of(outline, k):
    """Return node ``k`` of the tree of an outline."""
    return OUTLINE_NODE(offset(floats(address_of(outline)), int(outline.nodes_offset)), k)
