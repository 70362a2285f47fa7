"""A torque on a body, or between two."""

from __future__ import annotations

from typing import Any

from carom.errors import number
from carom.forces.base import Force
from carom.geometry.marker import body_of
from carom.kernels import FORCE, call_user, kernel, offset
from carom.kernels.user import UserFunction
from carom.mechanics.planar import OMEGA


@kernel(FORCE)
def planar(t, bodies, members, par, out):
    """members: body that reacts (or the ground), body that is turned, user's function."""
    torque = par[0]
    if members[2] != 0:
        call_user(members[2], t, bodies, par, offset(out, 9))
        torque = out[9]
    for k in range(9):
        out[k] = 0.0
    out[2] = -torque
    out[5] = torque
    out[8] = torque * (bodies[members[1] + OMEGA] - bodies[members[0] + OMEGA])
    out[9] = torque


class Torque(Force):
    """A ``torque`` [N m] on ``body``, taken up by ``reaction`` (the ground when None).

    ``torque`` is constant, a function of time ``f(t)``, or of time and state ``f(t, s)`` (see `PointForce`).
    """

    planar = planar
    signals = ("torque",)
    units = ("N m",)

    def __init__(self, body: Any, torque: Any, reaction: Any = None, *, name: str | None = None):
        super().__init__(name, reaction, body_of(f"Torque {name!r}" if name else "Torque", body))
        self.torque = torque
        if callable(torque):
            self.function = UserFunction(self.label, torque, (("t",), ("t", "state")))
        else:
            self.torque = number(self.label, "torque", torque)
        self.parameters = (0.0 if callable(torque) else self.torque,)
