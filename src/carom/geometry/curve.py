"""Freeform profiles in a plane: cams, cartilages, teeth; and curves in space: wires, tubes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.errors import ModelError, not_negative, truth
from carom.geometry.crossing import crossing
from carom.geometry.fitted import FittedPath
from carom.geometry.path import Path
from carom.geometry.polynomial import PolynomialPath
from carom.geometry.shapes import Shape
from carom.geometry.spline import Spline

# Layout of a curve's numbers: side of the solid, 1.0 when convex everywhere, extent, largest distance from the body's
# origin, then how many cells the samples make and where they start; the path; the samples, end to end.
SIDE, CONVEX, SIZE, REACH, CELLS, SAMPLES, PATH = range(7)
# A sample: parameter, point, and the unit tangent that has the solid on its right.
SAMPLE = 5
S, X, Y, TX, TY = range(SAMPLE)

FEWEST_CELLS, MOST_CELLS = 64, 400
CELLS_A_RADIAN = 10.0
"""Of turning, as long as they are neither too few nor too many; so that a cell is nearly straight."""


class Curve(Shape):
    """A profile in the body's xy-plane: the cubic spline through ``points`` [m] over chord length.

    A closed curve is solid inside, whichever way its points run; with ``inside=True`` it is a cavity. An open curve is
    solid on the right of its way, below a graph drawn from left to right; with ``flip=True`` on the left. Its parameter
    s runs over ``span``: chord length [m] here. With points (x, y, z) on a body in space it is a wire, or a tube of
    ``radius`` [m] about it, without sides.
    """

    kind = "Curve"
    styles = {"f": (("s",),)}

    side: float
    radius = 0.0

    def __init__(
        self,
        body: Any,
        points: Sequence[Sequence[float]],
        closed: bool = False,
        inside: bool = False,
        flip: bool = False,
        radius: float = 0.0,
    ):
        super().__init__(body)
        radius = not_negative(self.label, "radius", radius)
        if not self.planar and _width(points) == 3:
            if inside or flip:
                raise ModelError(f"{self.label}: a curve in space has no sides for inside or flip to choose")
            self._lead(Spline(self.label, points, closed, 3), radius)
            return
        if radius > 0.0:
            raise ModelError(f"{self.label}: radius makes a tube of a curve in space; a profile in a plane has none")
        self._follow(Spline(self.label, points, closed), inside, flip)

    @classmethod
    def polynomial(cls, body: Any, x: Sequence[float], y: Sequence[float], span: Any, flip: bool = False) -> Curve:
        """x(s), y(s) [m] by coefficients in rising powers, for s in ``span`` = (low, high)."""
        given = (body, x, y, span, flip)
        return cls._on("polynomial", given, lambda label: PolynomialPath(label, x, y, span), False, flip)

    @classmethod
    def function(
        cls,
        body: Any,
        f: Callable[[float], Any],
        span: Any,
        closed: bool = False,
        inside: bool = False,
        flip: bool = False,
    ) -> Curve:
        """A smooth function f(s) -> (x, y) [m] for s in ``span``, fitted here and now to 1e-13 of its size."""
        given = (body, f, span, closed, inside, flip)
        return cls._on("function", given, lambda label: FittedPath(label, f, span, closed), inside, flip)

    @classmethod
    def _on(cls, maker: str, given: tuple[Any, ...], path: Callable[[str], Path], inside: bool, flip: bool) -> Curve:
        curve = cls.__new__(cls)
        curve._begin(given, {})
        curve.maker = maker
        Shape.__init__(curve, given[0])
        curve._follow(path(curve.label), inside, flip)
        curve._seal()
        return curve

    def _follow(self, path: Path, inside: bool, flip: bool) -> None:
        self.inside, self.flip = truth(self.label, "inside", inside), truth(self.label, "flip", flip)
        if inside and not path.closed:
            raise ModelError(f"{self.label}: an open curve has no inside; flip=True puts the solid on its other side")
        if flip and path.closed:
            raise ModelError(f"{self.label}: a closed curve is solid inside; inside=True makes it a cavity")
        self.path, self.closed = path, path.closed
        s = path.samples(512, each=8)
        points = path.spline(s)
        self._check(s, points)
        self.side = self._side(points)
        extent = float(np.ptp(points, axis=0).max())
        convex = bool(np.all(-self.side * path.curvature(s) * extent >= -1e-9))
        reach = float(np.hypot(*points.T).max())
        numbers, samples = path.numbers(), self._samples(s)
        head = (self.side, convex, extent, reach, len(samples) - 1, PATH + len(numbers))
        self.numbers = (*(float(value) for value in head), *numbers, *samples.ravel().tolist())

    def _lead(self, path: Path, radius: float) -> None:
        """Take a path through space."""
        self.path, self.closed, self.radius = path, path.closed, radius
        self.side, self.inside, self.flip = 0.0, False, False
        self.thin = radius == 0.0
        self._go_on(path.samples(512, each=8))
        self.numbers = (radius,)

    @property
    def span(self) -> tuple[float, float]:
        """Range of the parameter."""
        return self.path.span

    def point_at(self, s: float) -> tuple[float, ...]:
        """The point with parameter ``s``, in the body's own axes [m]."""
        return tuple(float(part) for part in self.path.spline(s))

    def radius_at(self, s: float) -> float:
        """Radius of curvature at ``s`` [m]: positive where the solid is convex or in space, negative where hollow."""
        low, high = self.span
        if not (self.closed or low <= s <= high):
            return math.inf
        if self.side == 0.0:
            velocity = self.path.spline(s, 1)
            bend = float(np.linalg.norm(np.cross(velocity, self.path.spline(s, 2))) / np.linalg.norm(velocity) ** 3)
        else:
            bend = -self.side * float(self.path.curvature(s))
        return 1.0 / bend if bend != 0.0 else math.inf

    def outline(self, n: int = 64) -> np.ndarray:
        points = self.path.spline(np.linspace(*self.span, n))
        return points if self.side == 0.0 else self._drawn(np.column_stack([points, np.zeros(n)]))

    def _go_on(self, s: np.ndarray) -> None:
        """Refuse a path that turns back."""
        velocity = self.path.spline(s, 1)
        speed = np.hypot.reduce(velocity, axis=1)
        tangent = velocity / np.maximum(speed, np.finfo(float).tiny)[:, None]
        sharp = np.flatnonzero(np.sum(tangent[:-1] * tangent[1:], axis=1) < -0.5)
        if len(sharp):
            where = ", ".join(f"{part:.6g}" for part in self.path.spline(s[sharp[0]]))
            raise ModelError(f"{self.label}: the curve turns back on itself at ({where}); leave the cusp out")

    def _check(self, s: np.ndarray, points: np.ndarray) -> None:
        """Refuse a path that stops, turns back or crosses itself."""
        self._go_on(s)
        speed = np.hypot(*self.path.spline(s, 1).T)
        slowest = self._slowest(s, int(np.argmin(speed)))
        if np.hypot(*self.path.spline(slowest, 1)) <= 1e-6 * np.median(speed):
            raise ModelError(
                f"{self.label}: dx/ds and dy/ds both vanish at s = {slowest:.6g}; choose another parameter"
            )
        where = crossing(points, self.closed)
        if where is not None:
            step = 1e-4 * float(np.ptp(points, axis=0).max())  # what the chords resolve
            x, y = (step * round(value / step) for value in where)
            raise ModelError(f"{self.label}: the curve crosses itself at ({x:.4g}, {y:.4g})")

    def _slowest(self, s: np.ndarray, k: int) -> float:
        """The parameter near the ``k``-th of ``s`` at which the point moves least."""
        low, high = s[max(k - 1, 0)], s[min(k + 1, len(s) - 1)]
        for _ in range(8):
            near = np.linspace(low, high, 33)
            k = int(np.argmin(np.hypot(*self.path.spline(near, 1).T)))
            low, high = near[max(k - 1, 0)], near[min(k + 1, 32)]
        return float(near[k])

    def _side(self, points: np.ndarray) -> float:
        """+1 when the solid is on the right of growing s, −1 when it is on the left."""
        if not self.closed:
            return -1.0 if self.flip else 1.0
        x, y = points.T
        area = 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])  # positive: counterclockwise, the inside on the left
        return 1.0 if (area > 0.0) == self.inside else -1.0

    def _samples(self, s: np.ndarray) -> np.ndarray:
        """Parameters, points and tangents, spread evenly over length and turning together."""
        velocity = self.path.spline(s, 1)
        turns = np.abs(np.diff(np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))))
        ways = np.hypot(*np.diff(self.path.spline(s), axis=0).T)
        share = ways / ways.sum() + (turns / turns.sum() if turns.sum() > 1e-9 else 0.0)
        cells = min(max(math.ceil(CELLS_A_RADIAN * turns.sum()), FEWEST_CELLS), MOST_CELLS)
        passed = np.concatenate([[0.0], np.cumsum(share)])
        at = np.interp(np.linspace(0.0, passed[-1], cells + 1), passed, s)
        velocity = self.path.spline(at, 1)
        tangent = self.side * velocity / np.hypot(*velocity.T)[:, None]
        samples = np.column_stack([at, self.path.spline(at), tangent])
        if self.closed:  # the same digits on both sides of the seam: no search can miss what is exactly there
            samples[-1, X:] = samples[0, X:]
        return samples


def _width(points: Any) -> int:
    """How many numbers the first point has; 0 where there is none."""
    try:
        return len(points[0])
    except (TypeError, IndexError, KeyError):
        return 0
