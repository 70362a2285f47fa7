"""Cylindrical joint: one body turns about a line of another and slides along it."""

from __future__ import annotations

from typing import Any

from carom.errors import named
from carom.geometry.marker import place
from carom.joints.base import Joint
from carom.joints.frames import line_markers, spatial_only
from carom.joints.spatial_rows import ROW, axis_angle, axis_displacement, axis_rows, line_rows, marker_numbers
from carom.kernels import JOINT, jit, kernel, offset


@jit
def shaft_rows(bodies, a, b, par, phi, jac, gamma):
    """Both points on the line, both axes along it: four rows."""
    line_rows(bodies, a, b, par, phi, jac, gamma)
    axis_rows(bodies, a, b, par, offset(phi, 2), offset(jac, 2 * ROW), offset(gamma, 2))


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    shaft_rows(bodies, members[0], members[1], par, phi, jac, gamma)


class Cylindrical(Joint):
    """A shaft in a bush: ``b`` turns about ``axis`` and slides along it.

    The line is fixed in ``a``, along ``axis`` through ``at`` (global axes, present pose; default: the present centre
    of mass of ``b``). Φ: x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0 and x_a·z_b = y_a·z_b = 0, four equations in the axes
    of the markers, whose z-axes are the line. With markers for both and no ``axis``, their z-axes are brought together.
    Free coordinates: ``displacement`` [m] along the axis and ``angle`` [rad] about it, right-handed, both zero in the
    present pose where ``axis`` is given. Reaction: force and torque on ``b`` at its own point of the line.
    """

    rows = 4
    spatial = spatial
    coordinates = {"displacement": axis_displacement, "angle": axis_angle}

    def __init__(self, a: Any, b: Any, axis: Any = None, at: Any = None, *, name: str | None = None):
        owner = named("Cylindrical", name)
        spatial_only(owner, place(owner, b), "PointOnLine")
        first, second = line_markers(owner, a, b, axis, at)
        super().__init__(name, first.body, second.body)
        self.parameters = marker_numbers(first, second)
        self.points = (first.at, second.at)
