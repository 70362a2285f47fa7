"""Vectors in space in compiled code, as tuples of three numbers, and what a body's record says in them."""

from __future__ import annotations

from carom.kernels import jit
from carom.mechanics.spatial import VX, VY, VZ, WX, WY, WZ, R, X, Y, Z


@jit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit
def plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jit
def minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jit
def times(k, a):
    return k * a[0], k * a[1], k * a[2]


@jit
def put(out, a):
    """Store a vector."""
    out[0] = a[0]
    out[1] = a[1]
    out[2] = a[2]


@jit
def taken(s):
    """The vector stored at ``s``."""
    return s[0], s[1], s[2]


@jit
def turned(bodies, b, s):
    """The vector stored at ``s`` in axes of body ``b``, in global axes: R s."""
    r = b + R
    return (
        bodies[r] * s[0] + bodies[r + 1] * s[1] + bodies[r + 2] * s[2],
        bodies[r + 3] * s[0] + bodies[r + 4] * s[1] + bodies[r + 5] * s[2],
        bodies[r + 6] * s[0] + bodies[r + 7] * s[1] + bodies[r + 8] * s[2],
    )


@jit
def centre(bodies, b):
    """Where the centre of mass of body ``b`` is."""
    return bodies[b + X], bodies[b + Y], bodies[b + Z]


@jit
def velocity(bodies, b):
    """Of the centre of mass."""
    return bodies[b + VX], bodies[b + VY], bodies[b + VZ]


@jit
def omega(bodies, b):
    """Angular velocity in global axes."""
    return bodies[b + WX], bodies[b + WY], bodies[b + WZ]


@jit
def speed_at(bodies, b, arm):
    """Velocity of the point ``arm`` away from the centre of mass: v + ω × s."""
    return plus(velocity(bodies, b), cross(omega(bodies, b), arm))


@jit
def inward(w, s):
    """ω × (ω × s)."""
    return cross(w, cross(w, s))
