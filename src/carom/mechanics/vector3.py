"""Arithmetic of three-dimensional vectors in compiled code, as tuples of three numbers, and the vectors of a body."""

from __future__ import annotations

from carom.kernels import jit
from carom.mechanics.spatial_body import rotate


@jit
def dot(a, b):
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit
def add(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jit
def subtract(a, b):
    """Return a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jit
def scale(k, a):
    """Return k a."""
    return k * a[0], k * a[1], k * a[2]


@jit
def store(out, a):
    """Write a vector to memory."""
    out[0] = a[0]
    out[1] = a[1]
    out[2] = a[2]


@jit
def load(s):
    """Return the vector stored at ``s``."""
    return s[0], s[1], s[2]


@jit
def rotated(body, s):
    """Return the vector ``s`` of body axes in global axes: R s."""
    return rotate(body, s[0], s[1], s[2])


@jit
def to_body_axes(body, v):
    """Return the vector ``v`` of global axes in body axes: Rᵀ v."""
    R = body.R
    return (
        R[0] * v[0] + R[3] * v[1] + R[6] * v[2],
        R[1] * v[0] + R[4] * v[1] + R[7] * v[2],
        R[2] * v[0] + R[5] * v[1] + R[8] * v[2],
    )


@jit
def position(body):
    """Return the centre of mass of a body [m]."""
    return body.x, body.y, body.z


@jit
def velocity(body):
    """Return the velocity of the centre of mass [m/s]."""
    return body.vx, body.vy, body.vz


@jit
def angular_velocity(body):
    """Return the angular velocity in global axes [rad/s]."""
    return body.wx, body.wy, body.wz


@jit
def velocity_at(body, s):
    """Return the velocity of the point at ``s`` from the centre of mass, v + ω × s [m/s]."""
    return add(velocity(body), cross(angular_velocity(body), s))


@jit
def centripetal(w, s):
    """Return ω × (ω × s) [m/s²]."""
    return cross(w, cross(w, s))
