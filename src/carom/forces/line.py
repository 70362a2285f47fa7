"""A force along the line between two points: geometry shared by springs and ligaments."""

from __future__ import annotations

import math

from carom.kernels import jit
from carom.mechanics.planar import OMEGA, VX, VY, X, Y, turn


@jit
def stretch(bodies, a, b, par):
    """Length of the line p_a → p_b, its rate, its direction, and the arms s_a, s_b; par holds the two points."""
    ax, ay = turn(bodies, a, par[0], par[1])
    bx, by = turn(bodies, b, par[2], par[3])
    wa = bodies[a + OMEGA]
    wb = bodies[b + OMEGA]
    dx = bodies[b + X] + bx - bodies[a + X] - ax
    dy = bodies[b + Y] + by - bodies[a + Y] - ay
    vx = bodies[b + VX] - wb * by - bodies[a + VX] + wa * ay
    vy = bodies[b + VY] + wb * bx - bodies[a + VY] - wa * ax
    length = math.sqrt(dx * dx + dy * dy)
    ux = 0.0
    uy = 0.0
    if length > 0.0:  # a line without length has no direction and pulls nowhere
        ux = dx / length
        uy = dy / length
    return length, ux * vx + uy * vy, ux, uy, ax, ay, bx, by


@jit
def pull(tension, ux, uy, ax, ay, bx, by, out):
    """Wrenches of a tension that draws the two points together."""
    fx = tension * ux
    fy = tension * uy
    out[0] = fx
    out[1] = fy
    out[2] = ax * fy - ay * fx
    out[3] = -fx
    out[4] = -fy
    out[5] = by * fx - bx * fy
