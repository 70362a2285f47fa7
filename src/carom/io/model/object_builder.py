"""From the nodes of a document to bodies, elements, shapes and laws."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from carom.errors import ModelError
from carom.geometry.marker import Marker
from carom.io.model import constructor_schema
from carom.io.model.constructor_schema import SECTIONS, SHAPE, ArgumentSchema, ObjectFamily, arguments
from carom.io.model.includes import ModelSource, brief, unknown
from carom.io.model.yaml_reader import MOST_NODES, Location, Node
from carom.kernels.expression import Formula, evaluate, expression
from carom.model.body import Body
from carom.model.group import ContactGroup
from carom.model.system import System

MARKER = ("body", "at", "angle", "orientation")
STATE = ("position", "angle", "orientation", "velocity", "angular_velocity")
POSE = STATE[:3]
MOST_FORMULAS = 20_000
"""Formulas for numbers in a model; each is compiled."""


class ObjectBuilder:
    """What the nodes of one document describe; each thing is made when it is first needed, and once."""

    def __init__(self, source: ModelSource, document: Node):
        self.source, self.document = source, document
        self.start = Location(document.source, document.line)
        self.parameters: dict[str, float] = {}
        self.system = System()
        self._budget = MOST_NODES
        self._numbers: dict[str, float] = {}
        self._shared: dict[tuple[int, str], Any] = {}
        self._made: dict[str, Any] = {}
        self._making: list[str] = []

    def section(self, key: str) -> tuple[Node, Location]:
        return self.document.value.get(key, Node(None, self.start.source, 1)), self.start.entry(self.document, key)

    def entries(self, section: str) -> list[tuple[str, Node, Location]]:
        node, place = self.section(section)
        return [(name, entry, place.entry(node, name)) for name, entry in (node.value or {}).items()]

    # Values.

    def plain(self, node: Node, place: Location) -> Any:
        """Numbers, texts and lists as Python has them; "=…" is the number that a formula of the parameters gives."""
        self._budget -= 1
        if self._budget < 0:
            raise place.error("repeats too much; write less with aliases")
        value = node.value
        if isinstance(value, list):
            return [self.plain(item, place.item(node, k)) for k, item in enumerate(value)]
        if isinstance(value, dict):
            raise place.error("must not be a mapping")
        if isinstance(value, str) and value.startswith("="):
            return self._number(value, place)
        return value

    def _number(self, text: str, place: Location) -> float | str:
        if text.startswith("=="):  # a text that begins with =
            return text[1:]
        if text not in self._numbers:  # an alias may repeat a formula a million times
            if len(self._numbers) >= MOST_FORMULAS:
                raise place.error(f"there must be at most {MOST_FORMULAS} different formulas in a model")
            try:
                self._numbers[text] = evaluate(text[1:], self.parameters)
            except ModelError as trouble:
                raise place.error(str(trouble)) from None
        return self._numbers[text]

    def mapping(self, node: Node, place: Location, known: Any, what: str = "key") -> dict[str, Node]:
        if not isinstance(node.value, dict):
            raise place.error(f"must be a mapping with {', '.join(known)}, got {brief(node)}")
        for key in node.value:
            if key not in known:
                raise place.entry(node, key).error(unknown(what, key, known))
        return node.value

    def text(self, node: Node, place: Location) -> str:
        value = self.plain(node, place)
        if not isinstance(value, str):
            raise place.error(f"must be a word, got {brief(node)}")
        return value

    def checked(self, place: Location, call: Callable[[], Any], node: Node | None = None) -> Any:
        """What ``call`` gives; its errors with their place."""
        try:
            return call()
        except ModelError as trouble:
            raise located(str(trouble), node, place) from None
        except (ValueError, TypeError, ArithmeticError) as trouble:
            raise place.error(f"cannot be made of this: {trouble}") from None

    # Elements.

    def element(self, section: str, name: str, place: Location) -> Any:
        """The element of that name, made when it is first needed: a gear may stand before its joints."""
        if name in self._made:
            return self._made[name]
        if name in self._making:
            raise place.error(f"is made of itself, through {', '.join(self._making)}")
        self._making.append(name)
        node = self.section(section)[0].value[name]
        back = self._move(node, place)
        element = self.object(SECTIONS[section], node, place, name)
        for body, state in back:
            for key, value in state.items():
                setattr(body, key, value)
        self._making.pop()
        self._made[name] = element
        return element

    def _move(self, node: Node, place: Location) -> list[tuple[Body, dict[str, Any]]]:
        """Put bodies where an element wants them to be when it is made; returns how they were."""
        poses = node.value.get("pose") if isinstance(node.value, dict) else None
        if poses is None or poses.value is None:
            return []
        where = place.entry(node, "pose")
        back = []
        for name in self.mapping(poses, where, [body.name for body in self.system.bodies], "body"):
            body = self.system[name]
            back.append((body, {key: getattr(body, key) for key in POSE if hasattr(body, key)}))
            self.set_state(body, poses.value[name], where.entry(poses, name), POSE)
        return back

    def set_state(self, body: Any, node: Node, place: Location, keys: tuple[str, ...]) -> None:
        wrong = "orientation" if self.system.dim == 2 else "angle"
        for key, entry in self.mapping(node, place, [key for key in keys if key != wrong]).items():
            value = self.plain(entry, place.entry(node, key))
            self.checked(place, partial(setattr, body, key, value), node)

    # Objects.

    def object(self, family: ObjectFamily, node: Node, place: Location, name: str | None = None) -> Any:
        """What a mapping with a type describes; what an alias repeats is the same object."""
        key = (id(node), family.name)
        if key in self._shared:
            return self._shared[key]
        if not isinstance(node.value, dict):
            raise place.error(f"must be a mapping with type, got {brief(node)}")
        word = self._word(family, node, place)
        known = arguments(family, word)
        extra = () if name is None else ("pose",)
        entries = self.mapping(node, place, ("type", *known, *extra))
        there = {key for key, entry in entries.items() if entry.value is not None}
        lacking = [key for key, argument in known.items() if argument.required and key not in there]
        if lacking:
            raise place.error(f"{word} needs {', '.join(lacking)}")
        values: dict[str, Any] = {}
        spread: list[Any] = []
        for key_, argument in known.items():
            if key_ in entries:
                value = self.value(argument, entries[key_], place.entry(node, key_))
                if argument.spread:
                    spread = value
                elif value is not None:
                    values[key_] = value
        maker = family.makers[word]
        if maker is ContactGroup:
            maker = self.system.add_contacts
        if name is not None:
            values["name"] = name
        made = self.checked(place, lambda: maker(*spread, **values), node)
        if name is None and node.anchored:
            self._shared[key] = made
        return made

    def _word(self, family: ObjectFamily, node: Node, place: Location) -> str:
        if "type" not in node.value:
            if family.usual is None:
                raise place.error(f"give type, one of {', '.join(family.makers)}")
            return family.usual
        here = place.entry(node, "type")
        word = self.text(node.value["type"], here)
        if word not in family.makers:
            raise here.error(f"{word!r}: {unknown(family.name, word, family.makers)}")
        return word

    def value(self, argument: ArgumentSchema, node: Node, place: Location) -> Any:
        if node.value is None:
            return None
        if argument.kind == constructor_schema.OBJECT:
            return self._of_family(argument, node, place)
        if argument.kind == constructor_schema.OBJECTS:
            if not isinstance(node.value, list):
                raise place.error(f"must be a list, got {brief(node)}")
            return [self._of_family(argument, item, place.item(node, k)) for k, item in enumerate(node.value)]
        if argument.kind == constructor_schema.HOLD:
            return self._hold(node, place)
        if argument.kind == constructor_schema.FUNCTION:
            return self._function(argument, node, place)
        value = self.plain(node, place)
        if argument.kind == constructor_schema.BODY:
            return self.body(value, place)
        if argument.kind == constructor_schema.FILE:
            return self.source.data(value, place)
        if argument.kind == constructor_schema.TRUTH and not isinstance(value, bool):
            raise place.error(f"must be true or false, got {brief(node)}")
        if argument.kind == constructor_schema.TEXT and not isinstance(value, str):
            raise place.error(f"must be a word, got {brief(node)}")
        if argument.kind in (constructor_schema.NUMBER, constructor_schema.DATA):
            no_words(value, place)
        return value

    def _of_family(self, argument: ArgumentSchema, node: Node, place: Location) -> Any:
        family = argument.family
        assert family is not None
        if isinstance(node.value, str):
            if family is SHAPE:
                name = self.text(node, place)
                if name not in self.system.shapes:
                    raise place.error(f"{name!r}: {unknown('shape', name, self.system.shapes or ['none'])}")
                return self.system.shapes[name]
            if argument.styles:
                return self._function(argument, node, place)
        return self.object(family, node, place)

    def body(self, name: Any, place: Location) -> Any:
        known = ["ground", *(body.name for body in self.system.bodies)]
        if not isinstance(name, str) or name not in known:
            raise place.error(f"{name!r}: {unknown('body', str(name), known)}")
        return self.system[name]

    def _hold(self, node: Node, place: Location) -> Any:
        """A body or joint by name, a marker, or numbers."""
        if isinstance(node.value, dict):
            entries = self.mapping(node, place, MARKER)
            if "body" not in entries:
                raise place.error("a marker needs body")
            values = {key: self.plain(entry, place.entry(node, key)) for key, entry in entries.items()}
            body = self.body(values.pop("body"), place.entry(node, "body"))
            values["at"] = values.get("at") or (0.0,) * self.system.dim
            values["turning"] = values.pop("orientation", None)
            values = {key: value for key, value in values.items() if value is not None}
            return self.checked(place, lambda: Marker(body, **values), node)
        value = self.plain(node, place)
        if not isinstance(value, str):
            no_words(value, place)
            return value
        for section in SECTIONS:
            if value in (self.section(section)[0].value or {}) and value not in self._names_of_bodies():
                return self.element(section, value, self.section(section)[1].entry(self.section(section)[0], value))
        return self.body(value, place)

    def _names_of_bodies(self) -> set[str]:
        return {"ground", *(self.section("bodies")[0].value or {})}

    def _function(self, argument: ArgumentSchema, node: Node, place: Location) -> Any:
        """A number, numbers, or a function from a formula or a list of them."""
        value = self.plain(node, place)
        items = value if isinstance(value, list) else [value]
        if not any(isinstance(item, str) for item in items):
            no_words(value, place)
            return value
        texts = [item if isinstance(item, str) else repr(item) for item in items]
        return self.checked(place, lambda: self._formula(texts, isinstance(value, list), argument.styles))

    def _formula(self, texts: list[str], several: bool, styles: tuple[tuple[str, ...], ...]) -> Callable[..., Any]:
        formulas = [Formula(text, self.parameters) for text in texts]
        used = {name for formula in formulas for name in formula.names}
        states = {pair for formula in formulas for pair in formula.states}
        if states:
            used.add("state")
        style = next((style for style in styles if used <= {*style}), styles[-1])
        for formula in formulas:
            formula.check(style)
        for body, field in sorted(states):
            fields = self._fields(body)
            if field not in fields:
                raise ModelError(f"{body}.{field}: {unknown('state', field, fields)}")
        needed = {name: value for name, value in self.parameters.items() if _uses(texts, name)}
        return expression(texts if several else texts[0], style, **needed)

    def _fields(self, body: str) -> tuple[str, ...]:
        from carom.tables.kinds import KINDS

        known = [body.name for body in self.system.bodies]
        if body not in known:
            raise ModelError(f"{body!r}: {unknown('body', body, known)}")
        return tuple(KINDS[self.system.dim].record.names or ())


def _uses(texts: list[str], name: str) -> bool:
    return any(re.search(rf"\b{name}\b", text) for text in texts)


def no_words(value: Any, place: Location) -> None:
    """Refuse what is no number."""
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, list):
            no_words(item, place)
        elif isinstance(item, (str, bool)) or (item is None and isinstance(value, list)):
            raise place.error(f"must be {'numbers' if isinstance(value, list) else 'a number'}, got {item!r}")


def located(text: str, node: Node | None, place: Location) -> ModelError:
    """The error with the place it speaks of: "Body 'crank': mass must be …" belongs to the line of the mass."""
    if node is None or not isinstance(node.value, dict):
        return place.error(text)
    keys = "|".join(re.escape(key) for key in sorted(node.value, key=len, reverse=True))
    found = re.search(rf": ({keys})((?:\[\d+\])*) ((?:must|is|has|cannot|needs).*)$", text, re.DOTALL) if keys else None
    if found is None:
        return place.error(text)
    key, index, rest = found.groups()
    here = place.entry(node, key)
    return Location(here.source, here.line, here.path + index).error(rest)
