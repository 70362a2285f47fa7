"""Every time stepping scheme, by name. A new one is one file with a kernel and one line here."""

from __future__ import annotations

from dataclasses import dataclass

from carom.kernels import Kernel
from carom.solve.event_driven.impact_equations import solve_impact_equations
from carom.solve.timestepping.moreau_jean import theta_step
from carom.solve.timestepping.moreau_midpoint import midpoint


@dataclass(frozen=True)
class Scheme:
    """A step, and how it is taken (see `records`); ``projected`` unless a run says otherwise."""

    step: Kernel
    renewed: bool = True
    curved: bool = True
    safe: bool = True
    projected: bool = True
    implicit: bool = False


SCHEMES: dict[str, Scheme] = {
    "midpoint": Scheme(midpoint),
    "moreau": Scheme(midpoint, renewed=False, curved=False, safe=False, projected=False),
    "theta": Scheme(theta_step, renewed=False, implicit=True),
    "event-driven": Scheme(solve_impact_equations, renewed=False, curved=False, projected=False),
}
