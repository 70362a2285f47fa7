"""Every integrator of compliant runs by name: Runge–Kutta methods, explicit and implicit, and those of CVODE."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from carom.solve.method import Method
from carom.solve.run import METHODS, load_class
from carom.solve.runge_kutta.registry import AUTO, IMPLICIT, TABLEAUS, explicit_method

CVODE_METHODS = ("adams", "bdf")
"""Multistep methods of SUNDIALS."""


class Integrators(Mapping[str, Callable[[Any], Method]]):
    """Methods by the name of the integrator: "auto", "implicit", every method of `TABLEAUS`, and those of CVODE."""

    def __getitem__(self, name: str) -> Callable[[Any], Method]:
        if explicit_method(name) is not None:
            return load_class(METHODS["runge-kutta"].method)
        if name in CVODE_METHODS:
            return load_class(METHODS["sundials"].method)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter((AUTO, *TABLEAUS, IMPLICIT, *CVODE_METHODS))

    def __len__(self) -> int:
        return 2 + len(TABLEAUS) + len(CVODE_METHODS)


INTEGRATORS = Integrators()
