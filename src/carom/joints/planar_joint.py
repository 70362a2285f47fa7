"""Planar joint: one body slides on a plane of another."""

from __future__ import annotations

from typing import Any

from carom.errors import named
from carom.geometry.marker import place
from carom.joints.base import Coordinate, Joint
from carom.joints.frames import line_markers, spatial_only
from carom.joints.spatial_rows import ROW, XA, YA, ZA, along_row, axis_angle, axis_rows, marker_numbers
from carom.kernels import JOINT, kernel, offset
from carom.mechanics.vectors import turned


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    along_row(bodies, a, b, par, turned(bodies, a, offset(par, ZA)), phi, jac, gamma)
    axis_rows(bodies, a, b, par, offset(phi, 1), offset(jac, ROW), offset(gamma, 1))


@kernel(JOINT)
def along_x(bodies, members, par, phi, jac, gamma):
    x = turned(bodies, members[0], offset(par, XA))
    along_row(bodies, members[0], members[1], par, x, phi, jac, gamma)


@kernel(JOINT)
def along_y(bodies, members, par, phi, jac, gamma):
    y = turned(bodies, members[0], offset(par, YA))
    along_row(bodies, members[0], members[1], par, y, phi, jac, gamma)


class Planar(Joint):
    """``b`` slides on a plane of ``a`` through ``at`` with ``normal`` (global axes, present pose) and turns on it.

    Φ: z_a·(p_b − p_a) = 0 and x_a·z_b = y_a·z_b = 0, three equations in the axes of the markers, whose z-axes are the
    normal; ``at`` defaults to the present centre of mass of ``b``. With markers for both and no ``normal``, their
    xy-planes are brought together. Free coordinates: ``x`` and ``y`` [m] of b's point along those axes of the marker of
    ``a``, and ``angle`` [rad] about the normal, all zero in the present pose where ``normal`` is given. Reaction: force
    and torque on ``b`` at its own point.
    """

    rows = 3
    spatial = spatial
    coordinates = {
        "x": Coordinate(along_x, "m", "m/s"),
        "y": Coordinate(along_y, "m", "m/s"),
        "angle": axis_angle,
    }

    def __init__(self, a: Any, b: Any, at: Any = None, normal: Any = None, *, name: str | None = None):
        owner = named("Planar", name)
        spatial_only(owner, place(owner, b), "no joint")
        first, second = line_markers(owner, a, b, normal, at, "normal")
        super().__init__(name, first.body, second.body)
        self.parameters = marker_numbers(first, second)
        self.points = (first.at, second.at)
