"""Public function `simulate`: the motion of a system from its initial state."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from carom.argument_checks import one_of, positive, short_repr
from carom.deprecation import warn_deprecated
from carom.errors import ModelError, warn
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result
from carom.solve.many_body_support import needs_many_bodies
from carom.solve.options import (
    AUTO,
    METHOD_OPTIONS,
    VERLET,
    Compliant,
    Constraints,
    Integrator,
    Nonsmooth,
    Onset,
    Options,
    Scheme,
    Solver,
    option_names,
)
from carom.solve.run import RunRequest, run

VERLET_OPTIONS = ("integrator", "max_step")
"""Options that have an effect with the integrator "verlet"."""


def simulate(
    system: System | GeneralizedSystem,
    t_end: float,
    *,
    method: Literal["compliant", "nonsmooth"] | Compliant | Nonsmooth = "compliant",
    integrator: Integrator | None = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    onset: Onset = "event",
    max_step: float | None = None,
    min_step: float = 1e-7,
    penetration_tolerance: float = 1e-6,
    constraints: Constraints = "projection",
    alpha: float = 50.0,
    beta: float = 50.0,
    step: float = 1e-5,
    scheme: Scheme = "midpoint",
    solver: Solver | None = None,
    projection: bool | None = None,
    theta: float = 0.5,
    adaptive: bool = False,
    tolerance: float = 1e-6,
    max_sweeps: int | None = None,
    sleeping: bool = True,
    progress: bool | Callable[[float], Any] | None = None,
    output: float | Sequence[float] | None = None,
    stream: str | os.PathLike[str] | None = None,
    sensitivities: Sequence[str] | None = None,
    every: float | Sequence[float] | None = None,
) -> Result:
    """Simulate the motion of a system from its current state at t = 0 to ``t_end`` [s].

    Parameters
    ----------
    system
        the model; it is not changed.
    t_end
        end time [s].
    method
        "compliant" (contacts are forces given by their laws) or "nonsmooth" (contacts are rigid, impacts take no
        time), or one of the objects `Compliant` and `Nonsmooth` with the options of the method. The keywords from
        ``integrator`` to ``sleeping`` are a shorthand for these options; see `Compliant` and `Nonsmooth`.
    output
        None stores every step (of a very long run every second, fourth …: ``result.stats["stride"]``; with the
        integrator "verlet" up to 1000 nodes, fewer for thousands of bodies); a number is the interval between nodes
        [s]; a list contains their times [s].
    stream
        file, "run.h5", to which the run is written during the computation; memory use stays bounded. `resume`
        resumes such a run after an interruption of any kind, with a result identical to an uninterrupted one; `load`
        reads it at any time.
    sensitivities
        parameters by name, as in `sweep` ("touch.law.stiffness"); ``result.sensitivity["ball.vy",
        "touch.law.stiffness"]`` is then the derivative of a series over time. See `gradient`.
    progress
        None shows a bar on long runs in a terminal; True, False, or a function of the completed fraction.

    Ctrl-C, a blow-up or a lock-up return what was computed, with the reason in ``result.outcome``. An exception in a
    user's function is raised again, with the result up to then as its attribute ``result``.

    Examples
    --------
    >>> case = cm.gallery.pendulum()
    >>> result = cm.simulate(case.system, 0.5, rtol=1e-6)
    >>> result.outcome.ok
    True
    >>> result = cm.simulate(case.system, 0.5, method=cm.Compliant(integrator="dop853"), output=0.1)
    >>> len(result.t)
    6
    """
    arguments = {**locals(), "integrator": AUTO if integrator is None else integrator}
    t_end = positive("simulate", "t_end", t_end)
    options = chosen_options(method, arguments)
    output, stream = separate_stream(output, stream, every)
    warn_unused(system, options, arguments)
    if sensitivities is not None:
        if stream is not None:
            raise ModelError("simulate: sensitivities need the run in memory; omit stream=")
        from carom.solve.sensitivity.derivatives import simulate_with_sensitivities

        return simulate_with_sensitivities(RunRequest(system, t_end, options, output, progress), sensitivities)
    if stream is None:
        return run(RunRequest(system, t_end, options, output, progress))
    from carom.io.checkpoint_file import CheckpointWriter

    stored = {"method": options.method, **vars(options)}
    with CheckpointWriter.create(stream, system, {"t_end": t_end, "every": output, **stored}) as checkpoint:
        return run(RunRequest(system, t_end, options, output, progress, checkpoint))


def run_request(system: System | GeneralizedSystem, t_end: float, **keywords: Any) -> RunRequest:
    """Return the run that `simulate` would begin with these keywords, other than those of a file."""
    arguments = {name: p.default for name, p in inspect.signature(simulate).parameters.items()} | keywords
    arguments["integrator"] = AUTO if arguments["integrator"] is None else arguments["integrator"]
    options = chosen_options(arguments["method"], arguments)
    return RunRequest(system, positive("simulate", "t_end", t_end), options, arguments["output"], arguments["progress"])


def chosen_options(method: Any, arguments: dict[str, Any]) -> Options:
    """Return the options of a run from ``method`` and the keywords of `simulate`."""
    if isinstance(method, (Compliant, Nonsmooth)):
        twice = [name for name in DEFAULTS if not is_default(name, arguments[name])]
        if twice:
            kind = type(method).__name__
            raise ModelError(f"simulate: set {', '.join(twice)} in method={kind}(...), not beside it")
        return method
    if not isinstance(method, str):
        raise ModelError(f"simulate: method must be a name, Compliant(...) or Nonsmooth(...), got {short_repr(method)}")
    name = one_of("simulate", "method", method, tuple(METHOD_OPTIONS))
    values = tuple(arguments[option] for option in option_names(name))
    try:
        return checked_options(name, *values)
    except TypeError:  # one of them cannot be compared with others
        return checked_options.__wrapped__(name, *values)


@lru_cache(maxsize=32, typed=True)
def checked_options(name: str, *values: Any) -> Options:
    """Return the options of a method with values in the order of their names; the last ones are kept."""
    return METHOD_OPTIONS[name](**dict(zip(option_names(name), values, strict=True)))


def requested_options(values: dict[str, Any]) -> Options:
    """Return the options of a run from some keywords of `simulate`; raise if one is unknown."""
    unknown = [name for name in values if name != "method" and name not in DEFAULTS]
    if unknown:
        raise ModelError(f"simulate: unknown option {unknown[0]!r}; choose from {', '.join(DEFAULTS)}")
    return chosen_options(values.get("method", "compliant"), {**DEFAULTS, **values})


def separate_stream(output: Any, stream: Any, every: Any) -> tuple[Any, Any]:
    """Return output times and file; the deprecated form has the file in ``output`` and the times in ``every``."""
    if isinstance(output, (str, os.PathLike)):
        if stream is not None:
            raise ModelError("simulate: output must be an interval or times; the file is stream=")
        warn_deprecated("simulate(output='run.h5', every=...)", "simulate(stream='run.h5', output=...)")
        return every, output
    if every is not None:
        raise ModelError("simulate: every= belongs to the deprecated output='run.h5'; use output= with stream=")
    return output, stream


def warn_unused(system: Any, options: Options, arguments: dict[str, Any]) -> None:
    """Warn of keywords that have no effect in this run."""
    used, kind = option_names(options.method), f"a {options.method} run"
    integrator = options.integrator if isinstance(options, Compliant) else ""
    if integrator == VERLET or (integrator == AUTO and needs_many_bodies(system)):
        used, kind = VERLET_OPTIONS, f"a run with integrator {VERLET!r}"
    values = {**arguments, **vars(options)}
    unused = [name for name in DEFAULTS if name not in used and not is_default(name, values[name])]
    if unused:
        warn(f"simulate: {', '.join(unused)} has no effect in {kind}; check the method or remove it")


def is_default(name: str, value: Any) -> bool:
    """Return True if an option has its default value; an array never has."""
    default = DEFAULTS[name]
    if value is default or type(value) is type(default):
        return bool(value == default)
    return np.ndim(value) == 0 and bool(value == default)


DEFAULTS: dict[str, Any] = {**vars(Nonsmooth()), **vars(Compliant())}
"""Defaults of the options of all methods."""
