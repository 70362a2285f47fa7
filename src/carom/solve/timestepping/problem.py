"""Non-smooth runs: compiled model, messages and warnings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import one_of
from carom.compiled_model.generalized_data import GeneralizedData
from carom.compiled_model.group_expansion import expand_groups
from carom.compiled_model.mutable_state import as_numbers, fingerprint
from carom.compiled_model.stepping_data import (
    SteppingData,
    generalized_stepping_data,
    impact_law_data,
    stepping_data,
)
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError, warn
from carom.model.generalized_system import GeneralizedSystem
from carom.model.joint_friction import JointFriction
from carom.model.system import System
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.analyses.mobility import examine
from carom.solve.contact_log import impacts_of
from carom.solve.contact_problem.registry import ROLLING_SOLVERS, SOLVERS
from carom.solve.initial_state import check_length, check_spans, consistent_start, output_times
from carom.solve.limits_at_start import check_limits
from carom.solve.many_body.rigid_choice import expansion_reason
from carom.solve.many_body_support import needs_many_bodies, refuse_boundaries
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.node_batches import NodeEvaluator
from carom.solve.options import EVENT_DRIVEN, Nonsmooth
from carom.solve.postprocessing import SystemNodeEvaluator
from carom.solve.run import RunRequest
from carom.solve.run_output import RunOutput
from carom.solve.timestepping.generalized_output import GeneralizedNodeEvaluator
from carom.solve.timestepping.schemes import SCHEMES
from carom.solve.timestepping.time_stepper import SteppingRequest, TimeStepper, prepare

OVERLAP = 1e-9
"""Overlap at the start above which a warning is issued [m]."""
MAX_CREATED, MAX_PROJECTED = 1e-5, 1e-3
"""Fractions of the largest energy in a run that contacts may create, and projection may add, without a warning [-]."""
MAX_PROJECTED_AT_REST = 1e-6
"""Fraction of the potential energy that projection may add to a run at rest without a warning [-]."""


class NonsmoothProblem:
    """A system with rigid contacts."""

    def __init__(self, request: RunRequest):
        system, t_end, options = request.system, request.t_end, request.options
        assert isinstance(options, Nonsmooth)
        self.options = options
        one_of("simulate", "scheme", options.scheme, tuple(SCHEMES))
        default = "alart-curnier" if getattr(system, "dim", 2) == 3 else "lemke"
        self.solver = one_of(
            "simulate", "solver", default if options.solver is None else options.solver, tuple(SOLVERS)
        )
        projection = options.projection
        self.projection = SCHEMES[options.scheme].projects_positions if projection is None else bool(projection)
        self.settings: dict[str, Any] = {
            "t_end": t_end, "method": options.method, **vars(options), "solver": self.solver,
            "projection": self.projection,
        }  # fmt: skip
        event_driven = options.scheme == EVENT_DRIVEN
        if not event_driven:
            check_length(t_end, "step", options.step)
            check_length(t_end, "min_step", options.min_step if options.adaptive else math.inf)
        check_length(t_end, "t_end", t_end)
        outputs = output_times(request.output, t_end)
        prepare(options.scheme, self.solver)
        self.source = create_source(system, t_end, options)
        self.model, self.evaluator = self.source.model, self.source.evaluator
        check_rolling(self.model, self.solver)
        check_joint_friction(self.model, options.scheme)
        breaks = [t for t in self.source.breaks if 0.0 < t < t_end]
        self.stops = np.array(sorted({t_end, *outputs.tolist(), *breaks}))
        self.requested_times = None if request.output is None else np.unique([0.0, *outputs, t_end])

    @property
    def tables(self) -> SystemData | GeneralizedData:
        """Compiled model, in which inputs change."""
        return self.source.tables

    def method_request(self, output: RunOutput, report: Callable[..., None]) -> SteppingRequest:
        """Return the argument of the method; warn of overlaps before anything moves."""
        if output.resumed_state is None:
            warn_of_overlaps(self.model)
        return SteppingRequest(
            model=self.model, options=self.options, solver=self.solver, projection=self.projection, stops=self.stops,
            breaks=self.source.breaks, record_steps=self.requested_times is None,
            user_error=self.source.user_error, output=output,
        )  # fmt: skip

    def digest_values(self) -> list[Any]:
        """Return the numbers that identify the model."""
        return [
            *fingerprint(self.source.tables),
            as_numbers(impact_law_data(self.model.impact_laws, self.model.rolling)),
        ]

    def impacts(self, rows: Sequence[np.ndarray]) -> list[ImpactRecord]:
        """Return the impacts of the rows of a contact log."""
        return impacts_of(self.model.names, rows)

    def statistics(self, method: TimeStepper) -> dict[str, Any]:
        """Return the cost of the contact problems."""
        return method.statistics()

    def message(self, method: TimeStepper) -> str:
        """Return a sentence about the end of the run."""
        return message(method)

    def warn_after(self, method: TimeStepper, result: Result) -> None:
        """Warn of energy that contacts or projection created, and of inexact solutions."""
        warn_after_run(result, self.model)


def check_rolling(model: SteppingData, solver: str) -> None:
    """Raise if the solver does not support the rolling resistance of a contact."""
    if not model.has_rolling:
        return
    solvers = ROLLING_SOLVERS[model.tangents_per_contact]
    if solver not in solvers:
        name = next(name for name, resistance in zip(model.names, model.rolling, strict=True) if resistance is not None)
        raise ModelError(
            f"simulate: Contact {name!r}: solver={solver!r} does not support rolling resistance in "
            f"{1 + model.tangents_per_contact}D; use {' or '.join(f'solver={other!r}' for other in solvers)}"
        )


def create_source(system: System | GeneralizedSystem, t_end: float, options: Nonsmooth) -> SystemSource | GeneralSource:
    """Return the compiled model of a system, and the evaluator of its nodes."""
    event_driven = options.scheme == EVENT_DRIVEN
    if isinstance(system, GeneralizedSystem):
        return GeneralSource(system, event_driven)
    reason = expansion_reason(system, options) if isinstance(system, System) and needs_many_bodies(system) else None
    if reason is not None:
        refuse_boundaries(system, f"method 'nonsmooth', where {reason},")
    return SystemSource(system, t_end, event_driven, reason)


class SystemSource:
    """Compiled model of a system of bodies and joints, and the evaluator of its nodes."""

    def __init__(self, system: System, t_end: float, accelerating: bool, reason: str | None = None):
        self.mechanism = ModelEvaluator(expand_groups(system, reason), "simulate", rigid=True)
        check_spans(self.mechanism, t_end)
        y = consistent_start(self.mechanism)
        examine(self.mechanism, y)
        self.model = stepping_data(self.mechanism.tables, y)
        self.evaluator: NodeEvaluator = SystemNodeEvaluator(self.mechanism.copy(), accelerating)
        self.tables: SystemData | GeneralizedData = self.mechanism.tables
        self.breaks = self.mechanism.tables.breaks
        self.user_error = self.mechanism.user_error


class GeneralSource:
    """Compiled model of a system in generalised coordinates, and the evaluator of its nodes."""

    def __init__(self, system: GeneralizedSystem, accelerating: bool):
        self.tables = GeneralizedData(system)
        self.model = generalized_stepping_data(self.tables)
        self.evaluator = GeneralizedNodeEvaluator(self.tables, accelerating)
        self.breaks: list[float] = []
        self.user_error = self.tables.user_error


def check_joint_friction(model: SteppingData, scheme: str) -> None:
    """Raise if a joint has friction, which the scheme does not support."""
    for contact in getattr(model.source, "contacts", ()):
        if isinstance(contact, JointFriction) and not SCHEMES[scheme].has_joint_friction:
            supported = ", ".join(repr(name) for name, entry in SCHEMES.items() if entry.has_joint_friction)
            raise ModelError(
                f"{contact.joint.label}: scheme={scheme!r} does not support friction in joints; use scheme={supported}"
            )


def warn_of_overlaps(model: SteppingData) -> None:
    """Warn of shapes that overlap at the start."""
    if not model.names:
        return
    model.gaps_kernel.call(0.0, model.start, model.record)
    check_limits(getattr(model.source, "contacts", ()), (-model.gaps).tolist(), rigid=True)
    for name, gap in zip(model.names, model.gaps, strict=False):
        if gap < -OVERLAP:
            warn(
                f"Contact {name!r}: shapes overlap by {-gap:.3g} m at t = 0; projection removes the overlap, without "
                "it the overlap remains; separate the bodies if this is not intended"
            )


def message(stepper: TimeStepper) -> str:
    """Return a sentence about the end of the run: reason, time and location."""
    output, model = stepper.output, stepper.model
    outcome, location = output.outcome, ""
    if outcome.ok:
        return str(outcome)
    if outcome is Outcome.SINGULAR and model.n_constraints == 0:
        return f"The mass matrix is singular: t = {output.t_reached:.9g} s."
    if outcome is Outcome.CONTACT_UNSOLVED or (outcome is Outcome.NOT_FINITE and stepper.gap_failed):
        location = f", at contact {model.names[int(stepper.counts.failed_contact)]!r}"
    if outcome is Outcome.CONTACT_UNSOLVED and any(i.friction > 0.0 and i.law == "newton" for i in model.impact_laws):
        location += "; with friction, Newton's restitution may have no solution: use ImpactLaw(law='poisson')"
    if outcome is Outcome.STALLED and output.last_contact is not None:
        location = (
            f", the last event at contact {model.names[output.last_contact]!r}; use time stepping (scheme='midpoint'), "
            "which passes such moments"
        )
    if outcome is Outcome.STEP_UNDERFLOW:
        closed = [model.names[k] for k in stepper.closed]
        location = f", with {', '.join(map(repr, closed)) or 'no contacts'} closed; check the forces there for jumps"
    return f"{str(outcome).rstrip('.')}: t = {output.t_reached:.9g} s{location}."


def warn_after_run(result: Result, model: SteppingData) -> None:
    """Warn of energy that contacts or projection created, and of inexact solutions."""
    stats = result.stats
    scale = float(result.energy.scale)
    if stats["energy_created"] > MAX_CREATED * scale:
        advice = "reduce step, or use scheme='midpoint'"
        if any(impact.friction > 0.0 and impact.law == "newton" for impact in model.impact_laws):
            advice = (
                "Newton's restitution with friction can cause this: use ImpactLaw(law='poisson'), or reduce "
                "restitution, friction or step"
            )
        warn(
            f"simulate: contacts created {stats['energy_created']:.3g} J in {stats['energy_creating_steps']} steps "
            f"({stats['energy_created'] / scale:.2g} of the energy in the run); {advice}"
        )
    floor = MAX_PROJECTED_AT_REST * float(np.abs(result.energy.potential).max())
    if stats["projection_energy"] > max(MAX_PROJECTED * scale, floor):
        warn(
            f"simulate: projection put {stats['projection_energy']:.3g} J into the motion, "
            f"{stats['projection_energy'] / scale:.2g} of the energy in it; reduce step or use projection=False"
        )
    if stats["inexact_solutions"]:
        warn(
            f"simulate: {stats['inexact_solutions']} of {stats['contact_problems']} contact problems were solved only "
            "approximately; use another solver or reduce step"
        )
