"""Pages of contacts, boundaries, forces, sensors and visuals: a small system with one, and its signals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carom.forces.registry import FORCES
from carom.model.registry import BOUNDARIES, CONTACTS
from carom.model.sensors.registry import SENSORS
from carom.model.visual import Visual
from carom.plot import plot_overview
from generators.page_figures import keep, picture
from generators.page_text import Entry, block, example, markdown, own_docstring, page, signature, summary


class Contacts:
    TITLE = "Contacts and clearance"
    INTRO = "Contacts of two shapes, joints with clearance, and groups of contacts. They remove no degree of freedom."
    known: dict[str, Any] = dict(CONTACTS)
    folder = "contacts"


class Boundaries:
    TITLE = "Inlets and outlets"
    INTRO = 'Where bodies appear and leave, in runs of many bodies (integrator "verlet").'
    known: dict[str, Any] = dict(BOUNDARIES)
    folder = "boundaries"


class Forces:
    TITLE = "Forces"
    INTRO = "Forces and torques: constants, functions of time, or functions of the state."
    known: dict[str, Any] = dict(FORCES)
    folder = "forces"


class Sensors:
    TITLE = "Sensors"
    INTRO = "Sensors measure a run as a device does: in their own axes, with noise, at their own rate."
    known: dict[str, Any] = dict(SENSORS)
    folder = "sensors"


class Visuals:
    TITLE = "Visuals"
    INTRO = "Shapes that are drawn and touch nothing."
    known: dict[str, Any] = {Visual.__name__: Visual}
    folder = "visuals"


KINDS: dict[str, Any] = {kind.folder: kind for kind in (Contacts, Boundaries, Forces, Sensors, Visuals)}


def names(family: Any) -> list[str]:
    return list(family.known)


def make(family: Any, name: str, folder: Path) -> Entry:
    kind = family.known[name]
    code, scope = example(f"{family.folder}/{name}")
    system, result = scope["system"], scope["result"]
    ghosts = [float(result.t[-1]) * k / 4 for k in (1, 2, 3)]
    figure = plot_overview(system, result, *scope["shown"], pose=0.0, ghosts=ghosts, title="")
    keep(figure, folder / name)
    signals = getattr(kind, "signals", ())
    units = getattr(kind, "units", ())
    listed = (
        ", ".join(f"`{signal}` [{unit}]" for signal, unit in zip(signals, units)) if isinstance(signals, tuple) else ""
    )
    path = "system.add_contacts" if name == "ContactGroup" else f"cm.{name}"
    return Entry(name, name, summary(own_docstring(kind)), page(
        name,
        signature(path, kind),
        markdown(own_docstring(kind)),
        f"Signals over time in 2D: {listed}." if listed else "",
        picture(name, f"A system with {name}, and its motion"),
        "*The system below at its start, later in grey, and over time.*",
        block(code),
    ))  # fmt: skip
