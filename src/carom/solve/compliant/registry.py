"""Every integrator of compliant runs by name: the Runge–Kutta methods of `TABLEAUS`, and those of CVODE."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from carom.solve.compliant import cvode, rk_integrator
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.run_output import RunOutput
from carom.solve.runge_kutta.registry import TABLEAUS


class Integrators(Mapping[str, Callable[[IntegrationRequest], RunOutput]]):
    """Integrators by name, including methods that are added to `TABLEAUS` later."""

    def __getitem__(self, name: str) -> Callable[[IntegrationRequest], RunOutput]:
        if name in TABLEAUS:
            return partial(rk_integrator.integrate, TABLEAUS[name])
        if name in cvode.METHODS:
            return partial(cvode.integrate, name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter((*TABLEAUS, *cvode.METHODS))

    def __len__(self) -> int:
        return len(TABLEAUS) + len(cvode.METHODS)


INTEGRATORS = Integrators()
