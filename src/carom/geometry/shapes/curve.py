"""Curves: planar profiles (cams, cartilage, teeth), and wires or tubes in 3D."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from carom.argument_checks import boolean, is_list, non_negative, short_repr
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, box_around, unbounded
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.drawing import DrawnShape
from carom.geometry.fitted_path import FittedPath
from carom.geometry.planar_outline import CORNER_ANGLE, joint_turnings, outline_parameters
from carom.geometry.planar_path import Path
from carom.geometry.polynomial_path import PolynomialPath
from carom.geometry.profiles.base import Profile
from carom.geometry.self_intersection import self_intersection
from carom.geometry.shapes.base import CONTOUR_POINTS, EXTENT_POINTS, TUBE_POINTS, Shape
from carom.geometry.spline import PiecewisePath, Spline
from carom.geometry.tessellation import Triangles, tube_triangles
from carom.typing import BodyLike, MatrixLike, PointLike, RangeLike


class Curve(Shape):
    """Profile in the xy-plane of the body: cubic spline through ``points`` [m] over chord length.

    ``corners`` are the indices of points at which it may have a corner, so that it consists of pieces: straight lines
    through two points, splines through more. ``arcs`` are the indices of the middle points of circular arcs from the
    point before to the point behind, which begin and end pieces, too. ``points`` may be a profile of `carom.profiles`.

    A closed curve is solid inside, whatever the order of its points; with ``inside=True`` it is a cavity. An open curve
    is solid to the right of its direction, below a graph drawn from left to right; with ``flip=True`` to the left. The
    range of its parameter s is ``span``, here the chord length [m]. With points (x, y, z) on a spatial body it is a
    wire, or a tube of ``radius`` [m] around it, without sides.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 1.0))
    >>> cm.Curve(ball, [(0.1, 0.0), (0.0, 0.1), (-0.1, 0.0), (0.0, -0.1)], closed=True).closed
    True
    """

    kind = "Curve"
    styles = {"f": (("s",),)}

    side: float
    radius = 0.0

    def __init__(
        self,
        body: BodyLike,
        points: MatrixLike | Profile,
        closed: bool = False,
        inside: bool = False,
        flip: bool = False,
        radius: float = 0.0,
        corners: Iterable[int] = (),
        arcs: Iterable[int] = (),
    ):
        super().__init__(body)
        if isinstance(points, Profile):
            profile = points
            if closed or corners or arcs or flip:
                raise ModelError(f"{self.label}: a profile has its corners and is closed; omit other arguments")
            if profile.radius > 0.0:
                raise ModelError(f"{self.label}: {profile.label} has rounded corners; use a Polygon")
            points, closed, corners, arcs = profile.points, True, profile.corners, profile.arcs
        radius = non_negative(self.label, "radius", radius)
        for name, indices in (("corners", corners), ("arcs", arcs)):
            if not is_list(indices):
                raise ModelError(f"{self.label}: {name} must be a list of indices of points, got {short_repr(indices)}")
        corners, arcs = tuple(corners), tuple(arcs)
        if not self.planar and _width(points) == 3:
            if inside or flip:
                raise ModelError(f"{self.label}: a curve in 3D has no sides; omit inside and flip")
            if corners or arcs:
                raise ModelError(f"{self.label}: a curve in 3D is smooth; omit corners and arcs")
            self._set_spatial_path(Spline(self.label, points, closed, 3), radius)
            return
        if radius > 0.0:
            raise ModelError(f"{self.label}: radius is for tubes in 3D; omit it for a planar profile")
        path = (
            PiecewisePath(self.label, points, closed, corners, arcs)
            if corners or arcs
            else Spline(self.label, points, closed)
        )
        self._set_planar_path(path, inside, flip)

    @classmethod
    def polynomial(
        cls, body: BodyLike, x: Sequence[float], y: Sequence[float], span: RangeLike, flip: bool = False
    ) -> Curve:
        """Return the curve x(s), y(s) [m] from coefficients in rising powers, for s in ``span`` = (low, high)."""
        arguments = (body, x, y, span, flip)
        return cls._from_path("polynomial", arguments, lambda label: PolynomialPath(label, x, y, span), False, flip)

    @classmethod
    def function(
        cls,
        body: BodyLike,
        f: Callable[[float], PointLike],
        span: RangeLike,
        closed: bool = False,
        inside: bool = False,
        flip: bool = False,
    ) -> Curve:
        """Return the curve of a smooth function f(s) -> (x, y) [m] for s in ``span``, fitted to 1e-13 of its size."""
        arguments = (body, f, span, closed, inside, flip)
        return cls._from_path("function", arguments, lambda label: FittedPath(label, f, span, closed), inside, flip)

    @classmethod
    def _from_path(
        cls, maker: str, arguments: tuple[Any, ...], path: Callable[[str], Path], inside: bool, flip: bool
    ) -> Curve:
        curve = cls.__new__(cls)
        curve._start_init(arguments, {})
        curve.constructor_method = maker
        Shape.__init__(curve, arguments[0])
        curve._set_planar_path(path(curve.label), inside, flip)
        curve._seal()
        return curve

    def _set_planar_path(self, path: Path, inside: bool, flip: bool) -> None:
        """Set path, side and kernel parameters of a planar profile."""
        self.inside, self.flip = boolean(self.label, "inside", inside), boolean(self.label, "flip", flip)
        if inside and not path.closed:
            raise ModelError(
                f"{self.label}: an open curve has no inside; use flip=True for the solid on the other side"
            )
        if flip and path.closed:
            raise ModelError(f"{self.label}: a closed curve is solid inside; use inside=True for a cavity")
        self.path, self.closed = path, path.closed
        s = path.samples(512, per_segment=8)
        points = path.spline(s)
        self._check(s, points)
        self.side = self._side(points)
        turnings = joint_turnings(path, self.side, path.pieces)
        self.has_corners = any(abs(turning) > CORNER_ANGLE for turning in turnings)
        self.parameters = (self.side, *path.parameters())

    def _set_spatial_path(self, path: Path, radius: float) -> None:
        """Set path and radius of a wire or tube."""
        self.path, self.closed, self.radius = path, path.closed, radius
        self.side, self.inside, self.flip = 0.0, False, False
        self.thin = radius == 0.0
        self._check_cusps(path.samples(512, per_segment=8))
        self.has_corners = False
        self.parameters = (radius,)

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments; those of a profile are its points, corners and arcs."""
        keywords = super().keywords()
        profile = keywords.get("points")
        if isinstance(profile, Profile):
            points = [[float(x), float(y)] for x, y in profile.points]
            keywords |= {"points": points, "closed": True, "corners": profile.corners, "arcs": profile.arcs}
        return keywords

    @cached_property
    def outline_parameters(self) -> tuple[float, ...]:
        """Its outline as pair kernels read it."""
        return outline_parameters(self.path, self.side, self.path.pieces, has_far_side=self.closed and not self.inside)

    @property
    def span(self) -> tuple[float, float]:
        """Range of the parameter."""
        return self.path.span

    def point_at(self, s: float) -> tuple[float, ...]:
        """Return the point with parameter ``s``, in body axes [m]."""
        return tuple(float(part) for part in self.path.spline(s))

    def radius_at(self, s: float) -> float:
        """Return the radius of curvature at ``s`` [m]: positive where convex or in 3D, negative where concave."""
        low, high = self.span
        if not (self.closed or low <= s <= high):
            return math.inf
        if self.side == 0.0:
            velocity = self.path.spline(s, 1)
            curvature = float(
                np.linalg.norm(np.cross(velocity, self.path.spline(s, 2))) / np.linalg.norm(velocity) ** 3
            )
        else:
            curvature = -self.side * float(self.path.curvature(s))
        return 1.0 / curvature if curvature != 0.0 else math.inf

    def bounding_box(self) -> BoundingBox:
        """Return centre and half side lengths of the bounding box in body axes [m].

        An open curve is continued beyond its ends, and the solid around a cavity has no bounds.
        """
        if not self.closed or self.inside:
            return unbounded()
        points = self.path.extreme_points()
        return box_around(np.pad(points, ((0, 0), (0, 3 - points.shape[1]))), self.radius)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains a closed planar solid; None for other curves."""
        if self.side == 0.0 or not self.closed or self.inside:
            return None
        return sphere_around(np.pad(self.path.extreme_points(), ((0, 0), (0, 1))))

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return tube_triangles(self.outline(TUBE_POINTS), self.radius)

    def drawing(self) -> DrawnShape:
        """Return the shape as plain numbers for drawings."""
        if not self.planar:
            return super().drawing()
        line = self.outline(CONTOUR_POINTS)[:, :2]
        line = line[::-1] if self.side < 0.0 else line  # the solid is on the right
        extent_points = self.outline(EXTENT_POINTS)[:, :2]
        return self._drawing(one_sided=not self.closed, line=line, extent_points=extent_points)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along the curve [m]."""
        points = self.path.spline(np.linspace(*self.span, n))
        return points if self.side == 0.0 else self._in_body_dimension(np.column_stack([points, np.zeros(n)]))

    def _check_cusps(self, s: np.ndarray) -> None:
        """Raise for a path with a cusp, other than a corner."""
        for first, last in self.path.pieces:
            low, high = self.path.knots[first], self.path.knots[last]
            self._check_cusps_of_piece(s[(s >= low) & (s <= low + (1.0 - 1e-9) * (high - low))])

    def _check_cusps_of_piece(self, s: np.ndarray) -> None:
        velocity = self.path.spline(s, 1)
        speed = np.hypot.reduce(velocity, axis=1)
        tangent = velocity / np.maximum(speed, np.finfo(float).tiny)[:, None]
        sharp = np.flatnonzero(np.sum(tangent[:-1] * tangent[1:], axis=1) < -0.5)
        if len(sharp):
            where = ", ".join(f"{part:.6g}" for part in self.path.spline(s[sharp[0]]))
            raise ModelError(f"{self.label}: the curve has a cusp at ({where}); remove it")

    def _check(self, s: np.ndarray, points: np.ndarray) -> None:
        """Raise for a path that stops, has a cusp or intersects itself."""
        self._check_cusps(s)
        speed = np.hypot(*self.path.spline(s, 1).T)
        slowest = self._slowest(s, int(np.argmin(speed)))
        if np.hypot(*self.path.spline(slowest, 1)) <= 1e-6 * np.median(speed):
            raise ModelError(
                f"{self.label}: dx/ds and dy/ds both vanish at s = {slowest:.6g}; choose another parameter"
            )
        where = self_intersection(points, self.closed)
        if where is not None:
            step = 1e-4 * float(np.ptp(points, axis=0).max())  # resolution of the chords
            x, y = (step * round(value / step) for value in where)
            raise ModelError(f"{self.label}: the curve intersects itself at ({x:.4g}, {y:.4g})")

    def _slowest(self, s: np.ndarray, k: int) -> float:
        """Return the parameter near ``s[k]`` with the smallest derivative."""
        low, high = s[max(k - 1, 0)], s[min(k + 1, len(s) - 1)]
        for _ in range(8):
            near = np.linspace(low, high, 33)
            k = int(np.argmin(np.hypot(*self.path.spline(near, 1).T)))
            low, high = near[max(k - 1, 0)], near[min(k + 1, 32)]
        return float(near[k])

    def _side(self, points: np.ndarray) -> float:
        """Return 1.0 if the solid is to the right of growing s, −1.0 if it is to the left."""
        if not self.closed:
            return -1.0 if self.flip else 1.0
        x, y = points.T
        area = 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])  # positive: counterclockwise, with the inside to the left
        return 1.0 if (area > 0.0) == self.inside else -1.0


def _width(points: Any) -> int:
    """Return the number of coordinates of the first point, 0 without points."""
    try:
        return len(points[0])
    except (TypeError, IndexError, KeyError):
        return 0
