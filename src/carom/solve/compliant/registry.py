"""Every integrator, by name. A new Runge–Kutta method is one file with its tableau and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from carom.solve.compliant.butcher_tableau import Tableau
from carom.solve.compliant.dop853 import DOP853
from carom.solve.compliant.dopri5 import DOPRI5
from carom.solve.compliant.rk4 import RK4
from carom.solve.compliant.tsit5 import TSIT5
from carom.solve.method import Method
from carom.solve.run import METHODS, load_class

CVODE_METHODS = ("adams", "bdf")
"""Multistep methods of SUNDIALS."""
TABLEAUS: dict[str, Tableau] = {tableau.name: tableau for tableau in (DOPRI5, DOP853, TSIT5, RK4)}


class Integrators(Mapping[str, Callable[[Any], Method]]):
    """Methods by the name of the integrator: every method of `TABLEAUS`, and those of CVODE."""

    def __getitem__(self, name: str) -> Callable[[Any], Method]:
        if name in TABLEAUS:
            return load_class(METHODS["runge-kutta"].method)
        if name in CVODE_METHODS:
            return load_class(METHODS["sundials"].method)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter((*TABLEAUS, *CVODE_METHODS))

    def __len__(self) -> int:
        return len(TABLEAUS) + len(CVODE_METHODS)


INTEGRATORS = Integrators()
