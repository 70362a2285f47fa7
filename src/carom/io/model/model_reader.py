"""Reader of model files: document → system."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from carom.io.model import lagrangian_section
from carom.io.model.constructor_schema import FAMILIES, SECTIONS, SHAPE, body_arguments
from carom.io.model.includes import ENTRY_SECTIONS, ModelSource, brief, unknown
from carom.io.model.object_builder import STATE_KEYS, ObjectBuilder, with_current_keys
from carom.io.model.overrides import override
from carom.io.model.signal_sections import read_input, read_output
from carom.io.model.yaml_reader import Location, Node, check_numbers
from carom.kernels.expression import RESERVED
from carom.laws.impact_law import ImpactLaw
from carom.model.body import Body
from carom.model.contact_group import ContactGroup
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import AXES, System
from carom.solve.simulate import simulate

NOT_IN_FILES = ("system", "progress", "stream", "every")
"""Arguments of `simulate` that a model file cannot contain."""
RUN_OPTIONS = tuple(name for name in inspect.signature(simulate).parameters if name not in NOT_IN_FILES)


@dataclass(frozen=True)
class ModelFile:
    """Contents of a model file: the system, options for `simulate`, and the values of the parameters."""

    system: Any
    run: dict[str, Any]
    parameters: dict[str, float]


def read(
    path_or_text: Any, parameters: Mapping[str, Any] | None = None, changes: Mapping[str, Any] | None = None
) -> ModelFile:
    """Read a model from a file, or from a text of several lines; ``parameters`` replace those of the file.

    ``changes`` replace any values of the file by their path, e.g. ``{"contacts.touch.law.restitution": 0.5}``.
    """
    source = ModelSource(path_or_text)
    document = source.document()
    for path, value in (changes or {}).items():
        override(document, path, value)
    return ModelReader(source, document).model(parameters or {})


def parameter_names(path_or_text: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a model."""
    parameters = ModelSource(path_or_text).document().value.get("parameters")
    return () if parameters is None else tuple(parameters.value)


