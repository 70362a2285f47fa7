"""Spherical joint: two bodies share a point."""

from __future__ import annotations

from typing import Any

from carom.errors import named
from carom.geometry.marker import meet
from carom.joints.base import Joint
from carom.joints.frames import spatial_only
from carom.joints.spatial_rows import point_rows
from carom.kernels import JOINT, kernel


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    point_rows(bodies, members[0], members[1], par, phi, jac, gamma)


class Spherical(Joint):
    """A ball joint: the point ``at`` (global axes, present pose) of ``a`` and of ``b`` stay together.

    Φ = r_b + A_b s_b − r_a − A_a s_a = 0, three equations. Instead of ``at``, give markers: ``a.point(x, y, z)``.
    All rotations are free, and none of them is a coordinate. Reaction: force on ``b`` at the point.
    """

    rows = 3
    spatial = spatial
    grips = (False, False)

    def __init__(self, a: Any, b: Any, at: Any = None, *, name: str | None = None):
        owner = named("Spherical", name)
        first, second = meet(owner, a, b, at)
        spatial_only(owner, second, "Revolute")
        super().__init__(name, first.body, second.body)
        self.parameters = (*first.at, *second.at)
        self.points = (first.at, second.at)
