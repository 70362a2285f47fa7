"""Massless rod: two points keep a distance."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError, named, positive
from carom.geometry.marker import place
from carom.joints import spatial_rows
from carom.joints.base import Joint
from carom.joints.motion import Motion, as_motion
from carom.kernels import JOINT, Kernel, jit, kernel
from carom.mechanics.planar import OMEGA, VX, VY, X, Y, turn


@jit
def length_row(bodies, a, b, par, phi, jac, gamma):
    """|p_b − p_a| as a row; par holds s_a, s_b."""
    ax, ay = turn(bodies, a, par[0], par[1])
    bx, by = turn(bodies, b, par[2], par[3])
    wa = bodies[a + OMEGA]
    wb = bodies[b + OMEGA]
    dx = bodies[b + X] + bx - bodies[a + X] - ax
    dy = bodies[b + Y] + by - bodies[a + Y] - ay
    vx = bodies[b + VX] - wb * by - bodies[a + VX] + wa * ay
    vy = bodies[b + VY] + wb * bx - bodies[a + VY] - wa * ax
    length = math.sqrt(dx * dx + dy * dy)
    ux = dx / length
    uy = dy / length
    across = ux * vy - uy * vx
    phi[0] = length
    jac[0] = -ux
    jac[1] = -uy
    jac[2] = ux * ay - uy * ax
    jac[3] = ux
    jac[4] = uy
    jac[5] = uy * bx - ux * by
    gamma[0] = wb * wb * (ux * bx + uy * by) - wa * wa * (ux * ax + uy * ay) - across * across / length


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    length_row(bodies, members[0], members[1], par, phi, jac, gamma)
    phi[0] -= par[4]


@kernel(JOINT)
def span(bodies, members, par, phi, jac, gamma):
    length_row(bodies, members[0], members[1], par, phi, jac, gamma)


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    spatial_rows.length_row(bodies, members[0], members[1], par, phi, jac, gamma)
    phi[0] -= par[6]


class Distance(Joint):
    """A massless rod of ``length`` [m] (default: as they stand now) between a point of ``a`` and a point of ``b``.

    Φ = |p_b − p_a| − length = 0. ``a`` and ``b`` are markers (``body.point(x, y)``) or bodies (centre of mass).
    With a motion (or a function of time) for ``length`` it is an actuator of prescribed length.
    Reaction: force on ``b`` at its point.
    """

    rows = 1
    planar = planar
    spatial = spatial
    grips = (False, False)

    def __init__(self, a: Any, b: Any, length: Any = None, *, name: str | None = None):
        owner = named("Distance", name)
        first, second = place(owner, a), place(owner, b)
        super().__init__(name, first.body, second.body)
        now = math.dist(first.position, second.position)
        if length is None and now == 0.0:
            raise ModelError(f"{self.label}: the two points coincide now; give length=, a positive number")
        if isinstance(length, Motion) or callable(length):
            self.motion = as_motion(owner, length)
            rod = 0.0
        else:
            rod = now if length is None else positive(owner, "length", length)
        self.length: float | Motion = self.motion or rod
        self.parameters = (*first.at, *second.at, rod)
        self.points = (first.at, second.at)

    @property
    def kernel(self) -> Kernel:
        # A row in space is its own span with a rod of length zero.
        return span if self.motion is not None and not self.in_space else super().kernel
