"""Every integrator, by name. A new Runge–Kutta method is one file with its tableau and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from carom.solve.compliant import cvode, rk_integrator
from carom.solve.compliant.butcher_tableau import Tableau
from carom.solve.compliant.dop853 import DOP853
from carom.solve.compliant.dopri5 import DOPRI5
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.rk4 import RK4
from carom.solve.compliant.tsit5 import TSIT5
from carom.solve.run_output import RunOutput

TABLEAUS: dict[str, Tableau] = {tableau.name: tableau for tableau in (DOPRI5, DOP853, TSIT5, RK4)}


class Integrators(Mapping[str, Callable[[IntegrationRequest], RunOutput]]):
    """Integrators by name: every method of `TABLEAUS`, and those of CVODE."""

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
