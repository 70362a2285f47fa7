"""Revolute joint: two bodies share a point, in space also an axis."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError, named, shown
from carom.geometry.marker import meet
from carom.joints.angle import relative_angle
from carom.joints.base import Joint
from carom.joints.frames import hinge_markers
from carom.joints.spatial_rows import ROW, axis_angle, axis_rows, marker_numbers, point_rows
from carom.kernels import JOINT, jit, kernel, offset
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


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    point_rows(bodies, a, b, par, phi, jac, gamma)
    axis_rows(bodies, a, b, par, offset(phi, 3), offset(jac, 3 * ROW), offset(gamma, 3))


class Revolute(Joint):
    """A pin: the point ``at`` (global axes, present pose) of ``a`` and of ``b`` stay together.

    Φ = r_b + A_b s_b − r_a − A_a s_a = 0, two equations. Instead of ``at``, give markers: ``a.point(x, y)``.
    Free coordinate: ``angle`` = θ_b − θ_a [rad] between the markers' axes. Reaction: force on ``b`` at the pin.

    In space, a hinge about ``axis`` (global axes, present pose; the z-axis unless given): three equations for the
    point, and x_a·z_b = y_a·z_b = 0 for the axes of the markers, whose z-axes are that of the hinge. With markers for
    both and no ``axis``, their z-axes are brought together; with one, its z-axis is the axis. ``angle``: of the x-axis
    of b's marker from that of a's, zero in the present pose where ``axis`` is given, right-handed about it. Reaction:
    force and torque on ``b`` at the point.
    """

    rows = 2
    planar = planar
    spatial = spatial
    grips = (False, False)
    coordinates = {"angle": relative_angle}

    def __init__(self, a: Any, b: Any, at: Any = None, axis: Any = None, *, name: str | None = None):
        owner = named("Revolute", name)
        first, second = meet(owner, a, b, at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if self.in_space:
            first, second = hinge_markers(owner, a, b, at, axis)
            self.rows, self.grips = 5, (True, True)
            self.coordinates = {"angle": axis_angle}
            self.parameters = marker_numbers(first, second)
        elif axis is not None:
            raise ModelError(f"{owner}: axis is for spatial bodies; planar ones turn about z, got {shown(axis)}")
        else:
            self.parameters = (*first.at, *second.at, second.angle - first.angle)
