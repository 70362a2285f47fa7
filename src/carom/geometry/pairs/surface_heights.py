"""Heights of points, lines and circles above a freeform surface, in the axes of the surface.

Points are projected onto the surface from the nearest patch. Along a line or a circle the height is least where its
slope, the component of the normal along the tangent, changes sign.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.illinois import narrow
from carom.geometry.shapes.surface import WORKSPACE
from carom.geometry.surface_projection import ON_FACE, middle_of_patch, net_at, patch_of, patch_values, project
from carom.geometry.vectors import along, dot, load, norm, scale, subtract
from carom.kernels import FLOAT, jit, offset, record

WAY = record(
    at=(FLOAT, 3),  # start of a line, centre of a circle [m]
    first=(FLOAT, 3),  # unit vector along the line; from the centre to the start of the circle
    second=(FLOAT, 3),  # along the circle at its start
    radius=FLOAT,  # of the circle, 0.0 for a line [m]
    length=FLOAT,  # of the line [m]; angle of the circle [rad]
)
"""A line or a circle."""
MIN_STEPS, MAX_STEPS = 8, 48
"""Smallest and largest number of steps along a line or a circle."""
MAX_REFINEMENTS = 60
LEVEL_SLOPE = 1e-9
"""Slope below which a line or a circle is level [-]."""
SAME_SLOPE = 1e-14
"""Slope at a minimum that is rounding [-]."""


@jit
def n_patches(surface):
    """Return the number of patches of the fine net."""
    net = net_at(surface, surface.fine_net)
    return int(net.n_u) * int(net.n_v)


@jit
def listed_patches(surface):
    """Return the list of patches near the other shape."""
    return offset(patch_values(surface), n_patches(surface))


@jit
def list_patches(surface, c, radius):
    """List the patches that may be closest to a shape in a sphere; return their number and the distance of c [m].

    The distance is that of the nearest middle of a patch.
    """
    net = net_at(surface, surface.fine_net)
    listed = listed_patches(surface)
    values = patch_values(surface)
    count = n_patches(surface)
    nearest = NO_CONTACT
    for k in range(count):
        values[k] = norm(subtract(load(patch_of(net, k).point), c))
        nearest = min(nearest, values[k])
    n = 0
    for k in range(count):
        if values[k] - patch_of(net, k).radius - radius <= nearest:
            listed[n] = float(k)
            n += 1
    return n, nearest


@jit
def distance_bound(surface, n_listed, p):
    """Return a lower bound of the distance of a point from the surface, by the listed patches [m]."""
    net = net_at(surface, surface.fine_net)
    listed = listed_patches(surface)
    least = NO_CONTACT
    for i in range(n_listed):
        patch = patch_of(net, int(listed[i]))
        least = min(least, norm(subtract(load(patch.point), p)) - patch.radius)
    return least


@jit
def project_point(surface, n_listed, p):
    """Project a point onto the surface; return whether it is above the face, its height, the normal and u, v there."""
    net = net_at(surface, surface.fine_net)
    listed = listed_patches(surface)
    best = 0
    least = NO_CONTACT
    for i in range(n_listed):
        k = int(listed[i])
        d = subtract(load(patch_of(net, k).point), p)
        square = dot(d, d)
        if square < least:
            least = square
            best = k
    columns = int(net.n_v)
    u, v = middle_of_patch(surface, net, best // columns, best - best // columns * columns)
    out = WORKSPACE(int(surface.workspace)).first
    u, v, result = project(surface, p[0], p[1], p[2], u, v, out)
    n = load(out.normal)
    return result == ON_FACE, dot(subtract(p, load(out.point)), n), n, u, v


@jit
def point_on_way(way, s):
    """Return the point of a line or a circle at s, and the unit tangent there."""
    if way.radius == 0.0:
        return along(way.at, s, way.first), load(way.first)
    c = math.cos(s)
    n = math.sin(s)
    outwards = along(scale(c, load(way.first)), n, load(way.second))
    return along(way.at, way.radius, outwards), along(scale(c, load(way.second)), -n, load(way.first))


@jit
def slope_on_way(surface, n_listed, way, s):
    """Return whether the point at s is above the face, and the slope of the height there [-]."""
    p, t = point_on_way(way, s)
    is_above, _, n, _, _ = project_point(surface, n_listed, p)
    return is_above, dot(n, t)


@jit
def n_steps(surface, way):
    """Return the number of steps along a line or a circle: one for each patch."""
    length = way.length if way.radius == 0.0 else way.length * way.radius
    spacing = net_at(surface, surface.fine_net).spacing
    return int(min(max(length / spacing, MIN_STEPS), MAX_STEPS))


@jit
def refine_minimum(surface, n_listed, way, low, high, below, above):
    """Return where the slope changes sign between ``low`` and ``high``, by the Illinois method."""
    side = 0
    at = low
    for _ in range(MAX_REFINEMENTS):
        if above - below <= SAME_SLOPE:
            break
        at = low - (high - low) * below / (above - below)
        is_above, slope = slope_on_way(surface, n_listed, way, at)
        if not is_above or abs(slope) <= SAME_SLOPE:
            break
        low, high, below, above, side = narrow(low, high, below, above, side, at, slope)
    return at


@jit
def next_minimum(surface, n_listed, way, step):
    """Return where the height has its next minimum from a ``step`` on, and the step to continue with; −1 at the end.

    Level parts are passed over.
    """
    count = n_steps(surface, way)
    width = way.length / count
    low = 0.0
    below = 1.0
    for k in range(step, count + 1):
        is_above, slope = slope_on_way(surface, n_listed, way, k * width)
        if not is_above:
            below = 1.0
        elif slope > LEVEL_SLOPE:
            if below < 0.0:
                return refine_minimum(surface, n_listed, way, low, k * width, below, slope), k
            below = 1.0
        elif slope < -LEVEL_SLOPE:
            below = slope
            low = k * width
    return 0.0, -1
