"""Rigid bodies in 2D and 3D."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from carom.argument_checks import finite_float, is_list, non_negative, short_repr, vector
from carom.errors import ModelError
from carom.geometry.marker import Marker
from carom.geometry.pose import from_axes, to_axes
from carom.geometry.rotation import matrix_of, rotation
from carom.init_arguments import Check, Sealed
from carom.typing import FilePath, MatrixLike, OrientationLike, PointLike, VectorLike

if TYPE_CHECKING:
    from carom.geometry.shapes import Shape

INERTIA_TOLERANCE = 1e-9
"""Largest relative violation of the triangle inequality of the principal inertias [-], attributed to rounding."""


def _two(owner: str, what: str, value: Any) -> tuple[float, ...]:
    return vector(owner, what, value, 2)


def _three(owner: str, what: str, value: Any) -> tuple[float, ...]:
    return vector(owner, what, value, 3)


def tensor(owner: str, what: str, value: Any) -> tuple[tuple[float, ...], ...]:
    """Return an inertia tensor from one number (sphere), three principal values or a symmetric 3×3 matrix."""
    if not is_list(value):
        moment = non_negative(owner, what, value)
        return _isotropic(moment)
    rows = list(islice(value, 4))  # the iterable may be infinite
    if len(rows) == 3 and all(map(is_list, rows)):
        matrix = np.array([vector(owner, f"{what}[{k}]", row, 3) for k, row in enumerate(rows)])
    else:
        moments = vector(owner, what, rows, 3)
        if moments[0] == moments[1] == moments[2] >= 0.0:
            return _isotropic(moments[0])
        matrix = np.diag(moments)
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-9 * size:
        raise ModelError(f"{owner}: {what} must be a symmetric matrix, got {matrix.tolist()}")
    matrix = 0.5 * matrix + 0.5 * matrix.T  # halved first, since the sum of two large numbers may overflow
    smallest, intermediate, largest = np.linalg.eigvalsh(matrix)
    if smallest < -1e-12 * size:
        raise ModelError(f"{owner}: {what} must have principal values that are positive or zero, got {smallest:g}")
    if largest > (smallest + intermediate) * (1.0 + INERTIA_TOLERANCE):
        raise ModelError(
            f"{owner}: {what} must obey the triangle inequality, no principal value above the sum of the others, "
            f"got {smallest:g}, {intermediate:g} and {largest:g}"
        )
    return tuple(tuple(float(part) for part in row) for row in matrix)


@lru_cache(maxsize=64)
def _isotropic(moment: float) -> tuple[tuple[float, ...], ...]:
    """Return the tensor of three equal moments, one object for all bodies of the same moment."""
    return (moment, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment)


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
    """Rigid body with mass [kg], inertia about the centre of mass [kg m²] and initial state.

    ``position`` [m] and ``velocity`` [m/s] are those of the centre of mass.

    In 2D ``inertia`` is a number, ``angle`` [rad] rotates the body axes, and ``angular_velocity`` [rad/s] is a number.

    In 3D ``inertia`` is one number (sphere), three principal values or a 3×3 tensor in body axes, ``orientation``
    rotates these axes (unit quaternion (w, x, y, z), rotation matrix or SciPy Rotation), and ``angular_velocity``
    [rad/s] has three components along the body axes. A body is spatial if one of these arguments has three components.

    Massless bodies are allowed where joints determine their motion.

    Examples
    --------
    >>> import carom as cm
    >>> cm.Body("crank", mass=0.5, inertia=1e-3, position=(0.1, 0.0), angular_velocity=10.0)
    <Body 'crank' 0.5 kg at (0.1, 0), 0 rad>
    >>> cm.Body("top", mass=1.0, inertia=(1e-2, 1e-2, 2e-2), position=(0.0, 0.0, 1.0)).dim
    3
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
    _shapes: tuple[Shape, ...] = ()

    def __init__(
        self,
        name: str,
        mass: float,
        inertia: float | VectorLike | MatrixLike = 0.0,
        position: PointLike | None = None,
        angle: float | None = None,
        velocity: VectorLike | None = None,
        angular_velocity: float | VectorLike | None = None,
        orientation: OrientationLike | None = None,
    ):
        if not isinstance(name, str) or not name:
            raise ModelError(f"Body: name must be a non-empty string, got {short_repr(name)}")
        self.name = name
        spatial = orientation is not None or _is_long(position) or _is_long(velocity)
        spatial = spatial or _is_long(inertia) or _is_long(angular_velocity)
        self.dim = 3 if spatial else 2
        if spatial and angle is not None:
            raise ModelError(
                f"Body {name!r}: angle is for planar bodies; set orientation=(w, x, y, z), got {short_repr(angle)}"
            )
        self.mass = mass
        self.inertia = inertia
        self.position = (0.0,) * self.dim if position is None else position  # type: ignore[assignment]
        self.velocity = (0.0,) * self.dim if velocity is None else velocity  # type: ignore[assignment]
        if spatial:
            self.orientation = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation  # type: ignore[assignment]
            self.angular_velocity = (0.0, 0.0, 0.0) if angular_velocity is None else angular_velocity
        else:
            self.angle = 0.0 if angle is None else angle
            self.angular_velocity = 0.0 if angular_velocity is None else angular_velocity

    @classmethod
    def from_shapes(
        cls,
        name: str,
        shapes: Sequence[Shape],
        density: float | Sequence[float],
        *,
        thickness: float | None = None,
        axes: Literal["shapes", "principal"] = "shapes",
        **motion: Any,
    ) -> Body:
        """Return the body that consists of ``shapes`` of a ``density`` [kg/m³], one for all or one per shape.

        The shapes are drawn on any body, a draft: the new body is where the shapes are, with the origin at their centre
        of mass and with the axes of the draft, or the principal axes of inertia. Its ``shapes`` are these shapes in its
        own axes, for contacts. Volumes add up: shapes that overlap count twice. Planar and thin shapes need a
        ``thickness`` [m]; 1.0 makes ``density`` a mass per area. ``motion`` are further arguments of a body: position,
        orientation, velocity …

        Examples
        --------
        >>> import carom as cm
        >>> draft = cm.Body("draft", 0.0, position=(0.0, 0.0, 0.0))
        >>> handle = cm.Cylinder(draft, axis=(0, 0, 1), radius=0.015, half_length=0.15)
        >>> head = cm.Box(draft, half=(0.06, 0.02, 0.02), at=(0.0, 0.0, 0.17))
        >>> hammer = cm.Body.from_shapes("hammer", [handle, head], density=[700.0, 7800.0])
        >>> round(hammer.mass, 4), [round(x, 4) for x in hammer.position]
        (1.646, [0.0, 0.0, 0.1547])
        """
        from carom.model.body_parts import from_shapes

        return from_shapes(cls, name, shapes, density, thickness, axes, motion)

    @classmethod
    def from_mesh(
        cls,
        mesh: FilePath | tuple[Any, Any],
        density: float,
        name: str | None = None,
        *,
        scale: float = 1.0,
        axes: Literal["shapes", "principal"] = "shapes",
        **motion: Any,
    ) -> Body:
        """Return the body of a closed mesh of a ``density`` [kg/m³]: a file (STL, OBJ, PLY …) or (vertices, faces).

        Its origin is the centre of mass, its axes are those of the mesh or the principal axes; by default it is where
        the mesh is in global axes. ``shapes`` contains the mesh in its own axes, for contacts. ``name`` is that of the
        file by default, ``scale`` multiplies all lengths, ``motion`` are further arguments of a body.

        Examples
        --------
        >>> import carom as cm
        >>> vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        >>> wedge = cm.Body.from_mesh((vertices, faces), density=600.0, name="wedge")
        >>> round(wedge.mass, 9), wedge.position
        (100.0, (0.25, 0.25, 0.25))
        """
        from carom.model.body_parts import from_mesh

        return from_mesh(cls, mesh, density, name, scale, axes, motion)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Shapes that the body was made from, by `from_shapes` or `from_mesh`, in its own axes."""
        return self._shapes

    def checked(self, key: str, value: Any) -> Any:
        """Return a value as an attribute stores it; raise unless the attribute can have it."""
        return self._check_assignment(key, value)

    def _check_assignment(self, key: str, value: Any) -> Any:
        check = (PLANAR if self.dim == 2 else SPATIAL).get(key)
        if check is None:
            raise self._assignment_error(key)
        return check(self.label, key, value)

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"Body {self.name!r}"

    def __repr__(self) -> str:
        position = ", ".join(f"{part:g}" for part in self.position)
        if self.dim == 2:
            turned = f"{self.angle:g} rad"
        else:
            turned = f"orientation ({', '.join(f'{part:g}' for part in self.orientation)})"
        return f"<Body {self.name!r} {self.mass:g} kg at ({position}), {turned}>"

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix (3×3) with the body axes as columns."""
        if self.dim == 3:
            return matrix_of(self.orientation)
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def point(self, *at: float) -> Marker:
        """Return the marker at (x, y) or (x, y, z) [m] in body axes, from the centre of mass."""
        return Marker(self, at)

    def marker(
        self, at: PointLike | None = None, angle: float = 0.0, orientation: OrientationLike | None = None
    ) -> Marker:
        """Return the marker at ``at`` [m] with axes rotated by ``angle`` [rad], in 3D by ``orientation``."""
        return Marker(self, (0.0,) * self.dim if at is None else at, angle, orientation)  # type: ignore[arg-type]

    def to_global(self, point: PointLike) -> tuple[float, ...]:
        """Return a point of body axes in global axes [m]."""
        return from_axes(self, point)

    def to_local(self, point: PointLike) -> tuple[float, ...]:
        """Return a point of global axes in body axes [m]."""
        return to_axes(self, point)


def _is_long(value: Any) -> bool:
    """Return True for a list of three items."""
    return hasattr(value, "__len__") and is_list(value) and not isinstance(value, (str, bytes)) and len(value) == 3


class Ground(Body):
    """Fixed body, whose axes are the global axes."""

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
