"""Chains of uniform rods, for the double pendulum and the chain."""

from __future__ import annotations

import math
from collections.abc import Sequence

from carom.joints.registry import Revolute
from carom.model.body import Body
from carom.model.system import System


def uniform_rod(
    name: str, mass: float, start: Sequence[float], length: float, angle: float, angular_velocity: float = 0.0
) -> Body:
    """Return a thin rod (inertia m l²/12) from the point ``start`` [m] at ``angle`` [rad]; its x-axis is along it.

    With ``angular_velocity`` [rad/s] it rotates about ``start``.
    """
    arm = (0.5 * length * math.cos(angle), 0.5 * length * math.sin(angle))
    return Body(
        name,
        mass=mass,
        inertia=mass * length**2 / 12.0,
        position=(start[0] + arm[0], start[1] + arm[1]),
        angle=angle,
        velocity=(-angular_velocity * arm[1], angular_velocity * arm[0]),
        angular_velocity=angular_velocity,
    )


def hang_rods(
    system: System,
    names: Sequence[str],
    lengths: Sequence[float],
    masses: Sequence[float],
    angles: Sequence[float],
) -> list[Body]:
    """Add rods to ``system``: the first pinned to the ground at the origin, each other to the end of the previous."""
    rods: list[Body] = []
    previous: Body = system.ground
    end: tuple[float, ...] = (0.0, 0.0)
    for name, length, mass, angle in zip(names, lengths, masses, angles, strict=True):
        rod = system.add(uniform_rod(name, mass, end, length, angle))
        system.add(Revolute(previous, rod, at=end, name=f"pin of {name}"))
        rods.append(rod)
        previous, end = rod, rod.to_global((length / 2, 0.0))
    return rods
