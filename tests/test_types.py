"""Types: every function but a compiled kernel is annotated; the package ships its types."""

from __future__ import annotations

import ast
import importlib.resources
from collections.abc import Iterator
from pathlib import Path

import carom

SOURCES = sorted(Path(carom.__file__).parent.rglob("*.py"))
KERNEL_DECORATORS = {"jit", "kernel", "pair_kernel", "surface_kernel", "intrinsic", "overload", "njit"}
"""Decorators of functions that Numba compiles; their types are those of the signature."""
STUBS = {"complex_step.py"}
"""Modules whose private functions are overloaded for Numba, without a decorator."""


def decorator_name(node: ast.expr) -> str:
    """Return the last part of the name of a decorator."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a module and the methods of its classes, without functions inside functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child
        elif not isinstance(child, ast.expr):
            yield from functions(child)


def is_annotated(function: ast.FunctionDef) -> bool:
    """Return True if all arguments of a function have types, apart from ``self`` and ``cls``."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    variadic = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    typed = [argument.annotation is not None for argument in (*named, *variadic) if argument.arg not in ("self", "cls")]
    return all(typed) and (function.returns is not None or function.name == "__init__")


def test_every_function_but_a_compiled_kernel_is_annotated():
    missing = [
        f"{path.name}:{function.lineno} {function.name}"
        for path in SOURCES
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
        if not is_annotated(function)
        and KERNEL_DECORATORS.isdisjoint(map(decorator_name, function.decorator_list))
        and not (path.name in STUBS and function.name.startswith("_"))
    ]
    assert missing == []


def test_types_are_shipped():
    assert importlib.resources.files("carom").joinpath("py.typed").is_file()
