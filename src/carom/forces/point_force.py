"""Force at a point of a body."""

from __future__ import annotations

from typing import Literal

from carom.argument_checks import object_label, one_of, vector
from carom.deprecation import deprecated_arguments
from carom.forces.base import Force
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.spatial_markers import VECTOR
from carom.kernels import FLOAT, FORCE, call_user, kernel, offset, record
from carom.kernels.user_functions import UserFunction
from carom.mechanics import spatial_body
from carom.mechanics.element_output import force_output, signals_of
from carom.mechanics.planar_body import body_at, rotate
from carom.mechanics.vector3 import cross, dot, load, rotated, store, velocity_at
from carom.typing import VectorFunction, VectorLike

PLANAR_POINT_FORCE = record(
    s_x=FLOAT,  # point in body axes [m]
    s_y=FLOAT,
    in_body_axes=FLOAT,  # 1: the force rotates with the body
    fx=FLOAT,  # constant force [N]
    fy=FLOAT,
)
SPATIAL_POINT_FORCE = record(
    s=VECTOR,  # point in body axes [m]
    in_body_axes=FLOAT,  # 1: the force rotates with the body
    force=VECTOR,  # constant force [N]
)

PLANAR_OUTPUT = force_output("fx fy")
SPATIAL_OUTPUT = force_output("fx fy fz")


@kernel(FORCE, PLANAR_POINT_FORCE, PLANAR_OUTPUT)
def planar(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a force at a point in 2D; ``body_offsets[1]`` is the address of the user's function."""
    body = body_at(bodies, body_offsets[0])
    fx = params.fx
    fy = params.fy
    if body_offsets[1] != 0:
        call_user(body_offsets[1], t, bodies, params, signals_of(output))
        fx = output.fx
        fy = output.fy
    if params.in_body_axes != 0.0:
        fx, fy = rotate(body, fx, fy)
    x, y = rotate(body, params.s_x, params.s_y)
    w = body.omega
    wrenches[0] = fx
    wrenches[1] = fy
    wrenches[2] = x * fy - y * fx
    output.potential = 0.0
    output.dissipated_power = 0.0
    output.applied_power = fx * (body.vx - w * y) + fy * (body.vy + w * x)
    output.fx = fx
    output.fy = fy


@kernel(FORCE, SPATIAL_POINT_FORCE, SPATIAL_OUTPUT)
def spatial(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a force at a point in 3D; ``body_offsets[1]`` is the address of the user's function."""
    body = spatial_body.body_at(bodies, body_offsets[0])
    signals = signals_of(output)
    force = load(params.force)
    if body_offsets[1] != 0:
        call_user(body_offsets[1], t, bodies, params, signals)
        force = load(signals)
    if params.in_body_axes != 0.0:
        force = rotated(body, force)
    arm = rotated(body, params.s)
    store(wrenches, force)
    store(offset(wrenches, 3), cross(arm, force))
    output.potential = 0.0
    output.dissipated_power = 0.0
    output.applied_power = dot(force, velocity_at(body, arm))
    store(signals, force)


class PointForce(Force):
    """Force (fx, fy) [N] on a body, at its centre of mass or at a marker (``body.point(x, y)``); in 3D (fx, fy, fz).

    ``force`` is constant, a function of time ``f(t)``, or of time and state ``f(t, s)``, where ``s.crank.omega`` is
    the angular velocity of the body named crank (fields x, y, angle, vx, vy, omega, cos, sin; ``s["left wheel"].x``
    for names with spaces). With ``frame="body"`` the force rotates with the body. Steps end at the times in the
    attribute ``breaks`` of the function, where it is not smooth [s]; `carom.expression` finds those of a formula.

    The fields of a spatial body are x, y, z, vx, vy, vz, its angular velocity wx, wy, wz in global axes, its rotation
    matrix r11, r12, … r33 and its quaternion q0, q1, q2, q3.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> thrust = system.add(cm.PointForce(rod.point(0.5, 0.0), lambda t: (10.0 * t, 0.0), frame="body"))
    >>> thrust.signals
    ('fx', 'fy')
    """

    planar = planar
    spatial = spatial
    styles = {"force": (("t",), ("t", "state"))}
    grips = (False,)
    signals: tuple[str, ...] = ("fx", "fy")
    units: tuple[str, ...] = ("N", "N")

    @deprecated_arguments(renamed={"where": "at"})
    def __init__(
        self,
        at: AttachmentLike,
        force: VectorLike | VectorFunction,
        frame: Literal["global", "body"] = "global",
        *,
        name: str | None = None,
    ):
        marker = as_marker(object_label("PointForce", name), at)
        super().__init__(name, marker.body)
        self.points = (marker.at,)
        in_body_axes = one_of(self.label, "frame", frame, ("global", "body")) == "body"
        self.force = force
        size = len(marker.at)
        self.signals, self.units = ("fx", "fy", "fz")[:size], ("N",) * size
        constant: tuple[float, ...] = (0.0,) * size
        if callable(force):
            self.function = UserFunction(self.label, force, self.styles["force"], outputs=size)
        else:
            self.force = constant = vector(self.label, "force", force, size)
        self.parameters = (*marker.at, float(in_body_axes), *constant)
