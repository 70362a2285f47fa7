"""Options of the two methods of `simulate`: compliant and non-smooth contact."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from carom.argument_checks import finite_float, integer, one_of, positive, short_repr
from carom.errors import ModelError

Integrator: TypeAlias = Literal["auto", "dopri5", "dop853", "tsit5", "rk4", "implicit", "adams", "bdf", "verlet"]
"""Names of the integrators of the library; methods added to the registries are accepted, too."""
Onset: TypeAlias = Literal["event", "reject", "interpolate", "none"]
Constraints: TypeAlias = Literal["projection", "baumgarte", "augmented"]
Scheme: TypeAlias = Literal["midpoint", "moreau", "theta", "event-driven"]
Solver: TypeAlias = Literal["lemke", "enumeration", "alart-curnier", "pgs"]

AUTO, VERLET, EVENT_DRIVEN = "auto", "verlet", "event-driven"


def set_checked(options: Any, **values: Any) -> None:
    """Replace arguments of frozen options by their checked values."""
    for name, value in values.items():
        object.__setattr__(options, name, value)


@dataclass(frozen=True)
class Compliant:
    """Contacts are forces given by their laws; the equations of motion are integrated.

    Parameters
    ----------
    integrator
        "auto" (explicit steps through flight and impacts, implicit ones through lasting contact; "verlet" for
        systems with large groups of contacts), "dopri5", "dop853", "tsit5" (explicit, adaptive), "rk4" (explicit, fixed
        step ``max_step``), "implicit" (Radau IIA of order 5), "adams", "bdf" (SUNDIALS), "verlet" (fixed step
        ``max_step``, by default 1/30 of the shortest contact).
    rtol
        relative accuracy of the whole run.
    atol
        absolute accuracy of the whole run.
    onset
        location of the onset of contacts. "event": as a root, to rounding; so are separation and zeros of the
        force. For comparison: "reject" (a step that begins a contact deeper than ``penetration_tolerance`` [m] is
        halved, down to ``min_step`` [s]), "interpolate" (it is cut linearly), "none".
    max_step
        largest step [s].
    constraints
        "projection" (positions and velocities exact after every step), "baumgarte" (feedback with ``alpha``,
        ``beta`` [1/s]), "augmented" (augmented Lagrangian with the same feedback; passes singular positions).

    Examples
    --------
    >>> cm.Compliant(integrator="dop853", rtol=1e-10).rtol
    1e-10
    """

    integrator: Integrator = "auto"
    rtol: float = 1e-8
    atol: float = 1e-10
    onset: Onset = "event"
    max_step: float | None = None
    min_step: float = 1e-7
    penetration_tolerance: float = 1e-6
    constraints: Constraints = "projection"
    alpha: float = 50.0
    beta: float = 50.0

    method: ClassVar[str] = "compliant"

    def __post_init__(self) -> None:
        if self.integrator is None:
            set_checked(self, integrator=AUTO)
        if not isinstance(self.integrator, str):
            raise ModelError(f"simulate: integrator must be the name of one, got {short_repr(self.integrator)}")
        one_of("simulate", "onset", self.onset, get_args(Onset))
        one_of("simulate", "constraints", self.constraints, get_args(Constraints))
        lengths = ("rtol", "atol", "min_step", "penetration_tolerance")
        set_checked(self, **{name: positive("simulate", name, getattr(self, name)) for name in lengths})
        set_checked(self, **{name: finite_float("simulate", name, getattr(self, name)) for name in ("alpha", "beta")})
        if self.max_step is not None:
            set_checked(self, max_step=positive("simulate", "max_step", self.max_step))


@dataclass(frozen=True)
class Nonsmooth:
    """Contacts are closed or open, and impacts take no time, as their ``impact`` laws say; time stepping.

    Parameters
    ----------
    step
        length of all steps [s].
    scheme
        "midpoint" (Moreau's midpoint rule, of second order between impacts), "moreau" (as published, of first
        order), "theta" (Moreau–Jean with ``theta`` in [0.5, 1]; for stiff springs), "event-driven" (integration from
        impact to impact to ``rtol`` and ``atol``; for few contacts, as a reference).
    solver
        solver of the contact problems: "lemke" (default in 2D), "enumeration", "alart-curnier" (default in 3D),
        "pgs"; the others are tried where it fails.
    projection
        remove the penetration that a step leaves; by default as the scheme requires.
    adaptive
        halve steps in which a contact closes, down to ``min_step`` [s].
    tolerance
        residual of the contact problems of systems with large groups of contacts, relative to the largest
        velocity in the problem.
    max_sweeps
        largest number of sweeps over one such problem, if they do not reach ``tolerance``; by default 1000 for
        up to 300 contacts, fewer for more, 110 from 2700 contacts on.
    sleeping
        in such systems, bodies that rest for 100 steps sleep until another body touches them.

    Examples
    --------
    >>> cm.Nonsmooth(step=1e-4, scheme="moreau").step
    0.0001
    """

    step: float = 1e-5
    scheme: Scheme = "midpoint"
    solver: Solver | None = None
    projection: bool | None = None
    theta: float = 0.5
    adaptive: bool = False
    min_step: float = 1e-7
    rtol: float = 1e-8
    atol: float = 1e-10
    tolerance: float = 1e-6
    max_sweeps: int | None = None
    sleeping: bool = True

    method: ClassVar[str] = "nonsmooth"

    def __post_init__(self) -> None:
        for name in ("projection", "adaptive", "sleeping"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)) and (value is not None or name != "projection"):
                raise ModelError(f"simulate: {name} must be True or False, got {short_repr(value)}")
        lengths = ("step", "min_step", "rtol", "atol", "tolerance")
        set_checked(self, **{name: positive("simulate", name, getattr(self, name)) for name in lengths})
        theta = finite_float("simulate", "theta", self.theta)
        if not 0.5 <= theta <= 1.0:
            raise ModelError(f"simulate: theta must lie in [0.5, 1], got {theta:g}")
        if self.max_sweeps is not None:
            set_checked(self, max_sweeps=integer("simulate", "max_sweeps", self.max_sweeps, 1, 10**6))
        set_checked(self, theta=theta, adaptive=bool(self.adaptive), sleeping=bool(self.sleeping))


Options: TypeAlias = Compliant | Nonsmooth


def with_integrator(options: Compliant, integrator: Integrator) -> Compliant:
    """Return options with another integrator; the other values are checked already."""
    other = copy(options)
    set_checked(other, integrator=integrator)
    return other


METHOD_OPTIONS: dict[str, type[Compliant] | type[Nonsmooth]] = {kind.method: kind for kind in (Compliant, Nonsmooth)}
"""Options of the methods, by the name of the method."""


@cache
def option_names(method: str) -> tuple[str, ...]:
    """Return the names of the options of a method."""
    return tuple(option.name for option in fields(METHOD_OPTIONS[method]))
