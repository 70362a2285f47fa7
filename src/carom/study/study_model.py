"""Models for studies: a gallery case, a model file, a system, or a function that returns one of these.

A study model is run with values by name: its own parameters, run options (``t_end``, ``rtol``, ``method`` …), and paths
in its model (``touch.law.restitution``) as in a model file. Study models can be pickled, so that they run in other
processes and on other machines.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from carom.argument_checks import short_repr, similar_names
from carom.deprecation import current_arguments
from carom.errors import ModelError
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS, Case
from carom.io.model.model_reader import parameter_names, read
from carom.io.model.model_writer import entry, write
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result
from carom.solve.sensitivity.varied_system import VariedSystem, as_number, is_path
from carom.solve.simulate import simulate
from carom.study.fingerprint import digest, fingerprint

REQUIRED = inspect.Parameter.empty
"""Default of a parameter that has none."""
SYSTEMS = (System, GeneralizedSystem)


class StudyModel(ABC):
    """A model that can be run repeatedly with different values."""

    name: str
    parameters: Mapping[str, Any]
    """Parameters with their default values."""
    accepts_any_parameter: bool = False
    """True if parameters that are not in ``parameters`` are accepted."""

    @abstractmethod
    def build(self, parameters: Mapping[str, Any]) -> BuiltModel:
        """Build the model with values of its own parameters."""

    def fingerprint(self) -> Any:
        """Return plain data that identifies the model in every process."""
        return [type(self).__qualname__, self.name]

    def run(self, values: Mapping[str, Any], **options: Any) -> Result:
        """Run the model once; ``values`` take precedence over the run ``options``."""
        parameters, run_options, changes = self.split_values(values)
        return self.build(parameters).with_changes(changes).run({**options, **run_options})

    def rewritten(self, parameters: Mapping[str, Any], changes: Mapping[str, Any]) -> BuiltModel:
        """Build the model from its model file, with other values at paths of that."""
        return self.build(parameters).rewritten(changes)

    def split_values(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Split values into parameters of the model, run options, and changes by path in the model."""
        parameters: dict[str, Any] = {}
        run_options: dict[str, Any] = {}
        changes: dict[str, Any] = {}
        for key, value in self.current_values(values).items():
            if key in self.parameters:
                parameters[key] = value
            elif key in RUN_OPTIONS:
                run_options[key] = value
            elif self.is_path(key):
                changes[key] = entry(value, key)
            elif self.accepts_any_parameter:
                parameters[key] = value
            else:
                raise self.unknown_parameter(key)
        return parameters, run_options, changes

    def is_path(self, key: str) -> bool:
        """Return True for a path of a value in the model."""
        return "." in key or key == "gravity"

    def current_values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values with current names and texts of parameters in place of deprecated ones."""
        return values

    def unknown_parameter(self, key: str) -> ModelError:
        """Return the error for a name that is neither a parameter nor a run option."""
        close = similar_names(key, [*self.parameters, *RUN_OPTIONS])
        if close:
            return ModelError(f"{self.name}: unknown parameter {key!r}; did you mean {' or '.join(close)}?")
        return ModelError(
            f"{self.name}: unknown parameter {key!r}; choose from the parameters "
            f"({', '.join(self.parameters) or 'none'}), the run options ({', '.join(RUN_OPTIONS)}) or paths in the "
            "model such as body.mass"
        )


@dataclass(frozen=True)
class BuiltModel:
    """A model ready to run: system, run options, and the gallery case it comes from, if any."""

    name: str
    system: Any
    options: Mapping[str, Any]
    case: Case | None = None

    def with_changes(self, changes: Mapping[str, Any]) -> BuiltModel:
        """Return the model with other values at paths of its model file."""
        return self.rewritten(changes) if changes else self

    def rewritten(self, changes: Mapping[str, Any]) -> BuiltModel:
        """Return the model as it is read from its model file, with other values at paths of that.

        A system with inputs, which model files cannot contain, is copied instead.
        """
        if getattr(self.system, "inputs", ()):
            system = self.system
            for path, value in changes.items():
                system = VariedSystem(system).system_with(path, as_number(path, value))
            return BuiltModel(self.name, system, self.options)
        model = read(write(self.system), changes=with_vector_of_gravity(self.system, changes))
        return BuiltModel(self.name, model.system, self.options)

    def run(self, options: Mapping[str, Any]) -> Result:
        """Run the model; ``options`` take precedence over its own."""
        if self.case is not None:
            return self.case.run(**options)
        combined = {**self.options, **options}
        if "t_end" not in combined:
            raise ModelError(f"{self.name}: t_end is missing; set the end time of the run [s], for example t_end=1.0")
        return simulate(self.system, **combined)


@dataclass(frozen=True)
class GalleryModel(StudyModel):
    """A gallery case, identified by its name in every process."""

    name: str

    @property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Parameters with their default values."""
        return default_arguments(CASES[self.name])

    def fingerprint(self) -> Any:
        """Return the name of the case."""
        return self.name

    def current_values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values with current names and texts of the arguments of the case."""
        return current_arguments(CASES[self.name], values)

    def build(self, parameters: Mapping[str, Any]) -> BuiltModel:
        """Build the case."""
        case = CASES[self.name](**parameters)
        return BuiltModel(self.name, case.system, case.options, case)


@dataclass(frozen=True)
class FactoryModel(StudyModel):
    """A function whose arguments are the parameters; it returns a case, or a system with or without run options."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the function."""
        return getattr(self.function, "__name__", "the function")

    @property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Arguments of the function with their default values."""
        return default_arguments(self.function)

    @property
    def accepts_any_parameter(self) -> bool:  # type: ignore[override]
        """True if the function has an argument ``**kwargs``."""
        kinds = [parameter.kind for parameter in inspect.signature(self.function).parameters.values()]
        return inspect.Parameter.VAR_KEYWORD in kinds

    def fingerprint(self) -> Any:
        """Return name and source of the function."""
        return fingerprint(self.function)

    def current_values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values with current names and texts of the arguments of the function."""
        return current_arguments(self.function, values)

    def build(self, parameters: Mapping[str, Any]) -> BuiltModel:
        """Call the function."""
        model = self.function(**parameters)
        if isinstance(model, Case):
            return BuiltModel(self.name, model.system, model.options, model)
        if isinstance(model, SYSTEMS):
            return BuiltModel(self.name, model, {})
        match model:
            case (system, Mapping() as options) if isinstance(system, SYSTEMS):
                return BuiltModel(self.name, system, options)
        raise ModelError(
            f"{self.name}: must return a case, a system, or (system, run options), got {short_repr(model)}"
        )


