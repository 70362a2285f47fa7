"""A freeform surface and a plane: the place where the surface looks straight at the plane.

With E two unit vectors along the plane, Eᵀn = 0 there; a step of Newton's method is Eᵀn_u Δ = −Eᵀn. It is a contact
when the surface curves away from the plane.
"""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.common_normal import at_border
from carom.geometry.foot import HALVINGS, ITERATIONS, LAST, brought_in, in_part, limited, look_at, lowest, middle, way
from carom.geometry.lookup.window import keep_window
from carom.geometry.pairs.ball import across
from carom.geometry.pairs.base import CONTACT_POINT, FAR, GAP, NORMAL_AT, POINT_A, POINT_B, Pair, placed, put, turned
from carom.geometry.pairs.sphere_curve import seen_from
from carom.geometry.pairs.sphere_surface import AGAIN, in_axes_of_body, on_surface, parts
from carom.geometry.surface import AT, COLUMNS, FINE_AT, PATCH, PATCHES, ROOM, ROOM_HEAD, ROWS, SIZE, SPACING, WINDOW
from carom.geometry.surfaces.base import NORMAL, NORMAL_U, NORMAL_V, POINT_U, POINT_V
from carom.kernels import PAIR, floats, jit, kernel, offset

# Memory: 1.0 when a place is known, its parameters, and the normal of the plane at the last search.
KNOWN, U, V, SEEN = 0, 1, 2, 3
MEMORY = (0.0,) * 6


@jit
def looking_away(out, nx, ny, nz):
    """Part of the surface's normal across n, squared, and along it."""
    along = out[NORMAL] * nx + out[NORMAL + 1] * ny + out[NORMAL + 2] * nz
    return max(1.0 - along * along, 0.0), along


@jit
def settle(shape, nx, ny, nz, u, v, out):
    """The place near (u, v) whose normal is −n: its parameters, and whether it is one of a contact."""
    ex, ey, ez = across(nx, ny, nz)
    fx = ny * ez - nz * ey
    fy = nz * ex - nx * ez
    fz = nx * ey - ny * ex
    look_at(shape, u, v, out)
    for _ in range(ITERATIONS):
        r1 = ex * out[NORMAL] + ey * out[NORMAL + 1] + ez * out[NORMAL + 2]
        r2 = fx * out[NORMAL] + fy * out[NORMAL + 1] + fz * out[NORMAL + 2]
        a11 = ex * out[NORMAL_U] + ey * out[NORMAL_U + 1] + ez * out[NORMAL_U + 2]
        a21 = fx * out[NORMAL_U] + fy * out[NORMAL_U + 1] + fz * out[NORMAL_U + 2]
        a12 = ex * out[NORMAL_V] + ey * out[NORMAL_V + 1] + ez * out[NORMAL_V + 2]
        a22 = fx * out[NORMAL_V] + fy * out[NORMAL_V + 1] + fz * out[NORMAL_V + 2]
        s11 = ex * out[POINT_U] + ey * out[POINT_U + 1] + ez * out[POINT_U + 2]
        s21 = fx * out[POINT_U] + fy * out[POINT_U + 1] + fz * out[POINT_U + 2]
        s12 = ex * out[POINT_V] + ey * out[POINT_V + 1] + ez * out[POINT_V + 2]
        s22 = fx * out[POINT_V] + fy * out[POINT_V + 1] + fz * out[POINT_V + 2]
        det = a11 * a22 - a12 * a21
        metric = s11 * s22 - s12 * s21
        trace = a11 * s22 - a12 * s21 - a21 * s12 + a22 * s11
        convex = det * metric > 0.0 and trace * metric > 0.0
        if det == 0.0:
            return u, v, False
        du = (a12 * r2 - a22 * r1) / det
        dv = (a21 * r1 - a11 * r2) / det
        if at_border(shape, u, v, du, dv):
            return u, v, False
        last = convex and way(out, du, dv) <= LAST * shape[SIZE]
        du, dv = limited(du, dv, shape)
        before, _ = looking_away(out, nx, ny, nz)
        share = 1.0
        moved = False
        new_u = u
        new_v = v
        for _ in range(HALVINGS):
            new_u, new_v = brought_in(shape, u + share * du, v + share * dv)
            look_at(shape, new_u, new_v, out)
            now, _ = looking_away(out, nx, ny, nz)
            if last or now < before:
                moved = True
                break
            share *= 0.5
        if not moved:
            look_at(shape, u, v, out)
            rest, along = looking_away(out, nx, ny, nz)
            return u, v, convex and along < 0.0 and math.sqrt(rest) <= 1e-8
        u = new_u
        v = new_v
        if last:
            _, along = looking_away(out, nx, ny, nz)
            return u, v, along < 0.0
    return u, v, False