class ModelReader(ObjectBuilder):
    """Reader of one document, section by section."""

    def model(self, parameters: Mapping[str, Any]) -> ModelFile:
        """Return the contents of the document; ``parameters`` replace its own."""
        self._read_parameters(parameters)
        if self.section("lagrangian")[0].value is not None:
            return ModelFile(self._lagrangian_system(), self._run_options(), self.parameters)
        self._create_system()
        for name, node, location in self.entries("inputs"):
            read_input(self, name, node, location)
        for name, node, location in self.entries("bodies"):
            self._add_body(name, node, location)
        for name, node, location in self.entries("shapes"):
            self.system.shapes[name] = self.object(SHAPE, node, location)
        for section in SECTIONS:
            for name, _, location in self.entries(section):
                self._add_element(section, name, location)
        for name, node, location in self.entries("outputs"):
            read_output(self, name, node, location)
        for name, node, location in self.entries("start"):
            self.set_state(self.body(name, location), node, location, STATE_KEYS)
        self._assemble()
        return ModelFile(self.system, self._run_options(), self.parameters)

    def _read_parameters(self, replacements: Mapping[str, Any]) -> None:
        known = [name for name, _, _ in self.entries("parameters")]
        for name in replacements:
            if name not in known:
                node, location = self.section("parameters")
                raise location.entry(node, name).error(unknown("parameter", name, known or ["none"]))
        for name, node, location in self.entries("parameters"):
            if not name.isidentifier() or name in RESERVED:
                raise location.error(
                    "invalid name of a parameter; use letters, digits and _, not the name of a function"
                )
            value = replacements[name] if name in replacements else self.plain(node, location)
            if value is None:
                raise location.error("must be a number, got none")
            check_numbers(value, location)
            if isinstance(value, list) or not math.isfinite(value):
                raise location.error(f"must be {'a number' if isinstance(value, list) else 'finite'}, got {value}")
            self.parameters[name] = float(value)

    def _create_system(self) -> None:
        """Create the system from dim, gravity, name and periodic."""
        arguments: dict[str, Any] = {}
        for key in ("dim", "gravity", "name"):
            node, location = self.section(key)
            if node.value is not None:
                arguments[key] = self.text(node, location) if key == "name" else self.plain(node, location)
        node, location = self.section("periodic")
        if node.value is not None:
            entries = self.mapping(node, location, AXES, "direction")
            arguments["periodic"] = {
                key: self.plain(entry, location.entry(node, key)) for key, entry in entries.items()
            }
        dim = arguments.get("dim", 2)
        if not isinstance(dim, (int, float)) or isinstance(dim, bool) or dim not in (2, 3):
            raise self.section("dim")[1].error(f"must be 2 (planar) or 3 (spatial), got {dim!r}")
        arguments["dim"] = int(dim)
        self.system = self.call(self.start, lambda: System(**arguments), self.document)

    def _add_body(self, name: str, node: Node, location: Location) -> None:
        arguments = body_arguments()
        entries = self.mapping(node, location, arguments)
        if "mass" not in entries or entries["mass"].value is None:
            raise location.error("a body requires mass")
        values = {key: self.value(arguments[key], entry, location.entry(node, key)) for key, entry in entries.items()}
        values = {key: value for key, value in values.items() if value is not None}
        values.setdefault("position", (0.0,) * self.system.dim)
        self.call(location, lambda: self.system.add(Body(name, **values)), node)

    def _add_element(self, section: str, name: str, location: Location) -> None:
        element = self.element(section, name, location)
        if not isinstance(element, ContactGroup):
            self.call(location, lambda: self.system.add(element), self.section(section)[0].value[name])

    def _assemble(self) -> None:
        """Assemble the system if the file requests it."""
        node, location = self.section("assemble")
        if node.value is None or node.value is False:
            return
        keep: list[Any] = []
        if node.value is not True:
            entries = self.mapping(node, location, ("keep",))
            items = self.plain(entries["keep"], location.entry(node, "keep")) if "keep" in entries else []
            if not isinstance(items, list):
                raise location.entry(node, "keep").error("must be a list such as [[crank, angular_velocity], rod]")
            keep = [tuple(item) if isinstance(item, list) else item for item in items]
        self.call(location, lambda: self.system.assemble(keep))

    def _run_options(self) -> dict[str, Any]:
        node, location = self.section("run")
        if node.value is None:
            return {}
        entries = self.mapping(node, location, RUN_OPTIONS, "option")
        run = {key: self.plain(entry, location.entry(node, key)) for key, entry in entries.items()}
        if run.get("output") is not None:  # Only times are allowed, so that a model file cannot write files.
            check_numbers(run["output"], location.entry(node, "output"))
        return run

    def _lagrangian_system(self) -> GeneralizedSystem:
        """Return the system in generalised coordinates of the section ``lagrangian``."""
        for key in (*ENTRY_SECTIONS, "dim", "gravity", "periodic", "assemble"):
            if key in self.document.value:
                raise self.section(key)[1].error("is not allowed with lagrangian; define bodies in lagrangian.bodies")
        node, location = self.section("lagrangian")
        if isinstance(node.value, dict):
            node = with_current_keys(node, lagrangian_section.FORMER_KEYS)
        entries = self.mapping(node, location, lagrangian_section.KEYS)
        required = lagrangian_section.REQUIRED_KEYS
        missing = [key for key in required if key not in entries or entries[key].value is None]
        if missing:
            raise location.error(f"requires {', '.join(missing)}")
        values = {key: self.plain(entry, location.entry(node, key)) for key, entry in entries.items()
                  if key not in ("impact", "bodies")}  # fmt: skip
        for key in ("coordinates", "q0", "u0"):
            if not isinstance(values[key], list):
                raise location.entry(node, key).error(f"must be a list, got {brief(entries[key])}")
        impact = self._lagrangian_impact(entries.get("impact"), location.entry(node, "impact"))
        bodies = self._lagrangian_bodies(entries.get("bodies"), location.entry(node, "bodies"))
        name_node, name_location = self.section("name")
        name = "system" if name_node.value is None else self.text(name_node, name_location)
        return self.call(
            location, lambda: lagrangian_section.build_system(name, values, impact, bodies, self.parameters)
        )

    def _lagrangian_impact(self, node: Node | None, location: Location) -> Any:
        """Return an impact law, a list of them, or None."""
        if node is None or node.value is None:
            return None
        if isinstance(node.value, list):
            return [self.object(FAMILIES[ImpactLaw], item, location) for item in node.value]
        return self.object(FAMILIES[ImpactLaw], node, location)

    def _lagrangian_bodies(self, node: Node | None, location: Location) -> dict[str, list[Any]]:
        """Return the formulas of the pose, mass and inertia of each body."""
        if node is None or node.value is None:
            return {}
        if not isinstance(node.value, dict):
            raise location.error(f"must be a mapping, got {brief(node)}")
        bodies = {}
        for name, body in node.value.items():
            body_location = location.entry(node, name)
            entries = self.mapping(body, body_location, lagrangian_section.BODY_KEYS)
            values = [
                self.plain(entries[key], body_location.entry(body, key))
                for key in lagrangian_section.BODY_KEYS
                if key in entries
            ]
            if "place" not in entries or not isinstance(values[0], list):
                raise body_location.error("requires place, a list of x, y and angle")
            bodies[name] = values
        return bodies
