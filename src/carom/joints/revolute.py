"""Revolute joint: two bodies share a point."""

from __future__ import annotations

from typing import Any

from carom.geometry.marker import meet
from carom.joints.angle import relative_angle
from carom.joints.base import Joint
from carom.kernels import JOINT, jit, kernel
from carom.mechanics.planar import OMEGA, X, Y, turn


@jit
def pin_rows(bodies, a, b, par, phi, jac, gamma):
    """r_b + A_b s_b − r_a − A_a s_a as two rows."""
    ax, ay = turn(bodies, a, par[0], par[1])
    bx, by = turn(bodies, b, par[2], par[3])
    wa = bodies[a + OMEGA] ** 2
    wb = bodies[b + OMEGA] ** 2
    phi[0] = bodies[b + X] + bx - bodies[a + X] - ax
    phi[1] = bodies[b + Y] + by - bodies[a + Y] - ay
    jac[0] = -1.0
    jac[1] = 0.0
    jac[2] = ay
    jac[3] = 1.0
    jac[4] = 0.0
    jac[5] = -by
    jac[6] = 0.0
    jac[7] = -1.0
    jac[8] = -ax
    jac[9] = 0.0
    jac[10] = 1.0
    jac[11] = bx
    gamma[0] = wb * bx - wa * ax
    gamma[1] = wb * by - wa * ay


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    pin_rows(bodies, members[0], members[1], par, phi, jac, gamma)


class Revolute(Joint):
    """A pin: the point ``at`` (global axes, present pose) of ``a`` and of ``b`` stay together.

    Φ = r_b + A_b s_b − r_a − A_a s_a = 0, two equations. Instead of ``at``, give markers: ``a.point(x, y)``.
    Free coordinate: ``angle`` = θ_b − θ_a [rad] between the markers' axes. Reaction: force on ``b`` at the pin.
    """

    rows = 2
    planar = planar
    grips = (False, False)
    coordinates = {"angle": relative_angle}

    def __init__(self, a: Any, b: Any, at: Any = None, *, name: str | None = None):
        first, second = meet(f"Revolute {name!r}" if name else "Revolute", a, b, at)
        super().__init__(name, first.body, second.body)
        self.parameters = (*first.at, *second.at, second.angle - first.angle)
        self.points = (first.at, second.at)
