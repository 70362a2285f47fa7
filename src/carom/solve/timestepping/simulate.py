"""A non-smooth run: contacts are closed or open, impacts take no time, and time is stepped through."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, one_of, positive, short_repr
from carom.compiled_model.generalized_data import GeneralizedData
from carom.compiled_model.mutable_state import as_numbers, fingerprint
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError, warn
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.progress import Progress
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.analyses.mobility import examine
from carom.solve.checkpointing import Journal, StreamedOutput
from carom.solve.contact_log import impacts_of
from carom.solve.contact_problem.registry import SOLVERS
from carom.solve.event_driven.event_driven_run import EventDriven
from carom.solve.initial_state import check_length, check_spans, consistent_start, output_times
from carom.solve.model_digest import digest
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.node_batches import NodeEvaluator, result_of
from carom.solve.postprocessing import SystemNodeEvaluator
from carom.solve.run_output import RunOutput
from carom.solve.run_warnings import reference_energy
from carom.solve.timestepping.generalized_output import GeneralizedNodeEvaluator
from carom.solve.timestepping.group_expansion import expand
from carom.solve.timestepping.schemes import SCHEMES
from carom.solve.timestepping.stepping_model import Stepping, of_general, of_system
from carom.solve.timestepping.time_stepper import March, Orders, impact_law_data, prepare

OVERLAP = 1e-9
"""Overlap [m] at the start that is reported."""
NOTICEABLE, LARGE = 1e-5, 1e-3
"""Of the largest energy in a run: what contacts may create, and what projection may put in, before it is reported."""
SLIGHT = 1e-6
"""Of the potential energy: what projection may put into a run at rest."""


def step_through(
    system: System | GeneralizedSystem,
    t_end: float,
    output: float | Sequence[float] | None,
    progress: bool | Callable[[float], Any] | None,
    journal: Journal | None,
    *,
    step: float,
    scheme: str,
    solver: str | None,
    projection: bool | None,
    theta: float,
    adaptive: bool,
    min_step: float,
    rtol: float,
    atol: float,
) -> Result:
    """What `simulate` does by this method."""
    one_of("simulate", "scheme", scheme, tuple(SCHEMES))
    solver = ("alart-curnier" if getattr(system, "dim", 2) == 3 else "lemke") if solver is None else solver
    one_of("simulate", "solver", solver, tuple(SOLVERS))
    step = positive("simulate", "step", step)
    for what, value in {"projection": projection, "adaptive": adaptive}.items():
        if not isinstance(value, (bool, np.bool_)) and (value is not None or what == "adaptive"):
            raise ModelError(f"simulate: {what} must be True or False, got {short_repr(value)}")
    projection = SCHEMES[scheme].projected if projection is None else bool(projection)
    theta = finite_float("simulate", "theta", theta)
    if not 0.5 <= theta <= 1.0:
        raise ModelError(f"simulate: theta must lie between 0.5 and 1, got {theta:g}")
    settings: dict[str, Any] = {
        "t_end": t_end, "method": "nonsmooth", "step": step, "scheme": scheme, "solver": solver,
        "projection": projection, "theta": theta, "adaptive": bool(adaptive),
        "min_step": positive("simulate", "min_step", min_step),
        "rtol": positive("simulate", "rtol", rtol), "atol": positive("simulate", "atol", atol),
    }  # fmt: skip
    if scheme != "event-driven":
        check_length(t_end, "step", step)
        check_length(t_end, "min_step", settings["min_step"] if adaptive else math.inf)
    check_length(t_end, "t_end", t_end)
    began = clock.perf_counter()
    outputs = output_times(output, t_end)
    prepare(scheme, solver)
    event_driven = scheme == "event-driven"
    source = (
        GeneralSource(system, event_driven)
        if isinstance(system, GeneralizedSystem)
        else SystemSource(system, t_end, event_driven)
    )
    model, observer = source.model, source.observer
    stops = np.array(sorted({t_end, *outputs.tolist(), *(t for t in source.breaks if 0.0 < t < t_end)}))
    wanted = None if output is None else np.unique([0.0, *outputs, t_end])
    impacts = partial(impacts_of, model.names)
    answer = RunOutput(wanted)

    def costs() -> dict[str, Any]:
        return {**march.stats(), "energy_reference": reference_energy(system)}

    if journal is not None:
        answer = StreamedOutput(
            wanted, journal=journal, observer=observer, settings=settings, impacts=impacts,
            digest=digest(observer.head, [*fingerprint(source.tables), as_numbers(impact_law_data(model.impacts))]),
        )  # fmt: skip
    with Progress(system.name, t_end, progress) as report:
        orders = Orders(
            stops=stops, step=step, scheme=scheme, solver=solver, projection=projection, theta=theta,
            adaptive=bool(adaptive), min_step=settings["min_step"], record_steps=output is None, report=report,
            user_error=source.user_error, answer=answer,
        )  # fmt: skip
        march: March = EventDriven(model, orders, source.breaks, rtol, atol) if event_driven else March(model, orders)
        if isinstance(answer, StreamedOutput):
            answer.stats = costs
        if answer.resumed is None:
            report_overlaps(model)
        march.run()
        if answer.outcome.ok:
            report(t_end)
    text = message(model, answer, march)
    if isinstance(answer, StreamedOutput):
        result = answer.finish(text)
    else:
        t, nodes = answer.nodes()
        stats = {
            "steps": answer.steps, "rejected": answer.rejected, "evaluations": answer.evaluations,
            "wall_time": clock.perf_counter() - began, "stride": answer.stride, **costs(),
        }  # fmt: skip
        piece = observer.see(t, nodes)
        result = result_of(observer.head, piece, stats, answer.outcome, text, settings, impacts(answer.touches))
    warn_after_run(result, model)
    answer.raise_with(result)
    return result


class SystemSource:
    """A system of bodies and joints: what is stepped through, and who looks at what comes of it."""

    def __init__(self, system: System, t_end: float, accelerating: bool):
        self.mechanism = ModelEvaluator(expand(system), "simulate", rigid=True)
        check_spans(self.mechanism, t_end)
        y = consistent_start(self.mechanism)
        examine(self.mechanism, y)
        self.model = of_system(self.mechanism, y)
        self.observer: NodeEvaluator = SystemNodeEvaluator(self.mechanism.twin(), accelerating)
        self.tables: SystemData | GeneralizedData = self.mechanism.tables
        self.breaks = self.mechanism.tables.breaks
        self.user_error = self.mechanism.user_error


class GeneralSource:
    """The same for a system in generalised coordinates."""

    def __init__(self, system: GeneralizedSystem, accelerating: bool):
        self.tables = GeneralizedData(system)
        self.model = of_general(self.tables)
        self.observer = GeneralizedNodeEvaluator(self.tables, accelerating)
        self.breaks: list[float] = []
        self.user_error = self.tables.user_error


def report_overlaps(model: Stepping) -> None:
    """Say which contacts overlap before anything moves."""
    if not model.names:
        return
    model.survey.call(0.0, model.start, model.record)
    for name, gap in zip(model.names, model.gaps, strict=False):
        if gap < -OVERLAP:
            warn(
                f"Contact {name!r}: the shapes overlap by {-gap:.3g} m at the start; projection pushes them apart, "
                "without it they stay as they are. Move the bodies apart if that is not meant"
            )


def message(model: Stepping, answer: RunOutput, march: March) -> str:
    """One sentence: what ended the run, when, and where."""
    if answer.outcome.ok:
        return str(answer.outcome)
    where = ""
    if answer.outcome is Outcome.SINGULAR and model.rows == 0:
        return f"The mass matrix is singular: t = {answer.end:.9g} s."
    culprit = int(march.counts.failed_contact)
    if answer.outcome is Outcome.NO_IMPULSES or (answer.outcome is Outcome.NOT_FINITE and march.gap_failed):
        where = f", at contact {model.names[culprit]!r}"
    if answer.outcome is Outcome.NO_IMPULSES and any(i.friction > 0.0 and i.law == "newton" for i in model.impacts):
        where += "; with friction, Newton's restitution may have none: use Impact(law='poisson')"
    if answer.outcome is Outcome.STALLED and answer.contact is not None:
        where = (
            f", the last event at contact {model.names[answer.contact]!r}; use time stepping (scheme='midpoint'), "
            "which passes such moments"
        )
    if answer.outcome is Outcome.STEP_UNDERFLOW:
        closed = [model.names[k] for k in march.closed]
        where = f", with {', '.join(map(repr, closed)) or 'no contacts'} closed; check the forces there for jumps"
    return f"{str(answer.outcome).rstrip('.')}: t = {answer.end:.9g} s{where}."


def warn_after_run(result: Result, model: Stepping) -> None:
    """Say what was not as it should be."""
    stats = result.stats
    scale = float(result.energy.scale)
    if stats["energy_created"] > NOTICEABLE * scale:
        cause = "Take a smaller step, or scheme='midpoint'"
        if any(impact.friction > 0.0 and impact.law == "newton" for impact in model.impacts):
            cause = (
                "Newton's restitution with friction can do that. Take Impact(law='poisson'), a smaller restitution or "
                "friction, or a smaller step"
            )
        warn(
            f"simulate: contacts created {stats['energy_created']:.3g} J in {stats['energy_creating_steps']} steps "
            f"({stats['energy_created'] / scale:.2g} of the energy in the run). {cause}"
        )
    floor = SLIGHT * float(np.abs(result.energy.potential).max())
    if stats["projection_energy"] > max(LARGE * scale, floor):
        warn(
            f"simulate: projection put {stats['projection_energy']:.3g} J into the motion, "
            f"{stats['projection_energy'] / scale:.2g} of the energy in it; take a smaller step or projection=False"
        )
    if stats["unsolved"]:
        warn(
            f"simulate: {stats['unsolved']} of {stats['contact_problems']} contact problems were solved roughly only; "
            "take another solver or a smaller step"
        )
