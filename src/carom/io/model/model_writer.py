"""From a system to the text of a model file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ModelError, file_name
from carom.geometry.element import Element
from carom.geometry.marker import Marker
from carom.geometry.shapes import Shape
from carom.io.atomic_write import atomic_write
from carom.io.model.constructor_schema import FAMILIES, SECTIONS, ObjectFamily
from carom.io.model.includes import VERSION
from carom.io.model.lagrangian_section import describe
from carom.io.model.model_reader import RUN_OPTIONS
from carom.io.model.yaml_writer import Anchored, YamlWriter
from carom.joints.base import Joint
from carom.model.body import Body
from carom.model.generalized import GeneralizedSystem
from carom.model.system import System

UNTURNED = [1.0, 0.0, 0.0, 0.0]


def write(system: Any, path: str | os.PathLike[str] | None = None, run: Mapping[str, Any] | None = None) -> str:
    """The text of ``system``, also written to ``path``; ``run`` holds options of `simulate`."""
    target = None if path is None else file_name("to_yaml: path", path)
    text = text_of(system, Path.cwd() if target is None else target.parent, run)
    if target is not None:
        with atomic_write(target) as part:
            part.write_text(text, "utf-8")
    return text


def text_of(system: Any, folder: Path | None, run: Mapping[str, Any] | None = None) -> str:
    """The text of ``system``; files of data are relative to ``folder`` where they lie within, without one absolute."""
    if isinstance(system, GeneralizedSystem):
        impacts = Description(System(), folder)
        entry = describe(system, lambda impact: impacts.value(impact, "lagrangian.impact"))
        sections = {"carom": VERSION, "name": system.name, "lagrangian": entry, "run": impacts.run(run or {})}
    else:
        sections = Description(system, folder).sections(run or {})
    return YamlWriter().document({key: value for key, value in sections.items() if value != {}})


def entry(value: Any, where: str) -> Any:
    """A law, a motion or a number as a model file has it."""
    return Description(System(), Path.cwd()).value(value, where)


class Description:
    """A system as plain data."""

    def __init__(self, system: System, folder: Path | None):
        self.system, self.folder = system, None if folder is None else folder.resolve()
        self._names = {id(shape): name for name, shape in system.shapes.items()}
        self._anchored: dict[int, Anchored] = {}
        self._kept: list[Any] = []  # objects whose ids are keys above
        self._uses: Counter[int] = Counter()
        self._anchors: Counter[str] = Counter()

    def sections(self, run: Mapping[str, Any]) -> dict[str, Any]:
        system = self.system
        contacts = self._contacts()
        elements: dict[str, list[Any]] = {"joints": system.joints, "forces": system.forces, "contacts": contacts}
        self._count([system.shapes.values(), *elements.values()])
        drawn = self._drawn([element for family in elements.values() for element in family])
        gravity = {"gravity": list(system.gravity)} if not _zero(system.gravity) else {}
        found: dict[str, Any] = {"carom": VERSION, "name": system.name, "dim": system.dim, **gravity}
        found["bodies"] = {body.name: self._body(body, drawn) for body in system.bodies}
        found["shapes"] = {name: self._object(shape, f"shapes.{name}") for name, shape in system.shapes.items()}
        for section, members in elements.items():
            found[section] = {
                str(element.name): self._element(section, element, drawn) for element in members
            }  # fmt: skip
        found["start"] = {body.name: _pose(body) for body in system.bodies if not _same(_pose(body), drawn[id(body)])}
        found["run"] = self.run(run)
        return found

    def _contacts(self) -> list[Any]:
        """Contacts, joints with play and groups, in the order they were added, without what these add themselves."""
        wholes = [*self.system.compounds, *self.system.small_groups, *self.system.groups]
        parts = {id(part) for whole in wholes for part in getattr(whole, "parts", ())}
        parts |= {id(part) for group in self.system.small_groups for part in group.contacts}
        mine = {id(item) for item in (*self.system.contacts, *wholes)}
        mine |= {id(contact) for contact in self.system.compounds}
        return [item for item in self.system._by_name.values() if id(item) in mine and id(item) not in parts]

    def _drawn(self, elements: list[Any]) -> dict[int, dict[str, Any]]:
        """The pose each body had when elements were put on it: most of them, where they differ."""
        poses: dict[int, list[dict[str, Any]]] = {}
        for element in elements:
            if element.posed:
                for body, position, turned in element.made_at:
                    poses.setdefault(id(body), []).append(_as_pose(position, turned))
        drawn = {id(body): _pose(body) for body in self.system.bodies}
        for body, found in poses.items():
            texts = [repr(pose) for pose in found]
            drawn[body] = found[texts.index(Counter(texts).most_common(1)[0][0])]
        return drawn

    def _body(self, body: Body, drawn: dict[int, dict[str, Any]]) -> dict[str, Any]:
        entry: dict[str, Any] = {"mass": body.mass}
        if not _zero(body.inertia):
            entry["inertia"] = _inertia(body.inertia)
        pose = drawn[id(body)]
        entry["position"] = pose["position"]
        if not _zero(pose.get("angle", 0.0)):
            entry["angle"] = pose["angle"]
        if not _same(pose.get("orientation", UNTURNED), UNTURNED):
            entry["orientation"] = pose["orientation"]
        for key in ("velocity", "angular_velocity"):
            value = _plain(getattr(body, key))
            if not _zero(value):
                entry[key] = value
        return entry

    def _element(self, section: str, element: Element, drawn: dict[int, dict[str, Any]]) -> dict[str, Any]:
        entry = self._described(SECTIONS[section], element, f"{section}.{element.name}")
        if element.posed:
            moved = {
                body.name: _as_pose(position, turned)
                for body, position, turned in element.made_at
                if id(body) in drawn and not _same(_as_pose(position, turned), drawn[id(body)])
            }
            if moved:
                entry["pose"] = moved
        return entry

    def _described(self, family: ObjectFamily, item: Any, where: str) -> dict[str, Any]:
        word = family.word(item)
        if word is None:
            raise ModelError(f"{where}: {item!r} has no form in a model file; it knows {', '.join(family.makers)}")
        entry: dict[str, Any] = {} if word == family.usual else {"type": word}
        for key, value in item.keywords().items():
            if value is not None and not (key == "name" and isinstance(item, Element)):
                entry[key] = self.value(value, f"{where}.{key}")
        return entry

    def value(self, value: Any, where: str) -> Any:
        if isinstance(value, Body):
            return value.name
        if isinstance(value, Marker):
            return self._marker(value)
        if isinstance(value, Joint):
            if not any(value is joint for joint in self.system.joints):
                raise ModelError(f"{where}: {value.label} is not in system {self.system.name!r}; add it first")
            return str(value.name)
        if any(isinstance(value, base) for base in FAMILIES):
            return self._object(value, where)
        if callable(value):
            return self._formula(value, where)
        if isinstance(value, os.PathLike):
            return self._file(Path(value))
        if hasattr(value, "as_quat"):  # a SciPy Rotation
            return _plain(value.as_matrix())
        if isinstance(value, (list, tuple)) and any(isinstance(item, (Shape, Body)) for item in value):
            return [self.value(item, f"{where}[{k}]") for k, item in enumerate(value)]
        return _plain(value)

    def _object(self, item: Any, where: str) -> Any:
        """A shape, law or motion; with an anchor when it is used again."""
        if id(item) in self._names and not where.startswith("shapes."):
            return self._names[id(item)]
        if id(item) in self._anchored:
            return self._anchored[id(item)]
        family = next(family for base, family in FAMILIES.items() if isinstance(item, base))
        entry = self._described(family, item, where)
        if self._uses[id(item)] < 2:
            return entry
        word = str(family.word(item)).split(".")[0].lower()
        self._anchors[word] += 1
        self._anchored[id(item)] = Anchored(f"{word}{self._anchors[word]}", entry)
        return self._anchored[id(item)]

    def _count(self, items: Any) -> None:
        """How often each shape and law is used."""
        for item in items:
            if isinstance(item, Element):
                self._count(item.keywords().values())
            elif any(isinstance(item, base) for base in FAMILIES):
                self._uses[id(item)] += 1
                self._kept.append(item)
                if isinstance(item, Shape) and hasattr(item, "keywords") and self._uses[id(item)] == 1:
                    self._count(value for value in item.keywords().values() if isinstance(value, tuple))
            elif isinstance(item, (list, tuple)) or type(item).__name__ in ("dict_values", "generator"):
                self._count(item)

    def _marker(self, marker: Marker) -> dict[str, Any]:
        entry: dict[str, Any] = {"body": marker.body.name, "at": list(marker.at)}
        if marker.spatial:
            if not _same(list(marker.turning), UNTURNED):
                entry["orientation"] = list(marker.turning)
        elif not _zero(marker.angle):
            entry["angle"] = marker.angle
        return entry

    def _formula(self, function: Any, where: str) -> Any:
        formula = getattr(function, "formula", None)
        if formula is None:
            name = getattr(function, "__name__", repr(function))
            raise ModelError(
                f"{where}: the Python function {name!r} has no form in a model file; write it as a formula, "
                "carom.expression('2*sin(3*t)'), or as one of the library's motions and laws"
            )
        return formula

    def _file(self, path: Path) -> str:
        """Relative to the folder of the model where it lies within, else absolute."""
        path = path.resolve()
        within = self.folder is not None and path.is_relative_to(self.folder)
        return path.relative_to(str(self.folder)).as_posix() if within else path.as_posix()

    def run(self, run: Mapping[str, Any]) -> dict[str, Any]:
        for key in run:
            if key not in RUN_OPTIONS:
                raise ModelError(f"run.{key}: a run has no such option; it has {', '.join(RUN_OPTIONS)}")
        return {key: _plain(value) for key, value in run.items() if value is not None}


def _same(one: Any, other: Any) -> bool:
    """To the last bit, the sign of a zero included."""
    return repr(one) == repr(other)


def _zero(value: Any) -> bool:
    """Whether all of it is 0.0, and nothing −0.0."""
    return not np.any(value) and "-" not in repr(value)


def _pose(body: Body) -> dict[str, Any]:
    return _as_pose(body.position, body.angle if body.dim == 2 else body.orientation)


def _as_pose(position: Any, turned: Any) -> dict[str, Any]:
    key = "angle" if len(position) == 2 else "orientation"
    return {"position": _plain(position), key: _plain(turned)}


def _inertia(inertia: Any) -> Any:
    """A tensor as short as it can be."""
    if not isinstance(inertia, tuple):
        return inertia
    diagonal = [inertia[k][k] for k in range(3)]
    if not all(_zero(inertia[i][j]) for i in range(3) for j in range(3) if i != j):
        return _plain(inertia)
    return diagonal[0] if diagonal[0] == diagonal[1] == diagonal[2] else diagonal


def _plain(value: Any) -> Any:
    """Python's own numbers and lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_plain(item) for item in value]
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if hasattr(value, "__float__"):
        return float(value)
    raise ModelError(f"{value!r} has no form in a model file")
