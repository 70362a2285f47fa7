"""Values that the compiled form of a user function depends on: its code and what it captures.

Compiled code contains captured values as constants. It is built again when one of them has changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

MAX_COMPARED_BYTES = 100_000
"""Largest size [byte] of a captured array that is compared."""

PURE_MODULES = {"builtins", "cmath", "math", "numpy"}
"""Modules whose functions depend on their arguments only, but for those of `IMPURE_NAMES`."""
IMPURE_NAMES = {"random", "input", "open", "print"}


class Identity:
    """Key that equals only the key of the same object; it keeps the object alive, since a freed address is reused."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def identity(function: Callable[..., Any]) -> tuple[Any, ...] | None:
    """Return code, default values and captured values of a function; None if they cannot be compared."""
    code, values = getattr(function, "__code__", None), captured(function)
    defaults = [*(getattr(function, "__defaults__", None) or ())]
    defaults += [value for pair in (getattr(function, "__kwdefaults__", None) or {}).items() for value in pair]
    if code is None or values is None or not all(isinstance(x, (bool, int, float, complex, str)) for x in defaults):
        return None
    return code, tuple((type(value), repr(value)) for value in defaults), values


def captured(function: Callable[..., Any]) -> tuple[Any, ...] | None:
    """Return the captured values of a function, constants in compiled code; None if they cannot be compared."""
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType):  # an object or a partial function: it may hold anything
        return None
    keys = []
    for name, value in _values(function):
        key = _key(value)
        if key is None:
            return None
        keys.append((name, *key))
    return tuple(keys)


def dependencies(function: Callable[..., Any], visited: tuple[CodeType, ...] = ()) -> tuple[Any, ...] | None:
    """Return a key of all that the results of a function depend on beside its arguments.

    None if they may depend on more: random numbers, objects, functions that are not compiled.
    """
    function = getattr(function, "py_func", function)
    key = identity(function)
    if key is None or not isinstance(function, FunctionType) or not IMPURE_NAMES.isdisjoint(_names(function.__code__)):
        return None
    if function.__code__ in visited:
        return key
    keys: list[Any] = [key]
    for _, value in _values(function):
        if isinstance(getattr(value, "py_func", None), FunctionType):
            keys.append(dependencies(value.py_func, (*visited, function.__code__)))
        elif (callable(value) or inspect.ismodule(value)) and not _is_pure(value):
            return None
    return None if None in keys else tuple(keys)


def _key(value: Any) -> tuple[Any, ...] | None:
    """Return a key of a captured value; None if it cannot be compared."""
    if isinstance(value, (bool, int, float, complex, str, type(None))):
        return type(value), repr(value)  # 1, 1.0 and True are equal, as are 0.0 and -0.0
    if callable(value) or inspect.ismodule(value):
        return (Identity(value),)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" and value.nbytes <= MAX_COMPARED_BYTES:
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, tuple) and all(isinstance(item, (bool, int, float, complex, str)) for item in value):
        return tuple((type(item), repr(item)) for item in value)
    return None


def _values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield names and values of the globals, of what modules among them contain, and of captured variables."""
    names = _names(function.__code__)
    values = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # the variable has no value yet
            values[name] = cell.cell_contents
    for name, value in values.items():
        yield name, value
        yield from _members(name, value, names, ())


def _members(path: str, value: Any, names: list[str], visited: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Yield those members of a module that have one of the names."""
    if not inspect.ismodule(value) or _is_pure(value) or value in visited:
        return
    for name in names:
        if name in vars(value):
            yield f"{path}.{name}", vars(value)[name]
            yield from _members(f"{path}.{name}", vars(value)[name], names, (*visited, value))


def _names(code: CodeType) -> list[str]:
    """Return the names of globals and attributes in a function and in those defined in it."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= dict.fromkeys(_names(constant))
    return list(names)


def _is_pure(value: Any) -> bool:
    """Return True for modules and functions of `PURE_MODULES`."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return isinstance(value, np.ufunc) or name in PURE_MODULES
