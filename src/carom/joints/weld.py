"""Weld: two bodies move as one."""

from __future__ import annotations

from typing import Any

from carom.errors import named
from carom.geometry.marker import meet
from carom.joints.angle import angle_row
from carom.joints.base import Joint
from carom.joints.frames import fixed_markers
from carom.joints.revolute import pin_rows
from carom.joints.spatial_rows import ROW, marker_numbers, point_rows, turn_rows
from carom.kernels import JOINT, kernel, offset


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    pin_rows(bodies, a, b, par, phi, jac, gamma)
    angle_row(bodies, a, b, par[4], offset(phi, 2), offset(jac, 12), offset(gamma, 2))


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    point_rows(bodies, a, b, par, phi, jac, gamma)
    turn_rows(bodies, a, b, par, offset(phi, 3), offset(jac, 3 * ROW), offset(gamma, 3))


class Weld(Joint):
    """``b`` is fixed to ``a`` as they stand now, at the point ``at`` (global axes; default: the centre of mass of b).

    Φ = (r_b + A_b s_b − r_a − A_a s_a, θ_b − θ_a − constant) = 0, three equations. With markers for both, the
    markers are brought together, axes included. Reaction: force and torque on ``b`` at that point.

    In space, six equations: three for the point, and x_a·y_b = y_a·z_b = z_a·x_b = 0 for the axes of the markers.
    """

    rows = 3
    planar = planar
    spatial = spatial

    def __init__(self, a: Any, b: Any, at: Any = None, *, name: str | None = None):
        owner = named("Weld", name)
        first, second = meet(owner, a, b, b if at is None else at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if self.in_space:
            self.rows = 6
            self.parameters = marker_numbers(*fixed_markers(owner, a, b, at))
            return
        both_given = first is a and second is b
        turned = second.angle - first.angle if both_given else first.body.angle - second.body.angle
        self.parameters = (*first.at, *second.at, turned)
