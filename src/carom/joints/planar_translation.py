"""Position of a point of b along a direction fixed in a: constraint row and free coordinate of sliding joints."""

from __future__ import annotations

from carom.joints.base import Coordinate
from carom.joints.planar_markers import PLANAR_MARKERS, relative_motion
from carom.joints.stop_gaps import PLANAR_STOP
from carom.kernels import JOINT, jit, kernel
from carom.mechanics.planar_body import body_at, rotate


@jit
def translation_row(a, b, params, ux, uy, Phi, Phi_q, gamma_c):
    """Evaluate the row u·(p_b − p_a) [m], with u = A_a (ux, uy); ``params`` begin with `PLANAR_POINTS`."""
    ax, ay, bx, by, dx, dy, vx, vy = relative_motion(a, b, params)
    ux, uy = rotate(a, ux, uy)
    wa = a.omega
    wb = b.omega
    Phi[0] = ux * dx + uy * dy
    Phi_q[0] = -ux
    Phi_q[1] = -uy
    Phi_q[2] = ux * dy - uy * dx + ux * ay - uy * ax
    Phi_q[3] = ux
    Phi_q[4] = uy
    Phi_q[5] = uy * bx - ux * by
    gamma_c[0] = (
        wa * wa * (ux * (dx - ax) + uy * (dy - ay)) - 2.0 * wa * (ux * vy - uy * vx) + wb * wb * (ux * bx + uy * by)
    )


@kernel(JOINT, PLANAR_MARKERS)
def displacement(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the displacement of b along the axis of a [m]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, params.axis_x, params.axis_y, Phi, Phi_q, gamma_c)


relative_displacement = Coordinate(displacement, "m", "m/s", stop=PLANAR_STOP)
"""Displacement of the point of b along the x-axis of the marker of a, for joints with `PLANAR_MARKERS`."""
