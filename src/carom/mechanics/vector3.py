"""Vectors of bodies in compiled code, as tuples of three numbers, beside the arithmetic of `carom.geometry.vectors`."""

from __future__ import annotations

from carom.geometry.vectors import add, cross, dot, load, scale, store, subtract
from carom.kernels import jit
from carom.mechanics.spatial_body import rotate

__all__ = [
    "add",
    "angular_velocity",
    "centripetal",
    "cross",
    "dot",
    "load",
    "position",
    "rotated",
    "scale",
    "store",
    "subtract",
    "to_body_axes",
    "velocity",
    "velocity_at",
]


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
