"""Rigid bodies, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, is_list, non_negative, short_repr, vector
from carom.errors import ModelError
from carom.geometry.marker import Marker
from carom.geometry.pose import from_axes, to_axes
from carom.geometry.rotation import matrix_of, rotation
from carom.init_arguments import Check, Sealed

Numbers = Sequence[float]

TRIANGLE = 1e-9
"""By what part an inertia may exceed the sum of the other two, which rounding of measured numbers explains."""


def _two(owner: str, what: str, value: Any) -> tuple[float, ...]:
    return vector(owner, what, value, 2)


def _three(owner: str, what: str, value: Any) -> tuple[float, ...]:
    return vector(owner, what, value, 3)


def tensor(owner: str, what: str, value: Any) -> tuple[tuple[float, ...], ...]:
    """``value`` as an inertia tensor: one number (as of a ball), three principal ones, or a symmetric 3×3 matrix."""
    if not is_list(value):
        matrix = non_negative(owner, what, value) * np.eye(3)
    else:
        rows = list(islice(value, 4))  # not all of what may have no end
        if len(rows) == 3 and all(map(is_list, rows)):
            matrix = np.array([vector(owner, f"{what}[{k}]", row, 3) for k, row in enumerate(rows)])
        else:
            matrix = np.diag(vector(owner, what, rows, 3))
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-9 * size:
        raise ModelError(f"{owner}: {what} must be a symmetric matrix, got {matrix.tolist()}")
    matrix = 0.5 * matrix + 0.5 * matrix.T  # each by itself: the sum of the largest numbers is none
    least, middle, most = np.linalg.eigvalsh(matrix)
    if least < -1e-12 * size:
        raise ModelError(f"{owner}: {what} must have principal values that are positive or zero, got {least:g}")
    if most > (least + middle) * (1.0 + TRIANGLE):
        raise ModelError(
            f"{owner}: {what} must obey the triangle inequality, no principal value above the sum of the others, "
            f"as of any body that exists; got {least:g}, {middle:g} and {most:g}"
        )
    return tuple(tuple(float(part) for part in row) for row in matrix)


PLANAR: dict[str, Check] = {
    "mass": non_negative,
    "inertia": non_negative,
    "position": _two,
    "angle": finite_float,
    "velocity": _two,
    "angular_velocity": finite_float,
}
SPATIAL: dict[str, Check] = {
    "mass": non_negative,
    "inertia": tensor,
    "position": _three,
    "orientation": rotation,
    "velocity": _three,
    "angular_velocity": _three,
}


class Body(Sealed):
    """A rigid body: mass [kg], inertia about the centre of mass [kg m²], and its start.

    ``position`` [m] is that of the centre of mass, ``velocity`` [m/s] its own.

    In the plane ``inertia`` is a number, ``angle`` [rad] turns the body's axes, ``angular_velocity`` [rad/s] too.

    In space ``inertia`` is one number (as of a ball), three principal ones or a 3×3 tensor in the body's axes,
    ``orientation`` turns these axes (a unit quaternion (w, x, y, z), a rotation matrix or a SciPy Rotation), and
    ``angular_velocity`` [rad/s] has three parts, along the body's axes. A body is spatial when any of this is given in
    three parts.

    Massless bodies are allowed where joints determine their motion.
    """

    assignable = {**PLANAR, **SPATIAL}

    name: str
    dim: int
    mass: float
    inertia: Any
    position: tuple[float, ...]
    angle: float
    orientation: tuple[float, float, float, float]
    velocity: tuple[float, ...]
    angular_velocity: Any

    def __init__(
        self,
        name: str,
        mass: float,
        inertia: float | Sequence[Any] = 0.0,
        position: Numbers | None = None,
        angle: float | None = None,
        velocity: Numbers | None = None,
        angular_velocity: float | Numbers | None = None,
        orientation: Any = None,
    ):
        if not isinstance(name, str) or not name:
            raise ModelError(f"Body: name must be a non-empty string, got {short_repr(name)}")
        self.name = name
        spatial = orientation is not None or _is_long(position) or _is_long(velocity)
        spatial = spatial or _is_long(inertia) or _is_long(angular_velocity)
        self.dim = 3 if spatial else 2
        if spatial and angle is not None:
            raise ModelError(
                f"Body {name!r}: angle is for planar bodies; give orientation=(w, x, y, z), got {short_repr(angle)}"
            )
        self.mass = mass
        self.inertia = inertia
        self.position = (0.0,) * self.dim if position is None else position  # type: ignore[assignment]
        self.velocity = (0.0,) * self.dim if velocity is None else velocity  # type: ignore[assignment]
        if spatial:
            self.orientation = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
            self.angular_velocity = (0.0, 0.0, 0.0) if angular_velocity is None else angular_velocity
        else:
            self.angle = 0.0 if angle is None else angle
            self.angular_velocity = 0.0 if angular_velocity is None else angular_velocity

    def _check_assignment(self, key: str, value: Any) -> Any:
        check = (PLANAR if self.dim == 2 else SPATIAL).get(key)
        if check is None:
            raise self._assignment_error(key)
        return check(self.label, key, value)

    @property
    def label(self) -> str:
        """Kind and name, for messages."""
        return f"Body {self.name!r}"

    def __repr__(self) -> str:
        place = ", ".join(f"{part:g}" for part in self.position)
        if self.dim == 2:
            turned = f"{self.angle:g} rad"
        else:
            turned = f"orientation ({', '.join(f'{part:g}' for part in self.orientation)})"
        return f"<Body {self.name!r} {self.mass:g} kg at ({place}), {turned}>"

    @property
    def rotation(self) -> np.ndarray:
        """The rotation matrix (3×3): its columns are the body's axes."""
        if self.dim == 3:
            return matrix_of(self.orientation)
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def point(self, *at: float) -> Marker:
        """The point (x, y) or (x, y, z) [m] in the body's own axes, from its centre of mass."""
        return Marker(self, at)

    def marker(self, at: Numbers | None = None, angle: float = 0.0, orientation: Any = None) -> Marker:
        """A point with directions: the marker's axes are turned by ``angle`` [rad], in space by ``orientation``."""
        return Marker(self, (0.0,) * self.dim if at is None else at, angle, orientation)  # type: ignore[arg-type]

    def to_global(self, point: Numbers) -> tuple[float, ...]:
        return from_axes(self, point)

    def to_local(self, point: Numbers) -> tuple[float, ...]:
        return to_axes(self, point)


def _is_long(value: Any) -> bool:
    """Whether something has three parts."""
    return hasattr(value, "__len__") and is_list(value) and not isinstance(value, (str, bytes)) and len(value) == 3


class Ground(Body):
    """The body that does not move; its axes are the global ones."""

    label = "ground"
    change_advice = "add a Body and a Weld or a Driver instead"

    def __init__(self, dim: int = 2) -> None:
        super().__init__("ground", 0.0, position=(0.0,) * dim)
        self.fixed = True

    def __repr__(self) -> str:
        return "<ground>"

    def _check_assignment(self, key: str, value: Any) -> Any:
        if "_unsealed" not in self.__dict__:
            raise self._assignment_error(key)
        return super()._check_assignment(key, value)
