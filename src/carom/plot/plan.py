"""A planar mechanism with its run, laid out for a drawing: how large its symbols are, where its rails lie."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from carom.plot import symbols
from carom.plot.rails import Rail, guide, joined
from carom.plot.skeleton import Poses, axis_of, skeleton, spots_of
from carom.plot.skins import clip
from carom.plot.style import SYMBOL
from carom.result.result import Result
from carom.result.sketch import GROUND, Link, Sketch

SMOOTH = 1500
"""Points of a path."""
_NOTHING = Sketch(2, (0.0, 0.0))


class Plan:
    """Bones, extent and symbols of a planar mechanism along a run; ``bodies`` are names."""

    def __init__(self, bodies: Iterable[str], sketch: Sketch | None, result: Result, trace: Sequence[Any] = ()):
        self.result = result
        self.smooth = Poses(result.sample(np.linspace(result.t[0], result.t[-1], SMOOTH)))
        self.bones = skeleton(bodies, sketch or _NOTHING, self.smooth, trace)
        low, high = self.bones.extent(self.smooth)
        self.size = SYMBOL * max(float(np.hypot(*(high - low))), 1e-9)
        """Of pins and bearings [m]."""
        self.low, self.high = low - 2.2 * self.size, high + 2.2 * self.size

    def box_size(self, body: str) -> float:
        """Size of the box of a slider [m]: smaller than the shapes of its contacts, which are as large as they are."""
        reach = [np.hypot(*spots.T).max() + radius for spots, radius in self._spots(body)]
        return min(self.size, 0.5 * float(max(reach))) if reach else self.size

    def rails(self) -> list[Rail]:
        """Lines of the ground along which bodies slide."""
        found: list[Rail] = []
        for link in (link for link in self.bones.links if link.a == GROUND):
            if link.kind in ("Prismatic", "PointOnLine", "RackPinion"):
                ways = self.smooth.seen_from(link)
                start = symbols.turned([(0.0, -self._height(link))], axis_of(link), link.at_a)[0]
                found.append(Rail(start, axis_of(link), ways.min() - 1.6 * self.size, ways.max() + 1.6 * self.size))
            elif link.kind == "PrismaticClearance":
                found += self.guide(link)
        return joined(found)

    def supports(self) -> list[tuple[float, ...]]:
        """Points of the ground that hold a body."""
        slides = ("Prismatic", "PointOnLine", "RackPinion", "PrismaticClearance", "PointOnCurve")
        held = [link for link in self.bones.links if GROUND in (link.a, link.b)]
        return [
            link.at_a if link.a == GROUND else link.at_b for link in held if link.kind not in slides or link.a != GROUND
        ]

    def guide(self, link: Link) -> tuple[Rail, Rail]:
        """The sides of the guide of a slider with play, a little longer than its way, in the axes of the guide."""
        ways, (length, width, clearance) = self.smooth.seen_from(link), link.sizes
        beyond = 0.5 * length + 0.8 * self.size
        half = 0.5 * width + clearance
        return guide(np.array(link.at_a), axis_of(link), half, ways.min() - beyond, ways.max() + beyond)

    def in_picture(self, line: np.ndarray) -> np.ndarray | None:
        """The part (2, 2) of an endless line that is seen, if any."""
        return clip(line[0], math.atan2(*(line[-1] - line[0])[::-1]), self.low, self.high)

    def is_bob(self, body: str) -> bool:
        """Whether the body is held at one point at most, and so outlined by its centre of mass."""
        points = self.bones.outlines[body]
        return points[-1] == (0.0, 0.0) and len(points) <= 2

    def _spots(self, body: str) -> list[tuple[np.ndarray, float]]:
        return [(spots_of(skin), skin.radius) for skin in self.bones.skins_on(body) if not skin.wall]

    def _height(self, link: Link) -> float:
        """Of what slides above its rail [m]."""
        if link.kind == "RackPinion":
            return link.sizes[0]
        return max([0.6 * self.box_size(link.b), *(radius for _, radius in self._spots(link.b))])
