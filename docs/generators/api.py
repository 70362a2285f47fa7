"""Pages of the API reference: every public name once, by topic, for mkdocstrings to fill in."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import carom
from carom.geometry.element import Element
from carom.geometry.shapes import Shape
from generators.page_text import page

INTRO = (
    "Every public name with its signature, types, units and an example. Units are in brackets: [m], [N s]. "
    "`cm` stands for `import carom as cm`."
)
BY_DEFINITION = {
    "carom.model.sensors": "sensors",
    "carom.model.contact": "contacts",
    "carom.model.planar_clearance": "contacts",
    "carom.model.spatial_clearance": "contacts",
    "carom.model.boundary": "contacts",
    "carom.model": "model",
    "carom.joints.motion": "motions",
    "carom.joints.prescribed_motion": "motions",
    "carom.joints.function_motion": "motions",
    "carom.joints": "joints",
    "carom.forces": "forces",
    "carom.geometry": "shapes",
    "carom.laws": "laws",
    "carom.solve": "simulate",
    "carom.kernels": "simulate",
    "carom.errors": "simulate",
    "carom.result": "results",
    "carom.io": "results",
    "carom.study": "study",
}
"""Topic of a name of `carom` by the module that defines it; a longer prefix goes before a shorter one."""
TITLES = {
    "model": "Model",
    "joints": "Joints",
    "motions": "Motions",
    "forces": "Forces",
    "contacts": "Contacts and clearance",
    "shapes": "Shapes and markers",
    "sensors": "Sensors",
    "laws": "Contact laws and materials",
    "friction": "Friction",
    "lubrication": "Lubricants",
    "wear": "Wear",
    "profiles": "Profiles",
    "surfaces": "Parametric surfaces",
    "lookup": "Lookup tables",
    "packing": "Packings",
    "simulate": "Simulation and other analyses",
    "lcp": "Complementarity problems",
    "results": "Results",
    "measures": "Measures",
    "study": "Studies",
    "plot": "Figures",
    "view": "Viewer and scenes",
    "report": "Reports",
    "gallery": "Gallery",
}
"""Titles of the topics in the order of the pages; a public module is a topic of its own."""


@dataclass
class Name:
    """A public object: the path where it is defined, and its public paths, the shortest first.

    The methods of an ``element`` serve the library, not its users; its signals are in its description.
    """

    definition: str
    topic: str
    element: bool = False
    paths: list[str] = field(default_factory=list)


def public_names(module: ModuleType) -> list[str]:
    """Return the public names of a module: its ``__all__``, or what it defines."""
    defined = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    return list(getattr(module, "__all__", defined))


def modules() -> dict[str, ModuleType]:
    """Return the public modules by topic."""
    return {name: value for name in carom.__all__ if inspect.ismodule(value := getattr(carom, name))}


def collect() -> list[Name]:
    """Return every public object, each once."""
    known: dict[str, Name] = {}
    for topic, module in ((None, carom), *modules().items()):
        for name in public_names(module):
            value = getattr(module, name)
            if inspect.ismodule(value):
                continue
            definition = defined_at(module, name, value)
            path = f"carom.{name}" if topic is None else f"carom.{topic}.{name}"
            element = inspect.isclass(value) and issubclass(value, (Element, Shape))
            entry = known.setdefault(definition, Name(definition, topic or topic_of(definition), element))
            entry.paths.append(path)
    return list(known.values())


def defined_at(module: ModuleType, name: str, value: Any) -> str:
    """Return the path of the definition, which for constants is the one of the module that has it."""
    if inspect.isclass(value) or inspect.isfunction(value):
        return f"{value.__module__}.{value.__qualname__}"
    home = type(value).__module__
    if home.startswith("carom.") and getattr(importlib.import_module(home), name, None) is value:
        return f"{home}.{name}"
    return f"{module.__name__}.{name}"


def topic_of(definition: str) -> str:
    for prefix, topic in BY_DEFINITION.items():
        if definition.startswith((f"{prefix}.", f"{prefix}_")):
            return topic
    raise LookupError(f"{definition} has no topic: add the package that defines it to BY_DEFINITION")


def pages() -> dict[str, str]:
    """Return the Markdown of every page by the name of its file, the opening page first."""
    entries, public = collect(), modules()
    missing = {entry.topic for entry in entries} - set(TITLES)
    if missing:
        raise LookupError(f"public modules without a title: {', '.join(sorted(missing))}; add them to TITLES")
    made = {}
    rows = []
    for topic, title in TITLES.items():
        names = [entry for entry in entries if entry.topic == topic]
        head = f"[](){{ #carom.{topic} }}\n`cm.{topic}`: {opening(public[topic])}" if topic in public else ""
        made[topic] = page(title, head, *(section(entry) for entry in names))
        links = ", ".join(f"[{shown(entry.paths[0])}]({topic}.md#{entry.paths[0]})" for entry in names)
        rows.append(f"| [{title}]({topic}.md) | {links} |")
    table = "\n".join(["| | |", "|---|---|", *rows])
    return {"index": page("API", INTRO, table), **made}


def opening(module: ModuleType) -> str:
    """Return the first line of the docstring of a module."""
    first = (module.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
    return first[:1].lower() + first[1:]


def shown(path: str) -> str:
    return "cm" + path.removeprefix("carom")


def section(entry: Name) -> str:
    """Return the place of one name: its anchors, and the directive that mkdocstrings replaces."""
    anchors = "\n".join(f"[](){{ #{path} }}" for path in entry.paths)
    first, *others = (shown(path) for path in entry.paths)
    also = f"\n\nAlso {', '.join(f'`{path}`' for path in others)}." if others else ""
    options = f"    options:\n      heading: {first}\n      toc_label: {first}"
    members = "\n      members: false" if entry.element else ""
    return f"{anchors}\n\n::: {entry.definition}\n{options}{members}{also}"
