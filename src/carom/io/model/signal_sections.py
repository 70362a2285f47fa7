"""Inputs and outputs in model files, and numbers that follow inputs: ``{input: motor torque, factor: -1.0}``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from carom.errors import ModelError
from carom.input_value import InputValue
from carom.io.model.includes import unknown
from carom.io.model.yaml_reader import Location, Node, check_numbers
from carom.kernels.expression import Formula
from carom.model.input import HOLDS, Input
from carom.model.output import Output

if TYPE_CHECKING:
    from carom.io.model.object_builder import ObjectBuilder

INPUT_KEYS = ("unit", "value", "hold")
OUTPUT_KEYS = ("formula", "unit")
FOLLOWER_KEYS = ("input", "factor", "offset")
"""Keys of a number that follows an input: ``factor · input + offset``."""


def describe_follower(value: InputValue) -> dict[str, Any]:
    """Return a number that follows an input as an entry of a model file."""
    entry: dict[str, Any] = {"input": value.input.name}
    if value.factor != 1.0:
        entry["factor"] = value.factor
    if value.offset != 0.0:
        entry["offset"] = value.offset
    return entry


def describe_input(source: Input, convert: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Return the entry of an input; ``convert`` returns a value at a path as plain data."""
    entry: dict[str, Any] = {"unit": source.unit} if source.unit else {}
    if callable(source.value):
        entry["value"] = convert(source.value, f"inputs.{source.name}.value")
    elif source.table is not None:
        entry["value"] = [list(numbers) for numbers in source.table]
    else:
        entry["value"] = source.initial
    return entry if source.hold == HOLDS[0] else {**entry, "hold": source.hold}


def describe_output(output: Output) -> dict[str, Any]:
    """Return the entry of an output; raise if it has a Python function."""
    if output.formula is None:
        raise ModelError(
            f"{output.label}: its Python function cannot be written in a model file; use a formula as text, such as "
            f"Output({output.name!r}, 'spring.fx * slider.vx')"
        )
    return {"formula": output.formula, **({"unit": output.unit} if output.unit else {})}


def read_follower(builder: ObjectBuilder, node: Node, location: Location) -> InputValue:
    """Return the number of a mapping that follows an input."""
    entries = builder.mapping(node, location, FOLLOWER_KEYS)
    place = location.entry(node, "input")
    name, known = builder.text(entries["input"], place), [source.name for source in builder.system.inputs]
    if name not in known:
        raise place.error(f"{name!r}: {unknown('input', name, known or ['none'])}")
    numbers = {"factor": 1.0, "offset": 0.0}
    for key in [key for key in numbers if key in entries]:
        value = builder.plain(entries[key], location.entry(node, key))
        check_numbers(value, location.entry(node, key))
        numbers[key] = value
    source: InputValue = builder.system[name]
    if (numbers["factor"], numbers["offset"]) == (1.0, 0.0):
        return source
    follower: InputValue = builder.call(location, lambda: source * numbers["factor"] + numbers["offset"], node)
    return follower


def read_input(builder: ObjectBuilder, name: str, node: Node, location: Location) -> None:
    """Add the input of an entry to the system."""
    values: dict[str, Any] = {}
    for key, entry in builder.mapping(node, location, INPUT_KEYS).items():
        place = location.entry(node, key)
        if key != "value":
            values[key] = builder.text(entry, place)
            continue
        value = builder.plain(entry, place)
        if isinstance(value, str):
            value = builder.call(place, partial(builder.formula, [value], False, (("t",),)))
        else:
            check_numbers(value, place)
        values[key] = value
    builder.call(location, lambda: builder.system.add(Input(name, **values)), node)


def read_output(builder: ObjectBuilder, name: str, node: Node, location: Location) -> None:
    """Add the output of an entry to the system."""
    entries = builder.mapping(node, location, OUTPUT_KEYS)
    if "formula" not in entries:
        raise location.error("an output requires formula")
    texts = {key: builder.text(entry, location.entry(node, key)) for key, entry in entries.items()}
    place = location.entry(node, "formula")
    formula = builder.call(place, lambda: Formula(texts.pop("formula"), builder.parameters)).text
    builder.call(location, lambda: builder.system.add(Output(name, formula, **texts)), node)
