"""Schema of the constructors that a model file can call, derived from the registries and their signatures.

A law, joint, force or shape that is added to its registry is available in model files, and in their JSON schema,
without a change in this module.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from carom.forces.registry import FORCES
from carom.geometry.element import Element
from carom.geometry.lookup.table import LookupTable
from carom.geometry.marker import Marker
from carom.geometry.shapes import Shape
from carom.geometry.shapes.registry import SHAPES
from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.registry import SURFACES
from carom.joints.base import Joint
from carom.joints.motion import Motion
from carom.joints.prescribed_motion import MOTIONS
from carom.joints.registry import JOINTS
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.custom import CustomFriction
from carom.laws.friction.registry import FRICTIONS
from carom.laws.friction.rolling_resistance import Rolling
from carom.laws.impact_law import ImpactLaw
from carom.laws.lubrication.base import Lubricant
from carom.laws.lubrication.registry import LUBRICANTS
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.custom import CustomLaw
from carom.laws.normal.registry import LAWS
from carom.laws.wear.base import WearLaw
from carom.laws.wear.profile import WearProfile
from carom.laws.wear.registry import WEAR_LAWS
from carom.model.body import Body
from carom.model.registry import BOUNDARIES, CONTACTS
from carom.model.sensors.registry import SENSORS
from carom.model.visual import Visual
from carom.typing import BodyLike


class ArgumentKind(enum.Enum):
    """Kind of value that an argument takes in a model file."""

    NUMBER = "number"
    BOOLEAN = "boolean"
    TEXT = "text"
    DATA = "data"
    """A number or nested lists of numbers."""
    PLAIN = "plain"
    """Numbers, texts and booleans, also in lists."""
    BODY = "body"
    ATTACHMENT = "attachment"
    """A body, a marker or a joint."""
    BODIES = "bodies"
    """A list of bodies."""
    ELEMENTS = "elements"
    """An element or a list of elements, by their names."""
    FILE = "file"
    FUNCTION = "function"
    """Numbers or formulas."""
    OBJECT = "object"
    """An object of a family."""
    OBJECTS = "objects"
    """A list of objects of a family."""


@dataclass(frozen=True, eq=False)
class ObjectFamily:
    """Group of interchangeable objects, e.g. all normal laws.

    Parameters
    ----------
    name
        name of the family.
    constructors
        constructors by their type in model files.
    default_type
        type that is used if ``type`` is omitted; None if it must be given.
    former_types
        types in files of earlier versions, and their current names.
    """

    name: str
    constructors: Mapping[str, Callable[..., Any]]
    default_type: str | None = None
    former_types: Mapping[str, str] = field(default_factory=dict)

    def class_of(self, type_name: str) -> Any:
        """Return the class that a constructor builds."""
        constructor = self.constructors[type_name]
        return constructor if isinstance(constructor, type) else constructor.__self__  # type: ignore[attr-defined]

    def type_of(self, item: Any) -> str | None:
        """Return the type of an object in model files; None if it has none."""
        type_name = next((name for name, kind in self.constructors.items() if kind is type(item)), None)
        method = getattr(item, "constructor_method", None)
        if type_name is None or method is None:
            return type_name
        return f"{type_name}.{method}" if f"{type_name}.{method}" in self.constructors else None


def _by_name(*kinds: Any) -> dict[str, Callable[..., Any]]:
    return {kind.__name__: kind for kind in kinds}


class CurrentConstructors(Mapping[str, Callable[..., Any]]):
    """Constructors that a function collects from registries; elements that are registered later are included."""

    def __init__(self, collect: Callable[[], dict[str, Callable[..., Any]]]):
        self._collect = collect

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self._collect()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._collect())

    def __len__(self) -> int:
        return len(self._collect())

    def items(self) -> ItemsView[str, Callable[..., Any]]:
        """Return names and constructors, collected once."""
        return self._collect().items()


def _shapes() -> dict[str, Callable[..., Any]]:
    """Return the shapes and the class methods that build some of them."""
    constructors: dict[str, Callable[..., Any]] = {}
    for name, kind in SHAPES.items():
        constructors[name] = kind
        for method, function in vars(kind).items():
            if isinstance(function, classmethod) and not method.startswith("_"):
                constructors[f"{name}.{method}"] = getattr(kind, method)
    return constructors


SHAPE = ObjectFamily("shape", CurrentConstructors(_shapes))
FAMILIES: dict[type, ObjectFamily] = {
    Shape: SHAPE,
    ParametricSurface: ObjectFamily(
        "surface",
        CurrentConstructors(lambda: {**SURFACES, **_by_name(LookupTable)}),
        former_types={"Function": "FunctionSurface"},
    ),
    NormalLaw: ObjectFamily("law", CurrentConstructors(lambda: _by_name(*LAWS.values(), CustomLaw))),
    FrictionLaw: ObjectFamily("friction", CurrentConstructors(lambda: _by_name(*FRICTIONS.values(), CustomFriction))),
    ImpactLaw: ObjectFamily("impact", _by_name(ImpactLaw), "ImpactLaw", former_types={"Impact": "ImpactLaw"}),
    Lubricant: ObjectFamily("lubricant", _by_name(*LUBRICANTS.values())),
    WearLaw: ObjectFamily("wear", _by_name(*WEAR_LAWS.values()), "Archard"),
    WearProfile: ObjectFamily("profile", _by_name(WearProfile), "WearProfile"),
    Rolling: ObjectFamily("rolling", _by_name(Rolling), "Rolling"),
    Motion: ObjectFamily(
        "motion",
        MOTIONS,
        former_types={name.removesuffix("Motion"): name for name in MOTIONS},
    ),
}
"""Families by the class with which constructors annotate their arguments."""

ATTACHMENTS = (BodyLike, Marker, Joint, Any)
"""Annotations of the arguments of elements that are bodies, markers or joints."""

SECTIONS: dict[str, ObjectFamily] = {
    "joints": ObjectFamily("joint", JOINTS),
    "forces": ObjectFamily("force", FORCES),
    "contacts": ObjectFamily("contact", CONTACTS, "Contact"),
    "boundaries": ObjectFamily("boundary", BOUNDARIES),
    "visuals": ObjectFamily("visual", _by_name(Visual), "Visual"),
    "sensors": ObjectFamily("sensor", SENSORS),
}
"""Families of the elements in the sections of a file."""


@dataclass(frozen=True)
class ArgumentSchema:
    """Schema of one argument of a constructor.

    Parameters
    ----------
    name
        name of the argument, and its key in a model file.
    kind
        kind of its value.
    required
        True if it has no default.
    family
        family of an object.
    numeric
        True if a number may replace the object.
    signatures
        argument names that a formula may use, one tuple per allowed signature.
    variadic
        True for an argument of the form ``*args``.
    by_name
        True if the value may be a mapping of such values by names, such as those of coordinates.
    has_none
        True if numbers in a list may be missing.
    """

    name: str
    kind: ArgumentKind
    required: bool
    family: ObjectFamily | None = None
    numeric: bool = False
    signatures: tuple[tuple[str, ...], ...] = ()
    variadic: bool = False
    by_name: bool = False
    has_none: bool = False


@cache
def constructor_arguments(family: ObjectFamily, type_name: str) -> dict[str, ArgumentSchema]:
    """Return the arguments of a type; the name of an element is its key in the section and no argument."""
    return _inspect(family.constructors[type_name], family.class_of(type_name))


def former_arguments(family: ObjectFamily, type_name: str) -> Mapping[str, str]:
    """Return the names of arguments of a type in files of earlier versions, and their current names."""
    return getattr(_function_of(family, type_name), "renamed_arguments", {})


def former_values(family: ObjectFamily, type_name: str) -> Mapping[str, Mapping[str, str]]:
    """Return the texts of arguments of a type in files of earlier versions, and their current texts, by argument."""
    return getattr(_function_of(family, type_name), "renamed_values", {})


def _function_of(family: ObjectFamily, type_name: str) -> Callable[..., Any]:
    """Return the function with the arguments of a type."""
    constructor = family.constructors[type_name]
    return getattr(constructor, "__init__") if isinstance(constructor, type) else constructor  # noqa: B009


@cache
def body_arguments() -> dict[str, ArgumentSchema]:
    """Return the arguments of a body."""
    return _inspect(Body, Body)


def _inspect(constructor: Callable[..., Any], owner: Any) -> dict[str, ArgumentSchema]:
    """Return the arguments of a constructor of the class ``owner``."""
    hints = get_type_hints(owner.__init__ if constructor is owner else constructor)
    arguments: dict[str, ArgumentSchema] = {}
    is_element = issubclass(owner, Element)
    for parameter in inspect.signature(constructor).parameters.values():
        name = parameter.name
        if name == "name" and (is_element or owner is Body):
            continue
        signatures = getattr(owner, "styles", {}).get(name, ())
        kind, family = _kind(hints.get(name, Any), name, bool(signatures), is_element, issubclass(owner, Shape))
        if kind is ArgumentKind.DATA and issubclass(owner, ParametricSurface):
            kind = ArgumentKind.PLAIN
        variadic = parameter.kind is parameter.VAR_POSITIONAL
        if variadic and kind is ArgumentKind.OBJECT:
            kind = ArgumentKind.OBJECTS
        required = variadic or parameter.default is parameter.empty
        numeric = family is not None and float in get_args(hints.get(name))
        alternatives = get_args(hints.get(name, Any))
        by_name = any(get_origin(alternative) is Mapping for alternative in alternatives)
        has_none = any(float | None in get_args(alternative) for alternative in alternatives)
        arguments[name] = ArgumentSchema(name, kind, required, family, numeric, signatures, variadic, by_name, has_none)
    return arguments


def _kind(
    hint: Any, name: str, is_formula: bool, is_element: bool, is_shape: bool
) -> tuple[ArgumentKind, ObjectFamily | None]:
    """Return kind and family of an argument from its annotation and name."""
    alternatives = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for alternative in alternatives:
        if alternative in FAMILIES:
            return ArgumentKind.OBJECT, FAMILIES[alternative]
        items = get_args(alternative)
        if get_origin(alternative) in (Iterable, Sequence, list, tuple) and items and items[0] in FAMILIES:
            return ArgumentKind.OBJECTS, FAMILIES[items[0]]
        if get_origin(alternative) is Iterable and items == (BodyLike,):
            return ArgumentKind.BODIES, None
    if Element in alternatives:
        return ArgumentKind.ELEMENTS, None
    if is_formula:
        return ArgumentKind.FUNCTION, None
    if is_shape and name == "body":
        return ArgumentKind.BODY, None
    if name in ("file", "path"):
        return ArgumentKind.FILE, None
    if is_element and any(alternative in ATTACHMENTS for alternative in alternatives):
        return ArgumentKind.ATTACHMENT, None
    types = [_plain_type(alternative) for alternative in alternatives if alternative is not type(None)]
    plain_types = ((bool,), ArgumentKind.BOOLEAN), ((str,), ArgumentKind.TEXT), ((float, int), ArgumentKind.NUMBER)
    for allowed, kind in plain_types:
        if types and all(one in allowed for one in types):
            return kind, None
    return ArgumentKind.DATA, None


def _plain_type(hint: Any) -> Any:
    """Return ``str`` for a choice of texts, else the annotation itself."""
    return str if get_origin(hint) is Literal else hint
