"""Constraint rows of joints in space (Haug 1989, ch. 9): each with its Jacobian and its γ.

A row has, for each member, three numbers that multiply the velocity of the centre of mass and three that multiply the
angular velocity, both in global axes; γ is what is left of −Φ̈ without accelerations.

The joints hold a marker on each of two bodies, whose parameters all have the same layout (`marker_numbers`): points,
then the axes of both markers.
"""

from __future__ import annotations

import math

from carom.geometry.marker import Marker
from carom.geometry.rotation import matrix_of
from carom.joints.base import Coordinate, Joint
from carom.kernels import JOINT, jit, kernel, offset
from carom.mechanics.spatial import TURNED
from carom.mechanics.vectors import (
    centre,
    cross,
    dot,
    inward,
    minus,
    omega,
    plus,
    put,
    speed_at,
    taken,
    times,
    turned,
    velocity,
)

# Parameters: the points, then the axes x, y, z of both markers, in the axes of their bodies.
SA, SB, XA, YA, ZA, XB, YB, ZB, MORE = range(0, 27, 3)
TURN = 2.0 * math.pi
ROW = 12
"""Numbers in a row of two members."""


def marker_numbers(first: Marker, second: Marker) -> tuple[float, ...]:
    """The parameters that two markers give."""
    axes = [float(part) for marker in (first, second) for part in marker.axes.T.ravel()]
    return (*first.at, *second.at, *axes)


@jit
def turning(wa, wb, u, w):
    """(u·w)'' without angular accelerations, for u fixed in a and w fixed in b."""
    both = 2.0 * dot(cross(wa, u), cross(wb, w))
    return dot(inward(wa, u), w) + both + dot(u, inward(wb, w))


@jit
def dot_row(bodies, a, b, u, w, phi, jac, gamma):
    """u·w, u fixed in a and w in b, both in global axes."""
    zero = times(0.0, u)
    torque = cross(u, w)
    phi[0] = dot(u, w)
    put(jac, zero)
    put(offset(jac, 3), torque)
    put(offset(jac, 6), zero)
    put(offset(jac, 9), times(-1.0, torque))
    gamma[0] = -turning(omega(bodies, a), omega(bodies, b), u, w)


@jit
def seen_row(bodies, a, b, n, sb, jac):
    """Jacobian of n·p, p the point of b as seen from a, n fixed in a; returns n·p̈ without accelerations.

    p̈ = d̈ − α_a × d − 2 ω_a × ḋ + ω_a × (ω_a × d), with d from the centre of mass of a to the point.
    """
    wa = omega(bodies, a)
    arm = minus(plus(centre(bodies, b), sb), centre(bodies, a))
    rate = minus(speed_at(bodies, b, sb), velocity(bodies, a))
    put(jac, times(-1.0, n))
    put(offset(jac, 3), cross(n, arm))
    put(offset(jac, 6), n)
    put(offset(jac, 9), cross(sb, n))
    rest = plus(inward(omega(bodies, b), sb), inward(wa, arm))
    return dot(n, rest) - 2.0 * dot(n, cross(wa, rate))


@jit
def along_row(bodies, a, b, par, u, phi, jac, gamma):
    """u·(p_b − p_a), u fixed in a, in global axes."""
    sa = turned(bodies, a, par)
    sb = turned(bodies, b, offset(par, SB))
    gap = minus(plus(centre(bodies, b), sb), plus(centre(bodies, a), sa))
    phi[0] = dot(u, gap)
    gamma[0] = -seen_row(bodies, a, b, u, sb, jac)


@jit
def point_rows(bodies, a, b, par, phi, jac, gamma):
    """p_b − p_a in global axes: three rows."""
    sa = turned(bodies, a, par)
    sb = turned(bodies, b, offset(par, SB))
    put(phi, minus(plus(centre(bodies, b), sb), plus(centre(bodies, a), sa)))
    put(gamma, minus(inward(omega(bodies, a), sa), inward(omega(bodies, b), sb)))
    for k in range(3):
        row = offset(jac, ROW * k)
        for d in range(ROW):
            row[d] = 0.0
        row[k] = -1.0
        row[6 + k] = 1.0
        i = (k + 1) % 3
        j = (k + 2) % 3
        # e_k × s_a and s_b × e_k
        row[3 + i] = -sa[j]
        row[3 + j] = sa[i]
        row[9 + i] = sb[j]
        row[9 + j] = -sb[i]


@jit
def axis_rows(bodies, a, b, par, phi, jac, gamma):
    """z_b stays along z_a: x_a·z_b and y_a·z_b, two rows."""
    z = turned(bodies, b, offset(par, ZB))
    dot_row(bodies, a, b, turned(bodies, a, offset(par, XA)), z, phi, jac, gamma)
    y = turned(bodies, a, offset(par, YA))
    dot_row(bodies, a, b, y, z, offset(phi, 1), offset(jac, ROW), offset(gamma, 1))


@jit
def line_rows(bodies, a, b, par, phi, jac, gamma):
    """p_b stays on the line through p_a along z_a: x_a·(p_b − p_a) and y_a·(p_b − p_a), two rows."""
    x = turned(bodies, a, offset(par, XA))
    y = turned(bodies, a, offset(par, YA))
    along_row(bodies, a, b, par, x, phi, jac, gamma)
    along_row(bodies, a, b, par, y, offset(phi, 1), offset(jac, ROW), offset(gamma, 1))


