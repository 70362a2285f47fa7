"""Driver: a coordinate follows a prescribed motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, Marker, as_marker
from carom.joints.base import Coordinate, Joint
from carom.joints.motion import Motion
from carom.joints.prescribed_motion import as_motion
from carom.joints.spatial_markers import VECTOR
from carom.kernels import JOINT, Kernel, jit, kernel, offset, record
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at, rotate
from carom.mechanics.vector3 import add, angular_velocity, centripetal, cross, dot, position, rotated, store

PLANAR_POINT = record("s_x s_y")
"""Point in body axes [m]."""

SPATIAL_POINT = record(s=VECTOR)
"""Point in body axes [m]."""


@kernel(JOINT, PLANAR_POINT)
def body_x(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the global x of a point [m]."""
    body = body_at(bodies, body_offsets[0])
    x, y = rotate(body, params.s_x, params.s_y)
    Phi[0] = body.x + x
    Phi_q[0] = 1.0
    Phi_q[1] = 0.0
    Phi_q[2] = -y
    gamma_c[0] = body.omega**2 * x


@kernel(JOINT, PLANAR_POINT)
def body_y(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the global y of a point [m]."""
    body = body_at(bodies, body_offsets[0])
    x, y = rotate(body, params.s_x, params.s_y)
    Phi[0] = body.y + y
    Phi_q[0] = 0.0
    Phi_q[1] = 1.0
    Phi_q[2] = x
    gamma_c[0] = body.omega**2 * y


@kernel(JOINT, PLANAR_POINT)
def body_angle(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the angle of a planar body [rad]."""
    Phi[0] = body_at(bodies, body_offsets[0]).angle
    Phi_q[0] = 0.0
    Phi_q[1] = 0.0
    Phi_q[2] = 1.0
    gamma_c[0] = 0.0


@jit
def point_row(body, params, e, Phi, Phi_q, gamma_c):
    """Evaluate the position of a point of a spatial body along the global direction ``e`` [m]."""
    s = rotated(body, params.s)
    Phi[0] = dot(e, add(position(body), s))
    store(Phi_q, e)
    store(offset(Phi_q, 3), cross(s, e))
    gamma_c[0] = -dot(e, centripetal(angular_velocity(body), s))


@kernel(JOINT, SPATIAL_POINT)
def spatial_x(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the global x of a point [m]."""
    e = (1.0, 0.0, 0.0)
    point_row(spatial_body.body_at(bodies, body_offsets[0]), params, e, Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_POINT)
def spatial_y(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the global y of a point [m]."""
    e = (0.0, 1.0, 0.0)
    point_row(spatial_body.body_at(bodies, body_offsets[0]), params, e, Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_POINT)
def spatial_z(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the global z of a point [m]."""
    e = (0.0, 0.0, 1.0)
    point_row(spatial_body.body_at(bodies, body_offsets[0]), params, e, Phi, Phi_q, gamma_c)


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
    """Driver: a coordinate of a joint or body follows a motion, Φ = g(q) − f(t) = 0.

    ``target`` is a joint (``coordinate`` names one of its coordinates if it has several), a body or marker with
    ``coordinate`` "x", "y" or "angle" (in 3D "x", "y" or "z"), or a pair such as ``(crank, "angle")``. The orientation
    of a spatial body can be driven only through a joint. ``motion`` is a motion (`ConstantSpeed`, `SineMotion`,
    `PolynomialMotion`, `StepMotion`, `TableMotion`), a function of time, or an `Input` with ``hold="linear"``. The
    result contains the coordinate, the ``effort`` (force [N] or torque [N m]) of the driver, and its ``power`` [W].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0)))
    >>> system.add(cm.Driver(hinge, cm.ConstantSpeed(2.0))).coordinate_name
    'angle'
    """

    rows = 1
    styles = {"motion": (("t",),)}
    takes_inputs = True

    def __init__(
        self,
        target: Joint | AttachmentLike | tuple[Joint | AttachmentLike, str],
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
            marker: Marker = as_marker("Driver", target)
            super().__init__(name, marker.body)
            known = SPATIAL_COORDINATES if self.in_space else BODY_COORDINATES
            if not isinstance(coordinate, str) or coordinate not in known:
                raise ModelError(
                    f"{self.label}: coordinate must be {_choices(self.in_space)}, got {short_repr(coordinate)}"
                )
            self.coordinate_name = coordinate
            self.driven = known[coordinate]
            self.parameters, self.points = marker.at, (marker.at,)
            self.grips = (coordinate == "angle",)
            self.key = (id(marker.body), coordinate, marker.at if coordinate != "angle" else None)
        self.target = target
        self.motion = as_motion(self.label, motion)

    def check_addition(self, system: Any) -> None:
        """Raise unless the driven joint is in the system and the coordinate has no driver yet."""
        if isinstance(self.target, Joint) and all(joint is not self.target for joint in system.joints):
            raise ModelError(f"{self.label}: add {self.target.label} to the system before its driver")
        for other in system.drivers:
            if other.key == self.key:
                raise ModelError(
                    f"{self.label}: coordinate {self.coordinate_name!r} is driven already by {other.name!r}; "
                    "use one driver per coordinate"
                )

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments of this driver."""
        return {"target": self.target, "motion": self.motion, "coordinate": self.coordinate_name}

    @property
    def kernel(self) -> Kernel:
        """Kernel of the driven coordinate."""
        return self.driven.kernel

    @property
    def drives_periodic_angle(self) -> bool:
        """True if the driven coordinate is an angle that is known up to full revolutions."""
        return self.driven.periodic


def _choices(in_space: bool) -> str:
    if in_space:
        return "'x', 'y' or 'z' (drive an orientation through the angle of a joint)"
    return "'x', 'y' or 'angle'"
