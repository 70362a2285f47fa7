"""Interface of profiles: closed outlines of planar parts, for `Curve` and `Polygon`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from carom.init_arguments import InitArguments

FLANK_POINTS = 33
"""Points along a curved flank."""


class Profile(InitArguments):
    """Closed outline through ``points`` [m], counterclockwise, in its own axes.

    ``corners`` are the indices of points at which it may have a corner, ``arcs`` those of the middle points of circular
    arcs, as in `carom.Curve`: ``cm.Curve(body, profile)`` places it on a body. A profile of straight sides with a
    ``radius`` [m] of its corners belongs to a polygon: ``cm.Polygon(body, profile)``.

    Examples
    --------
    >>> import carom as cm
    >>> isinstance(cm.profiles.RoundedRectangle(0.04, 0.02, 0.003), cm.profiles.Profile)
    True
    """

    points: np.ndarray
    corners: tuple[int, ...] = ()
    arcs: tuple[int, ...] = ()
    radius: float = 0.0

    @property
    def label(self) -> str:
        """Name of the profile in messages."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.label} profile>"

    def __len__(self) -> int:
        return len(self.points)

    def _set_outline(self, outline: OutlineBuilder) -> None:
        self.points = np.array(outline.points)
        self.corners, self.arcs = tuple(outline.corners), tuple(outline.arcs)


class OutlineBuilder:
    """Points of an outline, added piece by piece in its order; each piece begins where the one before it ends."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []
        self.corners: list[int] = []
        self.arcs: list[int] = []

    def corner(self, point: np.ndarray | tuple[float, float]) -> None:
        """Add the beginning of a piece."""
        self.corners.append(len(self.points))
        self.points.append((float(point[0]), float(point[1])))

    def arc(self, start: np.ndarray, middle: np.ndarray) -> None:
        """Add the beginning and the middle of a circular arc."""
        self.corner(start)
        self.arcs.append(len(self.points))
        self.points.append((float(middle[0]), float(middle[1])))

    def curve(self, points: np.ndarray) -> None:
        """Add the points of a smooth piece without its end."""
        self.corner(points[0])
        self.points += [(float(x), float(y)) for x, y in points[1:-1]]

    def repeat(self, count: int) -> None:
        """Repeat everything, rotated about the origin, so that it is there ``count`` times around a circle."""
        part, corners, arcs = np.array(self.points), list(self.corners), list(self.arcs)
        for k in range(1, count):
            self.corners += [k * len(part) + index for index in corners]
            self.arcs += [k * len(part) + index for index in arcs]
            self.points += [(float(x), float(y)) for x, y in rotated(part, 2.0 * np.pi * k / count)]


def rotated(points: np.ndarray, angle: float) -> np.ndarray:
    """Return points rotated about the origin by ``angle`` [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points) @ np.array([[c, s], [-s, c]])


def polar(radius: float, angle: float) -> np.ndarray:
    """Return the point at ``radius`` [m] and ``angle`` [rad]."""
    return radius * np.array([np.cos(angle), np.sin(angle)])


def bisect(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a function that changes its sign between ``low`` and ``high``."""
    rises = f(high) > 0.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (f(middle) > 0.0) == rises:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)
