"""Compliant runs: compiled model, initial state, messages and warnings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.compiled_model.mutable_state import fingerprint
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError, warn
from carom.model.contact import Contact
from carom.model.generalized_system import GeneralizedSystem
from carom.model.joint_stop import JointStop
from carom.model.system import System
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.analyses.mobility import examine
from carom.solve.checkpointing import StreamedOutput
from carom.solve.compliant.contact_kernels import prepare_run
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.contact_log import impacts_of
from carom.solve.initial_state import check_length, check_spans, consistent_start, output_times
from carom.solve.limits_at_start import check_limits
from carom.solve.many_body_support import refuse_boundaries
from carom.solve.method import Method
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.options import Compliant
from carom.solve.postprocessing import SystemNodeEvaluator
from carom.solve.run import RunRequest
from carom.solve.run_output import RunOutput
from carom.solve.run_warnings import joints_apart
from carom.solve.runge_kutta.registry import explicit_method

STEP_TOLERANCE, MIN_TOLERANCE = 1e-2, 2e-14
"""Fraction of rtol and atol that a step is allowed, so that the error of a whole run stays near them, and its limit."""
BALANCED, NEARLY_BALANCED = 1e-3, 0.9
"""Residual force relative to the contact force below which a body counts as balanced, and nearly so [-]."""
OVERLAP = 1e-12
"""Indentation at the start above which it is more than rounding [m]."""
PENALTY, ITERATIONS = 1e-6, 3
"""Penalty 1/ε of the augmented Lagrangian, relative to the mobility of each row, and its iterations."""


class CompliantProblem:
    """A system whose contacts are forces, with its consistent initial state."""

    def __init__(self, request: RunRequest):
        system, t_end, options = request.system, request.t_end, request.options
        assert isinstance(options, Compliant)
        system = check_support(system, options)
        check_length(t_end, "max_step", math.inf if options.max_step is None else options.max_step)
        self.system, self.options = system, options
        self.settings: dict[str, Any] = {"t_end": t_end, "method": options.method, **vars(options)}
        outputs = output_times(request.output, t_end)
        if isinstance(system, System):
            prepare_run(system, options.onset, explicit_method(options.integrator) is not None)
        self.mechanism = mechanism = ModelEvaluator(system, "simulate")
        mechanism.require_laws("simulate")
        check_spans(mechanism, t_end)
        self.y = start_state(mechanism, options)
        self.imbalance = imbalance_of_contacts(mechanism, self.y)
        jumps = [t for t in mechanism.tables.breaks if 0.0 < t < t_end]
        self.stops = np.array(sorted({t_end, *outputs.tolist(), *jumps}))
        self.jumps = np.isin(self.stops, jumps)
        self.evaluator = SystemNodeEvaluator(mechanism.copy())
        # The first time, these kernels are compiled here while another process compiles the integration.
        self.evaluator.prepare()
        if options.constraints == "projection" and mechanism.m:
            mechanism.tables.project_kernel  # noqa: B018
        self.requested_times = None if request.output is None else np.unique([0.0, *outputs, t_end])

    @property
    def tables(self) -> SystemData:
        """Compiled model, in which inputs change."""
        return self.mechanism.tables

    def method_request(self, output: RunOutput, report: Callable[..., None]) -> IntegrationRequest:
        """Return the argument of the method."""
        return integration_request(
            self.mechanism, self.options, self.y, self.stops, self.jumps, output,
            record_steps=self.requested_times is None,
        )  # fmt: skip

    def digest_values(self) -> list[Any]:
        """Return the numbers that identify the model."""
        return [*fingerprint(self.mechanism.tables), self.mechanism.copy().rate(0.0, self.y.copy())[0]]

    def impacts(self, rows: Sequence[np.ndarray]) -> list[ImpactRecord]:
        """Return the impacts of the rows of a contact log."""
        return impacts_of([contact.name or "" for contact in self.mechanism.tables.contacts], rows)

    def statistics(self, method: Method) -> dict[str, Any]:
        """Return the number of contact events, and the part of the run that implicit steps took."""
        events = {"events": method.output.events} if self.mechanism.tables.contacts else {}
        return {**events, **method.output.implicit_share}

    def message(self, method: Method) -> str:
        """Return a sentence about the end of the run."""
        return message(self.mechanism, method.output)

    def warn_after(self, method: Method, result: Result) -> None:
        """Warn of joints that opened, of overlaps at the start and of late onsets."""
        output = method.output
        if self.options.constraints != "projection" and output.outcome.ok and not isinstance(output, StreamedOutput):
            joints_apart(self.mechanism, *output.nodes())
        stops = {stop.name: stop for stop in self.system.contacts if isinstance(stop, JointStop)}
        warn_of_contacts(result.impacts, self.imbalance, output, self.options, stops)


def start_state(mechanism: ModelEvaluator, options: Compliant) -> np.ndarray:
    """Return the initial state on the joints; check limits and constraints there."""
    y = consistent_start(mechanism)
    check_limits(mechanism.tables.contacts, mechanism.indentations(y).tolist(), rigid=False)
    treat_constraints(mechanism, y, options)
    return y


def check_support(system: Any, options: Compliant) -> System:
    """Return the system; raise if it cannot be integrated by the method of the options."""
    if isinstance(system, GeneralizedSystem):
        raise ModelError(f"simulate: {system.label} has gaps, but no contact laws; use method='nonsmooth'")
    refuse_boundaries(system, f"integrator {options.integrator!r}")
    if isinstance(system, System) and system.groups:
        group = system.groups[0]
        raise ModelError(
            f"simulate: {group.label}: {group.count} pairs exceed the limit of 300 for integrator "
            f"{options.integrator!r}; use integrator='verlet' or split the group"
        )
    tableau = explicit_method(options.integrator)
    if options.max_step is None and tableau is not None and not tableau.adaptive:
        raise ModelError(f"simulate: {options.integrator!r} takes fixed steps; set max_step=, its step size in seconds")
    return system


def integration_request(
    mechanism: ModelEvaluator,
    options: Compliant,
    y: np.ndarray,
    stops: np.ndarray,
    jumps: np.ndarray,
    output: RunOutput,
    **more: Any,
) -> IntegrationRequest:
    """Return the request of an integration with the tolerances of its steps."""
    return IntegrationRequest(
        mechanism=mechanism, integrator=options.integrator, y=y, stops=stops, jumps=jumps,
        projecting=options.constraints == "projection", rtol=max(STEP_TOLERANCE * options.rtol, MIN_TOLERANCE),
        atol=max(STEP_TOLERANCE * options.atol, MIN_TOLERANCE),
        max_step=math.inf if options.max_step is None else options.max_step, onset=options.onset,
        min_step=options.min_step, depth=options.penetration_tolerance, output=output, **more,
    )  # fmt: skip


def imbalance_of_contacts(mechanism: ModelEvaluator, y: np.ndarray) -> dict[str | None, float]:
    """Return for each contact that pushes at the start what is left of all forces, were it at rest, per its force.

    The bodies that joints connect with those in contact must be in balance, too, beside what moves them without
    contacts: at a dead centre one body may rest by itself.
    """
    tables = mechanism.tables
    if not tables.contacts:
        return {}
    moving, rest = slice(mechanism.n, 2 * mechanism.n), y.copy()
    rest[moving] = 0.0
    slope = mechanism.rate(0.0, rest)[0][moving]
    forces = tables["contact_state"]["normal_force"][: len(tables.contacts)].copy()
    if not np.any(forces):
        return {}
    left = unbalanced(mechanism, slope)
    loads = unbalanced(mechanism, mechanism.rate_without_contacts(0.0, rest)[moving])
    joined = connected(mechanism.system)

    def imbalance(contact: Contact, force: float) -> float:
        turning = {id(shape.body) for shape in contact.shapes if contact.turns_with(shape)}
        own = {id(body) for body in contact.members} & left.keys()
        others = set().union(*(joined[body] for body in own)) - own
        load = max((max(loads[body]) for body in others), default=0.0)
        own_parts = [max(left[body][0], left[body][1] if body in turning else 0.0) / force for body in own]
        other_parts = [max(left[body]) / max(load, 1e-300) for body in others if max(left[body]) > 0.0]
        return max([*own_parts, *other_parts], default=0.0)

    pairs = zip(tables.contacts, forces, strict=True)
    return {contact.name: imbalance(contact, float(force)) for contact, force in pairs if force > 0.0}


def unbalanced(mechanism: ModelEvaluator, slope: np.ndarray) -> dict[int, tuple[float, float]]:
    """Return for each body, by its id, force and torque over radius of gyration [N] that its acceleration takes."""
    width, dim = mechanism.tables.kind.n_velocities, mechanism.system.dim
    mass, slope = mechanism.mass.reshape(-1, width), np.abs(slope.reshape(-1, width))
    pushed = (mass * slope)[:, :dim].max(axis=1)
    turned = (np.sqrt(mass[:, :1] * mass) * slope)[:, dim:].max(axis=1)
    return {id(body): (float(a), float(b)) for body, a, b in zip(mechanism.system.bodies, pushed, turned, strict=True)}


def connected(system: System) -> dict[int, set[int]]:
    """Return for each body, by its id, the bodies that joints connect with it, and itself."""
    together = {id(body): {id(body)} for body in system.bodies}
    for joint in system.joints:
        members = [id(body) for body in joint.members if id(body) in together]
        union = set().union(*(together[member] for member in members))
        for member in union:
            together[member] = union
    return together


def warn_of_contacts(
    impacts: Sequence[ImpactRecord],
    imbalance: dict[str | None, float],
    output: RunOutput,
    options: Compliant,
    stops: dict[str | None, JointStop],
) -> None:
    """Warn of contacts that are indented at the start without being in balance, and of late onsets."""
    for impact in impacts:
        left = imbalance.get(impact.contact, math.inf)
        if impact.t_start == 0.0 and impact.initial_indentation > OVERLAP and left > BALANCED:
            advice = ""
            if left < NEARLY_BALANCED and impact.approach_speed == 0.0:
                advice = "start from balance with system.set_state(cm.statics(system)) if they should rest"
            if impact.contact in stops:
                unit, what, how = stops[impact.contact].units[0], "exceeds its limit", "change the position"
            else:
                unit, what, how = "m", "shapes overlap", "separate the bodies"
            advice = advice or f"{how} if this is not intended"
            warn(
                f"Contact {impact.contact!r}: {what} by {impact.initial_indentation:.3g} {unit} at t = 0 (approach "
                f"speed {impact.approach_speed:.3g} {unit}/s), so the contact starts with a force; {advice}"
            )
    if output.n_late_onsets:
        warn(
            f"simulate: {output.n_late_onsets} steps of min_step = {options.min_step:g} s began a contact deeper than "
            f"penetration_tolerance = {options.penetration_tolerance:g} m; reduce min_step or use onset='event'"
        )


def treat_constraints(mechanism: ModelEvaluator, y: np.ndarray, options: Compliant) -> None:
    """Check the constraints at the start, and set the treatment of their drift."""
    examine(mechanism, y)
    if options.constraints != "projection":
        mechanism.tables.stabilise(options.alpha, options.beta)
    if options.constraints == "augmented":
        mechanism.prepare_reactions()  # all rows, redundant ones too, share the penalty
        mechanism.tables.regularise(PENALTY, ITERATIONS)


def largest_acceleration(mechanism: ModelEvaluator, t: float, y: np.ndarray) -> str:
    """Name the body with the largest acceleration where the run ended, or just after it if the last state is finite."""
    n = mechanism.n
    for ahead in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        h = ahead * max(t, 1e-3)
        slope, _ = mechanism.evaluate(t, y.copy())
        rates = np.abs(mechanism.evaluate(t + h, y + h * np.nan_to_num(slope))[0][n : 2 * n])
        if not np.all(np.isfinite(rates)):
            break
    rates[~np.isfinite(rates)] = np.inf
    body = mechanism.body(int(np.argmax(rates)))
    return f", at body {body.name!r} (largest acceleration {rates.max():.3g})"


def contact_name(mechanism: ModelEvaluator, index: int) -> str:
    """Return the name of a contact."""
    return str(mechanism.tables.contacts[index].name)


def stall_advice(mechanism: ModelEvaluator, output: RunOutput) -> str:
    """Name the last event of a run without progress, and what to change."""
    if output.last_contact is None:
        return "; check the forces there for jumps and very large values"
    name = contact_name(mechanism, output.last_contact)
    return (
        f"; the last event was at contact {name!r} ({output.events} events so far): use another integrator or onset, "
        "or change its law or the start position a little"
    )


def message(mechanism: ModelEvaluator, output: RunOutput) -> str:
    """Return a sentence about the end of the run: reason, time and location."""
    if output.outcome.ok:
        return str(output.outcome)
    where, last = "", output.last_node()[: mechanism.tables.size]
    if output.outcome in (Outcome.NOT_FINITE, Outcome.STEP_UNDERFLOW, Outcome.STALLED):
        where = largest_acceleration(mechanism, output.t_reached, last)
    if output.outcome is Outcome.STALLED:
        where += stall_advice(mechanism, output)
    if output.contact_jump is not None:
        where = output.contact_jump.description(contact_name(mechanism, output.contact_jump.contact))
    if output.outcome is Outcome.SINGULAR:
        from carom.solve.analyses.mobility import mobility

        involved = mobility(mechanism, output.t_reached, last.copy()).involved or range(mechanism.m)
        where = f", in joints {', '.join(repr(name) for name in mechanism.owners(involved))}"
    if output.outcome is Outcome.CONSTRAINT_DRIFT:
        gaps = np.abs(mechanism.rows(output.t_reached, last.copy())[0])
        where = f", worst in {mechanism.owners([int(np.argmax(gaps))])[0]!r}, open by {gaps.max():.3g}"
    return f"{str(output.outcome).rstrip('.')}: t = {output.t_reached:.9g} s{where}."
