"""Lines, polygons and circles of a planar drawing, in the axes of their bodies.

Each element names its symbol; the symbol becomes primitives here, and each renderer draws those in its own way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np

from carom.geometry.drawing import GROUND, DrawnLink, DrawnShape, Symbol
from carom.scene.mechanism_layout import DrawingLayout, link_angle
from carom.scene.outline import outline
from carom.scene.shape_geometry import is_solid_inside
from carom.scene.symbol_geometry import band_contour, box_corners, spring_zigzag, support, to_global

PIN_RADIUS, POINT_RADIUS, DISC_RADIUS, HATCH_DEPTH = 0.22, 0.12, 0.6, 0.4
"""Radii of pins, points and discs and depth of hatches, relative to the symbol size [-]."""


class Role(Enum):
    """Meaning of a primitive, from which a renderer chooses colour, line width and layer."""

    SUPPORT = auto()
    HATCHED_LINE = auto()
    SLOT = auto()
    PLANE = auto()
    CONTOUR = auto()
    AREA = auto()
    POINT = auto()
    CENTRE_MARK = auto()
    BOX = auto()
    SLIDER = auto()
    DISC = auto()
    BAR = auto()
    PINION = auto()
    GUIDE = auto()
    BEARING = auto()
    JOURNAL = auto()
    PIN = auto()


@dataclass(frozen=True, eq=False)
class Primitive:
    """Line, polygon or circle: ``points`` (n, 2) [m] in the axes of ``body``; ``radius`` [m] of a circle.

    ``colour`` is that of a visual, else empty; ``opacity`` [-] multiplies that of its role.
    """

    role: Role
    body: str
    points: np.ndarray
    radius: float = 0.0
    colour: str = ""
    opacity: float = 1.0


def planar_primitives(layout: DrawingLayout, drawn: Collection[str] = ()) -> list[Primitive]:
    """Return the primitives of a mechanism: ground, then bodies, then joints.

    Bodies in ``drawn`` have shapes that are drawn elsewhere; without others they have no symbol.
    """
    primitives = [*_ground(layout)]
    for body in layout.geometry.bodies:
        primitives += _body(layout, body, body in drawn)
    for link in layout.geometry.links:
        primitives += _joint(layout, link)
    return primitives


def two_body_line(link: DrawnLink, size: float) -> np.ndarray | None:
    """Return the line (n, 2) of a spring, rod or ligament: fraction of the length [-] and transverse coordinate [m]."""
    if link.symbol is Symbol.SPRING:
        return spring_zigzag(size)
    return np.array([(0.0, 0.0), (1.0, 0.0)]) if link.symbol in (Symbol.ROD, Symbol.LIGAMENT) else None


def _ground(layout: DrawingLayout) -> Iterator[Primitive]:
    for at in layout.supports():
        triangle, line = support(at, layout.size)
        yield Primitive(Role.SUPPORT, GROUND, triangle)
        yield Primitive(Role.HATCHED_LINE, GROUND, line)
    for rail in layout.rails():
        yield Primitive(Role.HATCHED_LINE, GROUND, rail.line)
    for link in layout.geometry.links:
        if link.slot is not None:
            yield Primitive(Role.SLOT, link.a, link.slot)
    for shape in layout.geometry.shapes_on(GROUND):
        yield from _shape(shape, layout.size)


def _shape(shape: DrawnShape, size: float) -> Iterator[Primitive]:
    line = np.asarray(shape.line)
    own: dict[str, Any] = {"colour": shape.colour, "opacity": 1.0 if shape.opacity is None else shape.opacity}
    if shape.is_plane:
        yield Primitive(Role.PLANE, shape.body, line, **own)
    elif shape.is_point:
        yield Primitive(Role.POINT, shape.body, line[:1], POINT_RADIUS * size, **own)
    else:
        yield Primitive(Role.CONTOUR, shape.body, line, **own)
        if shape.one_sided:
            yield Primitive(Role.AREA, shape.body, band_contour(line, HATCH_DEPTH * size), **own)
        elif is_solid_inside(shape):
            yield Primitive(Role.AREA, shape.body, line, **own)


def _body(layout: DrawingLayout, body: str, is_drawn: bool) -> Iterator[Primitive]:
    geometry, size = layout.geometry, layout.size
    shapes = geometry.shapes_on(body)
    prismatic = next((link for link in geometry.links if link.b == body and link.symbol is Symbol.SLIDER), None)
    corners = next((link.corners for link in geometry.links if link.b == body and link.corners), None)
    line = outline(geometry.outlines[body])
    if prismatic is not None:
        angle = _angle_on_slider(layout, prismatic)
        yield Primitive(Role.BOX, body, to_global(box_corners(layout.box_size(body)), angle, prismatic.at_b))
    elif corners:
        yield Primitive(Role.SLIDER, body, np.array([*corners, corners[0]]))
    elif not shapes and not is_drawn and layout.is_disc(body):
        yield Primitive(Role.DISC, body, np.zeros((1, 2)), DISC_RADIUS * size)
    if len(line) > 1:
        yield Primitive(Role.BAR, body, line)
    elif shapes:
        yield Primitive(Role.CENTRE_MARK, body, line[:1], POINT_RADIUS * size)
    if len(line) > 3 and np.array_equal(line[0], line[-1]):
        yield Primitive(Role.AREA, body, line)
    for shape in shapes:
        yield from _shape(shape, size)


def _angle_on_slider(layout: DrawingLayout, link: DrawnLink) -> float:
    """Return the angle of a prismatic axis in the axes of its second body, which is constant [rad]."""
    poses = layout.poses
    return float(poses.angle(link.a)[0] - poses.angle(link.b)[0]) + link_angle(link)


def _joint(layout: DrawingLayout, link: DrawnLink) -> Iterator[Primitive]:
    match link.symbol:
        case Symbol.PINION:
            yield Primitive(Role.PINION, link.b, _point(link.at_b), abs(link.sizes[0]))
        case Symbol.GUIDE if link.a != GROUND:
            for side in layout.guide(link):
                yield Primitive(Role.GUIDE, link.a, side.line)
        case Symbol.BEARING:
            bearing, journal = link.sizes
            yield Primitive(Role.BEARING, link.a, _point(link.at_a), bearing)
            yield Primitive(Role.JOURNAL, link.b, _point(link.at_b), journal)
            if journal < PIN_RADIUS * layout.size:  # a journal smaller than a pin would not be visible
                yield _pin(layout, link)
        case Symbol.PIN | Symbol.PIN_ON_LINE | Symbol.PIN_IN_SLOT:
            yield _pin(layout, link)


def _pin(layout: DrawingLayout, link: DrawnLink) -> Primitive:
    return Primitive(Role.PIN, link.b, _point(link.at_b), PIN_RADIUS * layout.size)


def _point(at: Any) -> np.ndarray:
    return np.array([at[:2]], float)
