"""Variables of an FMU: parameters, inputs and outputs, with units and descriptions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from carom.argument_checks import is_list, short_repr, similar_names
from carom.errors import ModelError
from carom.init_arguments import constructor_signature
from carom.model.input import Input
from carom.model.output import Output
from carom.model.parameter_path import item_index, parameter_path, value_of
from carom.result.result import Result
from carom.solve.input_use import unused_inputs

TIME = "time"
"""Name of the independent variable."""
MAX_DEFAULT_OUTPUTS = 300
"""Largest number of signals that are outputs without being asked for."""
MOTION = {
    "x": "position", "y": "position", "z": "position", "angle": "angle", "vx": "velocity", "vy": "velocity",
    "vz": "velocity", "omega": "angular velocity", "wx": "angular velocity, body axes",
    "wy": "angular velocity, body axes", "wz": "angular velocity, body axes", "ax": "acceleration",
    "ay": "acceleration", "az": "acceleration", "alpha": "angular acceleration",
}  # fmt: skip
"""Meaning of the signals of bodies."""


@dataclass(frozen=True)
class Variable:
    """Variable of an FMU.

    Parameters
    ----------
    name
        its name, such as "motor torque", "touch.law.stiffness" or "crank.omega".
    causality
        "parameter", "input" or "output".
    unit
        its unit; empty if it has none.
    description
        its meaning.
    start
        start value of a parameter or an input.
    is_path
        True for a parameter that is a path in the model, False for one of the model file's own parameters.
    """

    name: str
    causality: Literal["parameter", "input", "output"]
    unit: str
    description: str
    start: float | None = None
    is_path: bool = False


@dataclass(frozen=True)
class Interface:
    """Contents of an FMU beside its model: variables, options of the run, and the default experiment."""

    name: str
    variables: tuple[Variable, ...]
    options: Mapping[str, Any]
    stop_time: float | None = None
    """End of the run in the model file [s]."""
    step: float | None = None
    """Recommended communication step [s]."""
    identifier: str = ""
    token: str = ""

    def write(self, path: Path) -> None:
        """Write the interface to a file."""
        path.write_text(json.dumps(asdict(self), indent=1), "utf-8")


def read_interface(path: Path) -> Interface:
    """Read an interface from a file."""
    data = json.loads(path.read_text("utf-8"))
    return Interface(**{**data, "variables": tuple(Variable(**one) for one in data["variables"])})


def names_in(what: str, items: Any) -> list[str]:
    """Return the names of a list of names or objects with names; raise for a name that occurs twice."""
    if isinstance(items, str) or not is_list(items):
        raise ModelError(f"to_fmu: {what} must be a list, got {short_repr(items)}")
    names = [item if isinstance(item, str) else getattr(item, "name", None) for item in items]
    for name, item in zip(names, items, strict=True):
        if not isinstance(name, str):
            raise ModelError(f"to_fmu: {what} must be names, got {short_repr(item)}")
        if names.count(name) > 1:
            raise ModelError(f"to_fmu: {what} contain {name!r} twice")
    return [str(name) for name in names]


def unknown(what: str, name: str, known: Iterable[str]) -> ModelError:
    """Return the error about an unknown name, with the nearest names."""
    names = [*known]
    close = similar_names(name, names)
    shown = close or names[:12]
    advice = f"did you mean {' or '.join(map(repr, shown))}?" if close else f"choose from {', '.join(shown) or 'none'}"
    return ModelError(f"to_fmu: unknown {what} {name!r}; {advice}")


def input_variables(system: Any, inputs: Sequence[str | Input] | None) -> list[Variable]:
    """Return the inputs of an FMU; by default all inputs of the system that something follows."""
    known: dict[str, Input] = {source.name: source for source in getattr(system, "inputs", ())}
    unused = [source.name for source in unused_inputs(system)] if known else []
    names = [name for name in known if name not in unused] if inputs is None else names_in("inputs", inputs)
    for name in names:
        if name not in known:
            if not known:
                raise ModelError(f"to_fmu: the system has no input {name!r}; add it with system.add(Input({name!r}))")
            raise unknown("input", name, known)
        if name in unused:
            raise ModelError(
                f"to_fmu: nothing follows the input {name!r}, so it has no effect; use it as a parameter of a force, "
                "motion or law, or leave it out"
            )
    ramp = "; changes evenly during the next step"
    return [
        Variable(
            name, "input", known[name].unit, f"input {name}{ramp if known[name].hold == 'linear' else ''}",
            known[name].initial,
        )
        for name in names
    ]  # fmt: skip


def output_variables(system: Any, result: Result, outputs: Sequence[str | Output] | None) -> list[Variable]:
    """Return the outputs of an FMU; by default all outputs of the system, and all signals."""
    signals = signal_variables(result)
    if outputs is not None:
        chosen = []
        for name in names_in("outputs", outputs):
            if name not in signals:
                raise unknown("output", name, signals)
            chosen.append(signals[name])
        return chosen
    if len(signals) > MAX_DEFAULT_OUTPUTS:
        raise ModelError(f"to_fmu: the system has {len(signals)} signals; choose some with outputs=[…]")
    return list(signals.values())


def signal_variables(result: Result) -> dict[str, Variable]:
    """Return the variables of all outputs and signals of a result, by name."""
    found: dict[str, Variable] = {}
    for info in result.elements:
        if info.family == "output":
            found[info.name] = Variable(info.name, "output", info.units[0], f"output {info.name}")
    for body in result.bodies:
        for signal, unit in result[body.name].units.items():
            name = f"{body.name}.{signal}"
            found[name] = Variable(name, "output", unit, f"{MOTION.get(signal, signal)} of body {body.name}")
    for info in result.elements:
        if info.family in ("output", "input"):
            continue
        for signal, unit in zip(info.signals, info.units, strict=True):
            name, meaning = f"{info.name}.{signal}", signal.replace("_", " ")
            found[name] = Variable(name, "output", unit, f"{meaning} of {info.kind} {info.name}")
    return found


def path_variables(system: Any, paths: Sequence[str]) -> list[Variable]:
    """Return the parameters of an FMU that are paths in the system, such as "touch.law.stiffness"."""
    variables = []
    for path in names_in("parameters", paths):
        found = parameter_path(system, path)
        if found is None:
            raise ModelError(f"to_fmu: the parameter {path!r} must belong to a body, a joint, a force or a contact")
        item: Any = found.owner
        for key in found.keys:
            item = argument_at(item, key)
        if isinstance(item, bool) or not isinstance(item, (int, float)):
            raise ModelError(f"to_fmu: the parameter {path!r} must be a number, got {short_repr(item)}")
        variables.append(Variable(path, "parameter", "", f"parameter {path}", float(item), is_path=True))
    return variables


def argument_at(item: Any, key: str) -> Any:
    """Return an argument of an object, with its default if it was omitted; an item of a list; or a value of a body."""
    if isinstance(item, (tuple, list)):
        return item[item_index(key)]
    value = value_of(item, key)
    if value is None and hasattr(item, "keywords"):
        signature = constructor_signature(type(item), getattr(item, "constructor_method", None))
        value = signature.parameters[key].default
    return value


def check_names(variables: Sequence[Variable]) -> None:
    """Raise if two variables have the same name."""
    names = [TIME, *(variable.name for variable in variables)]
    for name in names:
        if names.count(name) > 1:
            what = "the time of the FMU" if name == TIME else "two variables"
            raise ModelError(f"to_fmu: {name!r} names {what}; use different names")
