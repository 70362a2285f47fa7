"""Adapter of model instances to the slaves of pythonfmu and pythonfmu3, for what both versions of FMI share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from uuid import UUID

from carom.errors import ModelError
from carom.io.fmu.interface import Interface
from carom.io.fmu.model_instance import InstanceState, ModelInstance
from carom.io.fmu.state_bytes import from_bytes, to_bytes


class InstanceAdapter:
    """Slave of an FMU: a model instance whose errors become messages in the log and the status of a step.

    The libraries end an instance at a Python exception (status fatal), so no `ModelError` leaves these methods.
    """

    log: Any
    resources: str
    error_status: Any

    def open(self) -> Interface:
        """Open the model in the resources of the FMU; return its interface."""
        self.instance = ModelInstance(Path(self.resources))
        interface = self.instance.interface
        self.modelName = interface.identifier
        self.description = f"{interface.name} (carom)"
        self.guid = UUID(interface.token)
        return interface

    def report(self, error: ModelError) -> None:
        """Write an error to the log."""
        self.log(str(error), self.error_status)

    def value_of(self, name: str) -> float:
        """Return the value of a variable; NaN, and a message in the log, if it has none."""
        try:
            return self.instance.value(name)
        except ModelError as error:
            self.report(error)
            return math.nan

    def set_value(self, name: str, value: float) -> None:
        """Set a parameter or an input; a refused value is reported, and makes steps fail."""
        try:
            self.instance.set(name, value)
        except ModelError as error:
            self.report(error)

    def exit_initialization_mode(self) -> None:
        """Build the simulation; if that is impossible, steps fail."""
        try:
            self.instance.initialize()
        except ModelError as error:
            self.report(error)

    def advance(self, current_time: float, step_size: float) -> bool:
        """Advance by a communication step [s]; return whether that succeeded."""
        try:
            self.instance.step(current_time, step_size)
        except ModelError as error:
            self.report(error)
            return False
        return True

    def _get_fmu_state(self) -> InstanceState:
        return self.instance.save()

    def _set_fmu_state(self, state: InstanceState) -> None:
        try:
            self.instance.restore(state)
        except ModelError as error:
            self.report(error)

    _fmu_state_to_bytes = staticmethod(to_bytes)

    @staticmethod
    def _fmu_state_from_bytes(content: bytes) -> InstanceState:
        """Return the state that bytes contain; one that has failed if there is none."""
        try:
            return from_bytes(content)
        except ModelError as error:
            return InstanceState({}, {}, None, True, None, str(error))
