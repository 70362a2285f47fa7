"""Two planar curves: common normal, eqs. (12)–(13) of the compliant models paper.

At the parameters (s_a, s_b) the tangents are parallel and the line between the points is along the opposite normals.
That holds for separated and for indented curves; the sign of the gap comes from the normals. The pair follows one such
solution from call to call by Newton's method. It searches both curves for all solutions at the start, when the one
followed has ended, and, between shapes that are not both convex, while they are separated and have moved so far that
another solution may have become the closest.
"""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, store
from carom.geometry.planar_path import curve_at, range_of
from carom.geometry.shapes.curve import CURVE, CURVE_SAMPLE
from carom.kernels import FLOAT, address_of, floats, jit, offset, record

PARAMS = record(
    size_a=FLOAT,  # number of parameters of curve a; those of curve b follow
    a=CURVE,
)
WARM_START = record(
    status=FLOAT,  # NOT_SEARCHED, NONE, CLOSEST or OTHER
    s_a=FLOAT,  # parameters of the solution
    s_b=FLOAT,
    x=FLOAT,  # position of a relative to b at the last search [m]
    y=FLOAT,
    cos=FLOAT,  # orientation of a relative to b at the last search
    sin=FLOAT,
    free_distance=FLOAT,  # motion until the next search [m]
    n_iterations=FLOAT,  # iterations of the last call
)
NOT_SEARCHED, NONE, CLOSEST, OTHER = -1.0, 0.0, 1.0, 2.0
"""Status of the solution: not searched yet; there is no common normal; the gap is a local minimum; another one."""

MAX_ITERATIONS = 40
"""Largest number of steps of Newton's method."""
MAX_STEP = 0.05
"""Ratio of the longest step to the range of the parameter [-]."""
MAX_CHANGE = 0.25
"""Ratio of the change of the parameter between two calls to its range above which it is another contact [-]."""
CONVERGED_STEP = 1e-9
"""Ratio of a step of Newton's method to the range of the parameter below which the next step is rounding [-]."""
PARALLEL_SINE = 1e-9
"""Sine of the angle between the rows of the Jacobian below which the common normals form a line [-]."""
MAX_RESIDUAL = 1e-7
"""Largest residual of a solution: sine of the angle between tangents, offset over the smaller curve [-]."""
SEARCH_MOTION = 1e-3
"""Ratio of the motion to the size of the smaller curve after which a new search is due in any case [-]."""
TIE_TOLERANCE = 1e-12
"""Ratio below which a difference is rounding [-]: of gaps to the smaller curve, of parameters to their range."""


@jit
def wrap(curve, s):
    """Return ``s`` within the range: cyclic on a closed curve, limited by the ends of an open one."""
    first, extent = range_of(curve.path)
    if curve.path.is_closed != 0.0:
        return first + (s - first) % extent
    return min(max(s, first), first + extent)


@jit
def global_point(pose, curve, s):
    """Return point and unit tangent τ in global axes, and the arc length along τ and the turning per unit of s.

    The solid is to the right of τ.
    """
    x, y, x1, y1, x2, y2, _, _ = curve_at(curve.path, s)
    speed = math.sqrt(x1 * x1 + y1 * y1)
    tx = curve.side * x1 / speed
    ty = curve.side * y1 / speed
    return (
        pose.x + pose.r11 * x + pose.r12 * y,
        pose.y + pose.r21 * x + pose.r22 * y,
        pose.r11 * tx + pose.r12 * ty,
        pose.r21 * tx + pose.r22 * ty,
        curve.side * speed,
        (x1 * y2 - y1 * x2) / (speed * speed),
    )


