"""From what the user asks for ("slider.x", a body, an element …) to the curves that show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.result.energy import Energy
from carom.result.result import Result

FEW, FINE = 400, 800
"""A run of fewer nodes than FEW is drawn with about FINE points, interpolated between its nodes."""

WIDE = 3000
"""Coordinates of a run of which nothing is interpolated: of thousands of bodies only the nodes are drawn."""

_ENERGIES = (*Energy.names(), "total", "balance")


@dataclass(frozen=True)
class Curve:
    """One line of a figure: whose it is, which quantity, in which unit, and its points."""

    owner: str
    quantity: str
    unit: str
    t: np.ndarray
    values: np.ndarray


class Curves:
    """Finds curves in a result; a run with few nodes is filled in between them."""

    def __init__(self, result: Result):
        self.result = result
        self.bodies = {body.name for body in result.bodies}
        self._places, self._between = _between_nodes(result)

    def find(self, what: Any) -> list[Curve]:
        """Curves of ``what``: "body.series", "element.signal", "energy.kinetic", or a body or element (or its name)."""
        if not isinstance(what, str):
            what = getattr(what, "name", what)
        if not isinstance(what, str):
            raise ModelError(f"plot: expected a name such as 'slider.x', a body or an element, got {what!r}")
        if what in self.result:
            return self._all_of(what)
        owner, dot, quantity = what.rpartition(".")
        if dot and owner == "energy" and owner not in self.result:
            return [self.energy(quantity)]
        if not dot or owner not in self.result:
            self.result[owner if dot else what]  # raises, with the nearest names
        vectors = self.result.series_type.vectors if owner in self.bodies else {}
        return [self._curve(owner, name) for name in vectors.get(quantity, (quantity,))]

    def energy(self, name: str) -> Curve:
        """A column of the ledger, its total, or its balance."""
        if name not in _ENERGIES:
            raise ModelError(f"plot: the energy has no {name!r}; it has {', '.join(_ENERGIES)}")
        return Curve("energy", name, "J", *self._filled(lambda result: getattr(result.energy, name)))

    def _all_of(self, owner: str) -> list[Curve]:
        """What a body or an element shows when nothing more is said: a body's pose, all of an element's signals."""
        series = self.result[owner]
        names: Iterable[str] = series.pose if owner in self.bodies else series.names
        curves = [self._curve(owner, name) for name in names]
        if not curves:
            raise ModelError(f"plot: {series.kind} {owner!r} has no signals to show")
        return curves

    def _curve(self, owner: str, quantity: str) -> Curve:
        series = self.result[owner]
        units = series.units
        if quantity not in units:
            if quantity != "force" or not {"fx", "fy"} <= set(units):
                raise ModelError(f"plot: {owner!r} has no {quantity!r}; it has {', '.join(units)}")
            units = {"force": "N"}
        return Curve(owner, quantity, units[quantity], *self._filled(lambda result: getattr(result[owner], quantity)))

    def _filled(self, read: Any) -> tuple[np.ndarray, np.ndarray]:
        """Times and values, nodes and what lies between; both nodes of a jump stay."""
        t, values = self.result.t, read(self.result)
        if self._between is None:
            return t, values
        return np.insert(t, self._places, self._between.t), np.insert(values, self._places, read(self._between))


def _between_nodes(result: Result) -> tuple[np.ndarray, Result | None]:
    """Where to put more points, and the run there; None when the nodes are enough."""
    t = result.t
    if len(t) >= FEW or len(t) < 2 or t[-1] == t[0] or result.q.shape[1] > WIDE:
        return np.zeros(0, int), None
    grid = np.linspace(t[0], t[-1], FINE)
    grid = np.setdiff1d(grid, t)
    return np.searchsorted(t, grid), result.sample(grid)
