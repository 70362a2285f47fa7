"""Relative angle of two planar bodies: constraint row and free coordinate."""

from __future__ import annotations

from carom.joints.base import Coordinate
from carom.joints.planar_markers import PLANAR_MARKERS
from carom.joints.stop_gaps import ANGLE_STOP
from carom.kernels import JOINT, jit, kernel
from carom.mechanics.planar_body import body_at


@jit
def angle_row(a, b, angle_offset, Phi, Phi_q, gamma_c):
    """Evaluate the row θ_b − θ_a + offset [rad]."""
    Phi[0] = b.angle - a.angle + angle_offset
    Phi_q[0] = 0.0
    Phi_q[1] = 0.0
    Phi_q[2] = -1.0
    Phi_q[3] = 0.0
    Phi_q[4] = 0.0
    Phi_q[5] = 1.0
    gamma_c[0] = 0.0


@kernel(JOINT, PLANAR_MARKERS)
def relative_angle_row(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the angle of the marker of b relative to that of a [rad]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    angle_row(a, b, params.angle_offset, Phi, Phi_q, gamma_c)


relative_angle = Coordinate(relative_angle_row, "rad", "rad/s", stop=ANGLE_STOP)
"""Angle of the marker of b relative to that of a, for joints with `PLANAR_MARKERS`."""
