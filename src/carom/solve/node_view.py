"""Current values at one node of a result, as functions of outputs and controllers read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from carom.errors import warn
from carom.model.output import Output
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.typing import CurrentState

PLAIN_FAMILIES = ("input", "output")
"""Families of elements whose current value is a number."""


class NodeView:
    """One node of a result after the other: ``view["slider"].x``, ``view["motor torque"]``, ``view.time``."""

    def __init__(self, result: Result, outputs: Mapping[str, np.ndarray]):
        self.result, self.outputs, self.k = result, outputs, 0
        self._elements: dict[str, ElementAtNode] = {}
        self._plain = {info.name for info in result.elements if info.family in PLAIN_FAMILIES}

    @property
    def time(self) -> float:
        """Time of the node [s]."""
        return float(self.result.t[self.k])

    def __getitem__(self, key: Any) -> Any:
        name = name_of(key)
        if name in self.outputs:
            return float(self.outputs[name][self.k])
        if name not in self._elements:
            self._elements[name] = ElementAtNode(self, self.result[name])
        element = self._elements[name]
        return element.value if name in self._plain else element


class ElementAtNode:
    """Values of a body or element at the node of a view."""

    def __init__(self, view: NodeView, series: Any):
        self._view, self._series = view, series
        self._arrays: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._arrays:
            self._arrays[name] = getattr(self._series, name)
        values = self._arrays[name]
        if callable(values):
            return lambda *arguments: at_node(values(*arguments), self._view.k)
        return at_node(values, self._view.k)


def at_node(values: Any, k: int) -> Any:
    """Return the value of a series at node ``k``."""
    if not isinstance(values, np.ndarray):
        return values
    return float(values[k]) if values.ndim == 1 else values[k].copy()


def output_value(output: Output, state: CurrentState, on_error: Callable[[str], None]) -> float:
    """Return the current value of an output; NaN, after ``on_error`` with the reason, if its function has none."""
    try:
        value = output.function(state)
        if isinstance(value, (bool, str)) or np.ndim(value) != 0:
            raise TypeError(f"it returned {value!r} where a number must be")
        return float(value)
    except Exception as error:  # noqa: BLE001  (a function of the user may raise anything)
        on_error(f"at t = {state.time:.9g} s: {type(error).__name__}: {error}")
        return math.nan


def output_values(outputs: Sequence[Output], result: Result) -> np.ndarray:
    """Return the values of outputs at the nodes of a result, a column for each; warn once of a function that fails."""
    columns: dict[str, np.ndarray] = {}
    view = NodeView(result, columns)
    for output in outputs:
        failures: list[str] = []
        values = np.zeros(len(result.t))
        for k in range(len(result.t)):
            view.k = k
            values[k] = output_value(output, view, failures.append)
        if failures:
            warn(f"{output.label}: no value at {len(failures)} of {len(values)} nodes; {failures[0]}")
        columns[output.name] = values
    return np.column_stack(list(columns.values())) if columns else np.zeros((len(result.t), 0))
