"""Bushing: an elastic joint."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError, named, vector
from carom.forces.base import Force
from carom.forces.spatial_bushing import spatial
from carom.geometry.marker import Marker, meet, place
from carom.kernels import FORCE, kernel
from carom.mechanics.planar import ANGLE, COS, OMEGA, SIN, VX, VY, X, Y, turn


@kernel(FORCE)
def planar(t, bodies, members, par, out):
    """par: points, axis of a's marker (cos, sin), angle offset, stiffness (3), damping (3)."""
    a = members[0]
    b = members[1]
    ax, ay = turn(bodies, a, par[0], par[1])
    bx, by = turn(bodies, b, par[2], par[3])
    c = bodies[a + COS] * par[4] - bodies[a + SIN] * par[5]
    s = bodies[a + SIN] * par[4] + bodies[a + COS] * par[5]
    wa = bodies[a + OMEGA]
    wb = bodies[b + OMEGA]
    dx = bodies[b + X] + bx - bodies[a + X]
    dy = bodies[b + Y] + by - bodies[a + Y]
    vx = bodies[b + VX] - wb * by - bodies[a + VX] + wa * dy
    vy = bodies[b + VY] + wb * bx - bodies[a + VY] - wa * dx
    u = c * (dx - ax) + s * (dy - ay)
    v = c * (dy - ay) - s * (dx - ax)
    turned = bodies[b + ANGLE] - bodies[a + ANGLE] + par[6]
    ru = c * vx + s * vy
    rv = c * vy - s * vx
    rate = wb - wa
    fu = -par[7] * u - par[10] * ru
    fv = -par[8] * v - par[11] * rv
    torque = -par[9] * turned - par[12] * rate
    fx = c * fu - s * fv
    fy = s * fu + c * fv
    # Both forces act at the point of b, so that the pair keeps angular momentum.
    out[0] = -fx
    out[1] = -fy
    out[2] = -(dx * fy - dy * fx) - torque
    out[3] = fx
    out[4] = fy
    out[5] = bx * fy - by * fx + torque
    out[6] = 0.5 * (par[7] * u * u + par[8] * v * v + par[9] * turned * turned)
    out[7] = par[10] * ru * ru + par[11] * rv * rv + par[12] * rate * rate
    out[8] = 0.0
    out[9] = u
    out[10] = v
    out[11] = turned
    out[12] = fx
    out[13] = fy
    out[14] = torque


class Bushing(Force):
    """A joint with stiffness (k_x, k_y, k_θ) [N/m, N/m, N m/rad] and damping in the axes of ``a`` (or of its marker).

    It holds the point ``at`` (global axes, present pose) of ``b`` to that of ``a``, without force as they stand now.
    Signals: displacement dx, dy [m] in those axes, angle [rad]; force on ``b`` fx, fy [N] in global axes, torque.

    In space, stiffness and damping have six numbers: three along these axes, three about them. Its torque follows from
    the energy ½ Σ k_i φ_i² of the rotation vector φ that turns the axes of ``a`` into those of ``b`` (less than half a
    turn). Signals: dx, dy, dz; rx, ry, rz [rad], the rotation vector; force fx, fy, fz and torque tx, ty, tz on ``b``
    in global axes.
    """

    planar = planar
    spatial = spatial
    signals: tuple[str, ...] = ("dx", "dy", "angle", "fx", "fy", "torque")
    units: tuple[str, ...] = ("m", "m", "rad", "N", "N", "N m")

    def __init__(
        self,
        a: Any,
        b: Any,
        stiffness: Any,
        damping: Any = None,
        at: Any = None,
        *,
        name: str | None = None,
    ):
        owner = named("Bushing", name)
        first, second = meet(owner, a, b, b if at is None else at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        size = 6 if self.in_space else 3
        self.stiffness = vector(self.label, "stiffness", stiffness, size)
        self.damping = (0.0,) * size if damping is None else vector(self.label, "damping", damping, size)
        if min(*self.stiffness, *self.damping) < 0.0:
            raise ModelError(f"{self.label}: stiffness and damping must not be negative, got {stiffness}, {damping}")
        if self.in_space:
            if not (isinstance(a, Marker) and isinstance(b, Marker)):
                second = place(owner, second, None, first.frame)
            self.signals = ("dx", "dy", "dz", "rx", "ry", "rz", "fx", "fy", "fz", "tx", "ty", "tz")
            self.units = (*["m"] * 3, *["rad"] * 3, *["N"] * 3, *["N m"] * 3)
            self.parameters = (
                *first.at, *second.at, *first.turning, *second.turning, *self.stiffness, *self.damping,
            )  # fmt: skip
            return
        both_given = first is a and second is b
        turned = second.angle - first.angle if both_given else first.body.angle - second.body.angle
        axis = (math.cos(first.angle), math.sin(first.angle))
        self.parameters = (*first.at, *second.at, *axis, turned, *self.stiffness, *self.damping)
