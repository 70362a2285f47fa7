"""Rims, ends, side and faces of a cylinder, cone or disc above a freeform surface, in the axes of the surface."""

from __future__ import annotations

import math

from carom.geometry.convex.support import axis
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.placed_spots import add_place
from carom.geometry.pairs.sphere_cone import height_above_cone
from carom.geometry.pairs.spot_selection import VERTEX
from carom.geometry.pairs.surface_features import FAR, WAY_NUMBERS, add_point, next_bump
from carom.geometry.pairs.surface_heights import (
    WAY,
    listed_patches,
    n_patches,
    next_minimum,
    point_on_way,
    project_point,
)
from carom.geometry.pairs.surface_normal import newton_refine
from carom.geometry.pairs.surface_overlap import (
    add_inner_point,
    deepest_patch,
    is_near_side,
    middle_of_patches,
)
from carom.geometry.shapes.surface import WORKSPACE
from carom.geometry.surface_projection import evaluate_surface, net_at, patch_of, patch_values, wrap_parameters
from carom.geometry.vectors import along, dot, load, norm, scale, store, subtract
from carom.kernels import jit, stack_floats

LEVEL = 1e-6
"""Sine of the angle by which a face beside an edge may fall towards the surface [-]."""
NEARLY_LEVEL = 0.05
"""Sine of the angle of a rim below which it has two more spots beside its lowest point [-]."""
THIRD = 2.0 * math.pi / 3.0
SAME_HEIGHT = 1e-7
"""Difference of two heights that are equal, per size of the solid [-]."""
MAX_STEPS = 30
SMALL_STEP = 1e-6
"""Step of a difference quotient, per range of the parameter [-]."""
ALIGNED, ROUNDING = 1e-14, 1e-9
"""Sines of the angle between opposite normals: at which a search ends, and which rounding may leave [-]."""
RIM_KEYS = 4
"""Keys of a rim: its minima, and two points beside the lowest one."""


@jit
def check_rim(frame, surface, search, end):
    """Add the lowest points of the rim at an end (±1.0) of a frustum; of a level rim three points."""
    way = WAY(stack_floats(WAY_NUMBERS))
    count = int(search.n_listed)
    z = axis(frame, 2)
    radius = frame.size[1] if end > 0.0 else frame.size[0]
    other = frame.size[0] if end > 0.0 else frame.size[1]
    key = 1.0 if end < 0.0 else 1.0 + RIM_KEYS
    store(way.at, along(frame.at, end * frame.size[2], z))
    if radius == 0.0:
        add_point(surface, search, VERTEX, key, load(way.at), radius)
        return
    store(way.first, axis(frame, 0))
    store(way.second, axis(frame, 1))
    way.radius = radius
    way.length = 2.0 * math.pi
    least = FAR
    lowest = 0.0
    level = 0.0
    step = 0
    while True:
        s, step = next_minimum(surface, count, way, step)
        if step < 0:
            break
        p, _ = point_on_way(way, s)
        is_above, height, n, _, _ = project_point(surface, count, p)
        outwards = scale(1.0 / radius, subtract(p, load(way.at)))
        side = along(scale(-2.0 * end * frame.size[2], z), other - radius, outwards)
        side = scale(1.0 / max(norm(side), 1e-300), side)
        if not is_above or dot(n, outwards) > LEVEL or dot(n, side) < -LEVEL:
            continue
        add_place(search, VERTEX, key, height, n, along(p, -0.5 * height, n))
        if height < least:
            least = height
            lowest = s
            level = abs(dot(n, z))
    if least == FAR:
        # A level rim, or one above which no point is lowest.
        p, _ = point_on_way(way, lowest)
        is_above, _, n, _, _ = project_point(surface, count, p)
        if not is_above or dot(n, z) * end > -1.0 + NEARLY_LEVEL * NEARLY_LEVEL:
            return
        add_point(surface, search, VERTEX, key, p, 0.0 * radius)
        level = 1.0
    if level * level > 1.0 - NEARLY_LEVEL * NEARLY_LEVEL:
        for k in range(1, 3):
            p, _ = point_on_way(way, lowest + k * THIRD)
            add_point(surface, search, VERTEX, key + k, p, 0.0 * radius)


@jit
def height_above_frustum(frame, p):
    """Return the height of a point above a frustum, the outward normal, and whether it belongs to a face."""
    d = subtract(p, load(frame.at))
    z = axis(frame, 2)
    axial = dot(d, z)
    radial = along(d, -axial, z)
    distance = norm(radial)
    outwards = axis(frame, 0) if distance == 0.0 else scale(1.0 / distance, radial)
    if frame.size[2] == 0.0:  # a disc: the side of the point
        side = -1.0 if axial < 0.0 else 1.0
        beyond = distance - frame.size[0]
        if beyond <= 0.0:
            return abs(axial), scale(side, z), True
        height = math.sqrt(axial * axial + beyond * beyond)
        return height, along(scale(beyond / height, outwards), axial / height, z), False
    solid = 0.0
    e, f, height, on_face = height_above_cone(distance, axial, frame.size[0], frame.size[1], frame.size[2], solid)
    return height, along(scale(e, outwards), f, z), on_face


