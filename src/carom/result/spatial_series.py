"""Time series of spatial bodies."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.result.plain_data import FloatArray
from carom.result.series import span


@dataclass(frozen=True, eq=False, repr=False)
class SpatialSeries:
    """Motion of a spatial body; arrays of shape (n,) unless stated otherwise.

    Parameters
    ----------
    name
        name of the body.
    t
        times [s].
    q
        (n, 7) centre of mass x, y, z [m] in the global frame, unit quaternion q0 (scalar), q1, q2, q3 of its axes.
    v
        (n, 6) velocity of the centre of mass [m/s] in the global frame, angular velocity [rad/s] in the body axes.
    a
        (n, 6) derivatives of v [m/s², rad/s²].
    """

    name: str
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray

    # Columns per body in q and in v, names of the pose, vectors, and scalar series with their units.
    coordinates: ClassVar[int] = 7
    speeds: ClassVar[int] = 6
    pose: ClassVar[tuple[str, ...]] = ("x", "y", "z", "q0", "q1", "q2", "q3")
    vectors: ClassVar[dict[str, tuple[str, ...]]] = {
        "position": ("x", "y", "z"),
        "orientation": ("q0", "q1", "q2", "q3"),
        "velocity": ("vx", "vy", "vz"),
        "acceleration": ("ax", "ay", "az"),
        **dict.fromkeys(("omega", "angular_velocity"), ("wx", "wy", "wz")),
        **dict.fromkeys(("alpha", "angular_acceleration"), ("alpha_x", "alpha_y", "alpha_z")),
    }
    units: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("x", "y", "z"), "m"),
        **dict.fromkeys(("q0", "q1", "q2", "q3"), "1"),
        **dict.fromkeys(("vx", "vy", "vz"), "m/s"),
        **dict.fromkeys(("wx", "wy", "wz"), "rad/s"),
        **dict.fromkeys(("ax", "ay", "az"), "m/s^2"),
        **dict.fromkeys(("alpha_x", "alpha_y", "alpha_z"), "rad/s^2"),
    }
    _COLUMNS: ClassVar[dict[str, tuple[str, int]]] = {
        **{name: ("q", k) for k, name in enumerate(("x", "y", "z", "q0", "q1", "q2", "q3"))},
        **{name: ("v", k) for k, name in enumerate(("vx", "vy", "vz", "wx", "wy", "wz"))},
        **{name: ("a", k) for k, name in enumerate(("ax", "ay", "az", "alpha_x", "alpha_y", "alpha_z"))},
    }

    @property
    def position(self) -> FloatArray:
        """Centre of mass [m], shape (n, 3)."""
        return self.q[:, :3]

    @property
    def orientation(self) -> FloatArray:
        """Unit quaternion (w, x, y, z) of the body axes [-], shape (n, 4)."""
        return self.q[:, 3:]

    @property
    def velocity(self) -> FloatArray:
        """Velocity of the centre of mass [m/s], shape (n, 3)."""
        return self.v[:, :3]

    @property
    def omega(self) -> FloatArray:
        """Angular velocity in the body axes [rad/s], shape (n, 3)."""
        return self.v[:, 3:]

    @property
    def angular_velocity(self) -> FloatArray:
        """Angular velocity in the body axes [rad/s], equal to `omega`."""
        return self.omega

    @property
    def global_omega(self) -> FloatArray:
        """Angular velocity in the global axes [rad/s], shape (n, 3)."""
        return np.einsum("nij,nj->ni", self.rotation, self.omega)

    @property
    def acceleration(self) -> FloatArray:
        """Acceleration of the centre of mass [m/s²], shape (n, 3)."""
        return self.a[:, :3]

    @property
    def alpha(self) -> FloatArray:
        """Angular acceleration in the body axes [rad/s²], shape (n, 3)."""
        return self.a[:, 3:]

    @property
    def angular_acceleration(self) -> FloatArray:
        """Angular acceleration in the body axes [rad/s²], equal to `alpha`."""
        return self.alpha

    @property
    def rotation(self) -> FloatArray:
        """Rotation matrices, shape (n, 3, 3); their columns are the body axes."""
        return matrix_of(self.orientation)

    def point(self, x: float, y: float, z: float) -> FloatArray:
        """Return the path (n, 3) of the body-fixed point at local (x, y, z) [m]."""
        return self.position + self.rotation @ np.array([x, y, z])

    def point_velocity(self, x: float, y: float, z: float) -> FloatArray:
        """Return the velocity (n, 3) [m/s] of the body-fixed point at local (x, y, z) [m]."""
        relative = np.cross(self.omega, np.array([x, y, z]))
        return self.velocity + np.einsum("nij,nj->ni", self.rotation, relative)

    def __getattr__(self, attribute: str) -> Any:
        # Called for missing attributes only. Copying requests special methods before the name is set.
        if attribute in self._COLUMNS:
            array, column = self._COLUMNS[attribute]
            return getattr(self, array)[:, column]
        if attribute.startswith("__") or "name" not in self.__dict__:
            raise AttributeError(attribute)
        raise AttributeError(
            f"Body '{self.name}' has no series '{attribute}'; choose from {', '.join(self.units)}, position, "
            "orientation, velocity, omega, global_omega, acceleration, alpha, rotation"
        )

    def __repr__(self) -> str:
        return f"<body '{self.name}', {span(self.t)}: {', '.join(self.units)}>"
