"""Screw joint: a nut on a thread."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError, named, number
from carom.geometry.marker import place
from carom.joints.base import Coordinate, Joint
from carom.joints.cylindrical import shaft_rows
from carom.joints.frames import line_markers, spatial_only
from carom.joints.spatial_rows import MORE, ROW, ZA, along_row, axis_angle_row, axis_displacement, marker_numbers
from carom.kernels import JOINT, jit, kernel, offset
from carom.mechanics.vectors import turned

TURN = 2.0 * math.pi


@jit
def thread_row(bodies, a, b, par, phi, jac, gamma):
    """Displacement − pitch/2π angle, to the nearest turn: the displacement counts the turns."""
    lead = par[MORE] / TURN
    z = turned(bodies, a, offset(par, ZA))
    axis_angle_row(bodies, a, b, par, phi, jac, gamma)
    angle = phi[0]
    quadratic = gamma[0]
    ta = (jac[3], jac[4], jac[5])
    along_row(bodies, a, b, par, z, phi, jac, gamma)
    phi[0] -= lead * angle
    phi[0] -= par[MORE] * math.floor(phi[0] / par[MORE] + 0.5)
    gamma[0] -= lead * quadratic
    for d in range(3):
        jac[3 + d] -= lead * ta[d]
        jac[9 + d] += lead * ta[d]


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    a = members[0]
    b = members[1]
    shaft_rows(bodies, a, b, par, phi, jac, gamma)
    thread_row(bodies, a, b, par, offset(phi, 4), offset(jac, 4 * ROW), offset(gamma, 4))


@kernel(JOINT)
def counted_angle(bodies, members, par, phi, jac, gamma):
    """The angle with the turns that the displacement has counted."""
    a = members[0]
    b = members[1]
    along_row(bodies, a, b, par, turned(bodies, a, offset(par, ZA)), phi, jac, gamma)
    reached = TURN * phi[0] / par[MORE]
    axis_angle_row(bodies, a, b, par, phi, jac, gamma)
    phi[0] += TURN * math.floor((reached - phi[0]) / TURN + 0.5)


class Screw(Joint):
    """A nut on a thread: ``b`` turns about ``axis`` and moves along it, by ``pitch`` [m] a turn.

    The line is fixed in ``a``, along ``axis`` through ``at`` (global axes, present pose; default: the present centre
    of mass of ``b``). Φ: the four equations of `Cylindrical`, and displacement − pitch/2π · angle = 0, both from the
    present pose where ``axis`` is given. ``pitch`` > 0 is a right-handed thread, < 0 a left-handed one.
    Free coordinates, of which one determines the other: ``displacement`` [m] and ``angle`` [rad], turns counted.
    Reaction: force and torque on ``b`` at its own point of the line.
    """

    rows = 5
    spatial = spatial
    coordinates = {"displacement": axis_displacement, "angle": Coordinate(counted_angle, "rad", "rad/s")}

    def __init__(
        self, a: Any, b: Any, axis: Any = None, at: Any = None, pitch: float | None = None, *, name: str | None = None
    ):
        owner = named("Screw", name)
        spatial_only(owner, place(owner, b), "RackPinion")
        if pitch is None:
            raise ModelError(f"{owner}: give pitch=, the way along the axis in one turn [m]")
        self.pitch = number(owner, "pitch", pitch)
        if self.pitch == 0.0:
            raise ModelError(f"{owner}: pitch must not be zero; a thread without pitch is a Revolute")
        first, second = line_markers(owner, a, b, axis, at)
        super().__init__(name, first.body, second.body)
        self.parameters = (*marker_numbers(first, second), self.pitch)
        self.points = (first.at, second.at)
