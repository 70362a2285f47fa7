"""Builder of the drawing data of a system."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from carom.forces.registry import Bushing, Ligament, SpringDamper
from carom.geometry.drawing import GROUND, DrawnLink, DrawnShape
from carom.joints.base import Joint
from carom.joints.point_on_curve import PLANAR_SLOT
from carom.joints.registry import Distance, PointOnCurve, PointOnLine, Prismatic, RackPinion, Revolute, Weld
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.model.planar_clearance import PrismaticClearance, RevoluteClearance
from carom.result.drawing_data import DrawingData

SLOT_POINTS = 300
"""Number of points along a curved slot."""

_PLANAR_LINKS = (
    Revolute, RevoluteClearance, Weld, Prismatic, PrismaticClearance, PointOnLine, PointOnCurve, Distance, RackPinion,
    SpringDamper, Ligament, Bushing,
)  # fmt: skip
"""Planar elements that are drawn between two points of bodies; drivers, gears and torques are not drawn."""


def drawing_data(system: Any) -> DrawingData | None:
    """Return the shapes and links of ``system``; None for generalised coordinates, which have neither."""
    return deferred_drawing_data(system)()


def deferred_drawing_data(system: Any) -> Callable[[], DrawingData | None]:
    """Return a function that builds the drawing data of ``system`` in its current state on the first call."""
    if not hasattr(system, "ground"):
        return _no_drawing_data
    elements = (*system.joints, *system.forces, *system.contacts, *system.compounds)
    groups = (*system.groups, *system.small_groups)
    return partial(_build, system.dim, system.gravity, system.ground, elements, groups, tuple(system.compounds))


def _no_drawing_data() -> None:
    return None


def _build(
    dim: int, gravity: tuple[float, ...], ground: Any, elements: tuple[Any, ...], groups: tuple[Any, ...],
    compounds: tuple[Any, ...],
) -> DrawingData:  # fmt: skip
    contacts = [element for element in elements if hasattr(element, "shapes")]
    if dim == 2:
        drawn_parts = {id(part) for joint in compounds if _is_planar_link(joint) for part in joint.parts}
        plain_contacts = [item for item in contacts if not _is_planar_link(item) and id(item) not in drawn_parts]
        links = [_planar_link(element, ground) for element in elements if _is_planar_link(element)]
    else:
        plain_contacts = contacts
        joints = [element for element in elements if not hasattr(element, "shapes")]
        links = [link for joint in joints for link in _spatial_links(joint, ground)]
    parts = {id(part) for compound in compounds for part in compound.parts}
    listed = [element for element in elements if id(element) not in parts]
    grouped = {id(contact) for group in groups for contact in group.contacts}
    table = [_table_row(element) for element in (*listed, *groups) if id(element) not in grouped]
    return DrawingData(
        dim, tuple(gravity), tuple(_drawn_shapes((*plain_contacts, *groups), dim)), tuple(links), tuple(table)
    )


def _is_planar_link(element: Any) -> bool:
    return isinstance(element, _PLANAR_LINKS)


def _drawn_shapes(contacts: Iterable[Any], dim: int) -> list[DrawnShape]:
    """Return every shape of ``contacts`` once."""
    shapes: dict[Any, DrawnShape] = {}
    for contact in contacts:
        for shape in contact.all_shapes:
            key = (id(shape.body), type(shape), shape.parameters) if dim == 2 else id(shape)
            if key not in shapes:
                shapes[key] = shape.drawing()
    return list(shapes.values())


def _planar_link(element: Any, ground: Any) -> DrawnLink:
    a, b = (GROUND if body is None or body is ground else body.name for body in element.members[:2])
    at_a, at_b = ((float(x), float(y)) for x, y in element.points[:2])
    link = partial(DrawnLink, element.name or "", type(element).__name__, a, b, at_a, at_b)
    if isinstance(element, PrismaticClearance):
        corners: list[Any] = [getattr(part.shapes[0], "at", ()) for part in element.parts]
        cyclic = tuple((corners[k][0], corners[k][1]) for k in (0, 1, 3, 2))
        slider = (element.length, element.width, element.clearance)
        return link(float(element.guide.angle), sizes=slider, corners=cyclic)
    if isinstance(element, RevoluteClearance):
        return link(sizes=(element.bearing_radius, element.journal_radius))
    if isinstance(element, PointOnCurve):
        return link(slot=_slot(element, at_a))
    if isinstance(element, Prismatic | PointOnLine | RackPinion):
        sizes = (float(element.radius),) if isinstance(element, RackPinion) else ()
        params = element.params_record.unpack(element.parameters)
        return link(math.atan2(params["axis_y"], params["axis_x"]), sizes=sizes)
    return link()


def _slot(element: PointOnCurve, at: tuple[float, float]) -> np.ndarray:
    """Return points (n, 2) of a curved slot in the axes of its body [m]."""
    slot = PLANAR_SLOT.unpack(element.parameters)
    c, s = slot["axis_x"], slot["axis_y"]
    points = element.curve.spline(np.linspace(0.0, element.curve.length, SLOT_POINTS))
    return np.asarray(points @ np.array([[c, s], [-s, c]]) + np.array(at))


def _spatial_links(element: Any, ground: Any) -> list[DrawnLink]:
    """Return the link of an element between a point of each of two bodies in 3D; none for other elements."""
    ends = [
        (GROUND if body is None or body is ground else body.name, tuple(float(x) for x in point))
        for body, point in zip(element.members, element.points, strict=False)
        if body is not None and len(point) == 3
    ]
    if len(ends) < 2:
        return []
    (a, at_a), (b, at_b) = ends[:2]
    axis: float | tuple[float, ...] = 0.0
    if isinstance(element, Joint) and element.params_record.names[: len(SPATIAL_MARKERS)] == SPATIAL_MARKERS.names:
        axis = tuple(SPATIAL_MARKERS.unpack(element.parameters)["z_a"].tolist())
    return [DrawnLink(element.name or "", type(element).__name__, a, b, at_a, at_b, axis)]


def _table_row(element: Any) -> tuple[str, str, str, str]:
    """Return name, kind, bodies, and laws with their parameters."""
    bodies = [getattr(body, "name", GROUND) for body in element.members if body is not None]
    laws = {name: getattr(element, name, None) for name in ("law", "friction", "impact", "rolling", "motion")}
    laws_text = "; ".join(f"{name}: {_law_text(law)}" for name, law in laws.items() if law is not None)
    if hasattr(element, "count"):
        bodies = [f"{element.count} pairs"]
    return element.name or "", type(element).__name__, " – ".join(bodies), laws_text


def _law_text(law: Any) -> str:
    """Return a law with its parameters, e.g. "Hertz (stiffness 1e+08, exponent 1.5)"."""
    if not hasattr(law, "keywords"):
        return repr(law)
    parameters = [f"{key} {_value_text(value)}" for key, value in law.keywords().items()]
    return f"{type(law).__name__} ({', '.join(parameters)})"


def _value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
