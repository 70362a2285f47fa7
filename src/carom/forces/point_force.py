"""A force at a point of a body."""

from __future__ import annotations

from typing import Any

from carom.errors import choice, named, vector
from carom.forces.base import Force
from carom.geometry.marker import place
from carom.kernels import FORCE, call_user, kernel, offset
from carom.kernels.user import UserFunction
from carom.mechanics.planar import OMEGA, VX, VY, turn
from carom.mechanics.vectors import cross, dot, put, speed_at, taken, turned


@kernel(FORCE)
def planar(t, bodies, members, par, out):
    """par: point, frame, constant force; members[1]: the user's function."""
    b = members[0]
    fx = par[3]
    fy = par[4]
    if members[1] != 0:
        call_user(members[1], t, bodies, par, offset(out, 6))
        fx = out[6]
        fy = out[7]
    if par[2] != 0.0:
        fx, fy = turn(bodies, b, fx, fy)
    x, y = turn(bodies, b, par[0], par[1])
    w = bodies[b + OMEGA]
    out[0] = fx
    out[1] = fy
    out[2] = x * fy - y * fx
    out[3] = 0.0
    out[4] = 0.0
    out[5] = fx * (bodies[b + VX] - w * y) + fy * (bodies[b + VY] + w * x)
    out[6] = fx
    out[7] = fy


@kernel(FORCE)
def spatial(t, bodies, members, par, out):
    """par: point, frame, constant force; members[1]: the user's function."""
    b = members[0]
    force = taken(offset(par, 4))
    if members[1] != 0:
        call_user(members[1], t, bodies, par, offset(out, 9))
        force = taken(offset(out, 9))
    if par[3] != 0.0:
        force = turned(bodies, b, force)
    arm = turned(bodies, b, par)
    put(out, force)
    put(offset(out, 3), cross(arm, force))
    out[6] = 0.0
    out[7] = 0.0
    out[8] = dot(force, speed_at(bodies, b, arm))
    put(offset(out, 9), force)


class PointForce(Force):
    """A ``force`` (fx, fy) [N] on a body, at its centre of mass or at a marker (``body.point(x, y)``); in space
    (fx, fy, fz).

    ``force`` is constant, a function of time ``f(t)``, or of time and state ``f(t, s)``, where ``s.crank.omega`` is
    the angular velocity of the body named crank (fields x, y, angle, vx, vy, omega, cos, sin; ``s["left wheel"].x``
    for names with spaces). ``frame="body"`` turns the force with the body.

    The fields of a spatial body are x, y, z, vx, vy, vz, its angular velocity wx, wy, wz in global axes, its rotation
    matrix r11, r12, … r33 and its quaternion q0, q1, q2, q3.
    """

    planar = planar
    spatial = spatial
    styles = {"force": (("t",), ("t", "state"))}
    grips = (False,)
    signals: tuple[str, ...] = ("fx", "fy")
    units: tuple[str, ...] = ("N", "N")

    def __init__(self, where: Any, force: Any, frame: str = "global", *, name: str | None = None):
        marker = place(named("PointForce", name), where)
        super().__init__(name, marker.body)
        self.points = (marker.at,)
        turning = choice(self.label, "frame", frame, ("global", "body")) == "body"
        self.force = force
        size = len(marker.at)
        self.signals, self.units = ("fx", "fy", "fz")[:size], ("N",) * size
        constant: tuple[float, ...] = (0.0,) * size
        if callable(force):
            self.function = UserFunction(self.label, force, self.styles["force"], outputs=size)
        else:
            self.force = constant = vector(self.label, "force", force, size)
        self.parameters = (*marker.at, float(turning), *constant)
