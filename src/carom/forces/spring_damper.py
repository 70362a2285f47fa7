"""Spring, damper and actuator along a line."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import named, not_negative, number
from carom.forces.base import Force
from carom.forces.line import pull, pull_in_space, stretch, stretch_in_space
from carom.geometry.marker import place
from carom.kernels import FORCE, call_user, kernel, offset
from carom.kernels.user import UserFunction


@kernel(FORCE)
def planar(t, bodies, members, par, out):
    """par: points, stiffness, free length, damping, constant tension; members[2]: the user's characteristic."""
    length, rate, ux, uy, ax, ay, bx, by = stretch(bodies, members[0], members[1], par)
    extra = par[7]
    if members[2] != 0:
        out[9] = length
        out[10] = rate
        call_user(members[2], t, bodies, offset(out, 9), offset(out, 11))
        extra = out[11]
    stretched = length - par[5]
    tension = par[4] * stretched + par[6] * rate + extra
    pull(tension, ux, uy, ax, ay, bx, by, out)
    out[6] = 0.5 * par[4] * stretched * stretched
    out[7] = par[6] * rate * rate
    out[8] = -extra * rate
    out[9] = length
    out[10] = rate
    out[11] = tension


@kernel(FORCE)
def spatial(t, bodies, members, par, out):
    """par: points, stiffness, free length, damping, constant tension; members[2]: the user's characteristic."""
    length, rate, u, sa, sb = stretch_in_space(bodies, members[0], members[1], par)
    extra = par[9]
    if members[2] != 0:
        out[15] = length
        out[16] = rate
        call_user(members[2], t, bodies, offset(out, 15), offset(out, 17))
        extra = out[17]
    stretched = length - par[7]
    tension = par[6] * stretched + par[8] * rate + extra
    pull_in_space(tension, u, sa, sb, out)
    out[12] = 0.5 * par[6] * stretched * stretched
    out[13] = par[8] * rate * rate
    out[14] = -extra * rate
    out[15] = length
    out[16] = rate
    out[17] = tension


class SpringDamper(Force):
    """Spring, damper and actuator between a point of ``a`` and a point of ``b`` (markers, or centres of mass).

    tension = stiffness (length − free_length) + damping · rate + ``tension``, positive when it pulls the points
    together; ``free_length`` defaults to the present length. ``tension`` [N] is a constant, or a function ``f(t)``,
    ``f(length, rate)``, or ``f(t, length, rate)``: an actuator, or a spring and damper of your own characteristic.
    """

    planar = planar
    spatial = spatial
    styles = {"tension": (("t",), ("length", "rate"), ("t", "length", "rate"))}
    grips = (False, False)
    signals = ("length", "rate", "tension")
    units = ("m", "m/s", "N")

    def __init__(
        self,
        a: Any,
        b: Any,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_length: float | None = None,
        tension: Any = 0.0,
        *,
        name: str | None = None,
    ):
        owner = named("SpringDamper", name)
        first, second = place(owner, a), place(owner, b)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        now = math.dist(first.position, second.position)
        self.stiffness = not_negative(self.label, "stiffness", stiffness)
        self.damping = not_negative(self.label, "damping", damping)
        self.free_length = now if free_length is None else not_negative(self.label, "free_length", free_length)
        self.tension = tension
        if callable(tension):
            self.function = UserFunction(self.label, tension, self.styles["tension"], inputs=("length", "rate"))
        constant = 0.0 if callable(tension) else number(self.label, "tension", tension)
        self.parameters = (*first.at, *second.at, self.stiffness, self.free_length, self.damping, constant)
