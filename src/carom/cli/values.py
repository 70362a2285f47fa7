"""What people type after ``--set``: KEY=VALUE pairs, and for whom they are meant."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from carom.errors import ModelError

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "none": None}

WORDY = {("onset", None): "none"}
"""Where a word that stands for something else is meant as it is written."""


def parse(pairs: Iterable[str]) -> dict[str, Any]:
    """``["n=3", "crank=driven"]`` as ``{"n": 3, "crank": "driven"}``."""
    return {key: value(text) for key, text in split("--set", pairs)}


def split(option: str, pairs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names and texts of KEY=TEXT; names of parameters may be typed with - for _, places of a model are as they are."""
    for pair in pairs:
        key, equals, text = pair.partition("=")
        key = key.strip() if "." in key else key.strip().replace("-", "_")
        if not equals or not key:
            raise ModelError(f"{option} needs KEY=VALUE, got {pair!r}")
        yield key, text.strip()


def value(text: str) -> Any:
    """A whole number, a number, a truth value, a list "1,2,3" of these, or the text itself."""
    if "," in text:
        return tuple(value(part.strip()) for part in text.split(",") if part.strip())
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def divide(
    name: str, maker: Callable[..., Any], given: dict[str, Any], options: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the case and options of the run, out of what was given."""
    parameters = list(inspect.signature(maker).parameters)
    options = list(options)
    for key in given:
        if key not in parameters and key not in options:
            close = difflib.get_close_matches(key, [*parameters, *options], n=3)
            meant = f"did you mean {' or '.join(close)}?"
            has = f"it has {', '.join(parameters)}, and a run has {', '.join(options)}"
            raise ModelError(f"{name} has no parameter {key!r}; {meant if close else has}")
    given = {key: WORDY.get((key, item), item) if item is None else item for key, item in given.items()}
    ours = {key: item for key, item in given.items() if key in parameters}
    return ours, {key: item for key, item in given.items() if key not in parameters}
