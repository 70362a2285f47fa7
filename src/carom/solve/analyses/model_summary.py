"""Summary of a system before it is run: bodies, joints, degrees of freedom, contacts, and what looks wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carom.errors import ModelError
from carom.geometry.closest_points import closest
from carom.geometry.shapes import Shape
from carom.model.system import System
from carom.model.unit_checks import extent, slips
from carom.short_form import law_text, number_text, value_text
from carom.solve.analyses.mobility import mobility
from carom.solve.drawing_builder import element_table
from carom.solve.model_evaluator import ModelEvaluator

MAX_ROWS = 20
"""Largest number of rows of a table."""
MAX_CONTACTS = 200
"""Number of contacts beyond which overlaps at the start are not searched."""
OVERLAP = 1e-9
"""Overlap relative to the size of the system below which shapes touch [-]."""
ROUNDING = 1e-12
"""Ratio to the largest number of a list below which another one is rounding [-]."""
OPEN_JOINT = 1e-6
"""Residual of a joint relative to the size of the system above which it is open [-]."""


@dataclass(frozen=True)
class ModelSummary:
    """Facts of a system by name, tables (title, headings, rows), and warnings."""

    name: str
    facts: dict[str, str]
    tables: tuple[tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]], ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        lines = [self.name, *(f"  {name:<20}{text}" for name, text in self.facts.items())]
        for title, headings, rows in self.tables:
            if rows:
                lines += ["", title, *_aligned([headings, *rows[:MAX_ROWS]])]
                lines += [f"  … and {len(rows) - MAX_ROWS} more"] if len(rows) > MAX_ROWS else []
        return "\n".join([*lines, *(["", *(f"warning: {text}" for text in self.warnings)] if self.warnings else [])])


def model_summary(system: System) -> ModelSummary:
    """Return the summary of a system in its current state."""
    warnings = slips(system)
    facts = {
        "dimension": "planar" if system.dim == 2 else "spatial",
        "gravity": f"{value_text(system.gravity)} m/s²",
        "bodies": f"{len(system.bodies)}",
        "joints": f"{len(system.joints)}, of which {len(system.drivers)} drivers",
        "forces": f"{len(system.forces)}",
        "contacts": _contact_count(system),
    }
    try:
        facts["degrees of freedom"] = _freedom(system, warnings)
    except ModelError as error:
        warnings.append(str(error))
    warnings += _overlaps(system)
    rows = element_table(system)
    bodies = [
        (body.name, number_text(body.mass), _inertia(body.inertia), _numbers(body.position), _numbers(body.velocity))
        for body in system.bodies
    ]
    tables = (
        ("bodies", ("name", "mass [kg]", "inertia [kg m²]", "position [m]", "velocity [m/s]"), bodies),
        ("joints, forces and contacts", ("name", "kind", "between", "laws"), rows),
        (
            "inputs, outputs, sensors and controllers",
            ("name", "kind", "unit or signals", "details"),
            control_rows(system),
        ),
    )
    return ModelSummary(system.name, facts, tables, tuple(warnings))


def control_rows(system: System) -> list[tuple[str, str, str, str]]:
    """Return name, kind, unit or signals, and details of inputs, outputs, sensors and controllers."""
    rows = [
        (source.name, "Input", source.unit or "–", f"{number_text(source.initial)}, {source.hold}")
        for source in system.inputs
    ]
    rows += [(output.name, "Output", output.unit or "–", "") for output in system.outputs]
    for sensor in system.sensors:
        rate = "" if sensor.rate is None else f"{number_text(sensor.rate)} Hz"
        noise = f"noise {', '.join(map(number_text, sensor.noise))}" if any(sensor.noise) else ""
        details = ", ".join(text for text in (sensor.connection, rate, noise) if text)
        rows.append((str(sensor.name), type(sensor).__name__, ", ".join(sensor.signals), details))
    for controller in system.controllers:
        details = f"every {number_text(controller.period)} s, sets {', '.join(controller.outputs) or 'nothing'}"
        rows.append((controller.name, type(controller).__name__, "–", details))
    return rows


def _freedom(system: System, warnings: list[str]) -> str:
    """Return the text of the degrees of freedom; append warnings of redundant constraints and open joints."""
    mechanism = ModelEvaluator(system, "summary")
    state = mechanism.tables.y0.copy()
    found = mobility(mechanism, 0.0, state)
    if found.dependent:
        names = ", ".join(repr(name) for name in mechanism.owners(found.dependent))
        warnings.append(f"{len(found.dependent)} constraint equations are redundant, in {names}")
    if mechanism.m:
        residuals = np.abs(mechanism.rows(0.0, state)[0])
        is_open = np.flatnonzero(residuals > OPEN_JOINT * (1.0 + extent(system)))
        if len(is_open):
            names = ", ".join(repr(name) for name in mechanism.owners(tuple(is_open.tolist())))
            warnings.append(f"joints {names} are open by up to {residuals.max():.3g}; call system.assemble()")
    equations = f"{mechanism.m} constraint equations" if mechanism.m else "no constraints"
    return f"{mechanism.n - found.rank} ({mechanism.n} velocities, {equations})"


def _overlaps(system: System) -> list[str]:
    """Return a sentence for each contact whose shapes overlap."""
    texts: list[str] = []
    if len(system.contacts) > MAX_CONTACTS:
        return texts
    known: set[tuple[int, int]] = set()
    for contact in system.contacts:
        key = (id(contact.shapes[0]), id(contact.shapes[1]))
        if key in known or not all(isinstance(shape, Shape) for shape in contact.shapes):
            continue
        known.add(key)
        gap = closest(*contact.shapes).gap
        if gap < -OVERLAP * (1.0 + extent(system)):
            texts.append(f"{contact.label}: the shapes overlap by {-gap:.3g} m")
    return texts


def _contact_count(system: System) -> str:
    """Return the number of contacts, and that of the pairs of groups."""
    counts = [f"{len(system.contacts)}"]
    counts += [f"{sum(group.count for group in system.groups)} pairs in groups"] if system.groups else []
    laws = {law_text(contact.law) for contact in system.contacts if contact.law is not None}
    return ", ".join([*counts, *(sorted(laws) if len(laws) == 1 else [])])


def _inertia(inertia: object) -> str:
    """Return an inertia, for a tensor its diagonal."""
    values = np.asarray(inertia, float)
    return _numbers(np.diag(values) if values.ndim == 2 else values.ravel())


def _numbers(values: Sequence[float] | np.ndarray) -> str:
    """Return numbers as text; those below the rounding of the largest one are zero."""
    largest = max((abs(float(value)) for value in values), default=0.0)
    return ", ".join(number_text(float(value) if abs(value) > ROUNDING * largest else 0.0) for value in values)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines with aligned columns."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
