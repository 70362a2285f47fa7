"""Friction state of a spatial contact: a vector in global axes that turns with the two bodies.

The friction law sees it in the tangent plane. The state turns with the mean rotation of both bodies, which is exact for
bodies that stick together. Where they roll on each other, the normal turns differently: the state then leaves the
tangent plane a little and returns to it at `ROLLING_RELAXATION` times the rolling speed, and as sliding renews it.
Nothing of this changes its length, and thus its elastic energy.
"""

from __future__ import annotations

import math

from carom.kernels import jit
from carom.mechanics.spatial_body import cross

ROLLING_RELAXATION = 20.0
"""Rate at which a friction state returns to the tangent plane, relative to the rolling speed of the bodies [-]."""


@jit
def tangential_scale(z, nx, ny, nz):
    """Return the factor that gives the tangential part of a friction state the length of the state [-]."""
    z_n = z[0] * nx + z[1] * ny + z[2] * nz
    if z_n == 0.0:
        return 1.0
    squared = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
    tangential = squared - z_n * z_n
    return math.sqrt(squared / tangential) if tangential > 0.0 else 0.0


@jit
def add_rotation(a, b, z, z_rate):
    """Add the rate of a friction state that turns with the mean angular velocity of both bodies."""
    x, y, z_ = cross(0.5 * (a.wx + b.wx), 0.5 * (a.wy + b.wy), 0.5 * (a.wz + b.wz), z[0], z[1], z[2])
    z_rate[0] += x
    z_rate[1] += y
    z_rate[2] += z_


@jit
def return_rate(a, b, nx, ny, nz, speed, size):
    """Return the rate at which the angle of a friction state to the tangent plane decays [1/s].

    ``speed`` is the sliding speed [m/s], ``size`` the length of the state [m].
    """
    rx, ry, rz = cross(a.wx - b.wx, a.wy - b.wy, a.wz - b.wz, nx, ny, nz)
    rate = ROLLING_RELAXATION * math.sqrt(rx * rx + ry * ry + rz * rz)
    return rate + speed / size if size > 0.0 else rate


@jit
def keep_tangential(a, b, nx, ny, nz, speed, z, z_rate):
    """Let a friction state that has left the tangent plane change its length as the law says, and return to the plane.

    ``z_rate`` contains the rate of the law in the tangent plane, ``speed`` is the sliding speed [m/s].
    """
    z_n = z[0] * nx + z[1] * ny + z[2] * nz
    squared = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
    tangential = squared - z_n * z_n
    if z_n == 0.0 or not tangential > 0.0:
        return
    size = math.sqrt(squared)
    back = return_rate(a, b, nx, ny, nz, speed, size) * z_n
    # The radial part of the rate acts along z instead of its tangential part (z − z_n n)/√tangential.
    scale = 1.0 / math.sqrt(tangential)
    radial = scale * (z_rate[0] * z[0] + z_rate[1] * z[1] + z_rate[2] * z[2])
    along = radial * (1.0 / size - scale) + back * z_n / squared
    normal = radial * scale * z_n - back
    z_rate[0] += along * z[0] + normal * nx
    z_rate[1] += along * z[1] + normal * ny
    z_rate[2] += along * z[2] + normal * nz
