"""Numbers in the tables of a compiled model that follow from other values of its parameters.

A parameter is named by its path, as in a model file: "touch.law.restitution", "left.velocity.x", "gravity.1". For other
values, only the object concerned is built anew, and its numbers are those that the full construction of the tables
would store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import vector
from carom.compiled_model.body_kind import principal_axes
from carom.compiled_model.linear_solver import MIN_INERTIA_RATIO, has_small_inertia, joint_inertias
from carom.compiled_model.output_columns import output_point
from carom.geometry.element import Element
from carom.mechanics.contact_records import BOUNDING_SPHERES
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.parameter_path import ParameterPath, item_index, parameter_path

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData

Slot = tuple[str, int]
"""Name of an array of the compiled model, and index of a number in it."""

LAWS = ("law", "friction", "rolling", "impact")
"""Attributes of contacts that are laws; impact laws do not act in compliant runs."""


SPEEDS = ("velocity", "angular_velocity")
"""Initial velocities of bodies."""


class NotInPlace(Exception):
    """A value that cannot be changed in the tables; its text is the reason."""


class Part:
    """Numbers that follow from one object; ``slots`` are their places in the tables."""

    def __init__(self, slots: list[Slot], numbers: Callable[[Sequence[float]], Sequence[float]]):
        self.slots, self.numbers = slots, numbers


class ChangedNumbers:
    """Numbers that change in the tables ``data`` with the values of the parameters at ``paths``.

    Raise `NotInPlace` if a path is not that of such a parameter.
    """

    def __init__(self, data: SystemData, paths: Sequence[str]):
        located = [parameter_path(data.system, path) for path in paths]
        for path, place in zip(paths, located, strict=True):
            if place is None:
                raise NotInPlace(f"{path} is not a number of a body or element")
        places = {k: place for k, place in enumerate(located) if place is not None}
        self.changes_laws_only = all(place.keys[0] in (*LAWS, *SPEEDS) for place in places.values())
        self.current: dict[int, Any] = {}
        """Objects that replace those of the model for the last values, by id; for the system, its gravity."""
        self.parts = [*body_parts(data, places, self.current), *element_parts(data, places, self.current)]
        self.slots = [slot for part in self.parts for slot in part.slots]

    def numbers(self, values: Sequence[float]) -> list[float]:
        """Return the numbers for the values of the parameters, in the order of ``slots``.

        Raise `ModelError` for a value out of range, and `NotInPlace` if the structure of the model changes.
        """
        numbers: list[float] = []
        for part in self.parts:
            numbers += part.numbers(values)
        return numbers

    def changed(self, item: Any) -> Any:
        """Return what takes the place of an object of the model for the last values."""
        return self.current.get(id(item), item)


# ---- Bodies and gravity


def body_parts(data: SystemData, places: Mapping[int, ParameterPath], current: dict[int, Any]) -> list[Part]:
    """Return the parts of gravity and of the bodies."""
    gravity = {place.keys[1:]: k for k, place in places.items() if place.owner is data.system}
    changed: dict[int, dict[tuple[str, ...], int]] = {}
    for k, place in places.items():
        if isinstance(place.owner, Body):
            changed.setdefault(data.system.bodies.index(place.owner), {})[place.keys] = k
    indices = range(len(data.system.bodies)) if gravity else changed
    build_gravity = rebuilder(data.system.gravity, gravity) if gravity else None

    def gravity_of(values: Sequence[float]) -> Any:
        if build_gravity is None:
            return data.system.gravity
        current[id(data.system)] = vector(data.system.label, "gravity", build_gravity(values), data.system.dim)
        return current[id(data.system)]

    return [body_part(data, index, changed.get(index, {}), gravity_of, bool(gravity), current) for index in indices]


def body_part(
    data: SystemData,
    index: int,
    keys: Mapping[tuple[str, ...], int],
    gravity: Callable[[Sequence[float]], Any],
    changes_gravity: bool,
    current: dict[int, Any],
) -> Part:
    """Return the part of a body: mass, gravity force and initial state."""
    body, kind = data.system.bodies[index], data.kind
    arguments = {name: getattr(body, name) for name in body_arguments(body)}
    changes = {
        name: rebuilder(arguments[name], {key[1:]: k for key, k in keys.items() if key[0] == name})
        for name in {key[0] for key in keys}
    }
    changes_weight = changes_gravity or "mass" in changes
    changes_mass = not changes.keys().isdisjoint(("mass", "inertia"))
    if changes_mass and (np.any(data["mass"] <= 0.0) or np.any(has_small_inertia(data))):
        raise NotInPlace(f"{body.label}: the solver depends on masses, as some are zero or small")
    if body.dim == 3 and "inertia" in changes and np.any(body.inertia - np.diag(np.diag(body.inertia))):
        raise NotInPlace(f"{body.label}: its principal axes depend on its inertia")
    arm = float(joint_inertias(data)[index]) / body.mass if body.mass > 0.0 else 0.0
    n, first, width = data.n_velocities, kind.n_velocities * index, kind.n_velocities
    is_decoupled = (data.mass[first : first + width] == 0.0).tolist()  # rotations of point masses
    slots: list[Slot] = []
    if changes_weight:
        slots += [("gravity_force", first + j) for j in range(width)]
    if changes_mass:
        slots += [(name, first + j) for name in ("mass", "own mass", "inverse_mass") for j in range(width)]
    changes_state = not changes.keys().isdisjoint(arguments.keys() - {"mass", "inertia"})
    if changes_state:
        slots += [("y0", start + first + j) for start in (0, n) for j in range(width)]
        slots += [("y0", 2 * n + kind.n_orientation * index + j) for j in range(kind.n_orientation)]
    current[id(body)] = other = Body(body.name, **arguments)

    def numbers(values: Sequence[float]) -> list[float]:
        for name, change in changes.items():
            vars(other)[name] = other.checked(name, change(values))
        result: list[float] = []
        if changes_weight:
            result += kind.gravity_force(other, gravity(values))
        if changes_mass:
            mass = kind.mass_diagonal(other)
            is_small = min(mass[body.dim :]) < MIN_INERTIA_RATIO * arm * other.mass
            if is_small or [value <= 0.0 for value in mass] != is_decoupled:
                raise NotInPlace(f"{body.label}: the solver depends on masses, as some are zero or small")
            used = [1.0 if value == 0.0 else value for value in mass]
            result += [*used, *mass, *(1.0 / value for value in used)]
        if changes_state:
            q, v, orientation = kind.initial_values(other)
            result += [*q, *v, *orientation]
        return result

    return Part(slots, numbers)


def body_arguments(body: Body) -> tuple[str, ...]:
    """Return the arguments of a body other than its name."""
    pose = "angle" if body.dim == 2 else "orientation"
    return "mass", "inertia", "position", pose, "velocity", "angular_velocity"


# ---- Elements


def element_parts(data: SystemData, places: Mapping[int, ParameterPath], current: dict[int, Any]) -> list[Part]:
    """Return the parts of joints, forces, contacts and laws; those of an object are one part."""
    objects: dict[int, tuple[Any, str, dict[tuple[str, ...], int]]] = {}
    for k, place in places.items():
        owner, keys = place.owner, place.keys
        if not isinstance(owner, Element):
            continue
        if keys[0] in LAWS and getattr(owner, keys[0], None) is not None and len(keys) > 1:
            law = getattr(owner, keys[0])
            objects.setdefault(id(law), (law, keys[0], {}))[2][keys[1:]] = k
        else:
            objects.setdefault(id(owner), (owner, "", {}))[2][keys] = k
    parts = []
    for item, role, keys_of_item in objects.values():
        change = rebuilder(item, keys_of_item)
        if role:
            parts.append(law_part(data, item, role, change))
        elif isinstance(item, Contact):
            parts.append(contact_part(data, item, change))
        else:
            parts.append(element_part(data, item, change, current))
    return parts


def law_part(data: SystemData, law: Any, role: str, change: Callable[[Sequence[float]], Any]) -> Part:
    """Return the part of a law, for all contacts that have it."""
    contacts = [k for k, contact in enumerate(data.contacts) if getattr(contact, role) is law]
    if role == "impact":
        contacts = []
    if not contacts and role != "impact":
        raise NotInPlace(f"{type(law).__name__}: no contact has this law")
    if getattr(law, "is_distributed", False):
        raise NotInPlace(f"{type(law).__name__}: its numbers depend on the shapes")
    count = len(law.parameters) if contacts else 0
    offsets = data["contacts"][f"{role}_params"][contacts].tolist() if contacts else []
    slots: list[Slot] = [("params", offset + j) for offset in offsets for j in range(count)]
    structure = structure_of_law(law, data) if contacts else None

    def numbers(values: Sequence[float]) -> list[float]:
        other = change(values)
        if structure is not None and structure_of_law(other, data) != structure:
            raise NotInPlace(f"{type(law).__name__}: another kernel is needed")
        return [*other.parameters] * len(contacts)

    return Part(slots, numbers)


def structure_of_law(law: Any, data: SystemData) -> tuple[Any, ...]:
    """Return what the table of contacts stores of a law beside its parameters."""
    flags = [getattr(law, name, None) for name in ("has_unloading_curve", "tension", "has_state")]
    kernel = law.compiled("", data.body_dtype) if hasattr(law, "compiled") else None
    return (*flags, kernel)


def contact_part(data: SystemData, contact: Contact, change: Callable[[Sequence[float]], Any]) -> Part:
    """Return the part of the shapes of a contact."""
    index = next((k for k, known in enumerate(data.contacts) if known is contact), None)
    if index is None or contact.pairing.contact_points > 1 or len(contact.pairing.warm_start):
        raise NotInPlace(f"{contact.label}: it remembers places on its shapes, or has several points")
    entry = data["contacts"][index]
    count = len(contact.pairing.parameters)
    slots: list[Slot] = [("params", int(entry["pair_params"]) + j) for j in range(count)]
    has_bounds = int(entry["bounding_spheres"]) >= 0
    if has_bounds:
        slots += [("params", int(entry["bounding_spheres"]) + j) for j in range(BOUNDING_SPHERES.size)]
    structure = structure_of_pair(contact)

    def numbers(values: Sequence[float]) -> list[float]:
        other = change(values)
        if structure_of_pair(other) != structure:
            raise NotInPlace(f"{contact.label}: the shapes need another kernel")
        result = [*other.pairing.parameters]
        if has_bounds:
            result += [x for s in other.pairing.shapes for x in (*s.bounding_sphere()[0], s.bounding_sphere()[1])]
        return result

    return Part(slots, numbers)


def structure_of_pair(contact: Contact) -> tuple[Any, ...]:
    """Return what the table of contacts stores of a pair beside its parameters."""
    rotates = [contact.turns_with(shape) for shape in contact.shapes]
    pairing = contact.pairing
    bounds = [shape.bounding_sphere() is None for shape in pairing.shapes] if contact.in_space else []
    return pairing.kernel, pairing.swapped, rotates, bounds, len(pairing.parameters)


def element_part(
    data: SystemData, element: Any, change: Callable[[Sequence[float]], Any], current: dict[int, Any]
) -> Part:
    """Return the part of a joint or force, with its motion."""
    family = "joints" if any(joint is element for joint in data.joints) else "forces"
    members = getattr(data, family)
    index = next((k for k, known in enumerate(members) if known is element), None)
    if index is None:
        raise NotInPlace(f"{element.label} consists of several elements")
    entry = data[family][index]
    count = len(element.parameters)
    slots: list[Slot] = [("params", int(entry["params_offset"]) + j) for j in range(count)]
    if family == "joints":
        slots += [("joint_points", index * data.system.dim + j) for j in range(data.system.dim)]
    motion = getattr(element, "motion", None)
    anchor = data.coordinate_at_start(entry) if motion is not None else 0.0
    if motion is not None:
        first = int(entry["motion_params_offset"])
        slots += [("params", first + j) for j in range(len(motion.parameters(anchor)))]

    def numbers(values: Sequence[float]) -> list[float]:
        current[id(element)] = other = change(values)
        if other.kernel is not element.kernel or len(other.parameters) != count:
            raise NotInPlace(f"{element.label}: another kernel is needed")
        result = [float(value) for value in other.parameters]
        if family == "joints":
            check_inertias(other, current)
            result += output_point(other)
        if motion is not None:
            if type(other.motion) is not type(motion) or list(other.motion.breaks) != list(motion.breaks):
                raise NotInPlace(f"{element.label}: the times at which its motion changes its form depend on it")
            result += [float(value) for value in other.motion.parameters(anchor)]
        return result

    return Part(slots, numbers)


def check_inertias(joint: Any, current: Mapping[int, Any]) -> None:
    """Raise if the points of a joint make an inertia small, for which there is another solver."""
    for member, point in zip(joint.members, joint.points, strict=False):
        body = current.get(id(member), member)
        if isinstance(body, Body):
            smallest = body.inertia if body.dim == 2 else min(principal_axes(body.inertia)[0])
            if smallest < MIN_INERTIA_RATIO * body.mass * sum(part * part for part in point):
                raise NotInPlace(f"{body.label}: the solver depends on its inertia, which is small")


def rebuilder(item: Any, changes: Mapping[tuple[str, ...], int]) -> Callable[[Sequence[float]], Any]:
    """Return the function that builds an object, or a tuple, with values of parameters at some keys.

    ``changes`` has the index of a parameter for each key; an empty key is the object itself.
    """
    if () in changes:
        k = changes[()]
        return lambda values: values[k]
    below: dict[str, dict[tuple[str, ...], int]] = {}
    for key, k in changes.items():
        below.setdefault(key[0], {})[key[1:]] = k
    if isinstance(item, (tuple, list)):
        entries = {item_index(key): rebuilder(item[item_index(key)], keys) for key, keys in below.items()}

        def build_tuple(values: Sequence[float]) -> Any:
            return tuple(entries[j](values) if j in entries else part for j, part in enumerate(item))

        return build_tuple
    if not hasattr(item, "keywords"):
        raise NotInPlace(f"{item!r} has no arguments")
    arguments = item.keywords()
    method = getattr(item, "constructor_method", None)
    build = type(item) if method is None else getattr(type(item), method)
    changed = {key: rebuilder(arguments.get(key), keys) for key, keys in below.items()}

    def build_object(values: Sequence[float]) -> Any:
        return build(**{**arguments, **{key: change(values) for key, change in changed.items()}})

    return build_object
