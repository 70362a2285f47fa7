"""Parts of a planar mechanism as flat triangles."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from carom.geometry.drawing import GROUND as GROUND_NAME
from carom.geometry.drawing import DrawnLink
from carom.geometry.tessellation import Triangles
from carom.scene.colours import FAINT, INK, PAPER
from carom.scene.mechanism_layout import DrawingLayout
from carom.scene.planar_primitives import HATCH_DEPTH, Primitive, Role, planar_primitives, two_body_line
from carom.scene.planar_tessellation import circle, disc, polygon, stroke, strokes
from carom.scene.scene import GROUND, Part, TwoBodyPart
from carom.scene.symbol_geometry import hatch_strokes

BAR, CONTOUR, THIN, FINE = 0.26, 0.16, 0.11, 0.07
"""Widths of bars, contours, lines and hatches, relative to the symbol size [-]."""
PIN_RIM, PIN_HOLE = 0.26, 0.17
"""Radii of a pin, relative to the symbol size [-]."""
AREA_OPACITY, BEARING_OPACITY = 0.28, 0.45
BELOW, AREA, BODY, ABOVE, PIN = 0.0, 1.0, 2.0, 3.0, 4.0
"""Layers."""


class PlanarParts:
    """Parts and two-body parts of the drawing of a planar mechanism.

    Bodies in ``drawn`` have shapes that are drawn elsewhere; they have no symbol.
    """

    def __init__(self, layout: DrawingLayout, colours: dict[str, str], drawn: Collection[str] = ()):
        self.layout, self.colours, self.size = layout, colours, layout.size
        self.indices = {name: k for k, name in enumerate(layout.geometry.bodies)}
        self.parts: list[Part] = []
        self.two_body_parts: list[TwoBodyPart] = []
        for primitive in planar_primitives(layout, drawn):
            self._add_primitive(primitive)
        for link in layout.geometry.links:
            self._add_two_body_part(link)

    def _add(self, body: str, triangles: Triangles, colour: str, layer: float, opacity: float = 1.0) -> None:
        vertices, faces = triangles
        raised = vertices + np.array([0.0, 0.0, 0.1 * layer * self.size])
        self.parts.append(Part(self.indices.get(body, GROUND), raised, faces, colour, opacity, True, layer))

    def _add_primitive(self, primitive: Primitive) -> None:
        body, points, radius, size = primitive.body, primitive.points, primitive.radius, self.size
        colour, opacity = primitive.colour or self.colours.get(body, INK), primitive.opacity
        match primitive.role:
            case Role.SUPPORT:
                self._add(body, polygon(points), PAPER, BELOW)
                self._add(body, stroke(np.vstack([points, points[:1]]), THIN * size), INK, BELOW + 0.1)
            case Role.HATCHED_LINE:
                self._add_hatched_line(body, points, INK)
            case Role.SLOT:
                self._add(body, stroke(points, THIN * size), FAINT, BELOW)
            case Role.PLANE:
                segment = self.layout.visible_segment(points) if body == GROUND_NAME else self._plane_segment(points)
                if segment is not None:
                    self._add_hatched_line(body, segment, colour)
            case Role.CONTOUR:
                width = THIN if body == GROUND_NAME else CONTOUR
                self._add(body, stroke(points, width * size), colour, BODY, opacity)
            case Role.AREA:
                self._add(body, polygon(points), colour, AREA, AREA_OPACITY * opacity)
            case Role.POINT | Role.CENTRE_MARK:
                self._add(body, disc(points[0], radius), INK, PIN)
            case Role.BOX:
                self._add(body, polygon(points), colour, BODY)
            case Role.SLIDER:
                self._add(body, polygon(points), colour, AREA, AREA_OPACITY)
                self._add(body, stroke(points, CONTOUR * size), colour, BODY)
            case Role.DISC:
                self._add(body, disc(points[0], radius), colour, BODY)
            case Role.BAR:
                self._add(body, stroke(points, BAR * size), colour, BODY)
            case Role.PINION:
                self._add(body, stroke(circle(points[0], radius), CONTOUR * size), colour, BODY)
            case Role.GUIDE:
                self._add(body, stroke(points, CONTOUR * size), colour, BODY)
            case Role.BEARING:
                self._add_circle(primitive, FAINT, ABOVE, BEARING_OPACITY)
            case Role.JOURNAL:
                self._add_circle(primitive, PAPER, ABOVE + 0.2)
            case Role.PIN:
                self._add(body, disc(points[0], PIN_RIM * size), INK, PIN)
                self._add(body, disc(points[0], PIN_HOLE * size), PAPER, PIN + 0.1)

    def _add_circle(self, primitive: Primitive, fill: str, layer: float, opacity: float = 1.0) -> None:
        """Add a disc to scale with a thin rim."""
        centre, radius = primitive.points[0], primitive.radius
        self._add(primitive.body, disc(centre, radius), fill, layer, opacity)
        self._add(primitive.body, stroke(circle(centre, radius), 0.5 * THIN * self.size), INK, layer + 0.1)

    def _add_hatched_line(self, body: str, line: np.ndarray, colour: str) -> None:
        self._add(body, stroke(line, THIN * self.size), colour, BELOW)
        self._add(body, strokes(hatch_strokes(line, HATCH_DEPTH * self.size), FINE * self.size), colour, BELOW)

    def _plane_segment(self, line: np.ndarray) -> np.ndarray:
        """Return a segment (2, 2) of the plane of a moving body, about as long as the picture."""
        midpoint, half = line[len(line) // 2], 0.3 * float(np.hypot(*(self.layout.high - self.layout.low)))
        direction = (line[-1] - line[0]) / np.hypot(*(line[-1] - line[0]))
        return np.array([midpoint - half * direction, midpoint + half * direction])

    def _add_two_body_part(self, link: DrawnLink) -> None:
        """Add a spring, rod or ligament; its lines have the right width at the median length during the run."""
        line = two_body_line(link, self.size)
        if line is None:
            return
        poses = self.layout.poses
        offset = poses.point(link.b, link.at_b) - poses.point(link.a, link.at_a)
        length = float(np.median(np.hypot(*offset.T))) or 1.0
        vertices, faces = stroke(line * (length, 1.0), THIN * self.size)
        vertices = vertices / (length, 1.0, 1.0) + np.array([0.0, 0.0, 0.1 * ABOVE * self.size])
        at_a, at_b = (np.array([*point, 0.0]) for point in (link.at_a, link.at_b))
        a, b = (self.indices.get(body, GROUND) for body in (link.a, link.b))
        self.two_body_parts.append(TwoBodyPart(a, at_a, b, at_b, vertices, faces, INK, ABOVE))
