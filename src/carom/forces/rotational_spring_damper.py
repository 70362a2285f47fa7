"""Spring, damper and actuator about an axis."""

from __future__ import annotations

from typing import Any

from carom.errors import not_negative, number
from carom.forces.base import Force
from carom.geometry.marker import body_of
from carom.kernels import FORCE, call_user, kernel, offset
from carom.kernels.user import UserFunction
from carom.mechanics.planar import ANGLE, OMEGA


@kernel(FORCE)
def planar(t, bodies, members, par, out):
    """par: stiffness, free angle, damping, constant torque; members[2]: the user's characteristic."""
    a = members[0]
    b = members[1]
    angle = bodies[b + ANGLE] - bodies[a + ANGLE]
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


class RotationalSpringDamper(Force):
    """Torsion spring, damper and motor between ``a`` and ``b``, on their angle θ_b − θ_a.

    torque on b = −stiffness (angle − free_angle) − damping · rate + ``torque``; ``free_angle`` [rad] defaults to the
    present angle. ``torque`` [N m] is a constant, or a function ``f(t)``, ``f(angle, rate)`` or ``f(t, angle, rate)``.
    """

    planar = planar
    signals = ("angle", "rate", "torque")
    units = ("rad", "rad/s", "N m")

    def __init__(
        self,
        a: Any,
        b: Any,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float | None = None,
        torque: Any = 0.0,
        *,
        name: str | None = None,
    ):
        owner = f"RotationalSpringDamper {name!r}" if name else "RotationalSpringDamper"
        super().__init__(name, body_of(owner, a), body_of(owner, b))
        self.stiffness = not_negative(self.label, "stiffness", stiffness)
        self.damping = not_negative(self.label, "damping", damping)
        self.free_angle = b.angle - a.angle if free_angle is None else number(self.label, "free_angle", free_angle)
        self.torque = torque
        if callable(torque):
            styles = (("t",), ("angle", "rate"), ("t", "angle", "rate"))
            self.function = UserFunction(self.label, torque, styles, inputs=("angle", "rate"))
        constant = 0.0 if callable(torque) else number(self.label, "torque", torque)
        self.parameters = (self.stiffness, self.free_angle, self.damping, constant)
