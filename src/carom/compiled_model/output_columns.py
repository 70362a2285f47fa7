"""Columns of a result: names, units and the quantities that are evaluated for them at every node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from carom.joints.base import Joint
from carom.joints.driver import Driver
from carom.mechanics.output_kernels import (
    CONTACT_SIGNALS,
    COORDINATE,
    EFFORT,
    FORCE_SIGNALS,
    OBSERVER_COLUMNS,
    REACTION,
)

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData


class OutputColumns:
    """Names, units and columns of the signals of one element in a result."""

    def __init__(self, start: int):
        self.start = start
        self.names: list[str] = []
        self.units: list[str] = []

    def add(self, names: Iterable[str], units: Iterable[str]) -> int:
        """Append columns; return the index of the first one."""
        column = self.start + len(self.names)
        self.names += names
        self.units += units
        return column

    @property
    def stop(self) -> int:
        """Index behind the last column."""
        return self.start + len(self.names)


@dataclass(frozen=True)
class PeriodicAngle:
    """Column of an angle that is evaluated up to whole revolutions, with its joint and the driver of the angle."""

    column: int
    joint: Joint
    driver: Joint | None


class OutputLayout:
    """All columns of a result, element by element, and the rows that `output_kernels.evaluate_nodes` evaluates."""

    def __init__(self, data: SystemData):
        self.columns: list[OutputColumns] = []
        self.periodic_angles: list[PeriodicAngle] = []
        self._rows: list[tuple[int, int, int, int]] = []
        drivers = {joint.key: joint for joint in data.joints if isinstance(joint, Driver)}
        for k, joint in enumerate(data.joints):
            self._add_joint(data, k, joint, drivers)
        for k, force in enumerate(data.forces):
            first = self._new_columns().add(force.signals, force.units)
            self._rows.append((FORCE_SIGNALS, k, first, len(force.signals)))
        for k, contact in enumerate(data.contacts):
            first = self._new_columns().add(contact.signals, contact.units)
            # The signals before "contact_mode" are evaluated; the others follow from them.
            self._rows.append((CONTACT_SIGNALS, k, first, contact.signals.index("contact_mode")))
        for compound in data.compounds:
            self._new_columns().add(compound.signals, compound.units)
        self.rows = np.array(self._rows, np.int64).reshape(-1, OBSERVER_COLUMNS)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.columns[-1].stop if self.columns else 0

    def _new_columns(self) -> OutputColumns:
        self.columns.append(OutputColumns(self.n_columns))
        return self.columns[-1]

    def _add_joint(self, data: SystemData, k: int, joint: Joint, drivers: dict[tuple[int, str], Driver]) -> None:
        columns = self._new_columns()
        coordinates = dict(joint.coordinates)
        if isinstance(joint, Driver):
            coordinates = {joint.coordinate_name: joint.driven}
        for name, coordinate in coordinates.items():
            first = columns.add((name, f"{name}_rate"), (coordinate.unit, coordinate.rate_unit))
            self._rows.append((COORDINATE, k, first, data.address(coordinate.kernel)))
            if coordinate.periodic:
                driver = joint if isinstance(joint, Driver) else drivers.get((id(joint), name))
                self.periodic_angles.append(PeriodicAngle(first, joint, driver))
        if isinstance(joint, Driver):
            unit = "N m" if joint.driven.unit == "rad" else "N"
            self._rows.append((EFFORT, k, columns.add(("effort", "power"), (unit, "W")), 0))
        first = columns.add(data.kind.reaction_signals, data.kind.reaction_units)
        self._rows.append((REACTION, k, first, 0))
