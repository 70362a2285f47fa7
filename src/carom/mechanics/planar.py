"""The record of a planar body in compiled code, and rotation of its points."""

from __future__ import annotations

import numpy as np

from carom.kernels import jit

FIELDS = ("x", "y", "angle", "vx", "vy", "omega", "cos", "sin")
X, Y, ANGLE, VX, VY, OMEGA, COS, SIN = range(8)
STRIDE = 8
"""Numbers in one body record (one cache line). Record 0 is the ground."""

DOF = 3
"""Coordinates (x, y, angle) and velocities (vx, vy, omega) of one body."""

BODY = np.dtype([(name, np.float64) for name in FIELDS])


@jit
def turn(bodies, b, x, y):
    """Vector (x, y) of body ``b`` in global axes: A(θ) s'."""
    c = bodies[b + COS]
    s = bodies[b + SIN]
    return c * x - s * y, s * x + c * y
