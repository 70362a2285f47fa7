"""A planar mechanism as triangles, drawn as textbooks do: links between pins, hatched supports, guides."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.geometry.tessellation import Triangles
from carom.plot import symbols
from carom.plot.outline import outline
from carom.plot.plan import Plan
from carom.plot.skeleton import axis_of
from carom.plot.skins import solid_inside
from carom.result.sketch import GROUND as GROUND_NAME
from carom.result.sketch import Link, Skin
from carom.view import flat
from carom.view.scene import FAINT, GROUND, INK, PAPER, Part, Strut

BAR, SKIN, THIN, FINE = 0.26, 0.16, 0.11, 0.07
"""Widths of bars, outlines, lines and hatches, in sizes of symbols."""
SOLID = 0.28
"""Opacity of what is solid inside an outline."""
BELOW, PLATE, BODY, ABOVE, PIN = 0.0, 1.0, 2.0, 3.0, 4.0
"""Layers."""


class PlanarParts:
    """Collects the parts of a drawing; `parts` and `struts` are what it found."""

    def __init__(self, plan: Plan, colours: dict[str, str]):
        self.plan, self.colours, self.size = plan, colours, plan.size
        self.numbers = {name: k for k, name in enumerate(plan.bones.bodies)}
        self.parts: list[Part] = []
        self.struts: list[Strut] = []
        self._ground()
        for name in plan.bones.bodies:
            self._body(name)
        for link in plan.bones.links:
            self._link(link)

    def _add(self, body: str, triangles: Triangles, colour: str, layer: float, opacity: float = 1.0) -> None:
        vertices, faces = triangles
        raised = vertices + np.array([0.0, 0.0, 0.1 * layer * self.size])
        self.parts.append(Part(self.numbers.get(body, GROUND), raised, faces, colour, opacity, True, layer))

    def _ground(self) -> None:
        plan, size = self.plan, self.size
        for at in plan.supports():
            foot, line = symbols.support(at, size)
            self._add(GROUND_NAME, flat.plate(foot), PAPER, BELOW)
            self._add(GROUND_NAME, flat.stroke(np.vstack([foot, foot[:1]]), THIN * size), INK, BELOW + 0.1)
            self._hatch(GROUND_NAME, line, INK)
        for rail in plan.rails():
            self._hatch(GROUND_NAME, rail.line, INK)
        for link in plan.bones.links:
            if link.slot is not None:
                self._add(link.a, flat.stroke(link.slot, THIN * size), FAINT, BELOW)
        for skin in plan.bones.skins_on(GROUND_NAME):
            self._skin(skin, INK, THIN)

    def _hatch(self, body: str, line: np.ndarray, colour: str) -> None:
        self._add(body, flat.stroke(line, THIN * self.size), colour, BELOW)
        self._add(body, flat.strokes(symbols.hatching(line, 0.4 * self.size), FINE * self.size), colour, BELOW)

    def _skin(self, skin: Skin, colour: str, width: float) -> None:
        line = np.asarray(skin.line)
        if skin.wall:
            seen = self.plan.in_picture(line) if skin.body == GROUND_NAME else self._stretch(line)
            if seen is not None:
                self._hatch(skin.body, seen, colour)
            return
        if skin.kind == "Point":
            self._add(skin.body, flat.disc(line[0], 0.12 * self.size), INK, PIN)
            return
        self._add(skin.body, flat.stroke(line, width * self.size), colour, BODY)
        if skin.one_sided:
            self._add(skin.body, flat.plate(symbols.beside(line, 0.4 * self.size)), colour, PLATE, SOLID)
        elif solid_inside(skin, line):
            self._add(skin.body, flat.plate(line), colour, PLATE, SOLID)

    def _stretch(self, line: np.ndarray) -> np.ndarray:
        """A piece of the wall of a body that moves, as long as the picture."""
        middle, half = line[len(line) // 2], 0.3 * float(np.hypot(*(self.plan.high - self.plan.low)))
        along = (line[-1] - line[0]) / np.hypot(*(line[-1] - line[0]))
        return np.array([middle - half * along, middle + half * along])

    def _body(self, name: str) -> None:
        plan, size, colour = self.plan, self.size, self.colours[name]
        skins = plan.bones.skins_on(name)
        boxed = next((link for link in plan.bones.links if link.b == name and link.kind == "Prismatic"), None)
        corners = next((link.corners for link in plan.bones.links if link.b == name and link.corners), None)
        drawn = outline(plan.bones.outlines[name])
        if boxed is not None:
            box = symbols.turned(symbols.box_corners(plan.box_size(name)), self._turn(boxed), boxed.at_b)
            self._add(name, flat.plate(box), colour, BODY)
        elif corners:
            rim = np.array([*corners, corners[0]])
            self._add(name, flat.plate(rim), colour, PLATE, SOLID)
            self._add(name, flat.stroke(rim, SKIN * size), colour, BODY)
        elif not skins and plan.is_bob(name):
            self._add(name, flat.disc((0.0, 0.0), 0.6 * size), colour, BODY)
        if len(drawn) > 1:
            self._add(name, flat.stroke(drawn, BAR * size), colour, BODY)
        elif skins:
            self._add(name, flat.disc(drawn[0], 0.12 * size), INK, PIN)
        if len(drawn) > 3 and np.array_equal(drawn[0], drawn[-1]):
            self._add(name, flat.plate(drawn), colour, PLATE, SOLID)
        for skin in skins:
            self._skin(skin, colour, SKIN)

    def _turn(self, link: Link) -> float:
        """Direction of a slide in the axes of the body that slides, which keeps it [rad]."""
        smooth = self.plan.smooth
        return float(smooth.angle(link.a)[0] - smooth.angle(link.b)[0]) + axis_of(link)

    def _link(self, link: Link) -> None:
        size = self.size
        if link.kind == "SpringDamper":
            self._strut(link, symbols.zigzag(size), THIN)
        elif link.kind in ("Distance", "Ligament"):
            self._strut(link, np.array([(0.0, 0.0), (1.0, 0.0)]), THIN)
        elif link.kind == "RackPinion":
            rim = flat.circle(link.at_b, abs(link.sizes[0]))
            self._add(link.b, flat.stroke(rim, SKIN * size), self.colours.get(link.b, INK), BODY)
        elif link.kind == "PrismaticClearance" and link.a != GROUND_NAME:
            for side in self.plan.guide(link):
                self._add(link.a, flat.stroke(side.line, SKIN * size), self.colours[link.a], BODY)
        elif link.kind == "RevoluteClearance":
            self._play(link)
        elif link.kind in ("Revolute", "PointOnLine", "PointOnCurve"):
            self._pin(link.b, link.at_b)

    def _pin(self, body: str, at: Any) -> None:
        self._add(body, flat.disc(at, 0.26 * self.size), INK, PIN)
        self._add(body, flat.disc(at, 0.17 * self.size), PAPER, PIN + 0.1)

    def _play(self, link: Link) -> None:
        """A journal in its bearing, both to scale; a pin marks a small one."""
        bearing, journal = link.sizes
        line = 0.5 * THIN * self.size
        self._add(link.a, flat.disc(link.at_a, bearing), FAINT, ABOVE, 0.45)
        self._add(link.a, flat.stroke(flat.circle(link.at_a, bearing), line), INK, ABOVE + 0.1)
        self._add(link.b, flat.disc(link.at_b, journal), PAPER, ABOVE + 0.2)
        self._add(link.b, flat.stroke(flat.circle(link.at_b, journal), line), INK, ABOVE + 0.3)
        if journal < 0.22 * self.size:
            self._pin(link.b, link.at_b)

    def _strut(self, link: Link, shape: np.ndarray, width: float) -> None:
        """Drawn as long as it is in the middle of the run, then taken to the length 1."""
        smooth = self.plan.smooth
        apart = smooth.point(link.b, link.at_b) - smooth.point(link.a, link.at_a)
        length = float(np.median(np.hypot(*apart.T))) or 1.0
        vertices, faces = flat.stroke(shape * (length, 1.0), width * self.size)
        vertices = vertices / (length, 1.0, 1.0) + np.array([0.0, 0.0, 0.1 * ABOVE * self.size])
        ends = [np.array([*point, 0.0]) for point in (link.at_a, link.at_b)]
        numbers = [self.numbers.get(body, GROUND) for body in (link.a, link.b)]
        self.struts.append(Strut(numbers[0], ends[0], numbers[1], ends[1], vertices, faces, INK, ABOVE))
