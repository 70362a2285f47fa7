"""Position of a point of b along a direction fixed in a: the row shared by sliding joints."""

from __future__ import annotations

from carom.joints.base import Coordinate
from carom.kernels import JOINT, jit, kernel
from carom.mechanics.planar import OMEGA, VX, VY, X, Y, turn


@jit
def along_row(bodies, a, b, par, ux, uy, phi, jac, gamma):
    """g = u·(p_b − p_a), with u = A_a (ux, uy); par holds the points s_a, s_b in their bodies' axes."""
    ax, ay = turn(bodies, a, par[0], par[1])
    bx, by = turn(bodies, b, par[2], par[3])
    ux, uy = turn(bodies, a, ux, uy)
    wa = bodies[a + OMEGA]
    wb = bodies[b + OMEGA]
    dx = bodies[b + X] + bx - bodies[a + X] - ax
    dy = bodies[b + Y] + by - bodies[a + Y] - ay
    vx = bodies[b + VX] - wb * by - bodies[a + VX] + wa * ay
    vy = bodies[b + VY] + wb * bx - bodies[a + VY] - wa * ax
    phi[0] = ux * dx + uy * dy
    jac[0] = -ux
    jac[1] = -uy
    jac[2] = ux * dy - uy * dx + ux * ay - uy * ax
    jac[3] = ux
    jac[4] = uy
    jac[5] = uy * bx - ux * by
    gamma[0] = (
        wa * wa * (ux * (dx - ax) + uy * (dy - ay)) - 2.0 * wa * (ux * vy - uy * vx) + wb * wb * (ux * bx + uy * by)
    )


@kernel(JOINT)
def displacement(bodies, members, par, phi, jac, gamma):
    along_row(bodies, members[0], members[1], par, par[5], par[6], phi, jac, gamma)


sliding = Coordinate(displacement, "m", "m/s")
"""For joints whose parameters are s_a, s_b, angle offset, axis in a."""
