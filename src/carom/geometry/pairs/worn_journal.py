"""Journal in a bearing, both worn: circles with a depth in every direction.

The clearance in direction θ is c + b(θ) + j(θ − α), with what the wear of bearing and journal has added, cubic splines
through sectors in the axes of their bodies, α the angle of the journal relative to the bearing. The journal's centre at
(e_x, e_y) from the bearing's has the indentation

    δ = max over θ of e_x cos θ + e_y sin θ − c − b(θ) − j(θ − α)

while one direction is enough; in the corner between two spots it is the distance from the region in which the centre is
free. The region has rounded corners, so that the direction of the normal is a continuous function of the pose, also
where the journal touches without indentation.

The force acts along the direction of the maximum, −F (cos θ, sin θ) on the journal, with the lever arm ∂j/∂θ about its
centre: it is the derivative of the elastic energy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from carom.geometry.pairs.base import pair_kernel, rotate, store, to_global
from carom.geometry.pairs.registry import Pairing
from carom.geometry.pairs.sphere_sphere import PARAMS as SPHERES
from carom.kernels import FLOAT, address_of, floats, jit, offset, record

PARAMS = record(
    spheres=SPHERES,  # bearing (a) and journal (b)
    is_worn=FLOAT,  # 0: both are circles
    n=FLOAT,  # sectors; the splines of bearing and journal follow
)
TABLE_OFFSET = PARAMS.size
DEEPEST = record("indentation ux uy of_journal slope")
"""Indentation [m], its direction in the axes of the bearing, wear of the journal there [m] and its slope [m/rad]."""
RESOLUTION, PARALLEL = 1e-13, 1e-6
"""Relative resolution of a corner, and sine of the angle of two directions below which they are one."""
MAX_CORNER_ITERATIONS = 12
ROUNDING = 0.01
"""Radius of the corners of the region in which the journal's centre is free, relative to the clearance [-]."""
COARSE = 96
"""Directions in which the maximum is searched first."""
STEP = 2.0 * math.pi / COARSE
MAX_ITERATIONS = 60
TOLERANCE = 1e-14
"""Resolution of the direction of the contact [rad]."""


@jit
def spline_at(table, n, angle):
    """Return value [m], slope [m/rad] and curvature [m/rad²] of a periodic cubic B-spline at an angle."""
    per_angle = n / (2.0 * math.pi)
    x = angle * per_angle
    floor = math.floor(x)
    t = x - floor
    i = int(floor) % n
    p = table[(i + n - 1) % n]
    q = table[i]
    r = table[(i + 1) % n]
    s = table[(i + 2) % n]
    u = 1.0 - t
    value = (p * u * u * u + q * (4.0 - 6.0 * t * t + 3.0 * t * t * t)
             + r * (4.0 - 6.0 * u * u + 3.0 * u * u * u) + s * t * t * t) / 6.0  # fmt: skip
    slope = 0.5 * (-p * u * u + q * (3.0 * t * t - 4.0 * t) + r * (4.0 * u - 3.0 * u * u) + s * t * t)
    curvature = p * u + q * (3.0 * t - 2.0) + r * (3.0 * u - 2.0) + s * t
    return value, slope * per_angle, curvature * per_angle * per_angle


@jit
def slope_of_indentation(tables, n, ex, ey, alpha, theta):
    """Return the first two derivatives of the indentation with the direction θ."""
    c = math.cos(theta)
    s = math.sin(theta)
    _, b1, b2 = spline_at(tables, n, theta)
    _, j1, j2 = spline_at(offset(tables, n), n, theta - alpha)
    return ey * c - ex * s - b1 - j1, -ex * c - ey * s - b2 - j2


@jit
def coarse_indentation(tables, n, ex, ey, alpha, theta, x, y):
    """Return the indentation, without the clearance, in the direction θ = (x, y), from the nearest sectors [m]."""
    per_angle = n / (2.0 * math.pi)
    i = math.floor(theta * per_angle + 0.5) % n
    j = math.floor((theta - alpha) * per_angle + 0.5) % n
    return ex * x + ey * y - tables[i] - tables[n + j]


