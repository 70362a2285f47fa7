"""A torque on a body, or between two."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError, direction, named, number, shown, vector
from carom.forces.base import Force
from carom.geometry.marker import body_of
from carom.geometry.pose import turned_by
from carom.kernels import FORCE, call_user, kernel, offset
from carom.kernels.user import UserFunction
from carom.mechanics.planar import OMEGA
from carom.mechanics.vectors import dot, minus, omega, put, taken, times, turned


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


@kernel(FORCE)
def spatial(t, bodies, members, par, out):
    """par: constant torque, whether it is about an axis, that axis in the body that reacts."""
    torque = taken(par)
    if members[2] != 0:
        call_user(members[2], t, bodies, par, offset(out, 15))
        torque = taken(offset(out, 15))
    if par[3] != 0.0:
        torque = times(torque[0], turned(bodies, members[0], offset(par, 4)))
    for k in range(15):
        out[k] = 0.0
    put(offset(out, 3), times(-1.0, torque))
    put(offset(out, 9), torque)
    out[14] = dot(torque, minus(omega(bodies, members[1]), omega(bodies, members[0])))
    put(offset(out, 15), torque)


class Torque(Force):
    """A ``torque`` [N m] on ``body``, taken up by ``reaction`` (the ground when None).

    ``torque`` is constant, a function of time ``f(t)``, or of time and state ``f(t, s)`` (see `PointForce`).

    In space it is a vector of three numbers in global axes; or one number about ``axis`` (global axes, present pose),
    which turns with ``reaction``, as the shaft of a motor turns with its stator.
    """

    planar = planar
    spatial = spatial
    styles = {"torque": (("t",), ("t", "state"))}
    signals: tuple[str, ...] = ("torque",)
    units: tuple[str, ...] = ("N m",)

    def __init__(self, body: Any, torque: Any, reaction: Any = None, axis: Any = None, *, name: str | None = None):
        super().__init__(name, reaction, body_of(named("Torque", name), body))
        self.torque = torque
        if self.in_space:
            self._in_space(reaction, axis)
            return
        if axis is not None:
            raise ModelError(f"{self.label}: axis is for spatial bodies; planar ones turn about z, got {shown(axis)}")
        if callable(torque):
            self.function = UserFunction(self.label, torque, self.styles["torque"])
        else:
            self.torque = number(self.label, "torque", torque)
        self.parameters = (0.0 if callable(torque) else self.torque,)

    def _in_space(self, reaction: Any, axis: Any) -> None:
        self.signals, self.units = ("tx", "ty", "tz"), ("N m",) * 3
        about: tuple[float, ...] = (0.0, 0.0, 0.0)
        if axis is not None:
            about = direction(self.label, "axis", axis, 3)
            about = about if reaction is None else turned_by(reaction, about, back=True)
        size = 3 if axis is None else 1
        constant: tuple[float, ...] = (0.0, 0.0, 0.0)
        if callable(self.torque):
            self.function = UserFunction(self.label, self.torque, self.styles["torque"], outputs=size)
        elif axis is None:
            if not hasattr(self.torque, "__len__"):
                raise ModelError(
                    f"{self.label}: give three numbers, or one with axis=(x, y, z), got {shown(self.torque)}"
                )
            self.torque = constant = vector(self.label, "torque", self.torque, 3)
        else:
            self.torque = number(self.label, "torque", self.torque)
            constant = (self.torque, 0.0, 0.0)
        self.parameters = (*constant, float(axis is not None), *about)
