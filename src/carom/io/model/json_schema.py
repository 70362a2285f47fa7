"""The JSON Schema of model files, for editors: what may stand where, in the words of the documentation."""

from __future__ import annotations

import inspect
import json
from typing import Any

from carom.io.model import constructor_schema, lagrangian_section
from carom.io.model.constructor_schema import (
    FAMILIES,
    SECTIONS,
    ArgumentSchema,
    ObjectFamily,
    arguments,
    body_arguments,
)
from carom.io.model.includes import VERSION
from carom.io.model.model_reader import RUN_OPTIONS
from carom.io.model.object_builder import MARKER, POSE, STATE

NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^="}]}
DATA: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "array", "items": {"$ref": "#/$defs/data"}}]}
FORMULA: dict[str, Any] = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/number"}]}


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a model file."""
    definitions: dict[str, Any] = {
        "number": NUMBER,
        "data": DATA,
        "function": {"anyOf": [FORMULA, {"type": "array", "items": FORMULA}]},
        "marker": _closed({key: _ref("data") for key in MARKER} | {"body": {"type": "string"}}, ["body"]),
        "body": _closed(_properties(body_arguments()), ["mass"]),
        "state": _closed({key: _ref("data") for key in STATE}),
        "pose": {"type": "object", "additionalProperties": _closed({key: _ref("data") for key in POSE})},
    }
    definitions["hold"] = {"anyOf": [{"type": "string"}, _ref("marker"), _ref("data")]}
    for family in (*FAMILIES.values(), *SECTIONS.values()):
        definitions[family.name] = _family(family, named=family in SECTIONS.values())
    definitions["lagrangian"] = _lagrangian()
    sections = {section: _entries(_ref(family.name)) for section, family in SECTIONS.items()}
    run: dict[str, Any] = {key: {} for key in RUN_OPTIONS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "carom model",
        "description": 'A multibody system. "=…" is the number that a formula of the parameters gives.',
        **_closed(
            {
                "carom": {"const": VERSION, "description": "Version of the format."},
                "name": {"type": "string"},
                "dim": {"enum": [2, 3], "description": "2: planar, 3: spatial."},
                "gravity": _ref("data"),
                "include": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
                "parameters": _entries(_ref("number")),
                "bodies": _entries(_ref("body")),
                "shapes": _entries(_ref("shape")),
                **sections,
                "start": _entries(_ref("state")),
                "assemble": {"anyOf": [{"type": ["boolean", "null"]}, _closed({"keep": {"type": "array"}})]},
                "lagrangian": _ref("lagrangian"),
                "run": {**_closed(run), "type": ["object", "null"]},
            },
            ["carom"],
        ),
        "$defs": definitions,
    }


def schema_text() -> str:
    """The schema as JSON text."""
    return json.dumps(schema(), ensure_ascii=False, indent=2)


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _entries(of: dict[str, Any]) -> dict[str, Any]:
    """A section: things by name."""
    return {"type": ["object", "null"], "additionalProperties": of}


def _closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """A mapping with these keys and no others."""
    found: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, "required": required} if required else found


def _lagrangian() -> dict[str, Any]:
    """A system in generalised coordinates."""
    words: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    formula = {"anyOf": [FORMULA, {"type": "array", "items": {"$ref": "#/$defs/function"}}]}
    body = _closed({"place": formula, "mass": _ref("number"), "inertia": _ref("number")}, ["place"])
    impact = {"anyOf": [_ref("impact"), {"type": "array", "items": _ref("impact")}]}
    special: dict[str, Any] = {"coordinates": words, "contacts": words, "impact": impact, "bodies": _entries(body)}
    special |= {"q0": _ref("data"), "u0": _ref("data")}
    return _closed({key: special.get(key, formula) for key in lagrangian_section.KEYS}, list(lagrangian_section.NEEDED))


def _family(family: ObjectFamily, named: bool) -> dict[str, Any]:
    """One of its kinds, chosen by ``type``: an editor then shows that kind's own keys."""
    words = list(family.makers)
    branches = []
    for word in words:
        known = arguments(family, word)
        properties = {"type": {"const": word}, **_properties(known)}
        if named:
            properties["pose"] = _ref("pose")
        required = [key for key, argument in known.items() if argument.required]
        body = {**_closed(properties, required), "description": _about(family, word)}
        asked: dict[str, Any] = {"properties": {"type": {"const": word}}}
        if word != family.usual:
            asked["required"] = ["type"]
        branches.append({"if": asked, "then": body})
    found: dict[str, Any] = {"type": "object", "properties": {"type": {"enum": words}}, "allOf": branches}
    return found if family.usual is not None else {**found, "required": ["type"]}


def _about(family: ObjectFamily, word: str) -> str:
    text = inspect.getdoc(family.makers[word]) or word
    return " ".join(text.split("\n\n")[0].split()).replace("``", "")


def _properties(known: dict[str, ArgumentSchema]) -> dict[str, Any]:
    return {key: _argument(argument) for key, argument in known.items()}


def _argument(argument: ArgumentSchema) -> dict[str, Any]:
    kind = argument.kind
    if kind in (constructor_schema.OBJECT, constructor_schema.OBJECTS):
        assert argument.family is not None
        one: dict[str, Any] = _ref(argument.family.name)
        if argument.family is constructor_schema.SHAPE or argument.styles:
            one = {"anyOf": [one, {"type": "string"}]}
        found = one if kind == constructor_schema.OBJECT else {"type": "array", "items": one}
    elif kind in (constructor_schema.TEXT, constructor_schema.BODY, constructor_schema.FILE):
        found = {"type": "string"}
    elif kind == constructor_schema.PLAIN:
        found = {}
    elif kind == constructor_schema.TRUTH:
        found = {"type": "boolean"}
    elif kind == constructor_schema.FUNCTION:
        found = _ref("function")
    else:
        found = _ref({constructor_schema.NUMBER: "number", constructor_schema.HOLD: "hold"}.get(kind, "data"))
    return found if argument.required else {"anyOf": [found, {"type": "null"}]}
