"""Independent solution of a sphere on moving surfaces, for the checks of the cases.

It evaluates the formulas of the paper on the penalty function-based Modelica library in NumPy and uses nothing of
carom's own mechanics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from carom.gallery.reference_solutions import integrate

Array = np.ndarray
MovingSurface = Callable[[float, Array], tuple[float, Array, Array]]
"""(t, centre of the sphere) -> distance to it [m], unit normal towards it, surface velocity at the foot point [m/s]."""


def cubic_step(x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """Return the cubic step function of ADAMS: h0 below x0, h1 above x1."""
    s = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * s * s * (3.0 - 2.0 * s)


@dataclass(frozen=True)
class ReferenceBall:
    """Sphere with the contact force of the paper: eqs. (2), (3) and (6), with the signs of the errata.

    ``depth`` [m] is the indentation of full ``damping`` [N s/m]; ``static`` and ``dynamic`` are friction coefficients,
    reached at ``stick_speed`` and ``slip_speed`` [m/s].
    """

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

    def friction_coefficient(self, speed: float) -> float:
        """Return the friction coefficient at a sliding speed [m/s]."""
        if speed < self.stick_speed:
            return cubic_step(speed, -self.stick_speed, -self.static, self.stick_speed, self.static)
        return cubic_step(speed, self.stick_speed, self.static, self.slip_speed, self.dynamic)

    def motion(self, surfaces: Sequence[MovingSurface], gravity: Array, start: Array, t: Array) -> Array:
        """Return the states (position, velocity, angular velocity) at the times ``t`` [s].

        The contact force acts at the foot point on the other surface.
        """

        def rhs(time: float, y: Array) -> Array:
            force, torque = self.mass * gravity, np.zeros(3)
            for surface in surfaces:
                distance, normal, surface_velocity = surface(time, y[:3])
                indentation = self.radius - distance
                if indentation <= 0.0:
                    continue
                arm = -distance * normal
                relative = y[3:6] + np.cross(y[6:], arm) - surface_velocity
                rate = -float(relative @ normal)
                damping = cubic_step(indentation, 0.0, 0.0, self.depth, self.damping)
                normal_force = max(self.stiffness * indentation**self.exponent + damping * rate, 0.0)
                sliding = relative + rate * normal
                speed = float(np.linalg.norm(sliding))
                friction = self.friction_coefficient(speed) * normal_force / speed * sliding if speed > 0.0 else 0.0
                contact_force = normal_force * normal - friction
                force = force + contact_force
                torque = torque + np.cross(arm, contact_force)
            return np.concatenate([y[3:6], force / self.mass, torque / (0.4 * self.mass * self.radius**2)])

        return integrate(rhs, start, t)