@jit
def refined_direction(tables, n, ex, ey, alpha, theta):
    """Return the direction of a maximum of the indentation near a coarse one: Newton's method in a bracket."""
    low = theta - 1.5 * STEP
    high = theta + 1.5 * STEP
    for _ in range(MAX_ITERATIONS):
        first, second = slope_of_indentation(tables, n, ex, ey, alpha, theta)
        if first > 0.0:
            low = theta
        else:
            high = theta
        after = theta - first / second if second < 0.0 else math.inf
        if not low <= after <= high:
            after = 0.5 * (low + high)
        is_found = abs(after - theta) <= TOLERANCE * (1.0 + abs(theta))
        theta = after
        if is_found:
            break
    return theta


@jit
def exact_indentation(tables, n, ex, ey, alpha, theta):
    """Return the indentation, without the clearance, in a direction [m]."""
    of_bearing, _, _ = spline_at(tables, n, theta)
    of_journal, _, _ = spline_at(offset(tables, n), n, theta - alpha)
    return ex * math.cos(theta) + ey * math.sin(theta) - of_bearing - of_journal


@jit
def search_width(tables, n, ex, ey, alpha, start):
    """Return the number of coarse directions on either side of the eccentricity that may be deeper than its own.

    Nowhere is the clearance less than that of the unworn surfaces, so that δ(ψ) ≤ e cos ψ − c.
    """
    e = math.sqrt(ex * ex + ey * ey)
    least = 1.0 - (e - exact_indentation(tables, n, ex, ey, alpha, start)) / e if e > 0.0 else -1.0
    return min(int(math.acos(max(min(least, 1.0), -1.0)) / STEP) + 2, COARSE // 2)


@jit
def deepest_direction(tables, n, ex, ey, alpha):
    """Return the direction of the largest indentation.

    Every coarse direction with a local maximum is refined if it may be the largest one: two spots of the surfaces may
    be nearly equal, and the indentation has to be continuous where the journal changes from one to the other.
    """
    start = math.atan2(ey, ex)
    width = search_width(tables, n, ex, ey, alpha, start)
    margin = math.sqrt(ex * ex + ey * ey) * STEP * STEP
    c = math.cos(STEP)
    s = math.sin(STEP)
    x0 = math.cos(start - (width + 1) * STEP)
    y0 = math.sin(start - (width + 1) * STEP)
    largest = -math.inf
    best = start
    for search in range(2):
        x = x0
        y = y0
        before = -math.inf
        value = -math.inf
        bound = largest - margin
        if search == 1:
            largest = -math.inf
        for k in range(-width - 1, width + 2):
            theta = start + k * STEP
            after = coarse_indentation(tables, n, ex, ey, alpha, theta, x, y)
            if search == 0:
                largest = max(largest, after)
            elif value >= before and value >= after and value >= bound:
                candidate = refined_direction(tables, n, ex, ey, alpha, theta - STEP)
                exact = exact_indentation(tables, n, ex, ey, alpha, candidate)
                if exact > largest:
                    largest = exact
                    best = candidate
            before = value
            value = after
            x, y = x * c - y * s, x * s + y * c
    return best


@jit
def support(tables, n, clearance, alpha, theta):
    """Return the total clearance in a direction, and the part of the journal's wear in it with its slope."""
    of_bearing, _, _ = spline_at(tables, n, theta)
    of_journal, slope, _ = spline_at(offset(tables, n), n, theta - alpha)
    return clearance + of_bearing + of_journal, of_journal, slope


@jit
def corner(ux, uy, h, vx, vy, g):
    """Return the point whose distances along the unit vectors u and v are h and g."""
    determinant = ux * vy - uy * vx
    return (h * vy - g * uy) / determinant, (g * ux - h * vx) / determinant


@jit
def indentation_at(tables, n, clearance, ex, ey, alpha, out):
    """Store the distance of the journal's centre from the region in which it is free, and its direction.

    The nearest point of the region lies on the boundary in one direction, or in a corner between two, where the
    journal touches on either side of a spot. ``out`` receives the indentation, its direction, the wear of the journal
    there and its slope.
    """
    theta = deepest_direction(tables, n, ex, ey, alpha)
    ux = math.cos(theta)
    uy = math.sin(theta)
    h, of_journal, slope = support(tables, n, clearance, alpha, theta)
    delta = ex * ux + ey * uy - h
    out.indentation = delta
    out.ux = ux
    out.uy = uy
    out.of_journal = of_journal
    out.slope = slope
    if delta <= 0.0:
        return
    x = ex - delta * ux
    y = ey - delta * uy
    other = deepest_direction(tables, n, x, y, alpha)
    vx = math.cos(other)
    vy = math.sin(other)
    g, of_journal_2, slope_2 = support(tables, n, clearance, alpha, other)
    if x * vx + y * vy - g <= RESOLUTION * clearance or abs(ux * vy - uy * vx) < PARALLEL:
        return
    for _ in range(MAX_CORNER_ITERATIONS):
        last_x = x
        last_y = y
        x, y = corner(ux, uy, h, vx, vy, g)
        theta = refined_direction(tables, n, x, y, alpha, theta)
        other = refined_direction(tables, n, x, y, alpha, other)
        ux = math.cos(theta)
        uy = math.sin(theta)
        vx = math.cos(other)
        vy = math.sin(other)
        if abs(ux * vy - uy * vx) < PARALLEL:
            return
        h, of_journal, slope = support(tables, n, clearance, alpha, theta)
        g, of_journal_2, slope_2 = support(tables, n, clearance, alpha, other)
        if abs(x - last_x) + abs(y - last_y) <= RESOLUTION * clearance:
            break
    x, y = corner(ux, uy, h, vx, vy, g)
    determinant = ux * vy - uy * vx
    first = ((ex - x) * vy - (ey - y) * vx) / determinant
    second = ((ey - y) * ux - (ex - x) * uy) / determinant
    distance = math.sqrt((ex - x) ** 2 + (ey - y) ** 2)
    if first < 0.0 or second < 0.0 or distance <= delta:
        return
    out.indentation = distance
    out.ux = (ex - x) / distance
    out.uy = (ey - y) / distance
    out.of_journal = (first * of_journal + second * of_journal_2) / (first + second)
    out.slope = (first * slope + second * slope_2) / distance


@pair_kernel(PARAMS, DEEPEST)
def worn_journal(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a worn journal (b) in a worn bearing (a)."""
    a = params.spheres.a
    b = params.spheres.b
    ax, ay, az = to_global(pose_a, a.cx, a.cy, a.cz)
    bx, by, bz = to_global(pose_b, b.cx, b.cy, b.cz)
    dx = bx - ax
    dy = by - ay
    clearance = -a.radius - b.radius
    ux = 1.0
    uy = 0.0
    arm = 0.0
    gap = 0.0
    of_journal = 0.0
    if params.is_worn != 0.0:
        n = int(params.n)
        tables = offset(floats(address_of(params)), TABLE_OFFSET)
        ex = pose_a.r11 * dx + pose_a.r21 * dy
        ey = pose_a.r12 * dx + pose_a.r22 * dy
        alpha = math.atan2(
            pose_a.r11 * pose_b.r21 - pose_a.r21 * pose_b.r11, pose_a.r11 * pose_b.r11 + pose_a.r21 * pose_b.r21
        )
        found = warm_start
        layer = ROUNDING * clearance
        indentation_at(tables, n, clearance - layer, ex, ey, alpha, found)
        gap = layer - found.indentation
        of_journal = found.of_journal
        arm = found.slope
        ux, uy, _ = rotate(pose_a, found.ux, found.uy, 0.0)
    else:
        distance = math.sqrt(dx * dx + dy * dy)
        if distance > 0.0:
            ux = dx / distance
            uy = dy / distance
        gap = clearance - distance
    r = b.radius - of_journal
    px = bx + r * ux + arm * uy  # the force on the journal has the moment −F ∂j/∂θ about its centre
    py = by + r * uy - arm * ux
    out.gap = gap
    store(out.normal, ux, uy, 0.0)
    store(out.point_b, px, py, bz)
    store(out.point_a, px + gap * ux, py + gap * uy, az)
    store(out.force_point, px + 0.5 * gap * ux, py + 0.5 * gap * uy, 0.5 * (az + bz))


def worn_pairing(bearing: Any, journal: Any, splines: Sequence[Any]) -> Pairing:
    """Return the pairing of a journal in its bearing with the splines of both, what wear has added [m]."""
    first, second = (tuple(float(value) for value in values) for values in splines)
    spheres = (*bearing.parameters, *journal.parameters)
    numbers = (*spheres, float(any(first) or any(second)), float(len(first)), *first, *second)
    return Pairing(worn_journal, (bearing, journal), False, numbers, (0.0,) * DEEPEST.size)
