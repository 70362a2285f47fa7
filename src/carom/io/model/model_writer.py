"""Writer of model files: system → document."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import file_path
from carom.errors import ModelError
from carom.forces.bearing_film import BearingFilm
from carom.geometry.element import Element
from carom.geometry.marker import Marker
from carom.geometry.shapes import Shape
from carom.input_value import InputValue, inputs_in
from carom.io.atomic_write import atomic_write
from carom.io.model.constructor_schema import FAMILIES, SECTIONS, ObjectFamily
from carom.io.model.includes import VERSION
from carom.io.model.lagrangian_section import describe
from carom.io.model.model_reader import RUN_OPTIONS
from carom.io.model.signal_sections import describe_follower, describe_input, describe_output
from carom.io.model.yaml_writer import Anchored, YamlWriter
from carom.joints.base import Joint
from carom.joints.input_motion import InputMotion
from carom.model.body import Body
from carom.model.generalized_system import GeneralizedSystem
from carom.model.joint_stop import JointElement
from carom.model.system import System

IDENTITY_QUATERNION = [1.0, 0.0, 0.0, 0.0]


def write(system: Any, path: str | os.PathLike[str] | None = None, run: Mapping[str, Any] | None = None) -> str:
    """Return the text of ``system`` and write it to ``path``, if given; ``run`` contains options of `simulate`."""
    target = None if path is None else file_path("to_yaml: path", path)
    text = text_of(system, Path.cwd() if target is None else target.parent, run)
    if target is not None:
        with atomic_write(target) as temporary:
            temporary.write_text(text, "utf-8")
    return text


def text_of(system: Any, folder: Path | None, run: Mapping[str, Any] | None = None) -> str:
    """Return the text of ``system``; paths of data files in ``folder`` are relative to it, others are absolute."""
    if isinstance(system, GeneralizedSystem):
        writer = ModelWriter(System(), folder)
        section = describe(system, lambda impact: writer.value(impact, "lagrangian.impact"))
        sections = {"carom": VERSION, "name": system.name, "lagrangian": section, "run": writer.run_options(run or {})}
    else:
        sections = ModelWriter(system, folder).sections(run or {})
    return YamlWriter().document({key: value for key, value in sections.items() if value != {}})


def entry(value: Any, path: str) -> Any:
    """Return a law, a motion or a number as plain data of a model file; ``path`` is its path in messages."""
    return ModelWriter(System(), Path.cwd()).value(value, path)


class ModelWriter:
    """Converter of a system to the plain data of a model file."""

    def __init__(self, system: System, folder: Path | None):
        self.system, self.folder = system, None if folder is None else folder.resolve()
        self._shape_names = {id(shape): name for name, shape in system.shapes.items()}
        self._anchored: dict[int, Anchored] = {}
        self._counted: list[Any] = []  # References to counted objects, so that their ids stay valid.
        self._uses: Counter[int] = Counter()
        self._anchors: Counter[str] = Counter()

    def sections(self, run: Mapping[str, Any]) -> dict[str, Any]:
        """Return the sections of the model file."""
        system = self.system
        for controller in system.controllers:
            raise ModelError(
                f"{controller.label}: its Python function cannot be written in a model file; add it to the system in "
                "Python"
            )
        contacts = self._contacts()
        elements: dict[str, list[Any]] = {
            "joints": system.joints, "forces": self._forces(), "contacts": contacts, "boundaries": system.boundaries,
            "visuals": system.visuals,
        }  # fmt: skip
        self._count_uses([system.shapes.values(), *elements.values()])
        elements["sensors"] = system.sensors  # which have no laws and shapes of their own
        poses = self._definition_poses([element for family in elements.values() for element in family])
        gravity = {"gravity": list(system.gravity)} if not _is_zero(system.gravity) else {}
        sections: dict[str, Any] = {"carom": VERSION, "name": system.name, "dim": system.dim, **gravity}
        sections["periodic"] = {axis: list(bounds) for axis, bounds in system.periodic.items()}
        sections["inputs"] = {source.name: describe_input(source, self.value) for source in system.inputs}
        sections["bodies"] = {body.name: self._body(body, poses) for body in system.bodies}
        sections["shapes"] = {name: self._object(shape, f"shapes.{name}") for name, shape in system.shapes.items()}
        for section, members in elements.items():
            sections[section] = {str(element.name): self._element(section, element, poses) for element in members}
        sections["outputs"] = {output.name: describe_output(output) for output in system.outputs}
        sections["start"] = {
            body.name: _pose(body) for body in system.bodies if not _identical(_pose(body), poses[id(body)])
        }
        sections["run"] = self.run_options(run)
        return sections

    def _forces(self) -> list[Any]:
        """Return the force elements, without those that a joint adds itself."""
        return [force for force in self.system.forces if not isinstance(force, BearingFilm)]

    def _contacts(self) -> list[Any]:
        """Return contacts, joints with clearance and groups in the order of addition, without their inner contacts."""
        compounds = [*self.system.compounds, *self.system.small_groups, *self.system.groups]
        parts = {id(part) for compound in compounds for part in getattr(compound, "parts", ())}
        parts |= {id(part) for group in self.system.small_groups for part in group.contacts}
        parts |= {id(contact) for contact in self.system.contacts if isinstance(contact, JointElement)}
        listed = {id(item) for item in (*self.system.contacts, *compounds)}
        return [item for item in self.system._by_name.values() if id(item) in listed and id(item) not in parts]

    def _definition_poses(self, elements: list[Any]) -> dict[int, dict[str, Any]]:
        """Return the pose of each body for which its elements are defined, by id; the most frequent if they differ."""
        poses: dict[int, list[dict[str, Any]]] = {}
        for element in elements:
            if element.posed:
                for body, position, orientation in element.construction_poses:
                    poses.setdefault(id(body), []).append(_as_pose(position, orientation))
        selected = {id(body): _pose(body) for body in self.system.bodies}
        for body, candidates in poses.items():
            texts = [repr(pose) for pose in candidates]
            selected[body] = candidates[texts.index(Counter(texts).most_common(1)[0][0])]
        return selected

    def _body(self, body: Body, poses: dict[int, dict[str, Any]]) -> dict[str, Any]:
        """Return the entry of a body."""
        entry: dict[str, Any] = {"mass": body.mass}
        if not _is_zero(body.inertia):
            entry["inertia"] = _inertia(body.inertia)
        pose = poses[id(body)]
        entry["position"] = pose["position"]
        if not _is_zero(pose.get("angle", 0.0)):
            entry["angle"] = pose["angle"]
        if not _identical(pose.get("orientation", IDENTITY_QUATERNION), IDENTITY_QUATERNION):
            entry["orientation"] = pose["orientation"]
        for key in ("velocity", "angular_velocity"):
            value = _plain(getattr(body, key))
            if not _is_zero(value):
                entry[key] = value
        return entry

    def _element(self, section: str, element: Element, poses: dict[int, dict[str, Any]]) -> dict[str, Any]:
        """Return the entry of a joint, force or contact."""
        entry = self._keywords(SECTIONS[section], element, f"{section}.{element.name}")
        if element.posed:
            other_poses = {
                body.name: _as_pose(position, orientation)
                for body, position, orientation in element.construction_poses
                if id(body) in poses and not _identical(_as_pose(position, orientation), poses[id(body)])
            }
            if other_poses:
                entry["pose"] = other_poses
        return entry

    def _keywords(self, family: ObjectFamily, item: Any, path: str) -> dict[str, Any]:
        """Return type and constructor arguments of an object."""
        type_name = family.type_of(item)
        if type_name is None:
            types = ", ".join(family.constructors)
            raise ModelError(f"{path}: {item!r} cannot be written in a model file; use one of {types}")
        entry: dict[str, Any] = {} if type_name == family.default_type else {"type": type_name}
        for key, value in item.keywords().items():
            if value is not None and not (key == "name" and isinstance(item, Element)):
                entry[key] = self.value(value, f"{path}.{key}")
        return entry

    def value(self, value: Any, path: str) -> Any:
        """Return an argument as plain data; ``path`` is its path in messages."""
        if isinstance(value, Body):
            return value.name
        if isinstance(value, InputMotion):
            value = value.value
        if isinstance(value, InputValue):
            return describe_follower(value)
        if inputs_in(value):
            return [self.value(item, path) for item in value]
        if isinstance(value, Marker):
            return self._marker(value)
        if isinstance(value, Joint):
            if not any(value is joint for joint in self.system.joints):
                raise ModelError(f"{path}: {value.label} does not belong to system {self.system.name!r}; add it first")
            return str(value.name)
        if isinstance(value, Element):
            return self._element_name(value, path)
        if any(isinstance(value, base) for base in FAMILIES):
            return self._object(value, path)
        if callable(value):
            return self._formula(value, path)
        if isinstance(value, os.PathLike):
            return self._data_path(Path(value))
        if hasattr(value, "as_quat"):  # It is a SciPy Rotation.
            return _plain(value.as_matrix())
        if isinstance(value, (list, tuple)) and any(isinstance(item, (Shape, Body, Element)) for item in value):
            return [self.value(item, f"{path}[{k}]") for k, item in enumerate(value)]
        if isinstance(value, Mapping):
            return {str(key): self.value(item, f"{path}.{key}") for key, item in value.items()}
        return _plain(value)

    def _element_name(self, element: Element, path: str) -> str:
        """Return the name of a contact; raise if it has no entry of its own."""
        if not any(element is item for item in self._contacts()):
            raise ModelError(
                f"{path}: {element.label} has no entry of its own in a model file; use the contact, joint or group to "
                "which it belongs"
            )
        return str(element.name)

    def _object(self, item: Any, path: str) -> Any:
        """Return a shape, law or motion; with an anchor if it is used several times."""
        if id(item) in self._shape_names and not path.startswith("shapes."):
            return self._shape_names[id(item)]
        if id(item) in self._anchored:
            return self._anchored[id(item)]
        family = next(family for base, family in FAMILIES.items() if isinstance(item, base))
        entry = self._keywords(family, item, path)
        if self._uses[id(item)] < 2:
            return entry
        prefix = str(family.type_of(item)).split(".")[0].lower()
        self._anchors[prefix] += 1
        self._anchored[id(item)] = Anchored(f"{prefix}{self._anchors[prefix]}", entry)
        return self._anchored[id(item)]

    def _count_uses(self, items: Any) -> None:
        """Count how often each shape and law is used."""
        for item in items:
            if isinstance(item, Element):
                self._count_uses(item.keywords().values())
            elif any(isinstance(item, base) for base in FAMILIES):
                self._uses[id(item)] += 1
                self._counted.append(item)
                if isinstance(item, Shape) and hasattr(item, "keywords") and self._uses[id(item)] == 1:
                    self._count_uses(value for value in item.keywords().values() if isinstance(value, tuple))
            elif isinstance(item, Mapping):
                self._count_uses(item.values())
            elif isinstance(item, (list, tuple)) or type(item).__name__ in ("dict_values", "generator"):
                self._count_uses(item)

    def _marker(self, marker: Marker) -> dict[str, Any]:
        """Return the entry of a marker."""
        entry: dict[str, Any] = {"body": marker.body.name, "at": list(marker.at)}
        if marker.spatial:
            if not _identical(list(marker.quaternion), IDENTITY_QUATERNION):
                entry["orientation"] = list(marker.quaternion)
        elif not _is_zero(marker.angle):
            entry["angle"] = marker.angle
        return entry

    def _formula(self, function: Any, path: str) -> Any:
        """Return the formula of a function; raise if it has none."""
        formula = getattr(function, "formula", None)
        if formula is None:
            name = getattr(function, "__name__", repr(function))
            raise ModelError(
                f"{path}: the Python function {name!r} cannot be written in a model file; use a formula, "
                "carom.expression('2*sin(3*t)'), or a motion or law of the library"
            )
        return formula

    def _data_path(self, path: Path) -> str:
        """Return the path of a data file: relative if it lies in the folder of the model, else absolute."""
        path = path.resolve()
        is_inside = self.folder is not None and path.is_relative_to(self.folder)
        return path.relative_to(str(self.folder)).as_posix() if is_inside else path.as_posix()

    def run_options(self, run: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a run; raise for unknown ones."""
        for key in run:
            if key not in RUN_OPTIONS:
                raise ModelError(f"run.{key}: unknown option; choose from {', '.join(RUN_OPTIONS)}")
        return {key: _plain(value) for key, value in run.items() if value is not None}


