"""Parsing of KEY=VALUE and NAME=LOW:HIGH arguments of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from carom.argument_checks import similar_names
from carom.deprecation import current_arguments
from carom.errors import ModelError

_CONSTANTS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "none": None}

LITERAL_NONE = {"onset": "none"}
"""Keys for which the word "none" is a value of its own, not None."""


def parse(pairs: Iterable[str]) -> dict[str, Any]:
    """Return ``["n=3", "crank=driven"]`` as ``{"n": 3, "crank": "driven"}``."""
    return {key: parse_value(text) for key, text in split("--set", pairs)}


def split(option: str, pairs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield key and text of each KEY=TEXT.

    In names of parameters, "-" is read as "_"; paths into a model file, which contain a dot, are not changed.
    """
    for pair in pairs:
        key, equals, text = pair.partition("=")
        key = key.strip() if "." in key else key.strip().replace("-", "_")
        if not equals or not key:
            raise ModelError(f"{option}: expected KEY=VALUE, got {pair!r}")
        yield key, text.strip()


def parse_value(text: str) -> Any:
    """Return an integer, a float, a boolean, None, a tuple "1,2,3" of these, or the text itself."""
    if "," in text:
        return tuple(parse_value(part.strip()) for part in text.split(",") if part.strip())
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_ranges(option: str, texts: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Return ``["stiffness=1e8:1e11"]`` as ``{"stiffness": (1e8, 1e11)}``; NAME=START:LOW:HIGH has three numbers."""
    ranges: dict[str, tuple[float, ...]] = {}
    for name, text in split(option, texts):
        try:
            numbers = tuple(float(part) for part in text.split(":"))
        except ValueError:
            numbers = ()
        if len(numbers) not in (2, 3):
            raise ModelError(f"{option}: expected NAME=LOW:HIGH such as restitution=0.1:0.9, got {name}={text}")
        ranges[name] = numbers
    return ranges


def parse_executor(text: str | None) -> Any:
    """Return a number of processes, or the name of an executor."""
    return int(text) if text is not None and text.isdigit() else text


def separate_options(
    name: str, factory: Callable[..., Any], settings: dict[str, Any], options: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate ``settings`` into parameters of the case ``name`` and ``options`` of its run."""
    parameters = list(inspect.signature(factory).parameters)
    settings = current_arguments(factory, settings)
    check_keys(name, settings, parameters, options)
    settings = {key: LITERAL_NONE.get(key) if value is None else value for key, value in settings.items()}
    case_parameters = {key: value for key, value in settings.items() if key in parameters}
    return case_parameters, {key: value for key, value in settings.items() if key not in parameters}


def check_keys(name: str, settings: Iterable[str], parameters: Iterable[str], options: Iterable[str]) -> None:
    """Raise if a key of ``settings`` is neither a parameter of ``name`` nor an option of a run."""
    parameters, options = list(parameters), list(options)
    for key in settings:
        if key not in parameters and key not in options:
            close = similar_names(key, [*parameters, *options])
            hint = (
                f"did you mean {' or '.join(close)}?"
                if close
                else f"parameters: {', '.join(parameters) or 'none'}; options of a run: {', '.join(options)}"
            )
            raise ModelError(f"{name}: unknown parameter {key!r}; {hint}")
