"""Rigid bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from carom.errors import ModelError, not_negative, number, vector
from carom.geometry.marker import Marker, rotate


def _pair(owner: str, what: str, value: Any) -> tuple[float, ...]:
    return vector(owner, what, value, 2)


CHECKS: dict[str, Callable[[str, str, Any], Any]] = {
    "mass": not_negative,
    "inertia": not_negative,
    "position": _pair,
    "angle": number,
    "velocity": _pair,
    "angular_velocity": number,
}


class Body:
    """A planar rigid body: mass [kg], inertia about the centre of mass [kg m²], and its start.

    ``position`` [m] is that of the centre of mass, ``angle`` [rad] turns the body's axes; ``velocity`` [m/s] and
    ``angular_velocity`` [rad/s] complete the state at the start. Massless bodies are allowed where joints determine
    their motion.
    """

    name: str
    mass: float
    inertia: float
    position: tuple[float, ...]
    angle: float
    velocity: tuple[float, ...]
    angular_velocity: float

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
        self.name = name
        self.mass = mass
        self.inertia = inertia
        self.position = position  # type: ignore[assignment]
        self.angle = angle
        self.velocity = velocity  # type: ignore[assignment]
        self.angular_velocity = angular_velocity

    def __setattr__(self, key: str, value: Any) -> None:
        """Numbers are checked whenever they are set, so that no run starts from one that cannot be."""
        check = CHECKS.get(key)
        super().__setattr__(key, value if check is None else check(f"Body {self.name!r}", key, value))

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
        super().__setattr__("fixed", True)

    def __repr__(self) -> str:
        return "<ground>"

    def __setattr__(self, key: str, value: Any) -> None:
        if hasattr(self, "fixed"):
            raise ModelError(f"ground: {key} cannot be changed; add a Body and a Weld or a Driver instead")
        super().__setattr__(key, value)
