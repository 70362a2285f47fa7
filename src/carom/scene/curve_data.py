"""Curves over time of the requested quantities ("slider.x", a body, an element …)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.result.energy import Energy
from carom.result.result import Result
from carom.result.series import current_quantity

FEW_NODES, FINE_POINTS = 400, 800
"""A run of fewer nodes than FEW_NODES is drawn with about FINE_POINTS points, interpolated between its nodes."""
LONG_INTERVAL = 2.0 / FEW_NODES
"""Interval between two nodes relative to the run above which points between them are drawn in any run [-]."""

MAX_INTERPOLATED = 3000
"""Number of coordinates beyond which a run is not interpolated, because sampling thousands of bodies takes long."""

_ENERGIES = (*Energy.names(), "total", "balance")


@dataclass(frozen=True)
class CurveData:
    """Curve over time: owner, quantity, unit, times ``t`` [s] and ``values``."""

    owner: str
    quantity: str
    unit: str
    t: np.ndarray
    values: np.ndarray


class CurveFinder:
    """Curves of a result by name; a run with few nodes is interpolated between them."""

    def __init__(self, result: Result):
        self.result = result
        self.bodies = {body.name for body in result.bodies}
        self._insert_at, self._between = _between_nodes(result)

    def find(self, what: Any) -> list[CurveData]:
        """Return the curves of "body.series", "element.signal", "energy.kinetic", or of a body or element."""
        if not isinstance(what, str):
            what = getattr(what, "name", what)
        if not isinstance(what, str):
            raise ModelError(f"plot: expected a name such as 'slider.x', a body or an element, got {what!r}")
        if what in self.result:
            return self._default_curves(what)
        owner, dot, quantity = what.rpartition(".")
        if dot and owner == "energy" and owner not in self.result:
            return [self.energy(quantity)]
        if not dot or owner not in self.result:
            self.result[owner if dot else what]  # raises an error that suggests the nearest names
        vectors = self.result.series_type.vectors if owner in self.bodies else {}
        return [self._curve(owner, name) for name in vectors.get(quantity, (quantity,))]

    def energy(self, name: str) -> CurveData:
        """Return a column of the energy balance, the total energy, or the energy error ("balance")."""
        if name not in _ENERGIES:
            raise ModelError(f"plot: unknown energy {name!r}; choose from {', '.join(_ENERGIES)}")
        return CurveData("energy", name, "J", *self._interpolated(lambda result: getattr(result.energy, name)))

    def _default_curves(self, owner: str) -> list[CurveData]:
        """Return the curves of a bare name: the pose of a body, all signals of an element."""
        series = self.result[owner]
        names: Iterable[str] = series.pose if owner in self.bodies else series.names
        curves = [self._curve(owner, name) for name in names]
        if not curves:
            raise ModelError(f"plot: {series.kind} {owner!r} has no signals; choose another element")
        return curves

    def _curve(self, owner: str, quantity: str) -> CurveData:
        series = self.result[owner]
        quantity, units = current_quantity(series, quantity), series.units
        if quantity not in units:
            if quantity != "force" or not {"fx", "fy"} <= set(units):
                raise ModelError(f"plot: unknown quantity {quantity!r} of {owner!r}; choose from {', '.join(units)}")
            units = {"force": "N"}
        values = self._interpolated(lambda result: getattr(result[owner], quantity))
        return CurveData(owner, quantity, units[quantity], *values)

    def _interpolated(self, read: Callable[[Result], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return times and values at the nodes and between them; both nodes of a jump are kept."""
        t, values = self.result.t, read(self.result)
        if self._between is None:
            return t, values
        return np.insert(t, self._insert_at, self._between.t), np.insert(values, self._insert_at, read(self._between))


def group_by_panel(curves: CurveFinder, what: Sequence[Any]) -> list[list[CurveData]]:
    """Return the curves of each panel: curves of one unit share a panel; a tuple or list has panels of its own."""
    panels: list[list[CurveData]] = []
    shared: dict[str, list[CurveData]] = {}
    for item in what:
        if isinstance(item, (tuple, list)):
            by_unit: dict[str, list[CurveData]] = {}
            for curve in (curve for part in item for curve in curves.find(part)):
                by_unit.setdefault(curve.unit, []).append(curve)
            panels.extend(by_unit.values())
            continue
        for curve in curves.find(item):
            if curve.unit not in shared:
                shared[curve.unit] = []
                panels.append(shared[curve.unit])
            shared[curve.unit].append(curve)
    return panels


def _between_nodes(result: Result) -> tuple[np.ndarray, Result | None]:
    """Return the indices at which to insert points, and the result there; None if the nodes are dense enough."""
    t = result.t
    if len(t) < 2 or t[-1] == t[0] or result.q.shape[1] > MAX_INTERPOLATED:
        return np.zeros(0, int), None
    grid = times_between(t)
    return np.searchsorted(t, grid), (result.sample(grid) if len(grid) else None)


def times_between(t: np.ndarray) -> np.ndarray:
    """Return times between the nodes ``t`` [s] at which a curve needs points: where the nodes are far apart."""
    grid = np.setdiff1d(np.linspace(t[0], t[-1], FINE_POINTS), t)
    if len(t) < FEW_NODES:
        return grid
    after = np.searchsorted(t, grid)
    return grid[t[after] - t[after - 1] > LONG_INTERVAL * (t[-1] - t[0])]
