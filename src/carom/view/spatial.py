"""A spatial model as triangles and balls: the skins of its contacts, and rods from bodies to their joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.geometry.rotation import frame_along
from carom.geometry.tessellation import TESSELLATIONS, Triangles, flat
from carom.plot.skins import skin_triangles
from carom.plot.style import SYMBOL
from carom.result.result import Result
from carom.result.sketch import GROUND as GROUND_NAME
from carom.result.sketch import Link, Sketch, Skin
from carom.view.scene import FAINT, GROUND, INK, Balls, Part, Strut

GLASS = 0.22
"""Opacity of the ground, and of what holds a body inside."""
ROD, AXLE = 0.22, 0.34
"""Radii of rods and of axles, in sizes of symbols."""
LIGHT = ("SpringDamper", "Ligament", "Bushing", "Distance")
"""Links that stretch from body to body; others are rods from a centre of mass to a joint."""


class Rod:
    """A straight piece between two points, for the triangles of a capsule."""

    def __init__(self, start: Any, end: Any, radius: float):
        self.start, self.end, self.radius = start, end, radius


class SpatialParts:
    """Collects what is seen in space: `parts`, `balls`, `struts`, and the corners `low` and `high` of it all."""

    def __init__(self, sketch: Sketch, result: Result, colours: dict[str, str]):
        self.sketch, self.result, self.colours = sketch, result, colours
        self.numbers = {body.name: k for k, body in enumerate(result.bodies)}
        self.parts: list[Part] = []
        self.balls: list[Balls] = []
        self.struts: list[Strut] = []
        self.low, self.high = self._bounds()
        self.size = SYMBOL * max(float(np.linalg.norm(self.high - self.low)), 1e-9)
        self._balls([skin for skin in sketch.skins if skin.vertices is None and not skin.wall and not skin.inside])
        for skin in sketch.skins:
            if skin.vertices is not None or skin.wall or skin.inside:
                self._skin(skin)
        for link in sketch.links:
            self._link(link)
        self._bare_bodies()

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The box in which bodies move, with the skins that have an end."""
        places = self.result.q.reshape(len(self.result.t), -1, 7)[:, :, :3]
        reach = np.zeros(len(self.numbers))
        fixed = [np.array([link.at_a]) for link in self.sketch.links if link.a == GROUND_NAME]
        for skin in self.sketch.skins:
            if skin.wall:
                continue
            if skin.body == GROUND_NAME:
                fixed.append(skin_triangles(skin)[0])
                continue
            far = np.linalg.norm(skin.at) + skin.radius if skin.vertices is None else _farthest(skin.vertices)
            k = self.numbers[skin.body]
            reach[k] = max(reach[k], far)
        for link in self.sketch.links:
            for body, at in ((link.a, link.at_a), (link.b, link.at_b)):
                if body in self.numbers:
                    reach[self.numbers[body]] = max(reach[self.numbers[body]], float(np.linalg.norm(at)))
        if places.size:
            finite = np.where(np.isfinite(places), places, 0.0)
            fixed += [(finite.min(axis=0) - reach[:, None]), (finite.max(axis=0) + reach[:, None])]
        every = np.concatenate(fixed or [np.zeros((1, 3))])
        return every.min(axis=0), every.max(axis=0)

    def _balls(self, skins: list[Skin]) -> None:
        if not skins:
            return
        self.balls.append(Balls(
            np.array([self.numbers.get(skin.body, GROUND) for skin in skins], np.int32),
            np.array([skin.at for skin in skins], float),
            np.array([skin.radius or 0.2 * self.size for skin in skins], float),
            tuple(self.colours.get(skin.body, FAINT) for skin in skins),
        ))  # fmt: skip

    def _skin(self, skin: Skin) -> None:
        number, colour = self.numbers.get(skin.body, GROUND), self.colours.get(skin.body, FAINT)
        if skin.wall and number == GROUND:
            self.parts.append(Part(GROUND, *self._wall(skin), colour, GLASS, one_sided=True))
            return
        vertices, faces = skin_triangles(skin, 0.6 * float((self.high - self.low).max()))
        opacity = GLASS if number == GROUND or skin.inside else 1.0
        self.parts.append(Part(number, vertices, faces, colour, opacity))

    def _wall(self, skin: Skin) -> Triangles:
        """The part of a plane that is in the picture: as far as the box of it all, seen along the normal."""
        x, y, _ = frame_along(skin.normal).T
        at = np.array(skin.at)
        corners = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
        box = self.low + corners * (self.high - self.low)
        room = 0.04 * float((self.high - self.low).max())
        u, v = (box - at) @ x, (box - at) @ y
        u0, u1, v0, v1 = u.min() - room, u.max() + room, v.min() - room, v.max() + room
        return flat(*(at + a * x + b * y for a, b in ((u0, v0), (u1, v0), (u1, v1), (u0, v1))))

    def _link(self, link: Link) -> None:
        ends = [(self.numbers.get(body, GROUND), np.array(at)) for body, at in
                ((link.a, link.at_a), (link.b, link.at_b))]  # fmt: skip
        if link.kind in LIGHT:
            vertices, faces = TESSELLATIONS["Segment"](
                Rod((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.35 * ROD * self.size), 1.0
            )
            vertices = np.column_stack([vertices[:, 0].clip(0.0, 1.0), vertices[:, 1:]])
            self.struts.append(Strut(*ends[0], *ends[1], vertices, faces, INK))
            return
        for number, at in ends:
            if number != GROUND and np.linalg.norm(at) > 1e-9:
                self._rod(number, np.zeros(3), at, ROD * self.size, self.colours[self.result.bodies[number].name])
        axis = np.array(link.axis, float).ravel()
        if len(axis) == 3 and axis.any():
            number, at = ends[0]
            arm = 0.9 * self.size * axis / np.linalg.norm(axis)
            self._rod(number, at - arm, at + arm, AXLE * self.size, INK)

    def _rod(self, body: int, start: np.ndarray, end: np.ndarray, radius: float, colour: str) -> None:
        vertices, faces = TESSELLATIONS["Segment"](Rod(start, end, radius), 1.0)
        self.parts.append(Part(body, vertices, faces, colour))

    def _bare_bodies(self) -> None:
        """A small ball for a body that has nothing to show."""
        shown = {skin.body for skin in self.sketch.skins if not skin.wall}
        shown |= {body for link in self.sketch.links for body, at in ((link.a, link.at_a), (link.b, link.at_b))
                  if link.kind not in LIGHT and np.any(at)}  # fmt: skip
        bare = [body.name for body in self.result.bodies if body.name not in shown]
        self._balls([Skin(name, "Sphere", (0.0, 0.0, 0.0), 0.6 * self.size) for name in bare])


def _farthest(points: np.ndarray) -> float:
    return float(np.linalg.norm(points, axis=1).max(initial=0.0))
