"""Rack and pinion: rolling of a wheel on a straight rack."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError, named, number
from carom.geometry.marker import Marker, axis_angle, place
from carom.joints.base import Joint
from carom.joints.line import along_row
from carom.kernels import JOINT, kernel
from carom.mechanics.planar import ANGLE


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    """u_a·(p_b − p_a) + radius (θ_b − θ_a) − constant."""
    a = members[0]
    b = members[1]
    along_row(bodies, a, b, par, par[5], par[6], phi, jac, gamma)
    radius = par[7]
    phi[0] += radius * (bodies[b + ANGLE] - bodies[a + ANGLE]) - par[4]
    jac[2] -= radius
    jac[5] += radius


class RackPinion(Joint):
    """A ``pinion`` of pitch ``radius`` [m] rolls on a ``rack`` along ``axis`` (global axes, present pose).

    Φ = u·(p_pinion − p_rack) + radius (θ_pinion − θ_rack) − constant = 0, u fixed in the rack: with the pinion to the
    left of the axis (above a rack along x) it runs forwards when it turns clockwise. ``radius`` < 0: pinion on the
    other side. A fixed pinion drives a rack that slides, a fixed rack guides a wheel that rolls; bearings and slides
    are joints of their own. Reaction: the tooth force on the pinion, with its torque about the pinion's point.
    """

    rows = 1
    planar = planar

    def __init__(self, rack: Any, pinion: Any, radius: float, axis: Any = None, *, name: str | None = None):
        owner = named("RackPinion", name)
        second = place(owner, pinion)
        if second.spatial:
            raise ModelError(f"{owner}: is for planar bodies; in space use Screw, or Gear between joints")
        if axis is None and not isinstance(rack, Marker):
            raise ModelError(f"{owner}: give axis=(x, y), the direction of the rack, or a marker on the rack")
        angle = rack.orientation if axis is None else axis_angle(owner, axis)
        first = place(owner, rack, second.position, angle)
        super().__init__(name, first.body, second.body)
        self.radius = number(owner, "radius", radius)
        if self.radius == 0.0:
            raise ModelError(f"{owner}: radius must not be zero")
        d = [q - p for p, q in zip(first.position, second.position, strict=True)]
        u = (math.cos(first.orientation), math.sin(first.orientation))
        now = u[0] * d[0] + u[1] * d[1] + self.radius * (second.body.angle - first.body.angle)
        self.parameters = (*first.at, *second.at, now, math.cos(first.angle), math.sin(first.angle), self.radius)
        self.points = (first.at, second.at)
