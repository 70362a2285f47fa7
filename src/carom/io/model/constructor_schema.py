"""What a model file may say of each kind of thing: read off the registries and the constructors.

A new law, joint, force or shape in its registry has its form in files, and in their schema, without a line here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from carom.forces.registry import FORCES
from carom.geometry.element import Element
from carom.geometry.lookup.table import LookupTable
from carom.geometry.registry import SHAPES
from carom.geometry.shapes import Shape
from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.registry import SURFACES
from carom.joints.motion import MOTIONS, Motion
from carom.joints.registry import JOINTS
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.custom import CustomFriction
from carom.laws.friction.registry import FRICTIONS
from carom.laws.friction.rolling import Rolling
from carom.laws.impact import Impact
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.custom import CustomLaw
from carom.laws.normal.registry import LAWS
from carom.model.body import Body
from carom.model.registry import CONTACTS

# What an argument is: a number; a truth value; a text; numbers in any form; anything plain; a body; a body, marker or
# joint; a file; numbers or formulas; an object of a family; a list of these.
NUMBER, TRUTH, TEXT, DATA, PLAIN, BODY, HOLD, FILE, FUNCTION, OBJECT, OBJECTS = (
    "number", "truth", "text", "data", "plain", "body", "hold", "file", "function", "object", "objects"
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ObjectFamily:
    """Objects that stand for each other: their makers by the word after ``type``, which may be left out when there is
    a ``usual`` one."""

    name: str
    makers: Mapping[str, Callable[..., Any]]
    usual: str | None = None

    def owner(self, word: str) -> Any:
        """The class behind a maker."""
        maker = self.makers[word]
        return maker if isinstance(maker, type) else maker.__self__  # type: ignore[attr-defined]

    def word(self, item: Any) -> str | None:
        """The word after ``type`` of an object; None when it has none."""
        maker = getattr(item, "maker", None)
        word = type(item).__name__ + (f".{maker}" if maker else "")
        return word if word in self.makers and self.owner(word) is type(item) else None


def _by_class(*kinds: Any) -> dict[str, Callable[..., Any]]:
    return {kind.__name__: kind for kind in kinds}


def _shapes() -> dict[str, Callable[..., Any]]:
    """The shapes, and the class methods that make some of them."""
    makers: dict[str, Callable[..., Any]] = {}
    for name, kind in SHAPES.items():
        makers[name] = kind
        for method, function in vars(kind).items():
            if isinstance(function, classmethod) and not method.startswith("_"):
                makers[f"{name}.{method}"] = getattr(kind, method)
    return makers


SHAPE = ObjectFamily("shape", _shapes())
FAMILIES: dict[type, ObjectFamily] = {
    Shape: SHAPE,
    ParametricSurface: ObjectFamily("surface", _by_class(*SURFACES.values(), LookupTable)),
    NormalLaw: ObjectFamily("law", _by_class(*LAWS.values(), CustomLaw)),
    FrictionLaw: ObjectFamily("friction", _by_class(*FRICTIONS.values(), CustomFriction)),
    Impact: ObjectFamily("impact", _by_class(Impact), "Impact"),
    Rolling: ObjectFamily("rolling", _by_class(Rolling), "Rolling"),
    Motion: ObjectFamily("motion", _by_class(*MOTIONS)),
}
"""By the class that the arguments of constructors are annotated with."""

SECTIONS: dict[str, ObjectFamily] = {
    "joints": ObjectFamily("joint", JOINTS),
    "forces": ObjectFamily("force", FORCES),
    "contacts": ObjectFamily("contact", CONTACTS, "Contact"),
}
"""Of a file, with what they hold by name."""


@dataclass(frozen=True)
class ArgumentSchema:
    """One argument of a maker."""

    name: str
    kind: str
    required: bool
    family: ObjectFamily | None = None
    styles: tuple[tuple[str, ...], ...] = ()
    spread: bool = False
    """Whether it stands for any number of arguments."""


@cache
def arguments(family: ObjectFamily, word: str) -> dict[str, ArgumentSchema]:
    """What follows ``type: word``; the name of an element is the key it stands under."""
    return _read_off(family.makers[word], family.owner(word))


@cache
def body_arguments() -> dict[str, ArgumentSchema]:
    return _read_off(Body, Body)


def _read_off(maker: Callable[..., Any], owner: Any) -> dict[str, ArgumentSchema]:
    hints = get_type_hints(owner.__init__ if maker is owner else maker)
    found: dict[str, ArgumentSchema] = {}
    is_element = issubclass(owner, Element)
    for parameter in inspect.signature(maker).parameters.values():
        name = parameter.name
        if name == "name" and (is_element or owner is Body):
            continue
        styles = getattr(owner, "styles", {}).get(name, ())
        kind, family = _kind(hints.get(name, Any), name, bool(styles), is_element, issubclass(owner, Shape))
        if kind == DATA and issubclass(owner, ParametricSurface):
            kind = PLAIN
        spread = parameter.kind is parameter.VAR_POSITIONAL
        if spread and kind == OBJECT:
            kind = OBJECTS
        required = spread or parameter.default is parameter.empty
        found[name] = ArgumentSchema(name, kind, required, family, styles, spread)
    return found


def _kind(hint: Any, name: str, formula: bool, is_element: bool, is_shape: bool) -> tuple[str, ObjectFamily | None]:
    choices = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for choice in choices:
        if choice in FAMILIES:
            return OBJECT, FAMILIES[choice]
        inside = get_args(choice)
        if get_origin(choice) in (Iterable, Sequence, list, tuple) and inside and inside[0] in FAMILIES:
            return OBJECTS, FAMILIES[inside[0]]
    if formula:
        return FUNCTION, None
    if is_shape and name == "body":
        return BODY, None
    if name in ("file", "path"):
        return FILE, None
    if Any in choices:
        return (HOLD if is_element else DATA), None
    plain = [choice for choice in choices if choice is not type(None)]
    for kinds, kind in (((bool,), TRUTH), ((str,), TEXT), ((float, int), NUMBER)):
        if plain and all(choice in kinds for choice in plain):
            return kind, None
    return DATA, None
