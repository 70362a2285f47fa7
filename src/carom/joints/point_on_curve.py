"""Pin in a curved slot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.errors import named
from carom.geometry.marker import Marker, place, rotate
from carom.geometry.planar_path import curve_at, project
from carom.geometry.spline import Spline
from carom.joints import space_curve
from carom.joints.base import Coordinate, Joint
from carom.kernels import JOINT, jit, kernel, offset
from carom.mechanics.planar import COS, OMEGA, SIN, VX, VY, X, Y, turn

# Parameters: marker of a (x, y, cos, sin), point of b (x, y), the last foot found, then the curve.
WARM, CURVE = 6, 7


@jit
def seen(bodies, a, b, par):
    """The pin and its velocity in the slot's frame, and that frame's axis in global axes."""
    ox, oy = turn(bodies, a, par[0], par[1])
    bx, by = turn(bodies, b, par[4], par[5])
    c = bodies[a + COS] * par[2] - bodies[a + SIN] * par[3]
    s = bodies[a + SIN] * par[2] + bodies[a + COS] * par[3]
    wa = bodies[a + OMEGA]
    wb = bodies[b + OMEGA]
    dx = bodies[b + X] + bx - bodies[a + X]
    dy = bodies[b + Y] + by - bodies[a + Y]
    vx = bodies[b + VX] - wb * by - bodies[a + VX]
    vy = bodies[b + VY] + wb * bx - bodies[a + VY]
    px = c * (dx - ox) + s * (dy - oy)
    py = c * (dy - oy) - s * (dx - ox)
    rx = vx + wa * dy
    ry = vy - wa * dx
    return px, py, c * rx + s * ry, c * ry - s * rx, c, s, bx, by, dx, dy, vx, vy


@jit
def direction_row(bodies, a, b, nx, ny, bx, by, dx, dy, vx, vy, jac):
    """Jacobian of n·p, p the pin as seen from a, n in global axes; returns the part of n·p̈ without accelerations."""
    wa = bodies[a + OMEGA]
    wb = bodies[b + OMEGA]
    jac[0] = -nx
    jac[1] = -ny
    jac[2] = nx * dy - ny * dx
    jac[3] = nx
    jac[4] = ny
    jac[5] = ny * bx - nx * by
    # A p̈ = d̈ − α d⊥ − 2 ω ḋ⊥ − ω² d with d̈ = … − ω_b² s_b
    ax = -wb * wb * bx + 2.0 * wa * vy - wa * wa * dx
    ay = -wb * wb * by - 2.0 * wa * vx - wa * wa * dy
    return nx * ax + ny * ay


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    """Signed distance of the pin from the curve; its Hessian is −κ/(1 − κΦ) t tᵀ."""
    a = members[0]
    b = members[1]
    px, py, ux, uy, c, s, bx, by, dx, dy, vx, vy = seen(bodies, a, b, par)
    curve = offset(par, CURVE)
    par[WARM] = project(curve, par[WARM], px, py)
    x, y, x1, y1, x2, y2, _, _ = curve_at(curve, par[WARM])
    speed = math.sqrt(x1 * x1 + y1 * y1)
    tx = x1 / speed
    ty = y1 / speed
    bend = (x1 * y2 - y1 * x2) / speed**3
    phi[0] = tx * (py - y) - ty * (px - x)
    along = tx * ux + ty * uy
    nx = -s * tx - c * ty
    ny = c * tx - s * ty
    rest = direction_row(bodies, a, b, nx, ny, bx, by, dx, dy, vx, vy, jac)
    gamma[0] = bend / (1.0 - bend * phi[0]) * along * along - rest


@kernel(JOINT)
def parameter(bodies, members, par, phi, jac, gamma):
    """Parameter s of the foot: F(p, s) = c'·(p − c) = 0 differentiated twice."""
    a = members[0]
    b = members[1]
    px, py, ux, uy, c, s, bx, by, dx, dy, vx, vy = seen(bodies, a, b, par)
    curve = offset(par, CURVE)
    where = project(curve, par[WARM], px, py)
    par[WARM] = where
    x, y, x1, y1, x2, y2, x3, y3 = curve_at(curve, where)
    slope = x1 * x1 + y1 * y1 - x2 * (px - x) - y2 * (py - y)
    gx = x1 / slope
    gy = y1 / slope
    rate = gx * ux + gy * uy
    phi[0] = where
    rest = direction_row(bodies, a, b, c * gx - s * gy, s * gx + c * gy, bx, by, dx, dy, vx, vy, jac)
    second = x3 * (px - x) + y3 * (py - y) - 3.0 * (x1 * x2 + y1 * y2)
    gamma[0] = -rest - (second * rate * rate + 2.0 * (x2 * ux + y2 * uy) * rate) / slope


class PointOnCurve(Joint):
    """A pin of ``b`` in a curved slot of ``a``: the point stays on a spline through ``points``.

    ``points`` [m] are in the axes of ``a`` (or of the marker given for it); ``closed`` makes the slot a ring. The pin
    is the marker given for ``b``, or its point at ``at`` (global axes, present pose; default: its centre of mass).
    Φ = signed distance from the curve = 0, one equation; an open slot goes on straight beyond its ends.
    Free coordinate: ``parameter`` [m], chord length along the slot. Reaction: force on ``b`` at the pin.

    In space the points have three numbers, and there are two equations: the parts of p − c(s) across the curve at the
    foot c(s) of the pin p, along k × c' and along k, a direction fixed in ``a`` that the curve never runs along.
    """

    rows = 1
    planar = planar
    spatial = space_curve.spatial
    grips = (True, False)
    coordinates = {"parameter": Coordinate(parameter, "m", "m/s")}

    def __init__(
        self,
        a: Any,
        b: Any,
        points: Sequence[Sequence[float]],
        closed: bool = False,
        at: Any = None,
        *,
        name: str | None = None,
    ):
        owner = named("PointOnCurve", name)
        first = a if isinstance(a, Marker) else place(owner, a)
        second = place(owner, b, at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if self.in_space:
            own = Spline(owner, points, closed, size=3)  # checked as given
            turned = np.array(first.at) + own.spline(own.knots) @ first.axes.T
            self.curve = Spline(owner, turned, closed, size=3)
            self.rows = 2
            self.coordinates = {"parameter": space_curve.space_parameter}
            self.parameters = space_curve.curve_numbers(self.curve, first, second)
            return
        self.curve = Spline(owner, points, closed)
        d = [q - p for p, q in zip(first.position, second.position, strict=True)]
        warm = self.curve.nearest(rotate((d[0], d[1]), -first.orientation))
        self.parameters = (
            *first.at,
            math.cos(first.angle),
            math.sin(first.angle),
            *second.at,
            warm,
            *self.curve.parameters(),
        )
