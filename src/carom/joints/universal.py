"""Universal joint: two shafts meet in a cross."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import ModelError, direction, named
from carom.geometry.marker import Marker, meet, place
from carom.geometry.rotation import frame_along
from carom.joints.base import Coordinate, Joint
from carom.joints.frames import spatial_only
from carom.joints.spatial_rows import ROW, XA, XB, YA, YB, ZA, ZB, angle_row, dot_row, marker_numbers, point_rows
from carom.kernels import JOINT, kernel, offset
from carom.mechanics.vectors import turned

ACROSS = 1e-6
"""How far the axes of the cross may be from a right angle."""


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    point_rows(bodies, a, b, par, phi, jac, gamma)
    za = turned(bodies, a, offset(par, ZA))
    zb = turned(bodies, b, offset(par, ZB))
    dot_row(bodies, a, b, za, zb, offset(phi, 3), offset(jac, 3 * ROW), offset(gamma, 3))


@kernel(JOINT)
def angle_a(bodies, members, par, phi, jac, gamma):
    """Of the cross about z_a: that of z_b from x_a."""
    a = members[0]
    b = members[1]
    x = turned(bodies, a, offset(par, XA))
    y = turned(bodies, a, offset(par, YA))
    angle_row(bodies, a, b, x, y, turned(bodies, b, offset(par, ZB)), phi, jac, gamma)


@kernel(JOINT)
def angle_b(bodies, members, par, phi, jac, gamma):
    """Of b about z_b, from the cross: minus that of z_a from x_b."""
    a = members[0]
    b = members[1]
    x = turned(bodies, b, offset(par, XB))
    y = turned(bodies, b, offset(par, YB))
    z = turned(bodies, a, offset(par, ZA))
    angle_row(bodies, b, a, x, y, z, phi, jac, gamma)
    phi[0] = -phi[0]
    gamma[0] = -gamma[0]
    # The row holds (T, −T) for (b, a); for (a, b), with the other sign, it is the same.


class Universal(Joint):
    """A cross (Cardan, Hooke): it turns in ``a`` about ``axis_a`` and in ``b`` about ``axis_b``, at a right angle.

    Φ: the points at ``at`` stay together, and z_a·z_b = 0, four equations; ``at`` and the axes of the cross are in
    global axes, present pose. With markers and no axes, the axes of the cross are their z-axes.
    Free coordinates [rad]: ``angle_a`` of the cross in ``a`` and ``angle_b`` of ``b`` on the cross, zero in the
    present pose where the axes are given. Reaction: force and torque on ``b`` at the point.
    """

    rows = 4
    spatial = spatial
    coordinates = {
        "angle_a": Coordinate(angle_a, "rad", "rad/s", periodic=True),
        "angle_b": Coordinate(angle_b, "rad", "rad/s", periodic=True),
    }

    def __init__(
        self, a: Any, b: Any, at: Any = None, axis_a: Any = None, axis_b: Any = None, *, name: str | None = None
    ):
        owner = named("Universal", name)
        first, second = meet(owner, a, b, at)
        spatial_only(owner, second, "Revolute")
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if axis_a is not None or axis_b is not None or not (isinstance(a, Marker) and isinstance(b, Marker)):
            first, second = self._crossed(owner, first, second, axis_a, axis_b)
        self.parameters = marker_numbers(first, second)

    def _crossed(self, owner: str, first: Marker, second: Marker, axis_a: Any, axis_b: Any) -> tuple[Marker, Marker]:
        """The markers with z along the axes of the cross, x of each along that of the other."""
        if axis_a is None or axis_b is None:
            raise ModelError(f"{owner}: give axis_a= and axis_b=, the axes of the cross in a and in b")
        u = np.array(direction(owner, "axis_a", axis_a, 3))
        w = np.array(direction(owner, "axis_b", axis_b, 3))
        if abs(u @ w) > ACROSS:
            raise ModelError(f"{owner}: axis_a and axis_b must be at a right angle, got {axis_a} and {axis_b}")
        w = (w - (u @ w) * u) / np.linalg.norm(w - (u @ w) * u)
        return place(owner, first, None, frame_along(u, w)), place(owner, second, None, frame_along(w, u))
