"""Explicit Runge–Kutta methods by name. A new one is one file with its tableau and one line here."""

from __future__ import annotations

from carom.solve.runge_kutta.butcher_tableau import Tableau
from carom.solve.runge_kutta.dop853 import DOP853
from carom.solve.runge_kutta.dopri5 import DOPRI5
from carom.solve.runge_kutta.rk4 import RK4
from carom.solve.runge_kutta.tsit5 import TSIT5

AUTO, IMPLICIT = "auto", "implicit"
"""Integrators beside those of `TABLEAUS` that run in the same compiled loop."""
EXPLICIT_STEPS = "dopri5"
"""Method of their explicit steps; "implicit" takes some near singular positions only."""

TABLEAUS: dict[str, Tableau] = {tableau.name: tableau for tableau in (DOPRI5, DOP853, TSIT5, RK4)}


def explicit_method(integrator: str) -> Tableau | None:
    """Return the explicit method of an integrator; None for those of SUNDIALS."""
    return TABLEAUS.get(EXPLICIT_STEPS if integrator in (AUTO, IMPLICIT) else integrator)
