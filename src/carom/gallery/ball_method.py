"""A ball on walls by other means, for the checks of the cases: the formulas of the penalty library paper in NumPy.

Nothing here uses carom's own mechanics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from carom.gallery.second_method import integrate

Array = np.ndarray
Wall = Callable[[float, Array], tuple[float, Array, Array]]
"""(t, centre of the ball) -> distance of the centre, unit normal towards it, velocity of the wall at its foot."""


def step(x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """The cubic step of ADAMS: h0 below x0, h1 above x1."""
    s = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * s * s * (3.0 - 2.0 * s)


@dataclass(frozen=True)
class Ball:
    """A ball of the paper: eqs. (2), (3) and (6), with the signs of the errata."""

    mass: float
    radius: float
    stiffness: float
    exponent: float
    damping: float
    depth: float
    static: float
    dynamic: float
    stick_speed: float
    slip_speed: float

    def friction(self, speed: float) -> float:
        if speed < self.stick_speed:
            return step(speed, -self.stick_speed, -self.static, self.stick_speed, self.static)
        return step(speed, self.stick_speed, self.static, self.slip_speed, self.dynamic)

    def path(self, walls: Sequence[Wall], gravity: Array, start: Array, t: Array) -> Array:
        """States (position, velocity, angular velocity) at the times ``t``; the force acts on the wall's skin."""

        def rate(time: float, y: Array) -> Array:
            force, torque = self.mass * gravity, np.zeros(3)
            for wall in walls:
                distance, normal, moving = wall(time, y[:3])
                depth = self.radius - distance
                if depth <= 0.0:
                    continue
                arm = -distance * normal
                relative = y[3:6] + np.cross(y[6:], arm) - moving
                closing = -float(relative @ normal)
                push = self.stiffness * depth**self.exponent
                push = max(push + step(depth, 0.0, 0.0, self.depth, self.damping) * closing, 0.0)
                slip = relative + closing * normal
                speed = float(np.linalg.norm(slip))
                pull = push * normal - (self.friction(speed) * push / speed * slip if speed > 0.0 else 0.0)
                force = force + pull
                torque = torque + np.cross(arm, pull)
            return np.concatenate([y[3:6], force / self.mass, torque / (0.4 * self.mass * self.radius**2)])

        return integrate(rate, start, t)
