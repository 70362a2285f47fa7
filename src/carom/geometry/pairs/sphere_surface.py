"""A ball and a freeform surface: the foot of the perpendicular from the centre."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.foot import foot, in_part, seek
from carom.geometry.lookup.window import keep_window, let_go
from carom.geometry.pairs.ball import ball_at, no_cavity, some_radius
from carom.geometry.pairs.base import FAR, GAP, Pair, placed, turned
from carom.geometry.pairs.sphere_curve import seen_from
from carom.geometry.surface import AT, AXES, FACE_ONLY, FINE_AT, ROOM, SPACING, WINDOW
from carom.geometry.surfaces.base import NORMAL
from carom.kernels import PAIR, floats, jit, kernel, offset

# Memory: 1.0 when a foot is known, its parameters, where the centre was at the last search of all patches, and how far
# it may be from there until the next one.
KNOWN, U, V, SEEN, NEAR = 0, 1, 2, 3, 6
MEMORY = (0.0,) * 7
AGAIN = 0.25
"""Way of the centre, in patches, after which all of them are searched again at the latest."""


@jit
def on_surface(shape, x, y, z):
    """A point of the body's axes in those of the surface on it."""
    x -= shape[AT]
    y -= shape[AT + 1]
    z -= shape[AT + 2]
    r = AXES
    return (
        shape[r] * x + shape[r + 3] * y + shape[r + 6] * z,
        shape[r + 1] * x + shape[r + 4] * y + shape[r + 7] * z,
        shape[r + 2] * x + shape[r + 5] * y + shape[r + 8] * z,
    )


@jit
def in_axes_of_body(shape, x, y, z):
    """A vector of the surface's axes in those of its body."""
    r = AXES
    return (
        shape[r] * x + shape[r + 1] * y + shape[r + 2] * z,
        shape[r + 3] * x + shape[r + 4] * y + shape[r + 5] * z,
        shape[r + 6] * x + shape[r + 7] * y + shape[r + 8] * z,
    )


@jit
def nearest_foot(shape, part, px, py, pz, memory, out):
    """The nearest foot; from the last one while the point has moved little."""
    moved = (px - memory[SEEN]) ** 2 + (py - memory[SEEN + 1]) ** 2 + (pz - memory[SEEN + 2]) ** 2
    known = memory[KNOWN] != 0.0
    near = memory[NEAR]
    u = memory[U]
    v = memory[V]
    found = -1.0
    if known and shape[WINDOW] != 0.0:
        keep_window(int(shape[WINDOW]), u, v)
    if known and moved < near * near:
        u, v, found = foot(shape, px, py, pz, u, v, out)
        if found >= 0.0 and not in_part(shape, part, u, v):
            found = -1.0
    if found < 0.0:
        u, v, found, more = seek(shape, part, px, py, pz, memory[U], memory[V], known, out)
        memory[SEEN] = px
        memory[SEEN + 1] = py
        memory[SEEN + 2] = pz
        # Both distances change by no more than the way: until half of their difference the nearest foot stays nearest.
        memory[NEAR] = min(AGAIN * shape[int(shape[FINE_AT]) + SPACING], 0.5 * more)
        if shape[WINDOW] != 0.0:  # the search was all over the table
            let_go(int(shape[WINDOW]))
            if found >= 0.0 and not known:
                keep_window(int(shape[WINDOW]), u, v)
    memory[KNOWN] = 1.0 if found >= 0.0 else 0.0
    memory[U] = u
    memory[V] = v
    return found


@kernel(PAIR)
def sphere_surface(pose_a, pose_b, par, memory, out):
    """par: the part; centre and radius of the sphere; the surface. The force acts on the skin of the surface."""
    x, y, z = placed(pose_a, par[1], par[2], par[3])
    radius = par[4]
    shape = offset(par, 5)
    px, py, pz = seen_from(pose_b, x, y, z)
    px, py, pz = on_surface(shape, px, py, pz)
    seen = floats(int(shape[ROOM]))
    found = nearest_foot(shape, int(par[0]), px, py, pz, memory, seen)
    if found < 0.0:
        out[GAP] = FAR
        return
    nx = seen[NORMAL]
    ny = seen[NORMAL + 1]
    nz = seen[NORMAL + 2]
    dx = px - seen[0]
    dy = py - seen[1]
    dz = pz - seen[2]
    height = dx * nx + dy * ny + dz * nz
    if found == 0.0:  # a border pushes away from itself
        height = math.sqrt(dx * dx + dy * dy + dz * dz)
        if height > 0.0:
            nx = dx / height
            ny = dy / height
            nz = dz / height
    nx, ny, nz = in_axes_of_body(shape, nx, ny, nz)
    nx, ny, nz = turned(pose_b, nx, ny, nz)
    ball_at(out, x, y, z, radius, nx, ny, nz, height, found == 1.0, shape[FACE_ONLY])


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    return (only_part(a, b), *a.numbers, *b.numbers)


def only_part(a: Any, b: Any) -> float:
    """The spot of shapes that have one: 1.0 for that of a part, 0.0 for all."""
    return float(parts(a, b) == 1 and any(getattr(shape, "parts", ()) for shape in (a, b)))


def parts(a: Any, b: Any) -> int:
    """Spots at which the shapes may touch: one for each part."""
    return max(len(getattr(a, "parts", ())), 1) * max(len(getattr(b, "parts", ())), 1)


SPHERE_SURFACE = Pair(sphere_surface, numbers, MEMORY, check=no_cavity, meet=some_radius, spots=parts)
