"""Numeric parameters of a system by their paths: values, sizes, and the system with other values."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, short_repr
from carom.errors import ModelError, suppress_warnings
from carom.model.parameter_path import item_index, parameter_path
from carom.model.system import AXES, System

LAWS = ("law", "friction", "impact", "rolling")
"""Attributes of a contact that can be exchanged in a copy of the system."""
STATE = ("mass", "inertia", "velocity", "angular_velocity")
"""Attributes of a body that can change without moving the elements that are attached to it."""


class VariedSystem:
    """A system, and its neighbours with another value of one parameter, such as "ball.velocity.y".

    "gravity" is the magnitude of the acceleration of gravity, the name of an input its initial value.
    """

    def __init__(self, system: Any):
        self.system = system
        self._pickled: bytes | None = None

    def value(self, path: str) -> float:
        """Return the value of a parameter; raise with the nearest names if it is unknown or not a number."""
        if path == "gravity":
            return magnitude_of_gravity(self.system)
        source = input_at(self.system, path)
        return as_number(path, value_at(self.system, path) if source is None else source.value)

    def scale(self, path: str) -> float:
        """Return the size of a parameter: its magnitude, or that of its vector; 1 if it is zero."""
        size = abs(self.value(path))
        owner, _, last = path.rpartition(".")
        if last in AXES or last.isdecimal():
            size = max(abs(float(part)) for part in np.ravel(value_at(self.system, owner)))
        return size or 1.0

    def system_with(self, path: str, value: float) -> Any:
        """Return the system with another value of one parameter."""
        if path == "gravity":
            ratio = value / magnitude_of_gravity(self.system)
            return self._assigned_copy("gravity", [ratio * part for part in self.system.gravity])
        if input_at(self.system, path) is not None:
            return self._copy_with_input(path, value)
        with suppress_warnings():
            quick = self._changed_copy(path, value)
            return self.system.with_changes(vector_change(self.system, path, value)) if quick is None else quick

    def _copied_system(self) -> Any:
        """Return a copy of the system; None if something the user passed, such as a generator, cannot be copied."""
        if self._pickled is None:
            built_run = vars(self.system).pop("_built_run", None)
            try:
                self._pickled = pickle.dumps(self.system, pickle.HIGHEST_PROTOCOL)
            except (pickle.PicklingError, AttributeError, TypeError):  # a function defined inside another one
                self._pickled = b""
            if built_run is not None:
                vars(self.system)["_built_run"] = built_run
        if self._pickled:
            return pickle.loads(self._pickled)
        try:
            return deepcopy(self.system)
        except TypeError:
            return None

    def _assigned_copy(self, key: str, value: Any) -> Any:
        """Return a copy of the system with another value of one of its attributes."""
        other = self._copied_system()
        if other is None:
            return self.system.with_changes({key: value})
        setattr(other, key, value)
        return other

    def _copy_with_input(self, path: str, value: float) -> Any:
        """Return a copy of the system in which an input begins with another value."""
        other = self._copied_system()
        if other is None:
            raise ModelError(f"{path}: the system contains a function that cannot be copied; define it in a module")
        source = input_at(other, path)
        source.initial = source.value = finite_float(path, "value", value)
        return other

    def _changed_copy(self, path: str, value: float) -> Any:
        """Return a copy with a changed law or state, where that needs no new elements; otherwise None."""
        found = parameter_path(self.system, path)
        if found is None:
            return None
        owner, (key, *inner_keys) = found.owner, found.keys
        inner = ".".join(inner_keys)
        if owner is not self.system and not (key in STATE or (key in LAWS and key in getattr(owner, "assignable", ()))):
            return None
        if owner is not self.system and owner.name not in self.system._by_name:
            return None
        other = self._copied_system()
        if other is None:
            return None
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


def is_path(system: Any, name: str) -> bool:
    """Return True for the name of a number in a system: a path, "gravity", or an input."""
    return "." in name or name == "gravity" or input_at(system, name) is not None


def input_at(system: Any, path: str) -> Any:
    """Return the input that a path names, as "motor torque" or "motor torque.value"; None for other paths."""
    inputs = {source.name: source for source in getattr(system, "inputs", ())}
    return inputs.get(path) or inputs.get(path.removesuffix(".value"))


def magnitude_of_gravity(system: Any) -> float:
    """Return the magnitude of the acceleration of gravity [m/s²]; raise if it is zero."""
    gravity = float(np.linalg.norm(value_at(system, "gravity")))
    if gravity == 0.0:
        raise ModelError("gravity: it is zero, without a direction; choose a component, such as gravity.y")
    return gravity


def as_number(name: str, value: Any) -> float:
    """Return the value of a parameter; raise if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)):
        parts = isinstance(value, (tuple, list)) and 0 < len(value) <= len(AXES)
        advice = f"; choose a component, such as {name}.{AXES[0]}" if parts else ""
        raise ModelError(f"{name}: must be a number of the model, got {short_repr(value)}{advice}")
    return float(value)


def value_at(system: Any, path: str) -> Any:
    """Return the value at a path of a system; raise with the nearest names if there is none."""
    if not isinstance(system, System):
        raise ModelError(
            f"{path}: a system in generalised coordinates has no paths; vary the parameters of its function"
        )
    if path == "gravity":
        return system.gravity
    found = parameter_path(system, path)
    if found is None:
        raise ModelError(f"{path}: must be the path of a number of a body, of an element or of gravity, as ball.mass")
    value = found.owner
    for key in found.keys:
        value = part_of(value, key)
    return value


def part_of(value: Any, key: str) -> Any:
    """Return an argument of an object, given or by default, or a component of a vector; None if there is none."""
    if isinstance(value, (tuple, list)):
        return value[item_index(key)]
    arguments = value.keywords() if hasattr(value, "keywords") else {}
    if key in arguments and key not in getattr(value, "assignable", ()):
        return arguments[key]
    return getattr(value, key, None)


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
    index = item_index(first)
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
