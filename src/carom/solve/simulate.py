"""Dynamics: the motion of a system from its start."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import one_of, positive, short_repr
from carom.errors import ModelError, warn
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result
from carom.solve import run_warnings
from carom.solve.checkpointing import Journal
from carom.solve.compliant.simulate import VERLET, integrate


def step_through(*order: Any, **options: Any) -> Result:
    """Non-smooth dynamics; it is opened when it is used, for most programs take one method."""
    from carom.solve.timestepping import simulate

    return simulate.step_through(*order, **options)


METHODS: dict[str, tuple[Callable[..., Result], tuple[str, ...]]] = {
    "compliant": (
        integrate,
        ("integrator", "rtol", "atol", "onset", "max_step", "min_step", "penetration_tolerance", "constraints",
         "alpha", "beta"),
    ),
    "nonsmooth": (
        step_through,
        ("step", "scheme", "solver", "projection", "theta", "adaptive", "min_step", "rtol", "atol"),
    ),
}  # fmt: skip
"""How the motion is computed, and the options of `simulate` that matter to it."""


def simulate(
    system: System | GeneralizedSystem,
    t_end: float,
    *,
    method: str = "compliant",
    integrator: str | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    onset: str = "event",
    max_step: float | None = None,
    min_step: float = 1e-7,
    penetration_tolerance: float = 1e-6,
    constraints: str = "projection",
    alpha: float = 50.0,
    beta: float = 50.0,
    step: float = 1e-5,
    scheme: str = "midpoint",
    solver: str | None = None,
    projection: bool | None = None,
    theta: float = 0.5,
    adaptive: bool = False,
    progress: bool | Callable[[float], Any] | None = None,
    output: float | Sequence[float] | str | os.PathLike[str] | None = None,
    every: float | Sequence[float] | None = None,
) -> Result:
    """The motion from the system's present state, time 0, to ``t_end`` [s], by one of two ``method`` s.

    "compliant": contacts are forces given by their ``law``; the equations of motion are integrated.

    ``integrator``: "dopri5" (the default), "dop853", "tsit5" (adaptive), "rk4" (fixed step ``max_step``), "adams",
    "bdf" (SUNDIALS); "verlet" (fixed step ``max_step``, by default 1/30 of the shortest contact) for systems with large
    groups of contacts, where it is the default.
    ``constraints``: "projection" (positions and velocities exact after every step), "baumgarte" (feedback with
    ``alpha``, ``beta`` [1/s]), "augmented" (augmented Lagrangian with the same feedback; passes singular positions).
    ``onset``: how the beginning of a contact is found. "event": as a root, to rounding; so are its end and the points
    where its force vanishes. For comparison: "reject" (a step that would begin a contact deeper than
    ``penetration_tolerance`` [m] is halved, down to ``min_step`` [s]), "interpolate" (it is cut linearly), "none".
    ``rtol``, ``atol``: what the error of the whole run should be like, relative and absolute.

    "nonsmooth": contacts are closed or open and impacts take no time, as their ``impact`` says; time stepping.

    ``step`` [s] is the length of all steps. ``scheme``: "midpoint" (Moreau's midpoint rule, of second order between
    impacts), "moreau" (the same as published, of first order), "theta" (Moreau–Jean, with ``theta`` in [0.5, 1]; for
    stiff springs), "event-driven" (integration from impact to impact to ``rtol`` and ``atol``; for few contacts, as a
    reference). ``solver`` of the contact problems: "lemke" (default in a plane), "enumeration", "alart-curnier"
    (default in space), "pgs"; where one fails, the others are tried. ``projection`` takes back what a step leaves of an
    overlap (None: as the scheme has it). ``adaptive`` halves steps in which a contact closes, down to ``min_step`` [s].

    ``output``: None keeps every step (of a very long run every second, fourth …: ``result.stats["stride"]``; of
    "verlet" up to 1000 nodes, fewer where there are thousands of bodies), a number is the interval [s] between nodes, a
    list gives their times. A file name, "run.h5", has the run written there while it is computed, every step of it,
    with little in memory; ``every`` is then the interval between nodes or their times. `resume` goes on with such a run
    when it was interrupted, by whatever it was, as if it had not been; `load` reads it at any time.
    ``progress``: None shows a bar on long runs in a terminal; True, False or a function of the fraction done.
    The system is not changed. Ctrl-C, a blow-up or a lock-up return what was computed, and the `Outcome` says so; what
    a function of yours raises is raised again, with the result up to then as its attribute ``result``.
    """
    given = dict(locals())
    t_end = positive("simulate", "t_end", t_end)
    _, options = METHODS[one_of("simulate", "method", method, tuple(METHODS))]
    if integrator is not None and not isinstance(integrator, str):
        raise ModelError(f"simulate: integrator must be the name of one, got {short_repr(integrator)}")
    if method == "compliant" and integrator in (None, VERLET) and isinstance(system, System) and system.groups:
        used: tuple[str, ...] = ("integrator", "max_step")
    else:
        used = options
    mine = (*used, "system", "t_end", "method", "progress", "output", "every")
    idle = [name for name, value in given.items() if name not in mine and not same(value, DEFAULTS[name])]
    if idle:
        run = f"a {method} run" if used is options else f"a run with integrator {VERLET!r}"
        warn(f"simulate: {', '.join(idle)} does nothing in {run}; check the method or leave it out")
    run_warnings.before(system)
    chosen = {"method": method, **{name: given[name] for name in options}}
    if not isinstance(output, (str, os.PathLike)):
        if every is not None:
            raise ModelError("simulate: every= goes with the name of a file in output=; without one, give output=")
        return compute(system, t_end, output, progress, None, **chosen)
    from carom.io.checkpoint_file import CheckpointWriter

    with CheckpointWriter.create(output, system, {"t_end": t_end, "every": every, **chosen}) as journal:
        return compute(system, t_end, every, progress, journal, **chosen)


def compute(
    system: System | GeneralizedSystem,
    t_end: float,
    output: float | Sequence[float] | None,
    progress: bool | Callable[[float], Any] | None,
    journal: Journal | None,
    method: str,
    **options: Any,
) -> Result:
    """What `simulate` does when all is said, also with a run that goes on."""
    result = METHODS[method][0](system, t_end, output, progress, journal, **options)
    run_warnings.after(system, result)
    return result


def same(value: Any, usual: Any) -> bool:
    """Whether an option has its usual value; no array has."""
    return value is usual or (np.ndim(value) == 0 and bool(value == usual))


DEFAULTS = {name: parameter.default for name, parameter in inspect.signature(simulate).parameters.items()}
