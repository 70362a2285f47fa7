"""Spring, damper and actuator about an axis."""

from __future__ import annotations

from typing import Any

from carom.argument_checks import finite_float, non_negative, object_label, short_repr
from carom.errors import ModelError
from carom.forces.base import Force
from carom.geometry.marker import body_of
from carom.joints.base import Joint
from carom.joints.cylindrical import Cylindrical
from carom.joints.hinge_angle import HINGE_FIELDS, hinge_fields, with_revolutions
from carom.joints.planar_angle import relative_angle
from carom.joints.planar_markers import PLANAR_MARKERS
from carom.joints.spatial_constraints import angle_between
from carom.kernels import FLOAT, FORCE, call_user, jit, kernel, offset, record
from carom.kernels.user_functions import UserFunction
from carom.mechanics import spatial_body
from carom.mechanics.element_output import force_output, signals_of
from carom.mechanics.planar_body import body_at
from carom.mechanics.vector3 import angular_velocity, dot, rotated, scale, store, subtract
from carom.typing import BodyLike, ScalarFunction, VectorLike

TORSION_SPRING: dict[str, Any] = {
    "stiffness": FLOAT,  # [N m/rad]
    "free_angle": FLOAT,  # [rad]
    "damping": FLOAT,  # [N m s/rad]
    "torque": FLOAT,  # constant part [N m]
}
PLANAR_TORSION_SPRING = record(**TORSION_SPRING, angle_offset=FLOAT)  # [rad]
SPATIAL_TORSION_SPRING = record(**TORSION_SPRING, **HINGE_FIELDS)
OUTPUT = force_output("angle rate torque")
"""Angle [rad], its rate [rad/s], torque on b [N m]."""


@jit
def spring_torque(t, bodies, user_kernel, params, angle, rate, output):
    """Store energy, powers and signals; return the torque on b [N m]."""
    applied = params.torque
    output.angle = angle
    output.rate = rate
    if user_kernel != 0:
        signals = signals_of(output)  # The function reads angle and rate, and writes the torque behind them.
        call_user(user_kernel, t, bodies, signals, offset(signals, 2))
        applied = output.torque
    deflection = angle - params.free_angle
    torque = applied - params.stiffness * deflection - params.damping * rate
    output.potential = 0.5 * params.stiffness * deflection * deflection
    output.dissipated_power = params.damping * rate * rate
    output.applied_power = applied * rate
    output.torque = torque
    return torque


@kernel(FORCE, PLANAR_TORSION_SPRING, OUTPUT)
def planar(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a torsion spring-damper in 2D; ``body_offsets[2]`` is the address of the user's characteristic."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    angle = b.angle - a.angle + params.angle_offset
    rate = b.omega - a.omega
    torque = spring_torque(t, bodies, body_offsets[2], params, angle, rate, output)
    for k in range(6):
        wrenches[k] = 0.0
    wrenches[2] = -torque
    wrenches[5] = torque


@kernel(FORCE, SPATIAL_TORSION_SPRING, OUTPUT)
def spatial(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a torsion spring-damper in 3D; ``body_offsets[2]`` is the address of the user's characteristic."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    wa = angular_velocity(a)
    wb = angular_velocity(b)
    x = rotated(a, params.x_a)
    y = rotated(a, params.y_a)
    angle, gradient, _ = angle_between(wa, wb, x, y, rotated(b, params.x_b))
    rate = dot(gradient, subtract(wa, wb))
    angle = with_revolutions(a, b, angle, params)
    torque = spring_torque(t, bodies, body_offsets[2], params, angle, rate, output)
    for k in range(12):
        wrenches[k] = 0.0
    store(offset(wrenches, 3), scale(torque, gradient))
    store(offset(wrenches, 9), scale(-torque, gradient))


class RotationalSpringDamper(Force):
    """Torsion spring, damper and motor between ``a`` and ``b``, for their relative angle θ_b − θ_a.

    torque on b = −stiffness (angle − free_angle) − damping · rate + ``torque``; ``free_angle`` [rad] defaults to the
    current angle. ``torque`` [N m] is a constant, or a function ``f(t)``, ``f(angle, rate)`` or ``f(t, angle, rate)``.
    Instead of ``a`` and ``b``, ``joint`` may be set to a joint with an ``angle``, which is then the relative angle.

    In 3D it acts about the axis of ``joint`` (`Revolute`, `Cylindrical`, `Planar`, `Screw`); or between ``a`` and
    ``b`` about ``axis`` (global axes, current pose), which rotates with ``a``. The angle of b about this axis is zero
    in the current pose; other joints must keep the axis of b along it. Revolutions are counted from the start of a run.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0)))
    >>> system.add(cm.RotationalSpringDamper(joint=hinge, stiffness=5.0)).free_angle
    0.0
    """

    planar = planar
    spatial = spatial
    styles = {"torque": (("t",), ("angle", "rate"), ("t", "angle", "rate"))}
    signals = ("angle", "rate", "torque")
    units = ("rad", "rad/s", "N m")

    def __init__(
        self,
        a: BodyLike | None = None,
        b: BodyLike | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float | None = None,
        torque: float | ScalarFunction = 0.0,
        *,
        joint: Joint | None = None,
        axis: VectorLike | None = None,
        name: str | None = None,
    ):
        owner = object_label("RotationalSpringDamper", name)
        if joint is not None:
            if not isinstance(joint, Joint) or "angle" not in joint.coordinates:
                raise ModelError(f"{owner}: joint must be a joint with an angle, got {short_repr(joint)}")
            if a is not None or b is not None or axis is not None:
                raise ModelError(f"{owner}: set either joint= or the two bodies")
            a, b = joint.members
        super().__init__(name, body_of(owner, a), body_of(owner, b))
        self.stiffness = non_negative(self.label, "stiffness", stiffness)
        self.damping = non_negative(self.label, "damping", damping)
        fields = self._spatial_fields(joint, axis) if self.in_space else self._planar_fields(joint, axis)
        first, second = self.members
        current_angle = fields["start_angle"] if self.in_space else second.angle - first.angle + fields["angle_offset"]
        self.free_angle = current_angle if free_angle is None else finite_float(self.label, "free_angle", free_angle)
        self.torque = torque
        if callable(torque):
            self.function = UserFunction(self.label, torque, self.styles["torque"], inputs=("angle", "rate"))
        constant = 0.0 if callable(torque) else finite_float(self.label, "torque", torque)
        self.parameters = self.params_record.pack(
            stiffness=self.stiffness, free_angle=self.free_angle, damping=self.damping, torque=constant, **fields
        )

    def _planar_fields(self, joint: Joint | None, axis: VectorLike | None) -> dict[str, Any]:
        """Return the parameters of the angle in 2D."""
        if axis is not None:
            raise ModelError(
                f"{self.label}: axis requires spatial bodies, got {short_repr(axis)}; planar bodies rotate about z"
            )
        if joint is None or joint.coordinates["angle"] is not relative_angle:
            return {"angle_offset": 0.0}
        return {"angle_offset": float(PLANAR_MARKERS.unpack(joint.parameters)["angle_offset"])}

    def _spatial_fields(self, joint: Joint | None, axis: VectorLike | None) -> dict[str, Any]:
        """Return the parameters of the angle in 3D."""
        if joint is None and axis is None:
            raise ModelError(f"{self.label}: in 3D, set joint= or axis=(x, y, z), about which the torque acts")
        if joint is None:
            a, b = self.members
            joint = Cylindrical(a, b, axis=axis)  # This joint is not part of the model; it measures the angle.
        return hinge_fields(joint)
