"""Use of the inputs of a system: one that nothing follows is probably a mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from carom.errors import warn
from carom.input_value import inputs_in
from carom.model.input import Input
from carom.model.output import FormulaOutput
from carom.model.system import System


def warn_of_unused_inputs(system: System) -> None:
    """Warn of inputs that nothing follows or reads."""
    for source in unused_inputs(system):
        warn(
            f"{source.label}: nothing follows it, so it has no effect; use it as a parameter of a force, motion or "
            "law, not a number computed from it in another way"
        )


def unused_inputs(system: System) -> list[Input]:
    """Return the inputs that nothing follows or reads."""
    unused = []
    for source in system.inputs:
        followed = any(value.input is source for value in followed_values(system))
        read = any(mentions(function, source.name) for function in functions_of(system))
        measured = any(is_named(item, source) for controller in system.controllers for item in controller.inputs)
        if not (followed or read or measured):
            unused.append(source)
    return unused


def followed_values(system: System) -> Iterator[Any]:
    """Yield the numbers of forces, motions and laws that follow inputs."""
    laws = (law for contact in system.contacts for law in (contact.law, contact.friction))
    motions = (joint.motion for joint in system.joints)
    for item in (*system.forces, *motions, *laws):
        for argument in getattr(item, "__dict__", {}).get("_input_arguments", {}).values():
            yield from inputs_in(argument)


def functions_of(system: System) -> Iterator[Callable[..., Any]]:
    """Yield the functions of users that can read inputs."""
    yield from (force.function.function for force in system.forces if force.function is not None)
    for output in system.outputs:
        yield output.function.function if isinstance(output.function, FormulaOutput) else output.function
    yield from (item for controller in system.controllers for item in controller.inputs if callable(item))


def is_named(item: Any, source: Input) -> bool:
    """Return True if what a controller measures is an input, or its name."""
    return item is source or (isinstance(item, str) and item == source.name)


def mentions(function: Callable[..., Any], name: str) -> bool:
    """Return True if a function has a name among its constants or attributes, or if that cannot be found out."""
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    return code is None or in_code(code, name)


def in_code(code: CodeType, name: str) -> bool:
    """Return True if code, or code inside it, has a name among its constants or attributes."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    closure = code.co_freevars  # values from outside may be names of inputs
    return name in code.co_consts or name in code.co_names or bool(closure) or any(in_code(c, name) for c in inner)
