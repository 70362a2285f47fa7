"""The bare bones of a planar mechanism: which points of which body are joined, and how."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.geometry.marker import Marker
from carom.plot.symbols import turned
from carom.result.result import Result
from carom.result.sketch import GROUND, Link, Sketch, Skin

SLIDES = ("Prismatic", "PrismaticClearance", "PointOnLine")
"""Links in which a point of the second body moves along the first one."""

Point = tuple[float, float]

NEAR = 0.25
"""A profile is in the picture as far as this part of the diagonal beyond everything else."""


class Poses:
    """Where points of bodies are along a run, at the times it was sampled."""

    def __init__(self, result: Result):
        self.result = result
        self.t = result.t

    def angle(self, body: Any) -> np.ndarray:
        return self.result[body].angle if body in self.result else np.zeros(len(self.t))

    def point(self, body: Any, at: Any) -> np.ndarray:
        """(n, 2) of a point in the axes of ``body`` (the ground's are global)."""
        return self.result[body].point(*at) if body in self.result else np.tile(np.array(at, float), (len(self.t), 1))

    def points(self, body: Any, at: np.ndarray, k: int) -> np.ndarray:
        """(m, 2) of points (m, 2) in the axes of ``body``, at the ``k``-th time."""
        if body not in self.result:
            return np.asarray(at, float)
        return turned(at, float(self.result[body].angle[k]), self.result[body].position[k])

    def seen_from(self, link: Link) -> np.ndarray:
        """Displacement (n,) of the point of ``b`` along the axis of a slide, from the point of ``a``."""
        turned = self.angle(link.a) + axis_of(link)
        apart = self.point(link.b, link.at_b) - self.point(link.a, link.at_a)
        return apart[:, 0] * np.cos(turned) + apart[:, 1] * np.sin(turned)


def axis_of(link: Link) -> float:
    """Angle of the axis of a planar slide [rad], in the axes of its first body."""
    return float(link.axis)  # type: ignore[arg-type]


@dataclass
class Skeleton:
    """Links of a system, the shapes of its contacts, and the points that outline each body, by the bodies' names."""

    bodies: list[str]
    links: list[Link]
    skins: list[Skin] = field(default_factory=list)
    outlines: dict[str, list[Point]] = field(default_factory=dict)

    def skins_on(self, body: str) -> list[Skin]:
        return [skin for skin in self.skins if skin.body == body]

    def extent(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Lower left and upper right corner of everything drawn, along the run; walls have no part in it."""
        clouds = [poses.point(body, at) for body in self.bodies for at in self.outlines[body]]
        clouds += [poses.point(*end) for link in self.links for end in ((link.a, link.at_a), (link.b, link.at_b))
                   if link.kind not in SLIDES or end[0] == link.b]  # fmt: skip
        clouds += [poses.point(link.b, corner) for link in self.links for corner in link.corners]
        profiles = []
        for skin in self.skins:
            radius = skin.radius
            paths = [poses.point(skin.body, (x, y)) for x, y in spots_of(skin).tolist()]
            if skin.one_sided:
                profiles.append(np.concatenate(paths))
            else:
                clouds += [path + side for path in paths for side in (-radius, radius)]
        every = np.concatenate(clouds or profiles or [np.zeros((1, 2))])
        every = np.concatenate([every, *(in_sight(profile, every) for profile in profiles)])
        return self._with_walls(poses, every.min(axis=0), every.max(axis=0))

    def _with_walls(self, poses: Poses, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The corners moved to show a wall that a shape comes near, where that is no farther than all else is wide."""
        far = float(np.hypot(*(high - low)))
        for wall in (skin for skin in self.skins if skin.wall):
            if wall.body in self.bodies:
                continue
            at, normal = np.array(wall.at[:2]), np.array(wall.normal[:2])
            for skin in (skin for skin in self.skins if not skin.wall and skin.body in self.bodies):
                path = np.concatenate([poses.point(skin.body, (x, y)) for x, y in spots_of(skin)])
                away = (path - at) @ normal
                nearest = int(np.argmin(np.abs(away)))
                if abs(away[nearest]) <= far:
                    foot = path[nearest] - away[nearest] * normal
                    low, high = np.minimum(low, foot), np.maximum(high, foot)
        return low, high


def in_sight(profile: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """The points of a profile not too far from the ``rest``, where that is not much smaller than the profile.

    The ends of a long profile may lie outside the picture.
    """
    low, high = rest.min(axis=0), rest.max(axis=0)
    size = float(np.hypot(*(high - low)))
    if size < NEAR * float(np.hypot(*np.ptp(profile, axis=0))):
        return profile
    return profile[np.all((profile >= low - NEAR * size) & (profile <= high + NEAR * size), axis=1)]


def spots_of(skin: Skin) -> np.ndarray:
    """The points (m, 2) by which a planar skin is measured."""
    return np.zeros((0, 2)) if skin.spots is None else skin.spots


def skeleton(bodies: Iterable[str], sketch: Sketch, poses: Poses, trace: Iterable[Any] = ()) -> Skeleton:
    """Bones from a sketch; markers in ``trace`` belong to their bodies' outlines too."""
    names = list(bodies)
    bones = Skeleton(names, list(sketch.links), list(sketch.skins), {name: [] for name in names})
    for link in bones.links:
        slide = link.kind in SLIDES
        _outline(bones, link.b, [link.at_b])
        if slide and link.a != GROUND:  # a slot is as long as the way along it
            ways = poses.seen_from(link)
            unit = (math.cos(axis_of(link)), math.sin(axis_of(link)))
            ends = [(link.at_a[0] + s * unit[0], link.at_a[1] + s * unit[1]) for s in (ways.min(), ways.max())]
            _outline(bones, link.a, ends)
        elif not slide and link.kind != "PointOnCurve":
            _outline(bones, link.a, [link.at_a])
    for skin in bones.skins:
        if skin.kind in ("Sphere", "Segment"):
            _outline(bones, skin.body, spots_of(skin).tolist())
    for item in trace:
        if isinstance(item, Marker):
            _outline(bones, item.body.name, [item.at])
    for name in names:
        if len(bones.outlines[name]) < 2:
            _outline(bones, name, [(0.0, 0.0)])
    return bones


def _outline(bones: Skeleton, body: str, points: Iterable[Any]) -> None:
    known = bones.outlines.get(body)
    if known is None:  # the ground
        return
    for x, y, *_ in points:
        if all(math.dist((x, y), other) > 1e-9 * (1.0 + math.hypot(x, y)) for other in known):
            known.append((float(x), float(y)))
