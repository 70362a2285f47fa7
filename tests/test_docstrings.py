"""Public docstrings and types: every public name has an example that runs, every public constructor has types."""

from __future__ import annotations

import doctest
import importlib
import inspect
import types
import warnings
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import carom

MODULES = (
    "carom",
    "carom.laws",
    "carom.laws.friction",
    "carom.geometry.surfaces",
    "carom.geometry.profiles",
    "carom.geometry.lookup",
    "carom.model.packing",
    "carom.result.measures",
    "carom.study",
    "carom.plot",
    "carom.report",
    "carom.view",
    "carom.gallery",
    "carom.solve.contact_problem.lcp",
)
"""Modules whose public names are documented with examples."""
EXTRAS = {"carom.view.show": "viser", "carom.sensitivity": "SALib"}
"""Examples that need an optional package."""
BUILT_BY_THE_LIBRARY = ("carom.gallery.Case",)
"""Classes whose objects users obtain from functions; their arguments have types that are imported on first use only."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def public_names(module: types.ModuleType) -> list[str]:
    """Return the public names of a module: its ``__all__``, or the names that it defines."""
    defined = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    return list(getattr(module, "__all__", defined))


def public_objects() -> dict[str, Any]:
    """Return the public classes and functions by name, each once."""
    objects: dict[str, Any] = {}
    known: set[int] = set()
    for path in MODULES:
        module = importlib.import_module(path)
        for name in public_names(module):
            value = getattr(module, name)
            if (inspect.isclass(value) or inspect.isfunction(value)) and id(value) not in known:
                known.add(id(value))
                objects[f"{path}.{name}"] = value
    return objects


OBJECTS = public_objects()


def contains_any(hint: Any) -> bool:
    """Return True if a type is ``Any`` or contains it."""
    if hint is Any:
        return True
    items = hint if isinstance(hint, list) else get_args(hint)
    return any(contains_any(item) for item in items if isinstance(item, list) or not isinstance(item, str | int))


def test_every_public_name_has_a_docstring_with_an_example():
    missing = [name for name, value in OBJECTS.items() if ">>>" not in (inspect.unwrap(value).__doc__ or "")]
    assert missing == []


@pytest.mark.parametrize("name", OBJECTS)
def test_an_example_runs(name, tmp_path, monkeypatch):
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name])
    monkeypatch.chdir(tmp_path)
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    report: list[str] = []
    with np.printoptions(precision=6, suppress=True), warnings.catch_warnings():
        warnings.simplefilter("error", carom.CaromWarning)
        for test in finder.find(inspect.unwrap(OBJECTS[name]), name, globs={"cm": carom}):
            runner.run(test, out=report.append)
    assert runner.tries > 0
    assert runner.failures == 0, "".join(report)


def test_an_example_has_at_most_eight_lines():
    # Four lines are the model that the example needs; tables of arguments are counted by their first line.
    parser = doctest.DocTestParser()
    long = {
        name: count
        for name, value in OBJECTS.items()
        if (count := len(parser.get_examples(inspect.unwrap(value).__doc__ or ""))) > 8
    }
    assert long == {}


@pytest.mark.parametrize("name", [name for name, value in OBJECTS.items() if inspect.isclass(value)])
def test_a_public_constructor_has_types_without_any(name):
    kind = OBJECTS[name]
    if issubclass(kind, (Exception, carom.Outcome, carom.Result)) or name in BUILT_BY_THE_LIBRARY:
        return
    hints = get_type_hints(kind.__init__)
    for parameter in list(inspect.signature(kind.__init__).parameters.values())[1:]:
        if parameter.kind is parameter.VAR_KEYWORD or kind.__init__ is object.__init__:
            continue
        assert parameter.name in hints, f"{parameter.name} has no type"
        assert not contains_any(hints[parameter.name]), f"{parameter.name}: {hints[parameter.name]}"
