"""Rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carom.errors import ModelError, not_negative, number, vector
from carom.geometry.marker import Marker, rotate


class Body:
    """A planar rigid body: mass [kg], inertia about the centre of mass [kg m²], and its start.

    ``position`` [m] is that of the centre of mass, ``angle`` [rad] turns the body's axes; ``velocity`` [m/s] and
    ``angular_velocity`` [rad/s] complete the state at the start. Massless bodies are allowed where joints determine
    their motion.
    """

    def __init__(
        self,
        name: str,
        mass: float,
        inertia: float = 0.0,
        position: Sequence[float] = (0.0, 0.0),
        angle: float = 0.0,
        velocity: Sequence[float] = (0.0, 0.0),
        angular_velocity: float = 0.0,
    ):
        if not isinstance(name, str) or not name:
            raise ModelError(f"Body: name must be a non-empty string, got {name!r}")
        owner = f"Body {name!r}"
        self.name = name
        self.mass = not_negative(owner, "mass", mass)
        self.inertia = not_negative(owner, "inertia", inertia)
        self.position = vector(owner, "position", position, 2)
        self.angle = number(owner, "angle", angle)
        self.velocity = vector(owner, "velocity", velocity, 2)
        self.angular_velocity = number(owner, "angular_velocity", angular_velocity)

    def __repr__(self) -> str:
        x, y = self.position
        return f"<Body {self.name!r} {self.mass:g} kg at ({x:g}, {y:g}), {self.angle:g} rad>"

    def point(self, x: float, y: float) -> Marker:
        """The point (x, y) [m] in the body's own axes, from its centre of mass."""
        return Marker(self, (x, y))

    def marker(self, at: Sequence[float] = (0.0, 0.0), angle: float = 0.0) -> Marker:
        """A point with a direction: the marker's x-axis is turned by ``angle`` [rad] from the body's."""
        return Marker(self, tuple(at), angle)

    def to_global(self, point: Sequence[float]) -> tuple[float, float]:
        x, y = rotate(tuple(point), self.angle)
        return (self.position[0] + x, self.position[1] + y)

    def to_local(self, point: Sequence[float]) -> tuple[float, float]:
        return rotate((point[0] - self.position[0], point[1] - self.position[1]), -self.angle)


class Ground(Body):
    """What does not move; its axes are the global ones."""

    def __init__(self) -> None:
        super().__init__("ground", 0.0)

    def __repr__(self) -> str:
        return "<ground>"

    def __setattr__(self, key: str, value: Any) -> None:
        if getattr(self, key, value) != value:
            raise ModelError(f"ground: {key} cannot be changed; add a Body and a Weld or a Driver instead")
        super().__setattr__(key, value)
