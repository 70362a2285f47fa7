"""Spring, damper and actuator about an axis."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError, named, not_negative, number, shown
from carom.forces.base import Force
from carom.geometry.marker import body_of
from carom.joints.angle import relative_angle
from carom.joints.base import Joint
from carom.joints.cylindrical import Cylindrical
from carom.joints.spatial_rows import angle_between, counted, hinge_numbers
from carom.kernels import FORCE, call_user, kernel, offset
from carom.kernels.user import UserFunction
from carom.mechanics.planar import ANGLE, OMEGA
from carom.mechanics.vectors import dot, minus, omega, put, times, turned

# Parameters in space: as in the plane, then x and y in a, x in b, and what `counted` needs.
AXES, HINGE = 4, 13


@kernel(FORCE)
def planar(t, bodies, members, par, out):
    """par: stiffness, free angle, damping, constant torque, offset; members[2]: the user's characteristic."""
    a = members[0]
    b = members[1]
    angle = bodies[b + ANGLE] - bodies[a + ANGLE] + par[4]
    rate = bodies[b + OMEGA] - bodies[a + OMEGA]
    extra = par[3]
    if members[2] != 0:
        out[9] = angle
        out[10] = rate
        call_user(members[2], t, bodies, offset(out, 9), offset(out, 11))
        extra = out[11]
    turned = angle - par[1]
    torque = extra - par[0] * turned - par[2] * rate
    out[0] = 0.0
    out[1] = 0.0
    out[2] = -torque
    out[3] = 0.0
    out[4] = 0.0
    out[5] = torque
    out[6] = 0.5 * par[0] * turned * turned
    out[7] = par[2] * rate * rate
    out[8] = extra * rate
    out[9] = angle
    out[10] = rate
    out[11] = torque


@kernel(FORCE)
def spatial(t, bodies, members, par, out):
    a = members[0]
    b = members[1]
    wa = omega(bodies, a)
    wb = omega(bodies, b)
    x = turned(bodies, a, offset(par, AXES))
    y = turned(bodies, a, offset(par, AXES + 3))
    angle, along, _ = angle_between(wa, wb, x, y, turned(bodies, b, offset(par, AXES + 6)))
    rate = dot(along, minus(wa, wb))
    angle = counted(bodies, a, b, angle, offset(par, HINGE))
    extra = par[3]
    if members[2] != 0:
        out[15] = angle
        out[16] = rate
        call_user(members[2], t, bodies, offset(out, 15), offset(out, 17))
        extra = out[17]
    stretched = angle - par[1]
    torque = extra - par[0] * stretched - par[2] * rate
    for k in range(12):
        out[k] = 0.0
    put(offset(out, 3), times(torque, along))
    put(offset(out, 9), times(-torque, along))
    out[12] = 0.5 * par[0] * stretched * stretched
    out[13] = par[2] * rate * rate
    out[14] = extra * rate
    out[15] = angle
    out[16] = rate
    out[17] = torque


class RotationalSpringDamper(Force):
    """Torsion spring, damper and motor between ``a`` and ``b``, on their angle θ_b − θ_a.

    torque on b = −stiffness (angle − free_angle) − damping · rate + ``torque``; ``free_angle`` [rad] defaults to the
    present angle. ``torque`` [N m] is a constant, or a function ``f(t)``, ``f(angle, rate)`` or ``f(t, angle, rate)``.
    Instead of ``a`` and ``b``, ``joint`` may be given, a joint with an ``angle``: then on its own.

    In space it acts about the axis of ``joint`` (`Revolute`, `Cylindrical`, `Planar`, `Screw`); or between ``a`` and
    ``b`` about ``axis`` (global axes, present pose), which turns with ``a``: on the angle of b about it, zero now,
    while other joints keep the axis of b along it. Turns are counted from the start of a run.
    """

    planar = planar
    spatial = spatial
    styles = {"torque": (("t",), ("angle", "rate"), ("t", "angle", "rate"))}
    signals = ("angle", "rate", "torque")
    units = ("rad", "rad/s", "N m")

    def __init__(
        self,
        a: Any = None,
        b: Any = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float | None = None,
        torque: Any = 0.0,
        *,
        joint: Any = None,
        axis: Any = None,
        name: str | None = None,
    ):
        owner = named("RotationalSpringDamper", name)
        if joint is not None:
            if not isinstance(joint, Joint) or "angle" not in joint.coordinates:
                raise ModelError(f"{owner}: joint must be one with an angle, got {shown(joint)}")
            if not (a is b is axis is None):
                raise ModelError(f"{owner}: give either joint= or the two bodies")
            a, b = joint.members
        super().__init__(name, body_of(owner, a), body_of(owner, b))
        self.stiffness = not_negative(self.label, "stiffness", stiffness)
        self.damping = not_negative(self.label, "damping", damping)
        angles: tuple[float, ...]
        now, angles = self._in_space(joint, axis) if self.in_space else self._in_plane(joint, axis)
        self.free_angle = now if free_angle is None else number(self.label, "free_angle", free_angle)
        self.torque = torque
        if callable(torque):
            self.function = UserFunction(self.label, torque, self.styles["torque"], inputs=("angle", "rate"))
        constant = 0.0 if callable(torque) else number(self.label, "torque", torque)
        self.parameters = (self.stiffness, self.free_angle, self.damping, constant, *angles)

    def _in_plane(self, joint: Any, axis: Any) -> tuple[float, tuple[float, ...]]:
        """The present angle, and what it is measured by."""
        if axis is not None:
            raise ModelError(f"{self.label}: axis is for spatial bodies; planar ones turn about z, got {shown(axis)}")
        a, b = self.members
        offset = joint.parameters[4] if joint is not None and joint.coordinates["angle"] is relative_angle else 0.0
        return b.angle - a.angle + offset, (offset,)

    def _in_space(self, joint: Any, axis: Any) -> tuple[float, tuple[float, ...]]:
        if joint is None and axis is None:
            raise ModelError(f"{self.label}: in space, give joint=, whose axis it acts about, or axis=(x, y, z)")
        if joint is None:
            a, b = self.members
            joint = Cylindrical(a, b, axis)  # only measures
        measured, turns = hinge_numbers(joint)
        return turns[0], (*measured, *turns)
