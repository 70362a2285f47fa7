"""From a system to what its pictures need."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from carom.forces.registry import Bushing, Ligament, SpringDamper
from carom.geometry.curve import Curve
from carom.geometry.shapes import Point, Segment, Sphere
from carom.geometry.tessellation import triangles
from carom.joints.base import Joint
from carom.joints.point_on_curve import PLANAR_SLOT
from carom.joints.registry import Distance, PointOnCurve, PointOnLine, Prismatic, RackPinion, Revolute, Weld
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.model.clearance import PrismaticClearance, RevoluteClearance
from carom.result.sketch import GROUND, Link, Sketch, Skin

POINTS, FEW = 97, 33
"""Points along a shape that is drawn, and along one that is only measured."""

SLOT = 300
"""Points along a curved slot."""

_SEEN = (
    Revolute, RevoluteClearance, Weld, Prismatic, PrismaticClearance, PointOnLine, PointOnCurve, Distance, RackPinion,
    SpringDamper, Ligament, Bushing,
)  # fmt: skip
"""Planar elements between a point of one body and a point of another; drivers, gears and torques show nothing."""


def sketch(system: Any) -> Sketch | None:
    """Shapes and joints of ``system``; None of one in generalised coordinates, which has none."""
    return sketch_later(system)()


def sketch_later(system: Any) -> Callable[[], Sketch | None]:
    """What makes the sketch of ``system`` as it is now, when it is asked for."""
    if not hasattr(system, "ground"):
        return _nothing
    elements = (*system.joints, *system.forces, *system.contacts, *system.compounds)
    groups = (*system.groups, *system.small_groups)
    return partial(_sketch, system.dim, system.gravity, system.ground, elements, groups, tuple(system.compounds))


def _nothing() -> None:
    return None


def _sketch(
    dim: int, gravity: tuple[float, ...], ground: Any, elements: tuple[Any, ...], groups: tuple[Any, ...],
    compounds: tuple[Any, ...],
) -> Sketch:  # fmt: skip
    contacts = [element for element in elements if hasattr(element, "shapes")]
    if dim == 2:
        inner = {id(part) for joint in compounds if _is_seen(joint) for part in joint.parts}
        bare = [one for one in contacts if not _is_seen(one) and id(one) not in inner]
        links = [_planar_link(element, ground) for element in elements if _is_seen(element)]
    else:
        bare = contacts
        links = [link for element in elements if not hasattr(element, "shapes") for link in _links(element, ground)]
    parts = {id(part) for whole in compounds for part in whole.parts}
    shown = [element for element in elements if id(element) not in parts]
    apart = {id(contact) for group in groups for contact in group.contacts}
    words = [_words(element) for element in (*shown, *groups) if id(element) not in apart]
    return Sketch(dim, tuple(gravity), tuple(_skins((*bare, *groups), dim)), tuple(links), tuple(words))


def _is_seen(element: Any) -> bool:
    return isinstance(element, _SEEN)


def _skins(contacts: Iterable[Any], dim: int) -> list[Skin]:
    """Every shape of ``contacts`` once."""
    found: dict[Any, Skin] = {}
    for contact in contacts:
        for shape in contact.shapes:
            key = (id(shape.body), type(shape), shape.parameters) if dim == 2 else id(shape)
            if key not in found:
                found[key] = planar_skin(shape) if dim == 2 else spatial_skin(shape)
    return list(found.values())


def planar_skin(shape: Any) -> Skin:
    """A shape of a planar body: its line, and the spots by which it is measured."""
    profile = isinstance(shape, Curve)
    line = shape.outline(POINTS)[:, :2]
    if profile and shape.side < 0.0:
        line = line[::-1]
    kind = type(shape).__name__
    inside, at = bool(getattr(shape, "inside", False)), tuple(getattr(shape, "at", ()))
    skin = partial(Skin, shape.body.name, kind, at, inside=inside, line=line)
    if kind == "Plane":
        return skin(normal=shape.normal, spots=np.zeros((0, 2)))
    if isinstance(shape, Sphere | Point):
        return skin(shape.radius, spots=np.array([shape.at[:2]]))
    if isinstance(shape, Segment):
        return skin(shape.radius, spots=np.array([shape.start[:2], shape.end[:2]]))
    return skin(one_sided=profile and not shape.closed, spots=shape.outline(FEW)[:, :2])


def spatial_skin(shape: Any) -> Skin:
    """A shape in space: a sphere, a plane, or triangles."""
    name, kind = shape.body.name, type(shape).__name__
    inside = bool(getattr(shape, "inside", False))
    if isinstance(shape, Sphere | Point):
        return Skin(name, kind, shape.at, shape.radius, inside=inside)
    if kind == "Plane":
        return Skin(name, kind, shape.at, normal=shape.normal)
    vertices, faces = triangles(shape)
    return Skin(name, kind, inside=inside, vertices=np.asarray(vertices, float), faces=np.asarray(faces, np.int64))


def _planar_link(element: Any, ground: Any) -> Link:
    a, b = (GROUND if body is None or body is ground else body.name for body in element.members[:2])
    first, second = ((float(x), float(y)) for x, y in element.points[:2])
    link = partial(Link, element.name or "", type(element).__name__, a, b, first, second)
    if isinstance(element, PrismaticClearance):
        corners: list[Any] = [getattr(part.shapes[0], "at", ()) for part in element.parts]
        round_about = tuple((corners[k][0], corners[k][1]) for k in (0, 1, 3, 2))
        slider = (element.length, element.width, element.clearance)
        return link(float(element.guide.angle), sizes=slider, corners=round_about)
    if isinstance(element, RevoluteClearance):
        return link(sizes=(element.bearing_radius, element.journal_radius))
    if isinstance(element, PointOnCurve):
        return link(slot=_slot(element, first))
    if isinstance(element, Prismatic | PointOnLine | RackPinion):
        sizes = (float(element.radius),) if isinstance(element, RackPinion) else ()
        params = element.params_record.unpack(element.parameters)
        return link(math.atan2(params["axis_y"], params["axis_x"]), sizes=sizes)
    return link()


def _slot(element: PointOnCurve, at: tuple[float, float]) -> np.ndarray:
    """Points of a curved slot in the axes of its body."""
    slot = PLANAR_SLOT.unpack(element.parameters)
    c, s = slot["axis_x"], slot["axis_y"]
    points = element.curve.spline(np.linspace(0.0, element.curve.length, SLOT))
    return np.asarray(points @ np.array([[c, s], [-s, c]]) + np.array(at))


def _links(element: Any, ground: Any) -> list[Link]:
    """What holds two bodies in space at a point each."""
    held = [
        (GROUND if body is None or body is ground else body.name, tuple(float(x) for x in point))
        for body, point in zip(element.members, element.points, strict=False)
        if body is not None and len(point) == 3
    ]
    if len(held) < 2:
        return []
    (a, at_a), (b, at_b) = held[:2]
    axis: float | tuple[float, ...] = 0.0
    if isinstance(element, Joint) and element.params_record.names[: len(SPATIAL_MARKERS)] == SPATIAL_MARKERS.names:
        axis = tuple(SPATIAL_MARKERS.unpack(element.parameters)["z_a"].tolist())
    return [Link(element.name or "", type(element).__name__, a, b, at_a, at_b, axis)]


def _words(element: Any) -> tuple[str, str, str, str]:
    """Name, kind, bodies, and laws with their numbers."""
    bodies = [getattr(body, "name", GROUND) for body in element.members if body is not None]
    laws = {name: getattr(element, name, None) for name in ("law", "friction", "impact", "rolling", "motion")}
    told = "; ".join(f"{name}: {_law(law)}" for name, law in laws.items() if law is not None)
    if hasattr(element, "among"):
        bodies = [f"{element.count} pairs"]
    return element.name or "", type(element).__name__, " – ".join(bodies), told


def _law(law: Any) -> str:
    """A law with its numbers, as people write them."""
    if not hasattr(law, "keywords"):
        return repr(law)
    given = [f"{key} {_number(value)}" for key, value in law.keywords().items()]
    return f"{type(law).__name__} ({', '.join(given)})"


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
