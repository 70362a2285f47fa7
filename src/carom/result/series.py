"""Time series of planar bodies and of elements."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from carom.result.column_info import ElementInfo
from carom.result.plain_data import FloatArray
from carom.result.renamed_signals import current_signal

_FORCE = ("fx", "fy", "fz")


@dataclass(frozen=True, eq=False, repr=False)
class BodySeries:
    """Motion of a planar body in the global frame; arrays of shape (n,) unless stated otherwise.

    Parameters
    ----------
    name
        name of the body.
    t
        times [s].
    q
        (n, 3) centre of mass x, y [m] and angle [rad].
    v
        (n, 3) first derivatives of q [m/s, rad/s].
    a
        (n, 3) second derivatives of q [m/s², rad/s²].
    """

    name: str
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray

    # Columns per body in q and in v, names of the pose, vectors, and scalar series with their units.
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
        """Angle from the global x axis [rad]; it is continuous over full revolutions."""
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
        """Centre of mass [m], shape (n, 2)."""
        return self.q[:, :2]

    @property
    def velocity(self) -> FloatArray:
        """Velocity of the centre of mass [m/s], shape (n, 2)."""
        return self.v[:, :2]

    @property
    def acceleration(self) -> FloatArray:
        """Acceleration of the centre of mass [m/s²], shape (n, 2)."""
        return self.a[:, :2]

    @property
    def angular_velocity(self) -> FloatArray:
        """Angular velocity [rad/s], equal to `omega`."""
        return self.omega

    @property
    def angular_acceleration(self) -> FloatArray:
        """Angular acceleration [rad/s²], equal to `alpha`."""
        return self.alpha

    def point(self, x: float, y: float) -> FloatArray:
        """Return the path (n, 2) of the body-fixed point at local (x, y) [m]."""
        return self.position + self._offset(x, y)

    def point_velocity(self, x: float, y: float) -> FloatArray:
        """Return the velocity (n, 2) [m/s] of the body-fixed point at local (x, y) [m]."""
        offset = self._offset(x, y)
        return self.velocity + self.omega[:, None] * np.column_stack((-offset[:, 1], offset[:, 0]))

    def _offset(self, x: float, y: float) -> FloatArray:
        """Return the vector (n, 2) from the centre of mass to the body-fixed point in global axes [m]."""
        cosine, sine = np.cos(self.angle), np.sin(self.angle)
        return np.column_stack((cosine * x - sine * y, sine * x + cosine * y))

    def __getattr__(self, attribute: str) -> Any:
        # Called for missing attributes only. Copying requests special methods before the name is set.
        if attribute.startswith("__") or "name" not in self.__dict__:
            raise AttributeError(attribute)
        raise AttributeError(
            f"Body '{self.name}' has no series '{attribute}'; choose from {', '.join(self.units)}, "
            "position, velocity, acceleration, angular_velocity, angular_acceleration"
        )

    def __repr__(self) -> str:
        return f"<body '{self.name}', {span(self.t)}: {', '.join(self.units)}>"


class ElementSeries:
    """Signals of an element over time; each is an attribute, e.g. `series.fx`, an array of shape (n,).

    If the element has the signals fx and fy but not force, `force` is the magnitude of the force [N].
    """

    def __init__(self, info: ElementInfo, t: FloatArray, values: FloatArray) -> None:
        self.info = info
        self.t = t
        self.values = values

    @property
    def name(self) -> str:
        """Name of the element."""
        return self.info.name

    @property
    def kind(self) -> str:
        """Class of the element, e.g. "Revolute"."""
        return self.info.kind

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the signals."""
        return self.info.signals

    @property
    def units(self) -> dict[str, str]:
        """Unit of each signal by name."""
        return dict(zip(self.info.signals, self.info.units, strict=True))

    def __getattr__(self, attribute: str) -> FloatArray:
        # Called for missing attributes only. Copying requests special methods before the info is set.
        if attribute.startswith("__") or "info" not in self.__dict__:
            raise AttributeError(attribute)
        signal = current_signal(self.info, attribute)
        if signal in self.names:
            return self.values[:, self.names.index(signal)]
        if attribute == "force" and self._has_force:
            return np.linalg.norm(self.values[:, [self.names.index(f) for f in _FORCE if f in self.names]], axis=1)
        choices = ", ".join(self._readable())
        advice = f"choose from {choices}" if choices else "it has no signals"
        raise AttributeError(f"{self.kind} '{self.name}' has no signal '{attribute}'; {advice}")

    @property
    def _has_force(self) -> bool:
        return "fx" in self.names and "fy" in self.names

    def _readable(self) -> list[str]:
        """Return the names of the signals, and "force" if it can be computed from them."""
        return list(self.names) + (["force"] if self._has_force and "force" not in self.names else [])

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._readable()})

    def __repr__(self) -> str:
        signals = ", ".join(f"{name} [{unit}]" if unit else name for name, unit in self.units.items())
        return f"<{self.kind} '{self.name}', {span(self.t)}: {signals or 'no signals'}>"


def current_quantity(series: Any, quantity: str) -> str:
    """Return the current name of a quantity of a body or element; warn if the name is deprecated."""
    return current_signal(series.info, quantity) if isinstance(series, ElementSeries) else quantity


def span(t: FloatArray) -> str:
    """Return number of nodes and time range as text."""
    return f"{len(t)} nodes, t = {t[0]:.6g} … {t[-1]:.6g} s"
