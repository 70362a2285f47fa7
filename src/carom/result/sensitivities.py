"""Sensitivities of the series of a result: their derivatives with respect to parameters over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from carom.argument_checks import similar_names
from carom.errors import ModelError
from carom.result.series_paths import series_by_path

if TYPE_CHECKING:
    from carom.result.result import Result


@dataclass(frozen=True)
class NeighbouringResults:
    """Results at equal times with neighbouring values of a parameter, and their weights in its derivative."""

    results: Mapping[int, Result]
    weights: Mapping[int, float]

    def derivative(self, series: Callable[[Result], np.ndarray]) -> np.ndarray:
        """Return the derivative of a series with respect to the parameter."""
        total: np.ndarray = sum(  # type: ignore[assignment]
            weight * series(self.results[k]) for k, weight in self.weights.items()
        )
        return total


class Sensitivities:
    """Derivatives of series with respect to parameters: ``result.sensitivity["crank.omega", "touch.law.stiffness"]``.

    They are at the times ``result.t``, fixed: where an event moves with the parameter, they jump. The unit is that of
    the series divided by that of the parameter.
    """

    def __init__(
        self,
        neighbours: Mapping[str, NeighbouringResults],
        not_differentiable_at: Mapping[str, str],
    ):
        self._neighbours = dict(neighbours)
        self.not_differentiable_at = dict(not_differentiable_at)
        """Place at which the run is not differentiable, by parameter; these have no sensitivities."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self._neighbours)

    def __getitem__(self, names: tuple[str, str]) -> np.ndarray:
        """Return the derivative of a series with respect to a parameter, both given by name."""
        series, parameter = names
        if parameter in self.not_differentiable_at:
            place = self.not_differentiable_at[parameter]
            raise ModelError(f"sensitivity: the run is not differentiable with respect to {parameter} at {place}")
        if parameter not in self._neighbours:
            close = similar_names(parameter, self.parameters)
            hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(self.parameters)}"
            raise ModelError(f"sensitivity: unknown parameter {parameter!r}; {hint}")
        return self._neighbours[parameter].derivative(lambda result: series_by_path(result, series))

    def __repr__(self) -> str:
        return f"<Sensitivities with respect to {', '.join(self.parameters)}>"
