"""JSON Schema of model files, for completion and validation in editors."""

from __future__ import annotations

import inspect
import json
from typing import Any

from carom.io.model import lagrangian_section
from carom.io.model.constructor_schema import (
    FAMILIES,
    SECTIONS,
    SHAPE,
    ArgumentKind,
    ArgumentSchema,
    ObjectFamily,
    body_arguments,
    constructor_arguments,
)
from carom.io.model.includes import VERSION
from carom.io.model.model_reader import RUN_OPTIONS
from carom.io.model.object_builder import MARKER_KEYS, POSE_KEYS, STATE_KEYS
from carom.model.input import HOLDS

FOLLOWER: dict[str, Any] = {
    "type": "object",
    "properties": {"input": {"type": "string"}, "factor": {"type": "number"}, "offset": {"type": "number"}},
    "required": ["input"],
    "additionalProperties": False,
    "description": "A number that follows an input: factor * input + offset.",
}
NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^="}, FOLLOWER]}
DATA: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "array", "items": {"$ref": "#/$defs/data"}}]}
FORMULA: dict[str, Any] = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/number"}]}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a model file."""
    definitions: dict[str, Any] = {
        "number": NUMBER,
        "data": DATA,
        "function": {"anyOf": [FORMULA, {"type": "array", "items": FORMULA}]},
        "marker": _closed({key: _ref("data") for key in MARKER_KEYS} | {"body": {"type": "string"}}, ["body"]),
        "body": _closed(_properties(body_arguments()), ["mass"]),
        "state": _closed({key: _ref("data") for key in STATE_KEYS}),
        "pose": {"type": "object", "additionalProperties": _closed({key: _ref("data") for key in POSE_KEYS})},
    }
    value = {"anyOf": [FORMULA, _ref("data")]}
    definitions["input"] = _closed({"unit": {"type": "string"}, "value": value, "hold": {"enum": [*HOLDS]}})
    definitions["output"] = _closed({"formula": {"type": "string"}, "unit": {"type": "string"}}, ["formula"])
    definitions["attachment"] = {"anyOf": [{"type": "string"}, _ref("marker"), _ref("data")]}
    for family in (*FAMILIES.values(), *SECTIONS.values()):
        definitions[family.name] = _family(family, is_element=family in SECTIONS.values())
    definitions["lagrangian"] = _lagrangian()
    sections = {section: _entries(_ref(family.name)) for section, family in SECTIONS.items()}
    run: dict[str, Any] = {key: {} for key in RUN_OPTIONS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "carom model",
        "description": 'A multibody system. "=…" is a formula of the parameters.',
        **_closed(
            {
                "carom": {"const": VERSION, "description": "Version of the format."},
                "name": {"type": "string"},
                "dim": {"enum": [2, 3], "description": "2: planar, 3: spatial."},
                "gravity": _ref("data"),
                "periodic": _entries(_ref("data")),
                "include": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
                "parameters": _entries(_ref("number")),
                "inputs": _entries(_ref("input")),
                "bodies": _entries(_ref("body")),
                "shapes": _entries(_ref("shape")),
                **sections,
                "outputs": _entries(_ref("output")),
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
    """Return the schema as JSON text."""
    return json.dumps(schema(), ensure_ascii=False, indent=2)


def _ref(name: str) -> dict[str, Any]:
    """Return a reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def _entries(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a section with named entries."""
    return {"type": ["object", "null"], "additionalProperties": entry}


def _closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """Return the schema of a mapping with these keys and no others."""
    mapping: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**mapping, "required": required} if required else mapping


def _lagrangian() -> dict[str, Any]:
    """Return the schema of a system in generalised coordinates."""
    texts: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    formula = {"anyOf": [FORMULA, {"type": "array", "items": {"$ref": "#/$defs/function"}}]}
    body = _closed({"place": formula, "mass": _ref("number"), "inertia": _ref("number")}, ["place"])
    impact = {"anyOf": [_ref("impact"), {"type": "array", "items": _ref("impact")}]}
    special: dict[str, Any] = {"coordinates": texts, "contacts": texts, "impact": impact, "bodies": _entries(body)}
    special |= {"q0": _ref("data"), "u0": _ref("data")}
    return _closed(
        {key: special.get(key, formula) for key in lagrangian_section.KEYS}, list(lagrangian_section.REQUIRED_KEYS)
    )


def _family(family: ObjectFamily, is_element: bool) -> dict[str, Any]:
    """Return the schema of a family; the keys depend on ``type``, so that an editor lists those of the type."""
    branches = []
    for type_name in family.constructors:
        arguments = constructor_arguments(family, type_name)
        properties = {"type": {"const": type_name}, **_properties(arguments)}
        if is_element:
            properties["pose"] = _ref("pose")
        required = [key for key, argument in arguments.items() if argument.required]
        body = {**_closed(properties, required), "description": _description(family, type_name)}
        condition: dict[str, Any] = {"properties": {"type": {"const": type_name}}}
        if type_name != family.default_type:
            condition["required"] = ["type"]
        branches.append({"if": condition, "then": body})
    types = {"enum": list(family.constructors)}
    schema: dict[str, Any] = {"type": "object", "properties": {"type": types}, "allOf": branches}
    return schema if family.default_type is not None else {**schema, "required": ["type"]}


def _description(family: ObjectFamily, type_name: str) -> str:
    """Return the first paragraph of the docstring of a constructor."""
    text = inspect.getdoc(family.constructors[type_name]) or type_name
    return " ".join(text.split("\n\n")[0].split()).replace("``", "")


def _properties(arguments: dict[str, ArgumentSchema]) -> dict[str, Any]:
    """Return the schemas of arguments by name."""
    return {key: _argument(argument) for key, argument in arguments.items()}


def _argument(argument: ArgumentSchema) -> dict[str, Any]:
    """Return the schema of an argument."""
    kind = argument.kind
    value: dict[str, Any]
    if kind in (ArgumentKind.OBJECT, ArgumentKind.OBJECTS):
        assert argument.family is not None
        item: dict[str, Any] = _ref(argument.family.name)
        if argument.family is SHAPE or argument.signatures:
            item = {"anyOf": [item, {"type": "string"}]}
        elif argument.numeric:
            item = {"anyOf": [item, _ref("number")]}
        value = item if kind is ArgumentKind.OBJECT else {"type": "array", "items": item}
    elif kind in (ArgumentKind.TEXT, ArgumentKind.BODY, ArgumentKind.FILE):
        value = {"type": "string"}
    elif kind is ArgumentKind.BODIES:
        value = {"type": "array", "items": {"type": "string"}}
    elif kind is ArgumentKind.ELEMENTS:
        value = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    elif kind is ArgumentKind.PLAIN:
        value = {}
    elif kind is ArgumentKind.BOOLEAN:
        value = {"type": "boolean"}
    else:
        value = _ref(kind.value)
    if argument.has_none:
        value = {"anyOf": [value, {"type": "array", "items": {"anyOf": [_ref("number"), {"type": "null"}]}}]}
    if argument.by_name:
        value = {"anyOf": [value, {"type": "object", "additionalProperties": value}]}
    return value if argument.required else {"anyOf": [value, {"type": "null"}]}
