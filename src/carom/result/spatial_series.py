"""One spatial body over time, by the names people use."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.result.arrays import FloatArray
from carom.result.series import span


@dataclass(frozen=True, eq=False, repr=False)
class SpatialSeries:
    """Motion of one spatial body; arrays of shape (n,) unless said otherwise.

    Parameters
    ----------
    name : the body's name.
    t : times [s].
    q : (n, 7) centre of mass x, y, z [m] in the global frame, unit quaternion q0 (scalar), q1, q2, q3 of its axes.
    v : (n, 6) velocity of the centre of mass [m/s] in the global frame, angular velocity [rad/s] along the body's axes.
    a : (n, 6) their rates [m/s², rad/s²].
    """

    name: str
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray

    # How many columns a body takes in q and in v, its pose, its scalar series with their units, and its vectors.
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
    _PLACES: ClassVar[dict[str, tuple[str, int]]] = {
        **{name: ("q", k) for k, name in enumerate(("x", "y", "z", "q0", "q1", "q2", "q3"))},
        **{name: ("v", k) for k, name in enumerate(("vx", "vy", "vz", "wx", "wy", "wz"))},
        **{name: ("a", k) for k, name in enumerate(("ax", "ay", "az", "alpha_x", "alpha_y", "alpha_z"))},
    }

    @property
    def position(self) -> FloatArray:
        """(n, 3) centre of mass [m]."""
        return self.q[:, :3]

    @property
    def orientation(self) -> FloatArray:
        """(n, 4) unit quaternion (w, x, y, z) of the body's axes."""
        return self.q[:, 3:]

    @property
    def velocity(self) -> FloatArray:
        """(n, 3) velocity of the centre of mass [m/s]."""
        return self.v[:, :3]

    @property
    def omega(self) -> FloatArray:
        """(n, 3) angular velocity along the body's own axes [rad/s]."""
        return self.v[:, 3:]

    @property
    def angular_velocity(self) -> FloatArray:
        """The same as `omega` [rad/s]."""
        return self.omega

    @property
    def global_omega(self) -> FloatArray:
        """(n, 3) angular velocity along the global axes [rad/s]."""
        return np.einsum("nij,nj->ni", self.rotation, self.omega)

    @property
    def acceleration(self) -> FloatArray:
        """(n, 3) acceleration of the centre of mass [m/s²]."""
        return self.a[:, :3]

    @property
    def alpha(self) -> FloatArray:
        """(n, 3) angular acceleration along the body's own axes [rad/s²]."""
        return self.a[:, 3:]

    @property
    def angular_acceleration(self) -> FloatArray:
        """The same as `alpha` [rad/s²]."""
        return self.alpha

    @property
    def rotation(self) -> FloatArray:
        """(n, 3, 3) rotation matrices: their columns are the body's axes."""
        return matrix_of(self.orientation)

    def point(self, x: float, y: float, z: float) -> FloatArray:
        """(n, 3) path of the point fixed on the body at local (x, y, z) [m]."""
        return self.position + self.rotation @ np.array([x, y, z])

    def point_velocity(self, x: float, y: float, z: float) -> FloatArray:
        """(n, 3) velocity of the point fixed on the body at local (x, y, z) [m/s]."""
        turning = np.cross(self.omega, np.array([x, y, z]))
        return self.velocity + np.einsum("nij,nj->ni", self.rotation, turning)

    def __getattr__(self, attribute: str) -> Any:
        # Called only for what is no ordinary attribute. Copying asks for dunders before there is a name to show.
        if attribute in self._PLACES:
            array, column = self._PLACES[attribute]
            return getattr(self, array)[:, column]
        if attribute.startswith("__") or "name" not in self.__dict__:
            raise AttributeError(attribute)
        raise AttributeError(
            f"Body '{self.name}' has no series '{attribute}'; it has {', '.join(self.units)}, position, orientation, "
            "velocity, omega, global_omega, acceleration, alpha, rotation"
        )

    def __repr__(self) -> str:
        return f"<body '{self.name}', {span(self.t)}: {', '.join(self.units)}>"
