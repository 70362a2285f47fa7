"""Layout of the drawing of a planar mechanism: outlines of the bodies, extent, symbol size, rails and supports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.geometry.drawing import GROUND, DrawnLink, DrawnShape, Symbol
from carom.geometry.marker import Marker
from carom.result.drawing_data import DrawingData
from carom.result.result import Result
from carom.scene.guides import Rail, guide_sides, merge_rails
from carom.scene.symbol_geometry import clip_line, to_global

PROFILE_MARGIN = 0.25
"""Distance from all other parts up to which a profile is shown, relative to their diagonal [-]."""
PATH_POINTS = 1500
"""Number of times at which the motion is sampled."""
MAX_POSES = 1_000_000
"""Largest number of poses of all bodies at these times, for more bodies as many times as nodes."""
STILL_REACH = 10.0
"""Distance up to which a drawing before a run includes a plane, relative to the diagonal of all other parts [-]."""
SYMBOL = 0.028
"""Size of pins and bearings relative to the diagonal of a drawing [-]."""

Point = tuple[float, float]


class SampledPoses:
    """Positions of points of planar bodies at the nodes of a sampled result."""

    def __init__(self, result: Result):
        self.result = result
        self.t = result.t

    def angle(self, body: Any) -> np.ndarray:
        """Return the angles (n,) of ``body`` [rad]; zero for the ground."""
        return self.result[body].angle if body in self.result else np.zeros(len(self.t))

    def point(self, body: Any, at: Any) -> np.ndarray:
        """Return the global positions (n, 2) [m] of the point ``at`` in the axes of ``body``."""
        return self.result[body].point(*at) if body in self.result else np.tile(np.array(at, float), (len(self.t), 1))

    def points(self, body: Any, at: np.ndarray, k: int) -> np.ndarray:
        """Return the global positions (m, 2) [m] of points ``at`` (m, 2) in the axes of ``body`` at node ``k``."""
        if body not in self.result:
            return np.asarray(at, float)
        return to_global(at, float(self.result[body].angle[k]), self.result[body].position[k])

    def displacement(self, link: DrawnLink) -> np.ndarray:
        """Return the displacement (n,) [m] of the point of ``b`` along the axis of a sliding joint."""
        angle = self.angle(link.a) + link_angle(link)
        offset = self.point(link.b, link.at_b) - self.point(link.a, link.at_a)
        return offset[:, 0] * np.cos(angle) + offset[:, 1] * np.sin(angle)


def link_angle(link: DrawnLink) -> float:
    """Return the angle of the axis of a planar sliding joint in the axes of its first body [rad]."""
    return float(link.axis)  # type: ignore[arg-type]


@dataclass
class MechanismGeometry:
    """Links and shapes of a planar system, and the points that outline each body, by the names of the bodies."""

    bodies: list[str]
    links: list[DrawnLink]
    shapes: list[DrawnShape] = field(default_factory=list)
    outlines: dict[str, list[Point]] = field(default_factory=dict)

    def shapes_on(self, body: str) -> list[DrawnShape]:
        """Return the shapes fixed on ``body``."""
        return [shape for shape in self.shapes if shape.body == body]

    def extent(self, poses: SampledPoses) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower left and upper right corner of all drawn parts during the run [m]; planes do not count."""
        clouds = [poses.point(body, at) for body in self.bodies for at in self.outlines[body]]
        clouds += [
            poses.point(body, at)
            for link in self.links
            for body, at in ((link.a, link.at_a), (link.b, link.at_b))
            if not link.symbol.slides or body == link.b
        ]
        clouds += [poses.point(link.b, corner) for link in self.links for corner in link.corners]
        profiles = []
        for shape in self.shapes:
            paths = [poses.point(shape.body, (x, y)) for x, y in extent_points(shape).tolist()]
            if shape.one_sided:
                profiles.append(np.concatenate(paths))
            else:
                clouds += [path + offset for path in paths for offset in (-shape.radius, shape.radius)]
        points = np.concatenate(clouds or profiles or [np.zeros((1, 2))])
        points = np.concatenate([points, *(visible_profile(profile, points) for profile in profiles)])
        return self._include_planes(poses, points.min(axis=0), points.max(axis=0))

    def _include_planes(self, poses: SampledPoses, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Extend the corners to planes that a shape approaches, unless they are farther away than the diagonal."""
        is_still = poses.t[0] == poses.t[-1]  # Nothing shows yet what a body will reach.
        diagonal = (STILL_REACH if is_still else 1.0) * float(np.hypot(*(high - low)))
        for plane in (shape for shape in self.shapes if shape.is_plane):
            if plane.body in self.bodies:
                continue
            at, normal = np.array(plane.at[:2]), np.array(plane.normal[:2])
            for shape in (shape for shape in self.shapes if not shape.is_plane and shape.body in self.bodies):
                path = np.concatenate([poses.point(shape.body, (x, y)) for x, y in extent_points(shape)])
                distance = (path - at) @ normal
                nearest = int(np.argmin(np.abs(distance)))
                if abs(distance[nearest]) <= diagonal:
                    projection = path[nearest] - distance[nearest] * normal
                    low, high = np.minimum(low, projection), np.maximum(high, projection)
        return low, high


def visible_profile(profile: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the points of a profile near the ``others``; all points if the profile is much larger than they are.

    The ends of a long profile may lie outside the picture.
    """
    low, high = others.min(axis=0), others.max(axis=0)
    size = float(np.hypot(*(high - low)))
    if size < PROFILE_MARGIN * float(np.hypot(*np.ptp(profile, axis=0))):
        return profile
    margin = PROFILE_MARGIN * size
    return profile[np.all((profile >= low - margin) & (profile <= high + margin), axis=1)]


def extent_points(shape: DrawnShape) -> np.ndarray:
    """Return the points (m, 2) that give the extent of a planar shape [m]."""
    return np.zeros((0, 2)) if shape.extent_points is None else shape.extent_points


def mechanism_geometry(
    bodies: Iterable[str], data: DrawingData, poses: SampledPoses, trace: Iterable[Any] = ()
) -> MechanismGeometry:
    """Return the geometry of a planar mechanism; markers in ``trace`` belong to the outlines of their bodies."""
    names = list(bodies)
    geometry = MechanismGeometry(names, list(data.links), list(data.shapes), {name: [] for name in names})
    for link in geometry.links:
        slides = link.symbol.slides
        _add_to_outline(geometry, link.b, [link.at_b])
        if slides and link.a != GROUND:  # a guide on a moving body is as long as the displacement along it
            displacement = poses.displacement(link)
            unit = (math.cos(link_angle(link)), math.sin(link_angle(link)))
            ends = [
                (link.at_a[0] + s * unit[0], link.at_a[1] + s * unit[1])
                for s in (displacement.min(), displacement.max())
            ]
            _add_to_outline(geometry, link.a, ends)
        elif not slides and link.symbol is not Symbol.PIN_IN_SLOT:
            _add_to_outline(geometry, link.a, [link.at_a])
    for shape in geometry.shapes:
        if shape.is_capsule:
            _add_to_outline(geometry, shape.body, extent_points(shape).tolist())
    for item in trace:
        if isinstance(item, Marker):
            _add_to_outline(geometry, item.body.name, [item.at])
    for name in names:
        if len(geometry.outlines[name]) < 2:
            _add_to_outline(geometry, name, [(0.0, 0.0)])
    return geometry


def _add_to_outline(geometry: MechanismGeometry, body: str, points: Iterable[Any]) -> None:
    """Add the points that the outline of ``body`` does not contain yet; the ground has no outline."""
    known = geometry.outlines.get(body)
    if known is None:
        return
    for x, y, *_ in points:
        if all(math.dist((x, y), other) > 1e-9 * (1.0 + math.hypot(x, y)) for other in known):
            known.append((float(x), float(y)))


class DrawingLayout:
    """Geometry, extent and symbols of a planar mechanism during a run; ``bodies`` are names."""

    def __init__(self, bodies: Iterable[str], data: DrawingData | None, result: Result, trace: Sequence[Any] = ()):
        self.result = result
        count = min(PATH_POINTS, max(MAX_POSES // max(len(result.bodies), 1), len(result.t)))
        self.poses = SampledPoses(result.sample(np.linspace(result.t[0], result.t[-1], count)))
        self.geometry = mechanism_geometry(bodies, data or DrawingData(2, (0.0, 0.0)), self.poses, trace)
        self._set_extent(*self.geometry.extent(self.poses))

    def _set_extent(self, low: np.ndarray, high: np.ndarray) -> None:
        """Set the corners of the picture, with a margin around all parts, and the size of symbols [m]."""
        self._extent = low, high
        self.size = SYMBOL * max(float(np.hypot(*(high - low))), 1e-9)
        """Size of pins and bearings [m]."""
        self.low, self.high = low - 2.2 * self.size, high + 2.2 * self.size

    def include(self, low: np.ndarray, high: np.ndarray) -> None:
        """Extend the picture to the corners ``low`` and ``high`` [m] of parts that the layout does not contain."""
        self._set_extent(np.minimum(low, self._extent[0]), np.maximum(high, self._extent[1]))

    def box_size(self, body: str) -> float:
        """Return the size of the box of a slider [m]; smaller than its shapes, which are drawn to scale."""
        reach = [np.hypot(*points.T).max() + radius for points, radius in self._extents(body)]
        return min(self.size, 0.5 * float(max(reach))) if reach else self.size

    def rails(self) -> list[Rail]:
        """Return the segments of the ground along which bodies slide."""
        rails: list[Rail] = []
        for link in (link for link in self.geometry.links if link.a == GROUND):
            if link.symbol.has_rail:
                displacement, angle = self.poses.displacement(link), link_angle(link)
                start = to_global([(0.0, -self._height(link))], angle, link.at_a)[0]
                rails.append(
                    Rail(start, angle, displacement.min() - 1.6 * self.size, displacement.max() + 1.6 * self.size)
                )
            elif link.symbol is Symbol.GUIDE:
                rails += self.guide(link)
        return merge_rails(rails)

    def supports(self) -> list[tuple[float, ...]]:
        """Return the points of the ground at which bodies are supported [m]."""
        links = [link for link in self.geometry.links if GROUND in (link.a, link.b)]
        return [
            link.at_a if link.a == GROUND else link.at_b
            for link in links
            if link.symbol.has_support or link.a != GROUND
        ]

    def guide(self, link: DrawnLink) -> tuple[Rail, Rail]:
        """Return the sides of the guide of a slider with clearance, in the axes of the guide."""
        displacement, (length, width, clearance) = self.poses.displacement(link), link.sizes
        beyond = 0.5 * length + 0.8 * self.size
        half_width = 0.5 * width + clearance
        return guide_sides(
            np.array(link.at_a), link_angle(link), half_width, displacement.min() - beyond, displacement.max() + beyond
        )  # fmt: skip

    def visible_segment(self, line: np.ndarray) -> np.ndarray | None:
        """Return the segment (2, 2) of an infinite line inside the picture; None if it lies outside."""
        return clip_line(line[0], math.atan2(*(line[-1] - line[0])[::-1]), self.low, self.high)

    def is_disc(self, body: str) -> bool:
        """Return True if the body has one joint at most and is drawn as a disc about its centre of mass."""
        points = self.geometry.outlines[body]
        return points[-1] == (0.0, 0.0) and len(points) <= 2

    def _extents(self, body: str) -> list[tuple[np.ndarray, float]]:
        shapes = self.geometry.shapes_on(body)
        return [(extent_points(shape), shape.radius) for shape in shapes if not shape.is_plane]

    def _height(self, link: DrawnLink) -> float:
        """Return the height of a slider above its rail [m]."""
        if link.symbol is Symbol.PINION:
            return link.sizes[0]
        return max([0.6 * self.box_size(link.b), *(radius for _, radius in self._extents(link.b))])
