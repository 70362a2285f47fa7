"""Record of a planar body in compiled code, and rotation of its vectors."""

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
