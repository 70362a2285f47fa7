"""From a document to a system."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from carom.io.model import constructor_schema, lagrangian_section
from carom.io.model.constructor_schema import SECTIONS, SHAPE, body_arguments
from carom.io.model.includes import ENTRIES, ModelSource, brief, unknown
from carom.io.model.object_builder import STATE, ObjectBuilder, no_words
from carom.io.model.overrides import change
from carom.io.model.yaml_reader import Location, Node
from carom.kernels.expression import RESERVED
from carom.laws.impact import Impact
from carom.model.body import Body
from carom.model.generalized import GeneralizedSystem
from carom.model.group import ContactGroup
from carom.model.system import System
from carom.solve.simulate import simulate

NOT_IN_FILES = ("system", "progress", "every")
"""Of `simulate`: what a program gives, and what goes with the file that a program streams to."""
RUN_OPTIONS = tuple(name for name in inspect.signature(simulate).parameters if name not in NOT_IN_FILES)


@dataclass(frozen=True)
class ModelFile:
    """What a file says: the system, options for `simulate`, and the parameters it was made with."""

    system: Any
    run: dict[str, Any]
    parameters: dict[str, float]


def read(
    path_or_text: Any, parameters: Mapping[str, Any] | None = None, changes: Mapping[str, Any] | None = None
) -> ModelFile:
    """The model in a file, or in a text of several lines; ``parameters`` replace those that it defines.

    ``changes`` are values for any of its places, as in ``{"contacts.touch.law.restitution": 0.5}``.
    """
    source = ModelSource(path_or_text)
    document = source.document()
    for path, value in (changes or {}).items():
        change(document, path, value)
    return Reader(source, document).model(parameters or {})


def parameter_names(path_or_text: Any) -> tuple[str, ...]:
    """The parameters that a model defines."""
    found = ModelSource(path_or_text).document().value.get("parameters")
    return () if found is None else tuple(found.value)


class Reader(ObjectBuilder):
    """One reading of one document, section by section."""

    def model(self, parameters: Mapping[str, Any]) -> ModelFile:
        self._take_parameters(parameters)
        if self.section("lagrangian")[0].value is not None:
            return ModelFile(self._lagrangian(), self._run(), self.parameters)
        self._take_head()
        for name, node, place in self.entries("bodies"):
            self._add_body(name, node, place)
        for name, node, place in self.entries("shapes"):
            self.system.shapes[name] = self.object(SHAPE, node, place)
        for section in SECTIONS:
            for name, _, place in self.entries(section):
                self._add(section, name, place)
        for name, node, place in self.entries("start"):
            self.set_state(self.body(name, place), node, place, STATE)
        self._assemble()
        return ModelFile(self.system, self._run(), self.parameters)

    def _take_parameters(self, given: Mapping[str, Any]) -> None:
        known = [name for name, _, _ in self.entries("parameters")]
        for name in given:
            if name not in known:
                node, place = self.section("parameters")
                raise place.entry(node, name).error(unknown("parameter", name, known or ["none"]))
        for name, node, place in self.entries("parameters"):
            if not name.isidentifier() or name in RESERVED:
                raise place.error("cannot name a parameter; take letters, digits and _, and no function's name")
            value = given[name] if name in given else self.plain(node, place)
            if value is None:
                raise place.error("must be a number, got none")
            no_words(value, place)
            if isinstance(value, list) or not math.isfinite(value):
                raise place.error(f"must be {'a number' if isinstance(value, list) else 'finite'}, got {value}")
            self.parameters[name] = float(value)

    def _take_head(self) -> None:
        head: dict[str, Any] = {}
        for key in ("dim", "gravity", "name"):
            node, place = self.section(key)
            if node.value is not None:
                head[key] = self.text(node, place) if key == "name" else self.plain(node, place)
        whole = isinstance(head.get("dim", 2), (int, float)) and not isinstance(head.get("dim"), bool)
        if not whole or head.get("dim", 2) not in (2, 3):
            raise self.section("dim")[1].error(f"must be 2 (planar) or 3 (spatial), got {head['dim']!r}")
        head["dim"] = int(head.get("dim", 2))
        self.system = self.checked(self.start, lambda: System(**head), self.document)

    def _add_body(self, name: str, node: Node, place: Location) -> None:
        known = body_arguments()
        entries = self.mapping(node, place, known)
        if "mass" not in entries or entries["mass"].value is None:
            raise place.error("a body needs mass")
        values = {key: self.value(known[key], entry, place.entry(node, key)) for key, entry in entries.items()}
        values = {key: value for key, value in values.items() if value is not None}
        values.setdefault("position", (0.0,) * self.system.dim)
        self.checked(place, lambda: self.system.add(Body(name, **values)), node)

    def _add(self, section: str, name: str, place: Location) -> None:
        element = self.element(section, name, place)
        if not isinstance(element, ContactGroup):
            self.checked(place, lambda: self.system.add(element), self.section(section)[0].value[name])

    def _assemble(self) -> None:
        node, place = self.section("assemble")
        if node.value is None or node.value is False:
            return
        keep: list[Any] = []
        if node.value is not True:
            entries = self.mapping(node, place, ("keep",))
            found = self.plain(entries["keep"], place.entry(node, "keep")) if "keep" in entries else []
            if not isinstance(found, list):
                raise place.entry(node, "keep").error("must be a list such as [[crank, angular_velocity], rod]")
            keep = [tuple(item) if isinstance(item, list) else item for item in found]
        self.checked(place, lambda: self.system.assemble(keep))

    def _run(self) -> dict[str, Any]:
        node, place = self.section("run")
        if node.value is None:
            return {}
        entries = self.mapping(node, place, RUN_OPTIONS, "option")
        run = {key: self.plain(entry, place.entry(node, key)) for key, entry in entries.items()}
        if run.get("output") is not None:  # times only: a model file writes no files
            no_words(run["output"], place.entry(node, "output"))
        return run

    def _lagrangian(self) -> GeneralizedSystem:
        """A system in generalised coordinates."""
        for key in (*ENTRIES, "dim", "gravity", "assemble"):
            if key in self.document.value:
                raise self.section(key)[1].error("is for systems of bodies; lagrangian has bodies of its own")
        node, place = self.section("lagrangian")
        entries = self.mapping(node, place, lagrangian_section.KEYS)
        lacking = [key for key in lagrangian_section.NEEDED if key not in entries or entries[key].value is None]
        if lacking:
            raise place.error(f"needs {', '.join(lacking)}")
        plain = {key: self.plain(entry, place.entry(node, key)) for key, entry in entries.items()
                 if key not in ("impact", "bodies")}  # fmt: skip
        for key in ("coordinates", "q0", "u0"):
            if not isinstance(plain[key], list):
                raise place.entry(node, key).error(f"must be a list, got {brief(entries[key])}")
        impact = entries.get("impact")
        made: Any = None
        if impact is not None and impact.value is not None:
            family = constructor_schema.FAMILIES[Impact]
            where = place.entry(node, "impact")
            many = isinstance(impact.value, list)
            made = [self.object(family, item, where) for item in (impact.value if many else [impact])]
            made = made if many else made[0]
        bodies = {}
        for name, body in self.mapping_of("bodies", node, place).items():
            here = place.entry(node, "bodies").entry(entries["bodies"], name)
            found = self.mapping(body, here, lagrangian_section.BODY)
            values = [self.plain(found[key], here.entry(body, key)) for key in lagrangian_section.BODY if key in found]
            if "place" not in found or not isinstance(values[0], list):
                raise here.error("needs place, a list of x, y and angle")
            bodies[name] = values
        heading, where = self.section("name")
        title = "system" if heading.value is None else self.text(heading, where)
        return self.checked(place, lambda: lagrangian_section.make(title, plain, made, bodies, self.parameters))

    def mapping_of(self, key: str, node: Node, place: Location) -> dict[str, Node]:
        found = node.value.get(key)
        if found is None or found.value is None:
            return {}
        if not isinstance(found.value, dict):
            raise place.entry(node, key).error(f"must be a mapping, got {brief(found)}")
        return found.value
