"""Numeric parameters of a study model by name: their values, their sizes, and the model with other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carom.errors import suppress_warnings
from carom.solve.sensitivity.varied_system import VariedSystem, as_number, is_path
from carom.study.study_model import BuiltModel, StudyModel


class VariedModel:
    """A study model at fixed ``values``, and its neighbours with another value of one parameter.

    Names are those of a sweep: parameters of the model, and paths in its model file; components of vectors may be
    called ``x``, ``y`` and ``z``.
    """

    def __init__(self, model: StudyModel, values: Mapping[str, Any]):
        self.model = model
        self.parameters, self.options, self.changes = model.split_values(values)
        with suppress_warnings():
            self.built: BuiltModel = model.build(self.parameters).with_changes(self.changes)
        self.varied = VariedSystem(self.built.system)

    def value(self, name: str) -> float:
        """Return the value of a parameter; raise with the nearest names if it is unknown or not a number."""
        return self.varied.value(name) if self._is_path(name) else as_number(name, self._own_value(name))

    def _is_path(self, name: str) -> bool:
        """Return True if a name is that of a number in the system, not of a parameter of the model itself."""
        return name not in self.model.parameters and is_path(self.built.system, name)

    def _own_value(self, name: str) -> Any:
        """Return the value of a parameter of the model itself."""
        known = {**self.model.parameters, **self.parameters}
        if name not in known:
            raise self.model.unknown_parameter(name)
        return known[name]

    def scale(self, name: str) -> float:
        """Return the size of a parameter: its magnitude, or that of its vector; 1 if it is zero."""
        return self.varied.scale(name) if self._is_path(name) else abs(self.value(name)) or 1.0

    def system_with(self, name: str, value: float) -> Any:
        """Return the system with another value of one parameter."""
        if self._is_path(name):
            return self.varied.system_with(name, value)
        with suppress_warnings():
            return self.model.build({**self.parameters, name: value}).with_changes(self.changes).system