@jit
def turn_rows(bodies, a, b, par, phi, jac, gamma):
    """The axes of b stay along those of a: x_a·y_b, y_a·z_b and z_a·x_b, three rows."""
    xa = turned(bodies, a, offset(par, XA))
    ya = turned(bodies, a, offset(par, YA))
    za = turned(bodies, a, offset(par, ZA))
    xb = turned(bodies, b, offset(par, XB))
    yb = turned(bodies, b, offset(par, YB))
    zb = turned(bodies, b, offset(par, ZB))
    dot_row(bodies, a, b, xa, yb, phi, jac, gamma)
    dot_row(bodies, a, b, ya, zb, offset(phi, 1), offset(jac, ROW), offset(gamma, 1))
    dot_row(bodies, a, b, za, xb, offset(phi, 2), offset(jac, 2 * ROW), offset(gamma, 2))


@jit
def length_row(bodies, a, b, par, phi, jac, gamma):
    """|p_b − p_a|."""
    sa = turned(bodies, a, par)
    sb = turned(bodies, b, offset(par, SB))
    gap = minus(plus(centre(bodies, b), sb), plus(centre(bodies, a), sa))
    rate = minus(speed_at(bodies, b, sb), speed_at(bodies, a, sa))
    length = math.sqrt(dot(gap, gap))
    u = times(1.0 / length, gap)
    stretch = dot(u, rate)
    phi[0] = length
    put(jac, times(-1.0, u))
    put(offset(jac, 3), cross(u, sa))
    put(offset(jac, 6), u)
    put(offset(jac, 9), cross(sb, u))
    inwards = minus(inward(omega(bodies, b), sb), inward(omega(bodies, a), sa))
    gamma[0] = -dot(u, inwards) - (dot(rate, rate) - stretch * stretch) / length


@jit
def angle_between(wa, wb, x, y, w):
    """The angle of w, fixed in b, from x towards y, fixed in a: atan2(y·w, x·w).

    Returns it, the torque on a that belongs to it (that on b is opposite), and its second derivative without
    accelerations.
    """
    c = dot(x, w)
    s = dot(y, w)
    square = c * c + s * s
    across = cross(x, w)
    ahead = cross(y, w)
    spin = minus(wa, wb)
    c1 = dot(spin, across)
    s1 = dot(spin, ahead)
    c2 = turning(wa, wb, x, w)
    s2 = turning(wa, wb, y, w)
    torque = times(1.0 / square, minus(times(c, ahead), times(s, across)))
    second = (c * s2 - s * c2) / square - 2.0 * (c * c1 + s * s1) * (c * s1 - s * c1) / (square * square)
    return math.atan2(s, c), torque, second


@jit
def angle_row(bodies, a, b, x, y, w, phi, jac, gamma):
    """The angle of `angle_between`, in (−π, π]."""
    phi[0], torque, second = angle_between(omega(bodies, a), omega(bodies, b), x, y, w)
    zero = times(0.0, x)
    put(jac, zero)
    put(offset(jac, 3), torque)
    put(offset(jac, 6), zero)
    put(offset(jac, 9), times(-1.0, torque))
    gamma[0] = -second


@jit
def axis_angle_row(bodies, a, b, par, phi, jac, gamma):
    """The angle of x_b about z_a, from x_a."""
    x = turned(bodies, a, offset(par, XA))
    y = turned(bodies, a, offset(par, YA))
    angle_row(bodies, a, b, x, y, turned(bodies, b, offset(par, XB)), phi, jac, gamma)


@kernel(JOINT)
def angle(bodies, members, par, phi, jac, gamma):
    axis_angle_row(bodies, members[0], members[1], par, phi, jac, gamma)


@kernel(JOINT)
def displacement(bodies, members, par, phi, jac, gamma):
    z = turned(bodies, members[0], offset(par, ZA))
    along_row(bodies, members[0], members[1], par, z, phi, jac, gamma)


@jit
def counted(bodies, a, b, angle, hinge):
    """An angle with its turns: the one nearest to where the angular velocities along the axis have brought it.

    ``hinge`` holds the angle in the pose it was made in, and the axis in a and in b.
    """
    za = taken(offset(hinge, 1))
    zb = taken(offset(hinge, 4))
    expected = hinge[0] + dot(zb, taken(offset(bodies, b + TURNED))) - dot(za, taken(offset(bodies, a + TURNED)))
    return angle + TURN * math.floor((expected - angle) / TURN + 0.5)


def hinge_numbers(joint: Joint) -> tuple[list[float], list[float]]:
    """What the angle of a hinge is measured by (x_a, y_a, x_b), and what `counted` needs."""
    par = [float(part) for part in joint.parameters]
    x, y, w, za, zb = (par[place : place + 3] for place in (XA, YA, XB, ZA, ZB))
    first, second = (matrix_of(body.orientation) for body in joint.members)
    across = second @ w
    now = math.atan2((first @ y) @ across, (first @ x) @ across)
    return [*x, *y, *w], [now, *za, *zb]


axis_angle = Coordinate(angle, "rad", "rad/s", periodic=True)
"""Of the marker of b about the z-axis of the marker of a."""

axis_displacement = Coordinate(displacement, "m", "m/s")
"""Of the marker of b along the z-axis of the marker of a."""