@jit
def misalignment(frame, surface, u, v, out):
    """Return the components of the outward normal of the frustum along two tangents of the surface at (u, v)."""
    evaluate_surface(surface, u, v, out)
    _, m, _ = height_above_frustum(frame, load(out.point))
    s = load(out.point_u)
    t = load(out.point_v)
    return dot(m, s) / max(norm(s), 1e-300), dot(m, t) / max(norm(t), 1e-300)


@jit
def check_frustum_bump(frame, surface, search, u, v):
    """Add the place where the surface near (u, v) touches the side or a face of a frustum within its outline."""
    out = WORKSPACE(int(surface.workspace)).first
    evaluate_surface(surface, u, v, out)
    _, m, _ = height_above_frustum(frame, load(out.point))
    is_disc = frame.size[2] == 0.0
    if is_disc:  # its face towards the surface
        m = scale(-1.0 if dot(axis(frame, 2), load(out.normal)) > 0.0 else 1.0, axis(frame, 2))
    if is_disc or abs(dot(m, axis(frame, 2))) > 1.0 - LEVEL:
        u, v, is_contact = newton_refine(surface, m[0], m[1], m[2], u, v, out)
        is_found = is_contact
    else:
        u, v, is_found = align_with_side(frame, surface, u, v, out)
    if not is_found:
        return
    evaluate_surface(surface, u, v, out)
    q = load(out.point)
    n = load(out.normal)
    height, m, on_face = height_above_frustum(frame, q)
    if is_disc and dot(m, n) > 0.0:  # a disc touches with both faces
        height = -height
        m = scale(-1.0, m)
        if not is_near_side(surface, search, q, n, height):
            return
    if on_face and dot(m, n) < -1.0 + SAME_HEIGHT:
        add_place(search, VERTEX, 0.0, height, n, along(q, 0.5 * height, n))


@jit
def align_with_side(frame, surface, u, v, out):
    """Return the parameters near (u, v) where the normal of the surface is that of the side of a frustum, if any.

    The last value is False without such a point, or where the contact is level along a line: its ends are on rims.
    """
    step_u = SMALL_STEP * (surface.u_high - surface.u_low)
    step_v = SMALL_STEP * (surface.v_high - surface.v_low)
    f, g = misalignment(frame, surface, u, v, out)
    for _ in range(MAX_STEPS):
        square = f * f + g * g
        f_u, g_u = misalignment(frame, surface, u + step_u, v, out)
        f_v, g_v = misalignment(frame, surface, u, v + step_v, out)
        a = (f_u - f) / step_u
        b = (f_v - f) / step_v
        c = (g_u - g) / step_u
        d = (g_v - g) / step_v
        det = a * d - b * c
        if abs(det) <= LEVEL * (a * a + b * b + c * c + d * d):
            return u, v, False
        if square < ALIGNED * ALIGNED:
            return u, v, True
        du = (b * g - d * f) / det
        dv = (c * f - a * g) / det
        fraction = 1.0
        is_better = False
        x = u
        y = v
        p = f
        q = g
        for _ in range(MAX_STEPS):
            x, y = wrap_parameters(surface, u + fraction * du, v + fraction * dv)
            p, q = misalignment(frame, surface, x, y, out)
            if p * p + q * q < square:
                is_better = True
                break
            fraction *= 0.5
        if not is_better:
            return u, v, square < ROUNDING * ROUNDING
        u = x
        v = y
        f = p
        g = q
    return u, v, f * f + g * g < ROUNDING * ROUNDING


@jit
def check_frustum(frame, surface, search):
    """Add rims, ends and the side of a frustum."""
    check_rim(frame, surface, search, -1.0)
    check_rim(frame, surface, search, 1.0)
    net = net_at(surface, surface.fine_net)
    values = patch_values(surface)
    listed = listed_patches(surface)
    for k in range(n_patches(surface)):
        values[k] = NO_CONTACT
    for i in range(int(search.n_listed)):
        k = int(listed[i])
        values[k], _, _ = height_above_frustum(frame, load(patch_of(net, k).point))
    start = 0
    while start >= 0:
        u, v, start = next_bump(surface, search, start)
        if start >= 0:
            check_frustum_bump(frame, surface, search, u, v)
    # A deep overlap, where no face has the normal of the surface.
    if frame.size[2] == 0.0:
        if search.least > 0.0:
            c = middle_of_patches(surface, search)
            height, m, _ = height_above_frustum(frame, c)
            add_inner_point(surface, search, along(c, -height, m))
        return
    k = deepest_patch(surface, search)
    if k >= 0:
        q = load(patch_of(net, k).point)
        height, m, _ = height_above_frustum(frame, q)
        add_place(search, VERTEX, 0.0, height, scale(-1.0, m), along(q, -0.5 * height, m))
