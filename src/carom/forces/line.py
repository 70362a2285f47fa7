"""A force along the line between two points: geometry shared by springs and ligaments."""

from __future__ import annotations

import math

from carom.kernels import jit, offset
from carom.mechanics.planar import OMEGA, VX, VY, X, Y, turn
from carom.mechanics.vectors import centre, cross, dot, minus, plus, put, speed_at, times, turned


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


@jit
def stretch_in_space(bodies, a, b, par):
    """The same in space: length, rate, direction, arms."""
    sa = turned(bodies, a, par)
    sb = turned(bodies, b, offset(par, 3))
    gap = minus(plus(centre(bodies, b), sb), plus(centre(bodies, a), sa))
    length = math.sqrt(dot(gap, gap))
    u = times(0.0, gap)
    if length > 0.0:
        u = times(1.0 / length, gap)
    return length, dot(u, minus(speed_at(bodies, b, sb), speed_at(bodies, a, sa))), u, sa, sb


@jit
def pull_in_space(tension, u, sa, sb, out):
    force = times(tension, u)
    put(out, force)
    put(offset(out, 3), cross(sa, force))
    put(offset(out, 6), times(-1.0, force))
    put(offset(out, 9), cross(force, sb))