@jit
def search(shape, part, nx, ny, nz, memory, out):
    """The lowest place of all, from every patch that is lower than those around it."""
    net = offset(shape, int(shape[FINE_AT]))
    patches = offset(net, PATCHES)
    values = offset(floats(int(shape[ROOM])), ROOM_HEAD)
    rows = int(net[ROWS])
    columns = int(net[COLUMNS])
    for k in range(rows * columns):
        patch = offset(patches, PATCH * k)
        values[k] = patch[0] * nx + patch[1] * ny + patch[2] * nz
    best = FAR
    borders = False
    memory[KNOWN] = 0.0
    for a in range(rows):
        for b in range(columns):
            if not lowest(shape, net, values, a, b, borders):
                continue
            u, v = middle(shape, net, a, b)
            u, v, found = settle(shape, nx, ny, nz, u, v, out)
            height = out[0] * nx + out[1] * ny + out[2] * nz
            if found and in_part(shape, part, u, v) and height < best:
                best = height
                memory[KNOWN] = 1.0
                memory[U] = u
                memory[V] = v
    memory[SEEN] = nx
    memory[SEEN + 1] = ny
    memory[SEEN + 2] = nz
    if memory[KNOWN] != 0.0:
        look_at(shape, memory[U], memory[V], out)


@kernel(PAIR)
def surface_plane(pose_a, pose_b, par, memory, out):
    """par: the part; point and normal of the plane; the surface. The force acts on the plane."""
    shape = offset(par, 7)
    x, y, z = placed(pose_b, par[1], par[2], par[3])
    nx, ny, nz = turned(pose_b, par[4], par[5], par[6])
    # Seen from the surface: a vector is the difference of two points.
    mx, my, mz = seen_from(pose_a, pose_a[0] + nx, pose_a[1] + ny, pose_a[2] + nz)
    mx, my, mz = on_surface(shape, mx + shape[AT], my + shape[AT + 1], mz + shape[AT + 2])
    seen = floats(int(shape[ROOM]))
    part = int(par[0])
    known = memory[KNOWN] != 0.0
    if known and shape[WINDOW] != 0.0:
        keep_window(int(shape[WINDOW]), memory[U], memory[V])
    turn = (mx - memory[SEEN]) ** 2 + (my - memory[SEEN + 1]) ** 2 + (mz - memory[SEEN + 2]) ** 2
    near = AGAIN * shape[int(shape[FINE_AT]) + SPACING] / shape[SIZE]
    found = False
    if known and turn < near * near:
        u, v, found = settle(shape, mx, my, mz, memory[U], memory[V], seen)
        found = found and in_part(shape, part, u, v)
        memory[U] = u
        memory[V] = v
    if not found:
        search(shape, part, mx, my, mz, memory, seen)
        if memory[KNOWN] == 0.0:
            out[GAP] = FAR
            return
    px, py, pz = in_axes_of_body(shape, seen[0], seen[1], seen[2])
    px, py, pz = placed(pose_a, px + shape[AT], py + shape[AT + 1], pz + shape[AT + 2])
    gap = (px - x) * nx + (py - y) * ny + (pz - z) * nz
    out[GAP] = gap
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), px, py, pz)
    put(offset(out, POINT_B), px - gap * nx, py - gap * ny, pz - gap * nz)
    put(offset(out, CONTACT_POINT), out[POINT_B], out[POINT_B + 1], out[POINT_B + 2])


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    return (0.0, *b.numbers, *a.numbers)


SURFACE_PLANE = Pair(surface_plane, numbers, MEMORY, spots=parts)
