"""Driver: a coordinate follows a prescribed motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carom.errors import ModelError, shown
from carom.geometry.marker import Marker, place
from carom.joints.base import Coordinate, Joint
from carom.joints.motion import Motion, as_motion
from carom.kernels import JOINT, Kernel, jit, kernel, offset
from carom.mechanics.planar import ANGLE, OMEGA, X, Y, turn
from carom.mechanics.vectors import centre, cross, dot, inward, omega, plus, put, turned


@kernel(JOINT)
def body_x(bodies, members, par, phi, jac, gamma):
    b = members[0]
    x, y = turn(bodies, b, par[0], par[1])
    phi[0] = bodies[b + X] + x
    jac[0] = 1.0
    jac[1] = 0.0
    jac[2] = -y
    gamma[0] = bodies[b + OMEGA] ** 2 * x


@kernel(JOINT)
def body_y(bodies, members, par, phi, jac, gamma):
    b = members[0]
    x, y = turn(bodies, b, par[0], par[1])
    phi[0] = bodies[b + Y] + y
    jac[0] = 0.0
    jac[1] = 1.0
    jac[2] = x
    gamma[0] = bodies[b + OMEGA] ** 2 * y


@kernel(JOINT)
def body_angle(bodies, members, par, phi, jac, gamma):
    phi[0] = bodies[members[0] + ANGLE]
    jac[0] = 0.0
    jac[1] = 0.0
    jac[2] = 1.0
    gamma[0] = 0.0


@jit
def point_row(bodies, b, par, e, phi, jac, gamma):
    """Coordinate of a point of b in space along the global axis ``e``."""
    s = turned(bodies, b, par)
    phi[0] = dot(e, plus(centre(bodies, b), s))
    put(jac, e)
    put(offset(jac, 3), cross(s, e))
    gamma[0] = -dot(e, inward(omega(bodies, b), s))


@kernel(JOINT)
def spatial_x(bodies, members, par, phi, jac, gamma):
    e = (1.0, 0.0, 0.0)
    point_row(bodies, members[0], par, e, phi, jac, gamma)


@kernel(JOINT)
def spatial_y(bodies, members, par, phi, jac, gamma):
    e = (0.0, 1.0, 0.0)
    point_row(bodies, members[0], par, e, phi, jac, gamma)


@kernel(JOINT)
def spatial_z(bodies, members, par, phi, jac, gamma):
    e = (0.0, 0.0, 1.0)
    point_row(bodies, members[0], par, e, phi, jac, gamma)


BODY_COORDINATES = {
    "x": Coordinate(body_x, "m", "m/s"),
    "y": Coordinate(body_y, "m", "m/s"),
    "angle": Coordinate(body_angle, "rad", "rad/s"),
}
SPATIAL_COORDINATES = {
    "x": Coordinate(spatial_x, "m", "m/s"),
    "y": Coordinate(spatial_y, "m", "m/s"),
    "z": Coordinate(spatial_z, "m", "m/s"),
}


class Driver(Joint):
    """A joint coordinate or a body coordinate follows a motion: Φ = g(q) − f(t) = 0.

    ``target`` is a joint (its coordinate, named by ``coordinate`` when it has several), a body or marker with
    ``coordinate`` "x", "y" or "angle", in space "x", "y" or "z", or a pair such as ``(crank, "angle")``; how a spatial
    body is turned can be driven through a joint only. ``motion`` is a motion
    (`ConstantSpeed`, `Sine`, `Polynomial`, `Step`, `Table`) or a plain function of time. The result gives the
    coordinate, the ``effort`` (force [N] or torque [N m]) the driver needs, and its ``power`` [W].
    """

    rows = 1
    styles = {"motion": (("t",),)}

    def __init__(
        self,
        target: Any,
        motion: Motion | Callable[[float], float],
        coordinate: str | None = None,
        *,
        name: str | None = None,
    ):
        if isinstance(target, tuple) and len(target) == 2:
            target, coordinate = target
        if isinstance(target, Joint):
            super().__init__(name, *target.members)
            self.coordinate_name = target.coordinate(coordinate)
            self.driven = target.coordinates[self.coordinate_name]
            self.parameters, self.points = target.parameters, target.points
            self.key: tuple[Any, ...] = (id(target), self.coordinate_name)
        else:
            marker: Marker = place("Driver", target)
            super().__init__(name, marker.body)
            known = SPATIAL_COORDINATES if self.in_space else BODY_COORDINATES
            if not isinstance(coordinate, str) or coordinate not in known:
                raise ModelError(f"{self.label}: coordinate must be {_choices(self.in_space)}, got {shown(coordinate)}")
            self.coordinate_name = coordinate
            self.driven = known[coordinate]
            self.parameters, self.points = marker.at, (marker.at,)
            self.grips = (coordinate == "angle",)
            self.key = (id(marker.body), coordinate, marker.at if coordinate != "angle" else None)
        self.target = target
        self.motion = as_motion(self.label, motion)

    def keywords(self) -> dict[str, Any]:
        return {"target": self.target, "motion": self.motion, "coordinate": self.coordinate_name}

    @property
    def kernel(self) -> Kernel:
        return self.driven.kernel

    @property
    def turns_counted(self) -> bool:
        return self.driven.periodic


def _choices(in_space: bool) -> str:
    if in_space:
        return "'x', 'y' or 'z'; an orientation is driven through the angle of a joint"
    return "'x', 'y' or 'angle'"
