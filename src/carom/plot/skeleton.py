"""The bare bones of a planar mechanism: which points of which body are joined, and how."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.forces.registry import Bushing, Ligament, SpringDamper
from carom.geometry.marker import Marker
from carom.geometry.shapes import Plane, Segment, Sphere
from carom.joints.registry import Distance, PointOnCurve, PointOnLine, Prismatic, RackPinion, Revolute, Weld
from carom.model.body import Body
from carom.model.clearance import PrismaticClearance, RevoluteClearance
from carom.model.system import System
from carom.plot.skins import Skin, skins_of
from carom.plot.symbols import turned
from carom.result.result import Result

_SEEN = (
    Revolute, RevoluteClearance, Weld, Prismatic, PrismaticClearance, PointOnLine, PointOnCurve, Distance, RackPinion,
    SpringDamper, Ligament, Bushing,
)  # fmt: skip
"""Elements between a point of one body and a point of another; drivers, gears and torques show nothing."""

SLIDES = (Prismatic, PrismaticClearance, PointOnLine)
"""Those in which a point of the second body moves along the first one."""

Point = tuple[float, float]

NEAR = 0.25
"""A profile is in the picture as far as this part of the diagonal beyond everything else."""


@dataclass(frozen=True)
class Link:
    """A joint or force between a point of ``a`` and a point of ``b``, each in the axes of its body."""

    element: Any
    a: Body
    b: Body
    at_a: Point
    at_b: Point

    @property
    def kind(self) -> type:
        return type(self.element)

    @property
    def axis(self) -> float:
        """Angle of a slide's axis in the axes of ``a`` [rad]."""
        if isinstance(self.element, PrismaticClearance):
            return float(self.element.guide.angle)
        return math.atan2(self.element.parameters[6], self.element.parameters[5])

    @property
    def corners(self) -> list[Point]:
        """Of a slider with play, in the axes of ``b``, round about; none of anything else."""
        if not isinstance(self.element, PrismaticClearance):
            return []
        corners: list[Any] = [part.shapes[0] for part in self.element.parts]
        return [(corners[k].at[0], corners[k].at[1]) for k in (0, 1, 3, 2)]


class Poses:
    """Where points of bodies are along a run, at the times it was sampled."""

    def __init__(self, result: Result):
        self.result = result
        self.t = result.t

    def angle(self, body: Body) -> np.ndarray:
        return self.result[body].angle if body in self.result else np.zeros(len(self.t))

    def point(self, body: Body, at: Point) -> np.ndarray:
        """(n, 2) of a point in the axes of ``body`` (the ground's are global)."""
        return self.result[body].point(*at) if body in self.result else np.tile(np.array(at, float), (len(self.t), 1))

    def points(self, body: Body, at: np.ndarray, k: int) -> np.ndarray:
        """(m, 2) of points (m, 2) in the axes of ``body``, at the ``k``-th time."""
        if body not in self.result:
            return np.asarray(at, float)
        return turned(at, float(self.result[body].angle[k]), self.result[body].position[k])

    def seen_from(self, link: Link) -> np.ndarray:
        """Displacement (n,) of the point of ``b`` along the axis of a slide, from the point of ``a``."""
        turned = self.angle(link.a) + link.axis
        apart = self.point(link.b, link.at_b) - self.point(link.a, link.at_a)
        return apart[:, 0] * np.cos(turned) + apart[:, 1] * np.sin(turned)


@dataclass
class Skeleton:
    """Links of a system, the shapes of its contacts, and the points that outline each body."""

    bodies: list[Body]
    links: list[Link]
    skins: list[Skin] = field(default_factory=list)
    outlines: dict[str, list[Point]] = field(default_factory=dict)

    def skins_on(self, body: Body) -> list[Skin]:
        return [skin for skin in self.skins if skin.body is body]

    def extent(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Lower left and upper right corner of everything drawn, along the run; walls have no part in it."""
        clouds = [poses.point(body, at) for body in self.bodies for at in self.outlines[body.name]]
        clouds += [poses.point(*end) for link in self.links for end in ((link.a, link.at_a), (link.b, link.at_b))
                   if link.kind not in SLIDES or end[0] is link.b]  # fmt: skip
        clouds += [poses.point(link.b, corner) for link in self.links for corner in link.corners]
        profiles = []
        for skin in self.skins:
            spots, radius = skin.spots()
            paths = [poses.point(skin.body, (x, y)) for x, y in spots.tolist()]
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
        for wall in (skin.shape for skin in self.skins if isinstance(skin.shape, Plane)):
            if wall.body in self.bodies:
                continue
            at, normal = np.array(wall.at[:2]), np.array(wall.normal[:2])
            for skin in (skin for skin in self.skins if not skin.wall and skin.body in self.bodies):
                path = np.concatenate([poses.point(skin.body, (x, y)) for x, y in skin.spots()[0]])
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


def skeleton(system: System, poses: Poses, trace: Iterable[Any] = ()) -> Skeleton:
    """Read the joints and forces of ``system``; markers in ``trace`` belong to their bodies' outlines too."""
    links = []
    for element in (*system.joints, *system.forces, *system.contacts, *system.compounds):
        if isinstance(element, _SEEN):
            a, b = (system.ground if body is None else body for body in element.members[:2])
            first, second = ((float(x), float(y)) for x, y in element.points[:2])
            links.append(Link(element, a, b, first, second))
    parts = {id(part) for joint in system.compounds if isinstance(joint, _SEEN) for part in joint.parts}
    bare = [contact for contact in system.contacts if not isinstance(contact, _SEEN) and id(contact) not in parts]
    skins = skins_of(bare)
    bones = Skeleton(list(system.bodies), links, skins, {body.name: [] for body in system.bodies})
    for link in links:
        slide = link.kind in SLIDES
        _outline(bones, link.b, [link.at_b])
        if slide and link.a is not system.ground:  # a slot is as long as the way along it
            ways = poses.seen_from(link)
            unit = (math.cos(link.axis), math.sin(link.axis))
            ends = [(link.at_a[0] + s * unit[0], link.at_a[1] + s * unit[1]) for s in (ways.min(), ways.max())]
            _outline(bones, link.a, ends)
        elif not slide and link.kind is not PointOnCurve:
            _outline(bones, link.a, [link.at_a])
    for skin in skins:
        if isinstance(skin.shape, Sphere | Segment):
            _outline(bones, skin.body, [(x, y) for x, y in skin.spots()[0].tolist()])
    for item in trace:
        if isinstance(item, Marker):
            _outline(bones, item.body, [(item.at[0], item.at[1])])
    for body in system.bodies:
        if len(bones.outlines[body.name]) < 2:
            _outline(bones, body, [(0.0, 0.0)])
    return bones


def _outline(bones: Skeleton, body: Body, points: Iterable[Point]) -> None:
    known = bones.outlines.get(body.name)
    if known is None:  # the ground
        return
    for point in points:
        if all(math.dist(point, other) > 1e-9 * (1.0 + math.hypot(*point)) for other in known):
            known.append((float(point[0]), float(point[1])))
