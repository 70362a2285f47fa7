"""Numeric parameters of a study model by name: their values, their sizes, and the model with other values."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from carom.argument_checks import is_list, similar_names
from carom.errors import ModelError
from carom.gallery.case_variants import suppress_warnings
from carom.model.system import System
from carom.study.study_model import BuiltModel, StudyModel

AXES = {"x": 0, "y": 1, "z": 2}
"""Indices of the components of vectors by name."""
LAWS = ("law", "friction", "impact", "rolling")
"""Attributes of a contact that can be exchanged in a copy of the system."""
STATE = ("mass", "inertia", "velocity", "angular_velocity")
"""Attributes of a body that can change without moving the elements that are attached to it."""


class VariedModel:
    """A study model at fixed ``values``, and its neighbours with another value of one parameter.

    Names are those of a sweep: parameters of the model, and paths in its model file; components of vectors may be
    called ``x``, ``y`` and ``z``.
    """

    def __init__(self, model: StudyModel, values: Mapping[str, Any]):
        self.model = model
        self.parameters, self.options, self.changes = model.split_values(values)
        with suppress_warnings():
            self.built: BuiltModel = model.build(self.parameters).with_changes(self.changes)
        self.system = self.built.system
        self._copy: Any = None

    def value(self, name: str) -> float:
        """Return the value of a parameter; raise with the nearest names if it is unknown or not a number."""
        value = self._own_value(name) if "." not in name else value_at(self.system, name)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)):
            raise ModelError(f"{name}: must be a number of the model, got {value!r}")
        return float(value)

    def _own_value(self, name: str) -> Any:
        """Return the value of a parameter of the model itself."""
        known = {**self.model.parameters, **self.parameters}
        if name not in known:
            raise self.model.unknown_parameter(name)
        return known[name]

    def scale(self, name: str) -> float:
        """Return the size of a parameter: its magnitude, or that of its vector; 1 if it is zero."""
        size = abs(self.value(name))
        if "." in name:
            owner, _, last = name.rpartition(".")
            if last in AXES or last.isdecimal():
                size = max(abs(float(part)) for part in np.ravel(value_at(self.system, owner)))
        return size or 1.0

    def system_with(self, name: str, value: float) -> Any:
        """Return the system with another value of one parameter."""
        with suppress_warnings():
            if "." not in name:
                return self.model.build({**self.parameters, name: value}).with_changes(self.changes).system
            quick = self._changed_copy(name, value)
            if quick is not None:
                return quick
            return self.built.with_changes(vector_change(self.system, name, value)).system

    def _changed_copy(self, name: str, value: float) -> Any:
        """Return a copy with a changed law or state, where that needs no new elements; otherwise None."""
        if not isinstance(self.system, System):
            return None
        owner, rest = owner_of(self.system, name)
        key, _, inner = rest.partition(".")
        if owner is not self.system and not (key in STATE or (key in LAWS and key in getattr(owner, "assignable", ()))):
            return None
        if owner is self.system and key != "gravity":
            return None
        try:
            other = deepcopy(self.system)
        except TypeError:  # something the user passed, such as a generator, cannot be copied
            return None
        vars(other).pop("_built_run", None)
        target = other if owner is self.system else other[owner.name]
        current = getattr(target, key)
        if key not in LAWS:
            setattr(target, key, replaced(current, inner, value))
            return other
        changed = with_argument(current, inner, value)
        for contact in (*other.contacts, *other.compounds):
            if getattr(contact, key, None) is current:
                setattr(contact, key, changed)
        setattr(target, key, changed)
        return other


def owner_of(system: System, path: str) -> tuple[Any, str]:
    """Return the system, body or element at the start of a path, and the rest of the path."""
    first = path.split(".", 1)[0]
    if first in ("bodies", "joints", "forces", "contacts", "shapes"):
        path = path.split(".", 1)[1]
    named = {**{body.name: body for body in system.bodies}, **{name: system[name] for name in names_of(system)}}
    known = sorted((name for name in named if path == name or path.startswith(f"{name}.")), key=len, reverse=True)
    if known:
        return named[known[0]], path[len(known[0]) + 1 :]
    if path.split(".", 1)[0] == "gravity":
        return system, path
    first = path.split(".", 1)[0]
    close = similar_names(first, [*named, "gravity"])
    hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join([*named, 'gravity'])}"
    raise ModelError(f"{path}: the model has no {first!r}; {hint}")


def names_of(system: System) -> list[str]:
    """Return the names of everything in a system except the ground."""
    return [name for name in system._by_name if name != "ground"]


def value_at(system: Any, path: str) -> Any:
    """Return the value at a path of a system; raise with the nearest names if there is none."""
    if not isinstance(system, System):
        raise ModelError(
            f"{path}: a system in generalised coordinates has no paths; vary the parameters of its function"
        )
    owner, rest = owner_of(system, path)
    value = owner
    for key in rest.split(".") if rest else ():
        value = child_of(value, key, path)
    return value


def child_of(value: Any, key: str, path: str) -> Any:
    """Return a constructor argument or attribute of an object, or a component of a vector."""
    if is_list(value) or isinstance(value, np.ndarray):
        index = AXES.get(key, int(key) if key.isdecimal() else -1)
        if not 0 <= index < len(value):
            raise ModelError(f"{path}: components are {', '.join(list(AXES)[: len(value)])}, got {key!r}")
        return value[index]
    arguments = value.keywords() if hasattr(value, "keywords") else {}
    if key in arguments:
        return getattr(value, key, arguments[key]) if key in getattr(value, "assignable", ()) else arguments[key]
    known = [*inspect.signature(type(value)).parameters] if not isinstance(value, (int, float)) else []
    if (key in known or key in getattr(value, "assignable", ())) and hasattr(value, key):
        return getattr(value, key)
    close = similar_names(key, known)
    hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(known) or 'none'}"
    raise ModelError(f"{path}: unknown parameter {key!r}; {hint}")


def vector_change(system: Any, path: str, value: float) -> dict[str, Any]:
    """Return the change of a model file; a component of a vector changes the whole vector."""
    owner, _, last = path.rpartition(".")
    if last in AXES or last.isdecimal():
        return {owner: replaced(value_at(system, owner), last, value)}
    return {path: value}


def replaced(current: Any, key: str, value: float) -> Any:
    """Return a number, or a vector with another component ``key``."""
    if not key:
        return value
    first, _, rest = key.partition(".")
    parts = list(current)
    index = AXES[first] if first in AXES else int(first)
    parts[index] = replaced(parts[index], rest, value)
    return parts


def with_argument(item: Any, key: str, value: float) -> Any:
    """Return an object with another constructor argument."""
    first, _, rest = key.partition(".")
    arguments = item.keywords()
    inner = arguments.get(first, getattr(item, first, None))
    arguments[first] = with_argument(inner, rest, value) if hasattr(inner, "keywords") else replaced(inner, rest, value)
    method = getattr(item, "constructor_method", None)
    return (type(item) if method is None else getattr(type(item), method))(**arguments)
