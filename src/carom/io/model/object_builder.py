"""Builder of bodies, elements, shapes and laws from the nodes of a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from carom.errors import ModelError
from carom.geometry.marker import Marker
from carom.input_value import InputValue
from carom.io.model.constructor_schema import (
    SECTIONS,
    SHAPE,
    ArgumentKind,
    ArgumentSchema,
    ObjectFamily,
    constructor_arguments,
    former_arguments,
    former_values,
)
from carom.io.model.includes import ModelSource, brief, unknown
from carom.io.model.signal_sections import read_follower
from carom.io.model.yaml_reader import MAX_NODES, Location, Node, check_numbers
from carom.kernels.expression import Formula, evaluate, expression
from carom.model.body import Body
from carom.model.contact_group import ContactGroup
from carom.model.system import System

MARKER_KEYS = ("body", "at", "angle", "orientation")
STATE_KEYS = ("position", "angle", "orientation", "velocity", "angular_velocity")
POSE_KEYS = STATE_KEYS[:3]
MAX_FORMULAS = 20_000
"""Number of different formulas for numbers in a model; each formula is compiled."""


class ObjectBuilder:
    """Builder of the objects of one document; each object is built on first use, and once."""

    def __init__(self, source: ModelSource, document: Node):
        self.source, self.document = source, document
        self.start = Location(document.source, document.line)
        self.parameters: dict[str, float] = {}
        self.system = System()
        self._remaining_values = MAX_NODES
        self._formula_values: dict[str, float] = {}
        self._anchored_objects: dict[tuple[int, str], Any] = {}
        self._elements: dict[str, Any] = {}
        self._in_construction: list[str] = []

    def section(self, key: str) -> tuple[Node, Location]:
        """Return a section, or an empty node, and its location."""
        return self.document.value.get(key, Node(None, self.start.source, 1)), self.start.entry(self.document, key)

    def entries(self, section: str) -> list[tuple[str, Node, Location]]:
        """Return name, node and location of the entries of a section."""
        node, location = self.section(section)
        return [(name, entry, location.entry(node, name)) for name, entry in (node.value or {}).items()]

    # ---- Values

    def plain(self, node: Node, location: Location) -> Any:
        """Return numbers, texts and lists as Python objects; "=…" is the value of a formula of the parameters."""
        self._remaining_values -= 1
        if self._remaining_values < 0:
            raise location.error("aliases repeat too many values; use fewer aliases")
        value = node.value
        if isinstance(value, list):
            return [self.plain(item, location.item(node, k)) for k, item in enumerate(value)]
        if isinstance(value, dict):
            if "input" in value:
                return read_follower(self, node, location)
            raise location.error("must not be a mapping")
        if isinstance(value, str) and value.startswith("="):
            return self._evaluate(value, location)
        return value

    def _evaluate(self, text: str, location: Location) -> float | str:
        """Return the value of "=formula"; "==text" is the text "=text"."""
        if text.startswith("=="):
            return text[1:]
        if text not in self._formula_values:  # Values are stored, since an alias may repeat a formula a million times.
            if len(self._formula_values) >= MAX_FORMULAS:
                raise location.error(f"a model must contain at most {MAX_FORMULAS} different formulas")
            try:
                self._formula_values[text] = evaluate(text[1:], self.parameters)
            except ModelError as error:
                raise location.error(str(error)) from None
        return self._formula_values[text]

    def mapping(self, node: Node, location: Location, known: Any, what: str = "key") -> dict[str, Node]:
        """Return the entries of a mapping; raise if a key is not one of ``known``."""
        if not isinstance(node.value, dict):
            raise location.error(f"must be a mapping with {', '.join(known)}, got {brief(node)}")
        for key in node.value:
            if key not in known:
                raise location.entry(node, key).error(unknown(what, key, known))
        return node.value

    def text(self, node: Node, location: Location) -> str:
        """Return a text; raise for other values."""
        value = self.plain(node, location)
        if not isinstance(value, str):
            raise location.error(f"must be a text, got {brief(node)}")
        return value

    def call(self, location: Location, function: Callable[[], Any], node: Node | None = None) -> Any:
        """Return the value of ``function``; add the location to its errors."""
        try:
            return function()
        except ModelError as error:
            raise located(str(error), node, location) from None
        except (ValueError, TypeError, ArithmeticError) as error:
            raise location.error(f"cannot be built from these values: {error}") from None

    # ---- Elements

    def element(self, section: str, name: str, location: Location) -> Any:
        """Return an element; it is built on first use, since a gear may be defined before its joints."""
        if name in self._elements:
            return self._elements[name]
        if name in self._in_construction:
            raise location.error(f"refers to itself, through {', '.join(self._in_construction)}")
        self._in_construction.append(name)
        node = self.section(section)[0].value[name]
        previous = self._set_poses(node, location)
        element = self.object(SECTIONS[section], node, location, name)
        for body, state in previous:
            for key, value in state.items():
                setattr(body, key, value)
        self._in_construction.pop()
        self._elements[name] = element
        return element

    def _set_poses(self, node: Node, location: Location) -> list[tuple[Body, dict[str, Any]]]:
        """Move bodies to the poses for which an element is defined; return their previous poses."""
        poses = node.value.get("pose") if isinstance(node.value, dict) else None
        if poses is None or poses.value is None:
            return []
        pose_location = location.entry(node, "pose")
        previous = []
        for name in self.mapping(poses, pose_location, [body.name for body in self.system.bodies], "body"):
            body = self.system[name]
            previous.append((body, {key: getattr(body, key) for key in POSE_KEYS if hasattr(body, key)}))
            self.set_state(body, poses.value[name], pose_location.entry(poses, name), POSE_KEYS)
        return previous

    def set_state(self, body: Any, node: Node, location: Location, keys: tuple[str, ...]) -> None:
        """Set position, orientation and velocities of a body."""
        excluded = "orientation" if self.system.dim == 2 else "angle"
        for key, entry in self.mapping(node, location, [key for key in keys if key != excluded]).items():
            value = self.plain(entry, location.entry(node, key))
            self.call(location, partial(setattr, body, key, value), node)

    # ---- Objects

    def object(self, family: ObjectFamily, node: Node, location: Location, name: str | None = None) -> Any:
        """Build the object of a mapping with ``type``; an alias returns the object of its anchor."""
        identity = (id(node), family.name)
        if identity in self._anchored_objects:
            return self._anchored_objects[identity]
        if not isinstance(node.value, dict):
            raise location.error(f"must be a mapping with type, got {brief(node)}")
        type_name = self._type_name(family, node, location)
        arguments = constructor_arguments(family, type_name)
        extra_keys = () if name is None else ("pose",)
        node = with_current_keys(node, former_arguments(family, type_name))
        entries = self.mapping(node, location, ("type", *arguments, *extra_keys))
        present = {key for key, entry in entries.items() if entry.value is not None}
        missing = [key for key, argument in arguments.items() if argument.required and key not in present]
        if missing:
            raise location.error(f"{type_name} requires {', '.join(missing)}")
        new_values = former_values(family, type_name)
        values: dict[str, Any] = {}
        variadic: list[Any] = []
        for key, argument in arguments.items():
            if key in entries:
                value = self.value(argument, entries[key], location.entry(node, key))
                if argument.variadic:
                    variadic = value
                elif value is not None:
                    values[key] = new_values[key].get(value, value) if key in new_values else value
        constructor = family.constructors[type_name]
        if constructor is ContactGroup:
            constructor = self.system.add_contacts
        if name is not None:
            values["name"] = name
        item = self.call(location, lambda: constructor(*variadic, **values), node)
        if name is None and node.anchored:
            self._anchored_objects[identity] = item
        return item

    def _type_name(self, family: ObjectFamily, node: Node, location: Location) -> str:
        """Return the type of an object; raise if it is unknown or missing."""
        if "type" not in node.value:
            if family.default_type is None:
                raise location.error(f"type is missing; choose from {', '.join(family.constructors)}")
            return family.default_type
        type_location = location.entry(node, "type")
        type_name = self.text(node.value["type"], type_location)
        type_name = family.former_types.get(type_name, type_name)
        if type_name not in family.constructors:
            raise type_location.error(f"{type_name!r}: {unknown(family.name, type_name, family.constructors)}")
        return type_name

    def value(self, argument: ArgumentSchema, node: Node, location: Location) -> Any:
        """Return the value of an argument."""
        kind = argument.kind
        if node.value is None:
            return None
        if argument.by_name and has_entries(node):
            single = replace(argument, by_name=False)
            return {key: self.value(single, node.value[key], location.entry(node, key)) for key in node.value}
        if kind is ArgumentKind.OBJECT:
            return self._of_family(argument, node, location)
        if kind is ArgumentKind.OBJECTS:
            if not isinstance(node.value, list):
                raise location.error(f"must be a list, got {brief(node)}")
            return [self._of_family(argument, item, location.item(node, k)) for k, item in enumerate(node.value)]
        if kind is ArgumentKind.BODIES:
            if not isinstance(node.value, list):
                raise location.error(f"must be a list of bodies, got {brief(node)}")
            names = [(self.plain(item, location.item(node, k)), k) for k, item in enumerate(node.value)]
            return [self.body(name, location.item(node, k)) for name, k in names]
        if kind is ArgumentKind.ATTACHMENT:
            return self._attachment(node, location)
        if kind is ArgumentKind.ELEMENTS:
            if isinstance(node.value, list):
                return [self._element_named(item, location.item(node, k)) for k, item in enumerate(node.value)]
            return self._element_named(node, location)
        if kind is ArgumentKind.FUNCTION:
            return self._function(argument, node, location)
        value = self.plain(node, location)
        if kind is ArgumentKind.BODY:
            return self.body(value, location)
        if kind is ArgumentKind.FILE:
            return self.source.data_path(value, location)
        if kind is ArgumentKind.BOOLEAN and not isinstance(value, bool):
            raise location.error(f"must be true or false, got {brief(node)}")
        if kind is ArgumentKind.TEXT and not isinstance(value, str):
            raise location.error(f"must be a text, got {brief(node)}")
        if kind in (ArgumentKind.NUMBER, ArgumentKind.DATA):
            check_numbers(value, location, with_none=argument.has_none)
        return value

    def _of_family(self, argument: ArgumentSchema, node: Node, location: Location) -> Any:
        """Return an object of the family of an argument: a shape by its name, a formula, or a new object."""
        family = argument.family
        assert family is not None
        if "input" in node.value if isinstance(node.value, dict) else argument.numeric:
            value = self.plain(node, location)
            check_numbers(value, location)
            return value
        if isinstance(node.value, str):
            if family is SHAPE:
                name = self.text(node, location)
                if name not in self.system.shapes:
                    raise location.error(f"{name!r}: {unknown('shape', name, self.system.shapes or ['none'])}")
                return self.system.shapes[name]
            if argument.signatures:
                return self._function(argument, node, location)
        return self.object(family, node, location)

    def body(self, name: Any, location: Location) -> Any:
        """Return a body by its name."""
        item = self.system._by_name.get(name) if isinstance(name, str) else None
        if not isinstance(item, Body):
            known = ["ground", *(body.name for body in self.system.bodies)]
            raise location.error(f"{name!r}: {unknown('body', str(name), known)}")
        return item

    def _attachment(self, node: Node, location: Location) -> Any:
        """Return a body or joint by its name, a marker, or numbers."""
        if isinstance(node.value, dict):
            return self._marker(node, location)
        value = self.plain(node, location)
        if not isinstance(value, str):
            check_numbers(value, location)
            return value
        body_names = {"ground", *(self.section("bodies")[0].value or {})}
        for key in SECTIONS:
            section, section_location = self.section(key)
            if value in (section.value or {}) and value not in body_names:
                return self.element(key, value, section_location.entry(section, value))
        return self.body(value, location)

    def _element_named(self, node: Node, location: Location) -> Any:
        """Return an element by its name."""
        name = self.text(node, location)
        for key in SECTIONS:
            section, section_location = self.section(key)
            if name in (section.value or {}):
                return self.element(key, name, section_location.entry(section, name))
        known = [name for key in SECTIONS for name in (self.section(key)[0].value or {})]
        raise location.error(f"{name!r}: {unknown('element', name, known)}")

    def _marker(self, node: Node, location: Location) -> Any:
        """Return the marker of a mapping."""
        entries = self.mapping(node, location, MARKER_KEYS)
        if "body" not in entries:
            raise location.error("a marker requires body")
        values = {key: self.plain(entry, location.entry(node, key)) for key, entry in entries.items()}
        body = self.body(values.pop("body"), location.entry(node, "body"))
        values["at"] = values.get("at") or (0.0,) * self.system.dim
        values["turning"] = values.pop("orientation", None)
        values = {key: value for key, value in values.items() if value is not None}
        return self.call(location, lambda: Marker(body, **values), node)

    def _function(self, argument: ArgumentSchema, node: Node, location: Location) -> Any:
        """Return a number, numbers, or the function of a formula or of a list of formulas."""
        value = self.plain(node, location)
        items = value if isinstance(value, list) else [value]
        if not any(isinstance(item, str) for item in items):
            check_numbers(value, location)
            return value
        if any(isinstance(item, InputValue) for item in items):
            raise location.error("formulas stand beside a number that follows an input; use a formula with its .value")
        texts = [item if isinstance(item, str) else repr(item) for item in items]
        return self.call(location, lambda: self.formula(texts, isinstance(value, list), argument.signatures))

    def formula(self, texts: list[str], is_list: bool, signatures: tuple[tuple[str, ...], ...]) -> Callable[..., Any]:
        """Return the function of formulas, with the first of the ``signatures`` that has all used names."""
        formulas = [Formula(text, self.parameters) for text in texts]
        used = {name for formula in formulas for name in formula.names}
        states = {pair for formula in formulas for pair in formula.states}
        if states:
            used.add("state")
        signature = next((names for names in signatures if used <= {*names}), signatures[-1])
        for formula in formulas:
            formula.check(signature)
        for body, field in sorted(states):
            fields = self._state_fields(body)
            if field not in fields:
                raise ModelError(f"{body}.{field}: {unknown('state', field, fields)}")
        parameters = {name: value for name, value in self.parameters.items() if _uses(texts, name)}
        return expression(texts if is_list else texts[0], signature, **parameters)

    def _state_fields(self, body: str) -> tuple[str, ...]:
        """Return the names of the states of a body, or of an input, that a formula may use."""
        from carom.compiled_model.body_kind import KINDS

        if any(source.name == body for source in self.system.inputs):
            return ("value",)
        known = [item.name for item in self.system.bodies]
        if body not in known:
            raise ModelError(f"{body!r}: {unknown('body', body, known)}")
        return tuple(KINDS[self.system.dim].body_dtype.names or ())


def has_entries(node: Node) -> bool:
    """Return True for a mapping of lists or mappings, which are values by name and no arguments of an object."""
    return (
        isinstance(node.value, dict)
        and "type" not in node.value
        and all(isinstance(entry.value, (dict, list)) for entry in node.value.values())
    )


def with_current_keys(node: Node, former: Mapping[str, str]) -> Node:
    """Return a mapping with current names of arguments in place of ``former`` ones."""
    new_keys = {key: former[key] for key in node.value if key in former and former[key] not in node.value}
    if not new_keys:
        return node
    value = {new_keys.get(key, key): entry for key, entry in node.value.items()}
    return replace(node, value=value, keys={new_keys.get(key, key): place for key, place in node.keys.items()})


def _uses(texts: list[str], name: str) -> bool:
    """Return True if one of the formulas contains a name."""
    return any(re.search(rf"\b{name}\b", text) for text in texts)


_VERBS = "must|is|has|have|cannot|needs|requires|lies|exceeds|contains"


def located(text: str, node: Node | None, location: Location) -> ModelError:
    """Return the error with the line of the argument it is about, e.g. of mass for "Body 'crank': mass must be …"."""
    if node is None or not isinstance(node.value, dict):
        return location.error(text)
    keys = "|".join(re.escape(key) for key in sorted(node.value, key=len, reverse=True))
    match = re.search(rf": ({keys})((?:\[\d+\])*) ((?:{_VERBS}).*)$", text, re.DOTALL) if keys else None
    if match is None:
        return location.error(text)
    key, index, rest = match.groups()
    entry = location.entry(node, key)
    return Location(entry.source, entry.line, entry.path + index).error(rest)
