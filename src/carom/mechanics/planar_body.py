"""Record of a planar body in compiled code, rotation of its vectors, and the body as a body in space."""

from __future__ import annotations

import numpy as np

from carom.kernels import FLOAT, jit, offset, record

PLANAR_BODY = record(
    x=FLOAT,  # centre of mass [m]
    y=FLOAT,  # [m]
    angle=FLOAT,  # [rad]
    vx=FLOAT,  # velocity of the centre of mass [m/s]
    vy=FLOAT,  # [m/s]
    omega=FLOAT,  # angular velocity [rad/s]
    cos=FLOAT,  # of the angle
    sin=FLOAT,
)
"""Fills one cache line. Row 0 of the table of bodies is the ground."""

VELOCITY_OFFSET = PLANAR_BODY.index("vx")
"""Index of (vx, vy, omega) in the numbers of a record."""

DOF = 3
"""Coordinates (x, y, angle) and velocities (vx, vy, omega) of one body."""

BODY_DTYPE = np.dtype([(name, np.float64) for name in PLANAR_BODY])
"""Record of a body as functions written by users read it."""


@jit
def body_at(bodies, body_offset):
    """Return the record of the body ``body_offset`` numbers behind the start of the table."""
    return PLANAR_BODY(offset(bodies, body_offset))


@jit
def rotate(body, x, y):
    """Return the vector (x, y) of body axes in global axes: A(θ) s'."""
    c = body.cos
    s = body.sin
    return c * x - s * y, s * x + c * y


@jit
def store_in_space(x, y, angle, cos, sin, vx, vy, omega, spatial):
    """Store pose and velocities of a planar body in the record of a spatial body; all that contacts read of it."""
    spatial.x = x
    spatial.y = y
    spatial.z = 0.0
    R = spatial.R
    R[0] = cos
    R[1] = -sin
    R[2] = 0.0
    R[3] = sin
    R[4] = cos
    R[5] = 0.0
    R[6] = 0.0
    R[7] = 0.0
    R[8] = 1.0
    spatial.vx = vx
    spatial.vy = vy
    spatial.vz = 0.0
    spatial.wx = 0.0
    spatial.wy = 0.0
    spatial.wz = omega
    spatial.rotation_angle[2] = angle


@jit
def embed_body(body, spatial):
    """Store a planar body in the record of a spatial one, as `store_in_space`."""
    store_in_space(body.x, body.y, body.angle, body.cos, body.sin, body.vx, body.vy, body.omega, spatial)
