"""Pin in a straight slot."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import named
from carom.geometry.marker import place
from carom.joints.angle import relative_angle
from carom.joints.base import Joint
from carom.joints.frames import line_markers
from carom.joints.line import along_row, sliding
from carom.joints.prismatic import slide_markers
from carom.joints.spatial_rows import axis_displacement, line_rows, marker_numbers
from carom.kernels import JOINT, kernel


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    along_row(bodies, members[0], members[1], par, -par[6], par[5], phi, jac, gamma)


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    line_rows(bodies, members[0], members[1], par, phi, jac, gamma)


class PointOnLine(Joint):
    """A pin of ``b`` in a straight slot of ``a``: the point of ``b`` stays on the line through ``at`` along ``axis``.

    Φ = n_a·(p_b − p_a) = 0. ``at`` and ``axis`` are in global axes, present pose; ``at`` defaults to the present
    centre of mass of ``b``. With markers, the marker of ``b`` runs along the x-axis of the marker of ``a``.
    Free coordinates: ``displacement`` [m] along the slot and ``angle`` [rad]. Reaction: force on ``b`` at the pin.

    In space, two equations: x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0, the slot along the z-axis of the marker of ``a``;
    ``displacement`` is the free coordinate, and ``b`` may turn as it likes.
    """

    rows = 1
    planar = planar
    spatial = spatial
    grips = (True, False)
    coordinates = {"displacement": sliding, "angle": relative_angle}

    def __init__(self, a: Any, b: Any, axis: Any = None, at: Any = None, *, name: str | None = None):
        owner = named("PointOnLine", name)
        in_space = place(owner, b).spatial
        first, second = (line_markers if in_space else slide_markers)(owner, a, b, axis, at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if in_space:
            self.rows = 2
            self.coordinates = {"displacement": axis_displacement}
            self.parameters = marker_numbers(first, second)
            return
        turned = second.angle - first.angle
        self.parameters = (*first.at, *second.at, turned, math.cos(first.angle), math.sin(first.angle))