@dataclass(frozen=True)
class FileModel(StudyModel):
    """A model file, read again for every run; it must exist on the machine that runs it."""

    path: Path

    @property
    def name(self) -> str:  # type: ignore[override]
        """Path of the file."""
        return str(self.path)

    @cached_property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Parameters of the file with their values."""
        return {key: value for key, value in read(self.path).parameters.items() if key in parameter_names(self.path)}

    def fingerprint(self) -> Any:
        """Return the name of the file and a hash of its text."""
        return [self.path.name, digest(self.path.read_text(encoding="utf-8"))]

    def build(self, parameters: Mapping[str, Any]) -> BuiltModel:
        """Read the file."""
        return self.rewritten(parameters, {})

    def rewritten(self, parameters: Mapping[str, Any], changes: Mapping[str, Any]) -> BuiltModel:
        """Read the file with all changes."""
        if isinstance(changes.get("gravity"), float | int):
            changes = with_vector_of_gravity(read(self.path, parameters).system, changes)
        model = read(self.path, parameters, changes)
        return BuiltModel(self.name, model.system, model.run)

    def run(self, values: Mapping[str, Any], **options: Any) -> Result:
        """Read the file with all changes and run the model."""
        parameters, run_options, changes = self.split_values(values)
        return self.rewritten(parameters, changes).run({**options, **run_options})


@dataclass(frozen=True)
class FixedModel(StudyModel):
    """A system or case without parameters; run options and paths in its model can vary."""

    model: BuiltModel

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the system or case."""
        return self.model.name

    @property
    def parameters(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Empty: a system has no parameters."""
        return {}

    def fingerprint(self) -> Any:
        """Return the name and hashes of model file and run options."""
        try:
            text = write(self.model.system)
        except ModelError:  # It contains a function, which a model file cannot represent.
            text = hashlib.sha256(pickle.dumps(self.model.system)).hexdigest()
        return [self.name, digest(text), fingerprint(dict(self.model.options))]

    def is_path(self, key: str) -> bool:
        """Return True for a path of a value in the model, or the name of an input."""
        return is_path(self.model.system, key)

    def build(self, parameters: Mapping[str, Any]) -> BuiltModel:
        """Return the model."""
        return self.model


def with_vector_of_gravity(system: Any, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return changes of a model file in which the magnitude of gravity [m/s²] is replaced by its vector."""
    value = changes.get("gravity")
    if not isinstance(value, float | int):
        return changes
    ratio = value / VariedSystem(system).value("gravity")
    return {**changes, "gravity": [ratio * part for part in system.gravity]}


StudyModelLike: TypeAlias = (
    StudyModel | Case | System | GeneralizedSystem | str | os.PathLike[str] | Callable[..., object]
)
"""Name or function of a gallery case, model file, system, or function that returns one of them."""


def as_study_model(model: StudyModelLike) -> StudyModel:
    """Return a study model from the name or function of a gallery case, a model file, a system or a function.

    Examples
    --------
    >>> import carom as cm
    >>> cm.study.as_study_model("falling_ball").name
    'falling_ball'
    """
    if isinstance(model, StudyModel):
        return model
    if isinstance(model, Case):
        return FixedModel(BuiltModel(model.name, model.system, model.options, model))
    if isinstance(model, SYSTEMS):
        return FixedModel(BuiltModel(model.name, model, {}))
    if isinstance(model, str) and model in CASES:
        return GalleryModel(model)
    if isinstance(model, (str, os.PathLike)) and Path(model).suffix in (".yaml", ".yml"):
        return FileModel(Path(model).resolve())
    if callable(model):
        name = getattr(model, "__name__", "")
        return GalleryModel(name) if CASES.get(name) is model else FactoryModel(model)
    close = similar_names(model if isinstance(model, str) else "", CASES)
    hint = f"did you mean {' or '.join(close)}?" if close else f"gallery cases: {', '.join(CASES)}"
    kinds = "a gallery case, a model file (.yaml), a system or a function that returns one"
    raise ModelError(f"study: the model must be {kinds}, got {short_repr(model)}; {hint}")


def default_arguments(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the named arguments of a function with their defaults, `REQUIRED` for those without one."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    arguments = inspect.signature(function).parameters.values()
    return {argument.name: argument.default for argument in arguments if argument.kind in named}
