"""Paths of the numeric parameters of a system, as in model files: "touch.law.restitution", "left.velocity.x"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from carom.argument_checks import similar_names
from carom.errors import ModelError
from carom.init_arguments import constructor_signature
from carom.model.body import PLANAR, SPATIAL, Body
from carom.model.system import AXES, System

SECTIONS = ("bodies", "joints", "forces", "contacts")
"""Sections of a model file with bodies and elements, with which a path may begin."""
OTHER_SECTIONS = (
    "carom", "name", "dim", "gravity", "periodic", "parameters", "shapes", "boundaries", "visuals", "start", "assemble",
    "run", "lagrangian",
)  # fmt: skip
"""Other keys of a model file."""
FILE_KEYS = ("type", "pose")
"""Keys of an object in a model file that are no arguments of its constructor."""


@dataclass(frozen=True)
class ParameterPath:
    """A parameter: the system, body or element that it belongs to, and the keys from there."""

    owner: Any
    keys: tuple[str, ...]


def parameter_path(system: System, path: str) -> ParameterPath | None:
    """Return the parameter at ``path``; None if the path is not that of a body, an element or a part of gravity.

    Raise with the nearest names if a name in the path is unknown.
    """
    first, _, rest = path.partition(".")
    if first == "gravity" and rest:
        return ParameterPath(system, ("gravity", rest))
    if path == "gravity" or path in (source.name for source in system.inputs):
        return None
    text = rest if first in SECTIONS and first not in names_of(system) else path
    owners = [name for name in names_of(system) if text.startswith(f"{name}.")]
    if not owners:
        check_first_name(system, path)
        return None
    name = max(owners, key=len)
    owner, keys = system[name], tuple(text[len(name) + 1 :].split("."))
    check_keys(path, owner, keys)
    return ParameterPath(owner, keys)


def names_of(system: System) -> dict[str, Any]:
    """Return bodies and elements by name."""
    items = (*system.bodies, *system.joints, *system.forces, *system.contacts, *system.compounds)
    return {str(item.name): item for item in items}


def check_first_name(system: System, path: str) -> None:
    """Raise with the nearest names if a path begins with no name of the model."""
    known = [*system._by_name, *system.shapes, *SECTIONS, *OTHER_SECTIONS]
    if not any(path.startswith(f"{name}.") for name in known):
        raise ModelError(unknown_name(path, f"System {system.name!r}", "name", path.partition(".")[0], known))


def unknown_name(path: str, owner: str, what: str, name: str, known: list[str]) -> str:
    """Return the message about an unknown name in a path."""
    close = similar_names(name, known)
    advice = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(known)}"
    return f"{path}: {owner} has no {what} {name!r}; {advice}"


def check_keys(path: str, owner: Any, keys: tuple[str, ...]) -> None:
    """Raise with the nearest names if an object on the path has no argument of this name."""
    item, label = owner, owner.label
    for key in keys:
        if isinstance(item, Body):
            known: list[str] = list(PLANAR if item.dim == 2 else SPATIAL)
        elif isinstance(item, (tuple, list)):
            known = [*AXES[: len(item)], *map(str, range(len(item)))]
        elif hasattr(item, "keywords"):
            method = getattr(item, "constructor_method", None)
            arguments = constructor_signature(type(item), method).parameters
            if any(argument.kind is argument.VAR_KEYWORD for argument in arguments.values()):
                return
            known = [*arguments, *FILE_KEYS]
        else:
            return
        if key not in known:
            raise ModelError(unknown_name(path, label, "parameter", key, known))
        item = item[item_index(key)] if isinstance(item, (tuple, list)) else value_of(item, key)
        label = f"{label}, {key}"


def value_of(item: Any, key: str) -> Any:
    """Return the value of an argument of an object."""
    return item.keywords().get(key) if hasattr(item, "keywords") else getattr(item, key)


def item_index(key: str) -> int:
    """Return the index that a key of a list means: a number, or x, y, z."""
    return AXES.index(key) if key in AXES else int(key)
