"""Prismatic joint: one body slides along a line of another without turning."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError, named
from carom.geometry.marker import Marker, axis_angle, place
from carom.joints.angle import angle_row
from carom.joints.base import Joint
from carom.joints.frames import line_markers
from carom.joints.line import along_row, sliding
from carom.joints.spatial_rows import ROW, axis_displacement, line_rows, marker_numbers, turn_rows
from carom.kernels import JOINT, kernel, offset


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    along_row(bodies, a, b, par, -par[6], par[5], phi, jac, gamma)
    angle_row(bodies, a, b, par[4], offset(phi, 1), offset(jac, 6), offset(gamma, 1))


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    line_rows(bodies, a, b, par, phi, jac, gamma)
    turn_rows(bodies, a, b, par, offset(phi, 2), offset(jac, 2 * ROW), offset(gamma, 2))


class Prismatic(Joint):
    """A slide: ``b`` moves along ``axis`` (global axes, present pose), which is fixed in ``a``, and keeps its angle.

    Φ₁ = n_a·(p_b − p_a) = 0 with n_a normal to the axis, Φ₂ = θ_b − θ_a − constant = 0. The line passes through
    ``at`` (default: the present centre of mass of ``b``). With markers for both, the marker of ``b`` slides along
    the x-axis of the marker of ``a`` and stays parallel to it. Free coordinate: ``displacement`` [m] along the axis.
    Reaction: force and torque on ``b`` at its own point of the line.

    In space, five equations: x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0 across the line, which is z_a, and
    x_a·y_b = y_a·z_b = z_a·x_b = 0 for the axes of the markers. With markers for both and no ``axis``, the marker of
    ``b`` slides along the z-axis of the marker of ``a``, its axes along those of ``a``.
    """

    rows = 2
    planar = planar
    spatial = spatial
    coordinates = {"displacement": sliding}

    def __init__(self, a: Any, b: Any, axis: Any = None, at: Any = None, *, name: str | None = None):
        owner = named("Prismatic", name)
        in_space = place(owner, b).spatial
        first, second = (line_markers if in_space else slide_markers)(owner, a, b, axis, at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if in_space:
            self.rows = 5
            self.coordinates = {"displacement": axis_displacement}
            self.parameters = marker_numbers(first, second)
            return
        self.parameters = (
            *first.at,
            *second.at,
            second.angle - first.angle,
            math.cos(first.angle),
            math.sin(first.angle),
        )


def slide_markers(owner: str, a: Any, b: Any, axis: Any, at: Any) -> tuple[Marker, Marker]:
    """Marker on ``a`` whose x-axis is the line, and marker on ``b``, aligned with it now.

    Without an axis, a marker on ``a`` gives the direction, and one on ``b`` keeps its own.
    """
    if at is None:
        at = place(owner, b).position
    if axis is not None:
        angle = axis_angle(owner, axis)
        return place(owner, a, at, angle), place(owner, b, at, angle)
    if not isinstance(a, Marker):
        raise ModelError(f"{owner}: give axis=(x, y), the direction of the line, or a marker on the first body")
    return a, b if isinstance(b, Marker) else place(owner, b, at, a.orientation)