@jit
def newton_refine(pose_a, pose_b, a, b, s_a, s_b):
    """Refine (s_a, s_b) by Newton's method; return whether it converged, the parameters, and the iterations.

    F₁ = τ_a × τ_b, F₂ = ½ d·(τ_a − τ_b) with d = p_a − p_b: exchanging a and b changes no digit.
    """
    _, extent_a = range_of(a.path)
    _, extent_b = range_of(b.path)
    size = min(a.size, b.size)
    for iteration in range(1, MAX_ITERATIONS + 1):
        ax, ay, tax, tay, ua, ka = global_point(pose_a, a, s_a)
        bx, by, tbx, tby, ub, kb = global_point(pose_b, b, s_b)
        dx = ax - bx
        dy = ay - by
        cosine = tax * tbx + tay * tby
        f1 = tax * tby - tay * tbx
        f2 = 0.5 * (dx * (tax - tbx) + dy * (tay - tby))
        # Columns are scaled by the range of the parameter, the second row by the size.
        f1a = -extent_a * ka * cosine
        f1b = extent_b * kb * cosine
        f2a = 0.5 * extent_a * (ua * (1.0 - cosine) + ka * (dy * tax - dx * tay)) / size
        f2b = 0.5 * extent_b * (ub * (1.0 - cosine) - kb * (dy * tbx - dx * tby)) / size
        f2 /= size
        det = f1a * f2b - f1b * f2a
        first = f1a * f1a + f1b * f1b
        second = f2a * f2a + f2b * f2b
        if abs(det) > PARALLEL_SINE * math.sqrt(first * second):
            da = (f1b * f2 - f2b * f1) / det
            db = (f2a * f1 - f1a * f2) / det
        else:  # straight parts or concentric arcs: the nearest solution with d perpendicular to them
            da = -f2a * f2 / second
            db = -f2b * f2 / second
        step = max(abs(da), abs(db))
        if not step < 1e6:
            return False, s_a, s_b, iteration
        scale = 1.0
        if step > MAX_STEP:
            scale = MAX_STEP / step
        s_a = wrap(a, s_a + scale * da * extent_a)
        s_b = wrap(b, s_b + scale * db * extent_b)
        if step <= CONVERGED_STEP:
            return True, s_a, s_b, iteration
    return False, s_a, s_b, MAX_ITERATIONS


@jit
def evaluate_solution(pose_a, pose_b, a, b, s_a, s_b):
    """Return the status of a solution (NONE without a common normal), both points, the normal from b to a, the gap."""
    ax, ay, tax, tay, ua, ka = global_point(pose_a, a, s_a)
    bx, by, tbx, tby, ub, kb = global_point(pose_b, b, s_b)
    dx = ax - bx
    dy = ay - by
    # Outward normals are to the left of τ; the common one is the mean of n_b and −n_a.
    nx = tay - tby
    ny = tbx - tax
    length = math.sqrt(nx * nx + ny * ny)
    nx /= length
    ny /= length
    gap = dx * nx + dy * ny
    size = min(a.size, b.size)
    sine = tax * tby - tay * tbx
    aside = 0.5 * (dx * (tax - tbx) + dy * (tay - tby))
    status = NONE
    if tax * tbx + tay * tby < 0.0 and abs(sine) <= MAX_RESIDUAL and abs(aside) <= MAX_RESIDUAL * size:
        # Curvatures, positive where convex. The gap is a local minimum if the relative curvature is positive and the
        # points lie on the same side of both centres of curvature.
        ca = -ka / ua
        cb = -kb / ub
        status = OTHER
        if (ca + cb + gap * ca * cb) * size > PARALLEL_SINE and 1.0 + gap * ca > 0.0 and 1.0 + gap * cb > 0.0:
            status = CLOSEST
    return status, ax, ay, bx, by, nx, ny, gap


@jit
def relative_pose(pose_a, pose_b):
    """Return the pose of a in the axes of b: x, y [m], cos, sin."""
    x = pose_a.x - pose_b.x
    y = pose_a.y - pose_b.y
    return (
        pose_b.r11 * x + pose_b.r21 * y,
        pose_b.r12 * x + pose_b.r22 * y,
        pose_a.r11 * pose_b.r11 + pose_a.r21 * pose_b.r21,
        pose_a.r21 * pose_b.r11 - pose_a.r11 * pose_b.r21,
    )


@jit
def sample_of(curve, k):
    """Return sample ``k`` of a curve."""
    return CURVE_SAMPLE(offset(floats(address_of(curve)), int(curve.samples_offset)), k)


@jit
def transformed(sample, ox, oy, c, s):
    """Return point and tangent of a sample, rotated and shifted."""
    return (
        ox + c * sample.x - s * sample.y,
        oy + s * sample.x + c * sample.y,
        c * sample.tx - s * sample.ty,
        s * sample.tx + c * sample.ty,
    )


