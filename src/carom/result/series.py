"""One body or one element over time, by the names people use."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from carom.result.arrays import FloatArray
from carom.result.info import ElementInfo

_FORCE = ("fx", "fy", "fz")


@dataclass(frozen=True, eq=False, repr=False)
class BodySeries:
    """Motion of one planar body; arrays of shape (n,) unless said otherwise, in the global frame.

    Parameters
    ----------
    name : the body's name.
    t : times [s].
    q : (n, 3) centre of mass x, y [m] and angle [rad].
    v : (n, 3) their rates [m/s, rad/s].
    a : (n, 3) the rates of those [m/s², rad/s²].
    """

    name: str
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray

    # How many columns a body takes in q and in v, its pose, its scalar series with their units, and its vectors.
    coordinates: ClassVar[int] = 3
    speeds: ClassVar[int] = 3
    pose: ClassVar[tuple[str, ...]] = ("x", "y", "angle")
    vectors: ClassVar[dict[str, tuple[str, ...]]] = {
        "position": ("x", "y"),
        "velocity": ("vx", "vy"),
        "acceleration": ("ax", "ay"),
        "angular_velocity": ("omega",),
        "angular_acceleration": ("alpha",),
    }
    units: ClassVar[dict[str, str]] = {
        "x": "m",
        "y": "m",
        "angle": "rad",
        "vx": "m/s",
        "vy": "m/s",
        "omega": "rad/s",
        "ax": "m/s^2",
        "ay": "m/s^2",
        "alpha": "rad/s^2",
    }

    @property
    def x(self) -> FloatArray:
        """Centre of mass, x [m]."""
        return self.q[:, 0]

    @property
    def y(self) -> FloatArray:
        """Centre of mass, y [m]."""
        return self.q[:, 1]

    @property
    def angle(self) -> FloatArray:
        """Angle from the global x axis, counted on over full turns [rad]."""
        return self.q[:, 2]

    @property
    def vx(self) -> FloatArray:
        """Velocity of the centre of mass, x [m/s]."""
        return self.v[:, 0]

    @property
    def vy(self) -> FloatArray:
        """Velocity of the centre of mass, y [m/s]."""
        return self.v[:, 1]

    @property
    def omega(self) -> FloatArray:
        """Angular velocity [rad/s]."""
        return self.v[:, 2]

    @property
    def ax(self) -> FloatArray:
        """Acceleration of the centre of mass, x [m/s²]."""
        return self.a[:, 0]

    @property
    def ay(self) -> FloatArray:
        """Acceleration of the centre of mass, y [m/s²]."""
        return self.a[:, 1]

    @property
    def alpha(self) -> FloatArray:
        """Angular acceleration [rad/s²]."""
        return self.a[:, 2]

    @property
    def position(self) -> FloatArray:
        """(n, 2) centre of mass [m]."""
        return self.q[:, :2]

    @property
    def velocity(self) -> FloatArray:
        """(n, 2) velocity of the centre of mass [m/s]."""
        return self.v[:, :2]

    @property
    def acceleration(self) -> FloatArray:
        """(n, 2) acceleration of the centre of mass [m/s²]."""
        return self.a[:, :2]

    @property
    def angular_velocity(self) -> FloatArray:
        """The same as `omega` [rad/s]."""
        return self.omega

    @property
    def angular_acceleration(self) -> FloatArray:
        """The same as `alpha` [rad/s²]."""
        return self.alpha

    def point(self, x: float, y: float) -> FloatArray:
        """(n, 2) path of the point fixed on the body at local (x, y) [m]."""
        return self.position + self._arm(x, y)

    def point_velocity(self, x: float, y: float) -> FloatArray:
        """(n, 2) velocity of the point fixed on the body at local (x, y) [m/s]."""
        arm = self._arm(x, y)
        return self.velocity + self.omega[:, None] * np.column_stack((-arm[:, 1], arm[:, 0]))

    def _arm(self, x: float, y: float) -> FloatArray:
        """(n, 2) from the centre of mass to the point, turned with the body [m]."""
        cosine, sine = np.cos(self.angle), np.sin(self.angle)
        return np.column_stack((cosine * x - sine * y, sine * x + cosine * y))

    def __getattr__(self, attribute: str) -> Any:
        # Called only for what does not exist. Copying asks for dunders before there is a name to show.
        if attribute.startswith("__") or "name" not in self.__dict__:
            raise AttributeError(attribute)
        raise AttributeError(
            f"Body '{self.name}' has no series '{attribute}'; it has {', '.join(self.units)}, "
            "position, velocity, acceleration, angular_velocity, angular_acceleration"
        )

    def __repr__(self) -> str:
        return f"<body '{self.name}', {span(self.t)}: {', '.join(self.units)}>"


class ElementSeries:
    """Signals of one element over time; each is an attribute, e.g. `series.fx`, an array of shape (n,).

    `force` is the magnitude of (fx, fy) [N] when the element has both and no signal of that name.
    """

    def __init__(self, info: ElementInfo, t: FloatArray, values: FloatArray) -> None:
        self.info = info
        self.t = t
        self.values = values

    @property
    def name(self) -> str:
        """The element's name."""
        return self.info.name

    @property
    def kind(self) -> str:
        """What the element is, e.g. "Revolute"."""
        return self.info.kind

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the signals."""
        return self.info.signals

    @property
    def units(self) -> dict[str, str]:
        """The unit of each signal."""
        return dict(zip(self.info.signals, self.info.units, strict=True))

    def __getattr__(self, attribute: str) -> FloatArray:
        # Called only for what is no ordinary attribute. Copying asks for dunders before there is an info.
        if attribute.startswith("__") or "info" not in self.__dict__:
            raise AttributeError(attribute)
        if attribute in self.names:
            return self.values[:, self.names.index(attribute)]
        if attribute == "force" and self._has_force:
            return np.linalg.norm(self.values[:, [self.names.index(f) for f in _FORCE if f in self.names]], axis=1)
        has = ", ".join(self._readable()) or "no signals"
        raise AttributeError(f"{self.kind} '{self.name}' has no signal '{attribute}'; it has {has}")

    @property
    def _has_force(self) -> bool:
        return "fx" in self.names and "fy" in self.names

    def _readable(self) -> list[str]:
        """The signals, and `force` when it can be formed from them."""
        return list(self.names) + (["force"] if self._has_force and "force" not in self.names else [])

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._readable()})

    def __repr__(self) -> str:
        signals = ", ".join(f"{name} [{unit}]" if unit else name for name, unit in self.units.items())
        return f"<{self.kind} '{self.name}', {span(self.t)}: {signals or 'no signals'}>"


def span(t: FloatArray) -> str:
    return f"{len(t)} nodes, t = {t[0]:.6g} … {t[-1]:.6g} s"
