"""The relative angle of two bodies: a free coordinate of many joints, a fixed one of others."""

from __future__ import annotations

from carom.joints.base import Coordinate
from carom.kernels import JOINT, jit, kernel
from carom.mechanics.planar import ANGLE


@jit
def angle_row(bodies, a, b, offset, phi, jac, gamma):
    """θ_b − θ_a + offset as a row."""
    phi[0] = bodies[b + ANGLE] - bodies[a + ANGLE] + offset
    jac[0] = 0.0
    jac[1] = 0.0
    jac[2] = -1.0
    jac[3] = 0.0
    jac[4] = 0.0
    jac[5] = 1.0
    gamma[0] = 0.0


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    angle_row(bodies, members[0], members[1], par[4], phi, jac, gamma)


relative_angle = Coordinate(planar, "rad", "rad/s")
"""For joints whose fifth parameter is the angle of b's marker minus that of a's."""