@jit
def residuals(x, y, tx, ty, sample):
    """Return F₁, F₂ and τ_a·τ_b at two samples, and their squared distance [m²]."""
    dx = x - sample.x
    dy = y - sample.y
    return (
        tx * sample.ty - ty * sample.tx,
        dx * (tx - sample.tx) + dy * (ty - sample.ty),
        tx * sample.tx + ty * sample.ty,
        dx * dx + dy * dy,
    )


@jit
def from_seam(curve, s):
    """Return ``s``, or the first parameter for the last one of a closed curve: rounding decides between the two."""
    first, extent = range_of(curve.path)
    if curve.path.is_closed != 0.0 and first + extent - s <= TIE_TOLERANCE * extent:
        return first
    return s


@jit
def precedes(gap, s_a, s_b, other_gap, other_a, other_b, size, extent):
    """Return True if a solution is preferred to another: by the smaller gap, or by the smaller parameters.

    Neither rounding nor the order of the curves decides between solutions of equal gap.
    """
    nearer = abs(other_gap) - abs(gap)
    if abs(nearer) > TIE_TOLERANCE * size:
        return nearer > 0.0
    high = max(other_a, other_b) - max(s_a, s_b)
    low = min(other_a, other_b) - min(s_a, s_b)
    if abs(high) > TIE_TOLERANCE * extent:
        return high > 0.0
    if abs(low) > TIE_TOLERANCE * extent:
        return low > 0.0
    # One solution, obtained from two cells.
    return nearer > 0.0 or (nearer == 0.0 and (high > 0.0 or (high == 0.0 and low > 0.0)))


@jit
def search(pose_a, pose_b, a, b):
    """Search for the best common normal: Newton's method from every cell of samples where F₁ and F₂ change sign.

    Returns the status, the parameters, the gap [m], the least distance of samples [m], and the number of iterations.
    """
    ox, oy, c, s = relative_pose(pose_a, pose_b)
    first = 0
    best = NONE
    best_a = sample_of(a, first).s
    best_b = sample_of(b, first).s
    best_gap = NO_CONTACT
    min_distance = NO_CONTACT
    count = 0
    size = min(a.size, b.size)
    _, extent_a = range_of(a.path)
    _, extent_b = range_of(b.path)
    extent = max(extent_a, extent_b)
    for i in range(int(a.n_cells)):
        x0, y0, tx0, ty0 = transformed(sample_of(a, i), ox, oy, c, s)
        x1, y1, tx1, ty1 = transformed(sample_of(a, i + 1), ox, oy, c, s)
        f00, g00, cosine, distance = residuals(x0, y0, tx0, ty0, sample_of(b, first))
        f10, g10, _, _ = residuals(x1, y1, tx1, ty1, sample_of(b, first))
        min_distance = min(min_distance, distance)
        for j in range(int(b.n_cells)):
            column = sample_of(b, j + 1)
            f01, g01, next_cosine, distance = residuals(x0, y0, tx0, ty0, column)
            f11, g11, _, _ = residuals(x1, y1, tx1, ty1, column)
            min_distance = min(min_distance, distance)
            facing = cosine < 0.0
            parallel = min(min(f00, f01), min(f10, f11)) <= 0.0 <= max(max(f00, f01), max(f10, f11))
            perpendicular = min(min(g00, g01), min(g10, g11)) <= 0.0 <= max(max(g00, g01), max(g10, g11))
            if facing and parallel and perpendicular:
                start_a = 0.5 * (sample_of(a, i).s + sample_of(a, i + 1).s)
                start_b = 0.5 * (sample_of(b, j).s + column.s)
                converged, s_a, s_b, iterations = newton_refine(pose_a, pose_b, a, b, start_a, start_b)
                count += iterations
                if converged:
                    s_a = from_seam(a, s_a)
                    s_b = from_seam(b, s_b)
                    status, _, _, _, _, _, _, gap = evaluate_solution(pose_a, pose_b, a, b, s_a, s_b)
                    better = precedes(gap, s_a, s_b, best_gap, best_a, best_b, size, extent)
                    if status != best:
                        better = status == CLOSEST or best == NONE
                    if better and status != NONE:
                        best = status
                        best_a = s_a
                        best_b = s_b
                        best_gap = gap
            f00 = f01
            f10 = f11
            g00 = g01
            g10 = g11
            cosine = next_cosine
    return best, best_a, best_b, best_gap, math.sqrt(min_distance), count


