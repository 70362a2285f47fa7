"""Builder of the drawing data of a system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from carom.geometry.drawing import DrawnShape, Symbol
from carom.geometry.shapes.union import Union
from carom.model.visual import Visual
from carom.result.drawing_data import DrawingData


def drawing_data(system: Any) -> DrawingData | None:
    """Return the shapes and links of ``system``; None for generalised coordinates, which have neither."""
    return deferred_drawing_data(system)()


def deferred_drawing_data(system: Any) -> Callable[[], DrawingData | None]:
    """Return a function that builds the drawing data of ``system`` in its current state on the first call."""
    if not hasattr(system, "ground"):
        return _no_drawing_data
    elements = (*system.joints, *system.forces, *system.contacts, *system.compounds)
    groups = (*system.groups, *system.small_groups)
    return partial(_build, system.dim, system.gravity, elements, groups, tuple(system.compounds), tuple(system.visuals))


def _no_drawing_data() -> None:
    return None


def _build(
    dim: int, gravity: tuple[float, ...], elements: tuple[Any, ...], groups: tuple[Any, ...],
    compounds: tuple[Any, ...], visuals: tuple[Any, ...],
) -> DrawingData:  # fmt: skip
    drawn = {id(element): link for element in elements if (link := element.drawing()) is not None}
    symbolised = [whole for whole in compounds if id(whole) in drawn and drawn[id(whole)].symbol is not Symbol.NONE]
    hidden = {id(part) for whole in symbolised for part in whole.parts}  # their symbol shows the shapes to scale
    with_link = drawn.keys() | hidden
    drawn_by_shapes = [item for item in elements if id(item) not in with_link]
    table = _element_table(elements, groups, compounds)
    shapes = _drawn_shapes((*visuals, *drawn_by_shapes, *groups), dim)
    return DrawingData(dim, tuple(gravity), tuple(shapes), tuple(drawn.values()), tuple(table))


def element_table(system: Any) -> list[tuple[str, str, str, str]]:
    """Return name, kind, bodies and laws of each joint, force and contact of a system."""
    elements = (*system.joints, *system.forces, *system.contacts, *system.compounds)
    return _element_table(elements, (*system.groups, *system.small_groups), tuple(system.compounds))


def _element_table(
    elements: tuple[Any, ...], groups: tuple[Any, ...], compounds: tuple[Any, ...]
) -> list[tuple[str, str, str, str]]:
    """Return the rows of elements and groups; parts of others are not listed."""
    parts = {id(part) for compound in compounds for part in compound.parts}
    listed = [element for element in elements if id(element) not in parts]
    grouped = {id(contact) for group in groups for contact in group.contacts}
    return [_table_row(element) for element in (*listed, *groups) if id(element) not in grouped]


def _drawn_shapes(elements: Iterable[Any], dim: int) -> list[DrawnShape]:
    """Return every shape of ``elements`` once, in the colour of the first one."""
    shapes: dict[Any, DrawnShape] = {}
    for element in elements:
        for shape in drawn_parts(element.all_shapes):
            key = (id(shape.body), type(shape), shape.parameters) if dim == 2 else id(shape)
            if key not in shapes:
                shapes[key] = shape.drawing()
                if isinstance(element, Visual):
                    shapes[key] = replace(shapes[key], colour=element.colour or "", opacity=element.opacity)
    return list(shapes.values())


def drawn_parts(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield shapes, with the parts of a union in its place: each is drawn by itself."""
    for shape in shapes:
        yield from shape.shapes if isinstance(shape, Union) else (shape,)


def _table_row(element: Any) -> tuple[str, str, str, str]:
    """Return name, kind, bodies, and laws with their parameters."""
    laws = {name: getattr(element, name, None) for name in ("law", "friction", "impact", "rolling", "motion")}
    laws_text = "; ".join(f"{name}: {_law_text(law)}" for name, law in laws.items() if law is not None)
    return element.name or "", type(element).__name__, element.connection, laws_text


def _law_text(law: Any) -> str:
    """Return a law with its parameters, e.g. "Hertz (stiffness 1e+08, exponent 1.5)"."""
    if not hasattr(law, "keywords"):
        return repr(law)
    parameters = [f"{key} {_value_text(value)}" for key, value in law.keywords().items()]
    return f"{type(law).__name__} ({', '.join(parameters)})"


def _value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