def _identical(one: Any, other: Any) -> bool:
    """Return True if both values are bit-identical, including the sign of zero."""
    return repr(one) == repr(other)


def _is_zero(value: Any) -> bool:
    """Return True if all numbers are 0.0 and none is −0.0."""
    return not np.any(value) and "-" not in repr(value)


def _pose(body: Body) -> dict[str, Any]:
    """Return the current pose of a body."""
    return _as_pose(body.position, body.angle if body.dim == 2 else body.orientation)


def _as_pose(position: Any, orientation: Any) -> dict[str, Any]:
    """Return a pose as an entry of a model file."""
    key = "angle" if len(position) == 2 else "orientation"
    return {"position": _plain(position), key: _plain(orientation)}


def _inertia(inertia: Any) -> Any:
    """Return an inertia as a number, its principal moments, or a matrix, whichever is the shortest [kg m²]."""
    if not isinstance(inertia, tuple):
        return inertia
    diagonal = [inertia[k][k] for k in range(3)]
    if not all(_is_zero(inertia[i][j]) for i in range(3) for j in range(3) if i != j):
        return _plain(inertia)
    return diagonal[0] if diagonal[0] == diagonal[1] == diagonal[2] else diagonal


def _plain(value: Any) -> Any:
    """Return a value with built-in numbers and lists only."""
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
    raise ModelError(f"{value!r} cannot be written in a model file")
