"""What a study runs: a case of the gallery, a model file, a system, or a function that makes one of these.

A subject takes values by name: its own parameters, options of the run (``t_end``, ``rtol``, ``method`` …), and any
place of its model by its path (``touch.law.restitution``), as the model file would have it. Subjects can be pickled:
they run in other processes and on other machines.
"""

from __future__ import annotations

import difflib
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from carom.errors import ModelError, shown
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS, Case
from carom.io.model.model_reader import parameter_names, read
from carom.io.model.model_writer import entry, write
from carom.model.generalized import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result
from carom.solve.simulate import simulate

REQUIRED = inspect.Parameter.empty
"""Stands for the value of a parameter that has none of its own."""
SYSTEMS = (System, GeneralizedSystem)


class Subject(ABC):
    """Something to run, again and again, with other values."""

    name: str
    parameters: Mapping[str, Any]
    """Its own parameters, with the values they have when none are given."""
    unnamed: bool = False
    """Whether it takes parameters that it does not name."""

    @abstractmethod
    def made(self, parameters: Mapping[str, Any]) -> Made:
        """The model with its own parameters."""

    def run(self, values: Mapping[str, Any], **options: Any) -> Result:
        """One run; ``options`` are of the run where ``values`` do not say another."""
        parameters, of_run, changes = self.divide(values)
        return self.made(parameters).changed(changes).run({**options, **of_run})

    def divide(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Its own parameters, options of the run, and places of the model, out of ``values``."""
        own: dict[str, Any] = {}
        of_run: dict[str, Any] = {}
        changes: dict[str, Any] = {}
        for key, value in values.items():
            if key in self.parameters:
                own[key] = value
            elif key in RUN_OPTIONS:
                of_run[key] = value
            elif "." in key:
                changes[key] = entry(value, key)
            elif self.unnamed:
                own[key] = value
            else:
                close = difflib.get_close_matches(key, [*self.parameters, *RUN_OPTIONS], n=3)
                has = f"it has {', '.join(self.parameters) or 'none'}, and a run has {', '.join(RUN_OPTIONS)}"
                meant = f"did you mean {' or '.join(close)}?" if close else f"{has}; places of its model have dots"
                raise ModelError(f"{self.name} has no parameter {key!r}; {meant}")
        return own, of_run, changes


@dataclass(frozen=True)
class Made:
    """A model that is ready to run: its system, its options, and how they are run together."""

    name: str
    system: Any
    options: Mapping[str, Any]
    case: Case | None = None

    def changed(self, changes: Mapping[str, Any]) -> Made:
        """With other values at places of its model."""
        if not changes:
            return self
        model = read(write(self.system), changes=changes)
        return Made(self.name, model.system, self.options)

    def run(self, options: Mapping[str, Any]) -> Result:
        if self.case is not None:
            return self.case.run(**options)
        together = {**self.options, **options}
        if "t_end" not in together:
            raise ModelError(f"{self.name}: say how long to run, t_end=1.0")
        return simulate(self.system, **together)


@dataclass(frozen=True)
class GalleryCase(Subject):
    """A case of the gallery, known by its name wherever it runs."""

    name: str

    @property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        return defaults(CASES[self.name])

    def made(self, parameters: Mapping[str, Any]) -> Made:
        case = CASES[self.name](**parameters)
        return Made(self.name, case.system, case.options, case)


@dataclass(frozen=True)
class Maker(Subject):
    """A function whose arguments are the parameters; it returns a case, or a system with or without options."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:  # type: ignore[override]
        return getattr(self.function, "__name__", "the function")

    @property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        return defaults(self.function)

    @property
    def unnamed(self) -> bool:  # type: ignore[override]
        kinds = [parameter.kind for parameter in inspect.signature(self.function).parameters.values()]
        return inspect.Parameter.VAR_KEYWORD in kinds

    def made(self, parameters: Mapping[str, Any]) -> Made:
        found = self.function(**parameters)
        if isinstance(found, Case):
            return Made(self.name, found.system, found.options, found)
        if isinstance(found, SYSTEMS):
            return Made(self.name, found, {})
        match found:
            case (system, Mapping() as options) if isinstance(system, SYSTEMS):
                return Made(self.name, system, options)
        raise ModelError(
            f"{self.name} must return a case, a system, or a system and options of its run, got {shown(found)}"
        )


@dataclass(frozen=True)
class File(Subject):
    """A model file, read anew for every run; it must be there where it runs."""

    path: Path

    @property
    def name(self) -> str:  # type: ignore[override]
        return str(self.path)

    @cached_property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {key: value for key, value in read(self.path).parameters.items() if key in parameter_names(self.path)}

    def made(self, parameters: Mapping[str, Any]) -> Made:
        model = read(self.path, parameters)
        return Made(self.name, model.system, model.run)

    def run(self, values: Mapping[str, Any], **options: Any) -> Result:
        parameters, of_run, changes = self.divide(values)
        model = read(self.path, parameters, changes)
        return Made(self.name, model.system, model.run).run({**options, **of_run})


@dataclass(frozen=True)
class Fixed(Subject):
    """A system or a case as it stands; its parameters are options of the run and places of its model."""

    model: Made

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.model.name

    @property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {}

    def made(self, parameters: Mapping[str, Any]) -> Made:
        return self.model


def subject(of: Any) -> Subject:
    """The subject of a study: a case by its name or its function, a file, a system, a function."""
    if isinstance(of, Subject):
        return of
    if isinstance(of, Case):
        return Fixed(Made(of.name, of.system, of.options, of))
    if isinstance(of, SYSTEMS):
        return Fixed(Made(of.name, of, {}))
    if isinstance(of, str) and of in CASES:
        return GalleryCase(of)
    if isinstance(of, (str, os.PathLike)) and Path(of).suffix in (".yaml", ".yml"):
        return File(Path(of).resolve())
    if callable(of):
        name = getattr(of, "__name__", "")
        return GalleryCase(name) if CASES.get(name) is of else Maker(of)
    close = difflib.get_close_matches(of if isinstance(of, str) else "", CASES, n=3)
    meant = f"did you mean {' or '.join(close)}?" if close else f"the gallery has {', '.join(CASES)}"
    kinds = "a case, a model file (.yaml), a system or a function that makes one"
    raise ModelError(f"a study needs {kinds}, got {shown(of)}; {meant}")


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a function, with their values where they have one, else `REQUIRED`."""
    given = inspect.signature(function).parameters.values()
    usual = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {parameter.name: parameter.default for parameter in given if parameter.kind in usual}