@jit
def is_same_contact(curve, s, before):
    """Return True if ``s`` may belong to the same contact as ``before``, one call ago."""
    _, extent = range_of(curve.path)
    change = abs(s - before)
    if curve.path.is_closed != 0.0:
        change = min(change, extent - change)
    return change <= MAX_CHANGE * extent


@jit
def store_search(warm_start, x, y, c, s, free_distance):
    """Store the relative pose of a search and the distance until the next one."""
    warm_start.x = x
    warm_start.y = y
    warm_start.cos = c
    warm_start.sin = s
    warm_start.free_distance = free_distance


@pair_kernel(PARAMS, WARM_START)
def curve_curve(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of two curves; the force acts midway between them."""
    a = params.a
    b = CURVE(offset(floats(address_of(a)), int(params.size_a)))
    status = warm_start.status
    s_a = warm_start.s_a
    s_b = warm_start.s_b
    count = 0
    is_lost = status == NOT_SEARCHED
    if status > NONE:
        converged, s_a, s_b, count = newton_refine(pose_a, pose_b, a, b, s_a, s_b)
        is_lost = not (
            converged and is_same_contact(a, s_a, warm_start.s_a) and is_same_contact(b, s_b, warm_start.s_b)
        )
    new_status, ax, ay, bx, by, nx, ny, gap = evaluate_solution(pose_a, pose_b, a, b, s_a, s_b)
    if status > NONE:
        is_lost = is_lost or new_status == NONE or (new_status == OTHER and status == CLOSEST)
        status = new_status
    x, y, c, s = relative_pose(pose_a, pose_b)
    moved = math.hypot(x - warm_start.x, y - warm_start.y)
    moved += a.reach * math.hypot(c - warm_start.cos, s - warm_start.sin)
    is_sure = status == CLOSEST and (gap <= 0.0 or a.is_convex * b.is_convex != 0.0)
    # The comparison is also false if an earlier pose was not a number.
    if is_lost or not (is_sure or moved <= warm_start.free_distance):
        size = min(a.size, b.size)
        other, other_a, other_b, other_gap, distance, iterations = search(pose_a, pose_b, a, b)
        count += iterations
        # Of separated curves another solution is closer only if it is not deeper than the bodies can have moved.
        if is_lost or status != CLOSEST or (other == CLOSEST and -moved <= other_gap < gap - TIE_TOLERANCE * size):
            status = other
            s_a = other_a
            s_b = other_b
            _, ax, ay, bx, by, nx, ny, gap = evaluate_solution(pose_a, pose_b, a, b, s_a, s_b)
        # Nothing can touch before the bodies have moved by the distance between them.
        free_distance = distance
        if status == CLOSEST:
            free_distance = gap
        if status == OTHER:
            free_distance = 0.0
        store_search(warm_start, x, y, c, s, max(0.5 * free_distance, SEARCH_MOTION * size))
    warm_start.status = status
    warm_start.s_a = s_a
    warm_start.s_b = s_b
    warm_start.n_iterations = count
    if status == NONE:  # both parameters are at the starts of their curves
        gap = NO_CONTACT
        nx = 1.0
        ny = 0.0
    z = 0.0
    out.gap = gap
    store(out.normal, nx, ny, z)
    store(out.point_a, ax, ay, z)
    store(out.point_b, bx, by, z)
    store(out.force_point, 0.5 * (ax + bx), 0.5 * (ay + by), z)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of both curves."""
    return (float(len(a.parameters)), *a.parameters, *b.parameters)


def check_planar(owner: str, a: Any, b: Any) -> None:
    """Raise for spatial bodies, or for two cavities."""
    for shape in (a, b):
        if not shape.planar:
            raise ModelError(
                f"{owner}: {shape.label} is a planar profile and needs a planar body to touch another curve"
            )
    if a.inside and b.inside:
        raise ModelError(f"{owner}: {a.label} and {b.label} are both cavities; one of them must be solid inside")


INITIAL = (NOT_SEARCHED, *(0.0,) * (WARM_START.size - 1))
CURVE_CURVE = PairKernel(curve_curve, PARAMS, parameters_of, INITIAL, check_planar)
