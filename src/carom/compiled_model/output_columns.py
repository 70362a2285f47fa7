"""Columns of a result: names, units and the quantities that are evaluated for them at every node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from carom.joints.base import Joint
from carom.joints.driver import Driver
from carom.joints.limits import CoordinateLimits
from carom.mechanics.output_kernels import (
    CONTACT_SIGNALS,
    COORDINATE,
    EFFORT,
    FORCE_SIGNALS,
    JOINT_FRICTION,
    OBSERVER,
    REACTION,
)
from carom.model.joint_friction import JointFriction
from carom.model.joint_stop import JointStop

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData


def stop_signal(coordinate: str, is_angle: bool, several: bool) -> str:
    """Return the name of the signal of the stops of a coordinate: "stop_torque", or "angle_stop_torque" of several."""
    kind = "stop_torque" if is_angle else "stop_force"
    return f"{coordinate}_{kind}" if several else kind


def output_point(joint: Joint) -> list[float]:
    """Return the point at which the reaction of a joint acts on the body that a result reports [m]."""
    return [float(part) for part in joint.points[min(len(joint.points) - 1, 1)]]


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
    """Column of an angle that is evaluated up to whole revolutions, with its joint, its driver and its limits."""

    column: int
    joint: Joint
    driver: Joint | None
    limits: CoordinateLimits | None


@dataclass(frozen=True)
class StopColumn:
    """Column of the force of the stops of a coordinate, and the indices of these contacts."""

    column: int
    lower: int | None
    upper: int | None


class OutputLayout:
    """All columns of a result, element by element, and the rows that `output_kernels.evaluate_nodes` evaluates."""

    def __init__(self, data: SystemData):
        self.columns: list[OutputColumns] = []
        self.periodic_angles: list[PeriodicAngle] = []
        self.stop_columns: list[StopColumn] = []
        self._rows: list[tuple[int, int, int, int]] = []
        stops = {
            (id(stop.joint), stop.coordinate, stop.side): k
            for k, stop in enumerate(data.contacts)
            if isinstance(stop, JointStop)
        }
        frictions = {
            id(contact.joint): (k, contact.is_rotational)
            for k, contact in enumerate(data.contacts)
            if isinstance(contact, JointFriction)
        }
        drivers = {joint.key: joint for joint in data.joints if isinstance(joint, Driver)}
        for k, joint in enumerate(data.joints):
            self._add_joint(data, k, joint, drivers)
            self._add_stops(joint, stops)
            if id(joint) in frictions:
                is_angle = frictions[id(joint)][1]
                signal, unit = ("friction_torque", "N m") if is_angle else ("friction_force", "N")
                self._rows.append(
                    (JOINT_FRICTION, frictions[id(joint)][0], self.columns[-1].add((signal,), (unit,)), 1)
                )
        for k, force in enumerate(data.forces):
            first = self._new_columns().add(force.signals, force.units)
            self._rows.append((FORCE_SIGNALS, k, first, len(force.signals)))
        for k, contact in enumerate(data.contacts):
            first = self._new_columns().add(contact.signals, contact.units)
            # The signals before "contact_mode" are evaluated; the others follow from them.
            self._rows.append((CONTACT_SIGNALS, k, first, contact.signals.index("contact_mode")))
        for compound in data.compounds:
            self._new_columns().add(compound.signals, compound.units)
        self.rows = np.array(self._rows, np.int64).reshape(-1, len(OBSERVER))

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.columns[-1].stop if self.columns else 0

    def _new_columns(self) -> OutputColumns:
        self.columns.append(OutputColumns(self.n_columns))
        return self.columns[-1]

    def _add_stops(self, joint: Joint, stops: dict[tuple[int, str, str], int]) -> None:
        """Add the force or torque of the stops of each limited coordinate, positive along the coordinate."""
        columns = self.columns[-1]
        for name in joint.limits:
            is_angle = joint.coordinates[name].unit == "rad"
            signal = stop_signal(name, is_angle, len(joint.coordinates) > 1)
            column = columns.add((signal,), ("N m" if is_angle else "N",))
            lower, upper = (stops.get((id(joint), name, side)) for side in ("lower", "upper"))
            self.stop_columns.append(StopColumn(column, lower, upper))

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
                self.periodic_angles.append(PeriodicAngle(first, joint, driver, joint.limits.get(name)))
        if isinstance(joint, Driver):
            unit = "N m" if joint.driven.unit == "rad" else "N"
            self._rows.append((EFFORT, k, columns.add(("effort", "power"), (unit, "W")), 0))
        first = columns.add(data.kind.reaction_signals, data.kind.reaction_units)
        self._rows.append((REACTION, k, first, 0))
