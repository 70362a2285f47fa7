"""A compliant run: contacts are forces, and the equations of motion are integrated."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, one_of, positive, short_repr
from carom.compiled_model.mutable_state import fingerprint
from carom.errors import ModelError, warn
from carom.model.contact import Contact
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.progress import Progress
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.analyses.mobility import examine
from carom.solve.checkpointing import Journal, StreamedOutput
from carom.solve.compliant.contact_kernels import ONSETS, prepare_run
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.registry import INTEGRATORS, TABLEAUS
from carom.solve.contact_log import impacts_of
from carom.solve.initial_state import check_length, check_spans, consistent_start, output_times
from carom.solve.model_digest import digest
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.postprocessing import SystemNodeEvaluator, make_result
from carom.solve.run_output import RunOutput
from carom.solve.run_warnings import joints_apart, reference_energy

TIGHT, FLOOR = 1e-2, 2e-14
"""A step is allowed this part of rtol and atol, so that the error of a whole run stays near them; never below FLOOR."""

VERLET = "verlet"
"""The integrator of systems with large groups of contacts."""
CONSTRAINTS = ("projection", "baumgarte", "augmented")
BALANCED = 1e-3
"""Of a contact force: what may be left of all forces on a body in balance."""
OVERLAP = 1e-12
"""Indentation [m] at the start that is more than rounding."""
PENALTY, SWEEPS = 1e-6, 3
"""Of the augmented Lagrangian: the penalty 1/ε (relative to the mobility of each row) and its iterations."""


def integrate(
    system: System,
    t_end: float,
    output: float | Sequence[float] | None,
    progress: bool | Callable[[float], Any] | None,
    journal: Journal | None,
    *,
    integrator: str | None,
    rtol: float,
    atol: float,
    onset: str,
    max_step: float | None,
    min_step: float,
    penetration_tolerance: float,
    constraints: str,
    alpha: float,
    beta: float,
) -> Result:
    """What `simulate` does by this method."""
    if isinstance(system, GeneralizedSystem):
        raise ModelError(f"simulate: {system.label} has gaps, but no contact laws; take method='nonsmooth'")
    groups = system.groups if isinstance(system, System) else []
    if integrator is None:
        integrator = VERLET if groups else "dopri5"
    one_of("simulate", "integrator", integrator, (*INTEGRATORS, VERLET))
    if integrator == VERLET:
        if not isinstance(system, System):
            raise ModelError(f"simulate: expected a System, got {short_repr(system)}")
        from carom.solve.many_body.simulate import run_many_body

        return run_many_body(system, t_end, output, progress, journal, max_step)
    if groups:
        raise ModelError(
            f"simulate: {groups[0].label} has {groups[0].count} pairs, which integrator {VERLET!r} is for, not "
            f"{integrator!r}; leave integrator out, or make groups of up to 300 pairs"
        )
    one_of("simulate", "constraints", constraints, CONSTRAINTS)
    one_of("simulate", "onset", onset, tuple(ONSETS))
    rtol, atol = positive("simulate", "rtol", rtol), positive("simulate", "atol", atol)
    if max_step is not None:
        max_step = positive("simulate", "max_step", max_step)
    elif integrator in TABLEAUS and not TABLEAUS[integrator].adaptive:
        raise ModelError(f"simulate: {integrator!r} takes fixed steps; give max_step=, its step size in seconds")
    settings: dict[str, Any] = {
        "t_end": t_end, "method": "compliant", "integrator": integrator, "rtol": rtol, "atol": atol,
        "max_step": max_step,
        "onset": onset, "min_step": positive("simulate", "min_step", min_step),
        "penetration_tolerance": positive("simulate", "penetration_tolerance", penetration_tolerance),
        "constraints": constraints, "alpha": finite_float("simulate", "alpha", alpha),
        "beta": finite_float("simulate", "beta", beta),
    }  # fmt: skip
    check_length(t_end, "max_step", math.inf if max_step is None else max_step)
    began = clock.perf_counter()
    outputs = output_times(output, t_end)
    if isinstance(system, System):
        prepare_run(system, onset, integrator in TABLEAUS)
    mechanism = ModelEvaluator(system, "simulate")
    mechanism.require_laws("simulate")
    check_spans(mechanism, t_end)
    y = consistent_start(mechanism)
    treat_constraints(mechanism, y, settings)
    balanced = balanced_contacts(mechanism, y)
    jumps = [t for t in mechanism.tables.breaks if 0.0 < t < t_end]
    stops = np.array(sorted({t_end, *outputs.tolist(), *jumps}))
    observer = SystemNodeEvaluator(mechanism.twin())
    observer.prepare()  # while another process compiles the integration, the first time; and so is the projection
    if constraints == "projection" and mechanism.m:
        mechanism.tables.project  # noqa: B018
    wanted = None if output is None else np.unique([0.0, *outputs, t_end])
    impacts = partial(impacts_of, [contact.name or "" for contact in mechanism.tables.contacts])
    answer = RunOutput(wanted)

    def events() -> dict[str, float]:
        own = {"events": answer.events} if mechanism.tables.contacts else {}
        return {**own, "energy_reference": reference_energy(system)}

    if journal is not None:
        answer = StreamedOutput(
            wanted, journal=journal, observer=observer, settings=settings, impacts=impacts, stats=events,
            digest=digest(observer.head, [*fingerprint(mechanism.tables), mechanism.twin().rate(0.0, y.copy())[0]]),
        )  # fmt: skip
    with Progress(system.name, t_end, progress) as report:
        request = IntegrationRequest(
            mechanism=mechanism, y=y, stops=stops, jumps=np.isin(stops, jumps), record_steps=output is None,
            projecting=constraints == "projection", rtol=max(TIGHT * rtol, FLOOR),
            atol=max(TIGHT * atol, FLOOR), max_step=math.inf if max_step is None else max_step,
            onset=onset, min_step=settings["min_step"], depth=settings["penetration_tolerance"], report=report,
            answer=answer,
        )  # fmt: skip
        INTEGRATORS[integrator](request)
        if answer.outcome.ok:
            report(t_end)
    text = message(mechanism, answer)
    if isinstance(answer, StreamedOutput):
        result = answer.finish(text)
    else:
        t, nodes = answer.nodes()
        if constraints != "projection" and answer.outcome.ok:
            joints_apart(mechanism, t, nodes)
        stats = {
            "steps": answer.steps, "rejected": answer.rejected, "evaluations": answer.evaluations,
            "wall_time": clock.perf_counter() - began, "stride": answer.stride,
        }  # fmt: skip
        stats |= events()
        result = make_result(observer, t, nodes, stats, answer.outcome, text, settings, impacts(answer.touches))
    warn_of_contacts([i for i in result.impacts if i.t_start > 0.0 or i.contact not in balanced], answer, settings)
    answer.raise_with(result)
    return result


def balanced_contacts(mechanism: ModelEvaluator, y: np.ndarray) -> set[str | None]:
    """Return the contacts in which all forces are in balance at the start, were it at rest: the overlap is meant.

    The bodies that joints connect with those in contact must be in balance, too, beside what moves them without
    contacts: at a dead centre one body may rest by itself.
    """
    tables = mechanism.tables
    if not tables.contacts:
        return set()
    moving, rest = slice(mechanism.n, 2 * mechanism.n), y.copy()
    rest[moving] = 0.0
    loads = unbalanced(mechanism, mechanism.rate_without_contacts(0.0, rest)[moving])
    left = unbalanced(mechanism, mechanism.rate(0.0, rest)[0][moving])
    forces = tables["contact_state"]["normal_force"][: len(tables.contacts)]
    joined = connected(mechanism.system)

    def rests(contact: Contact, force: float) -> bool:
        turning = {id(shape.body) for shape in contact.shapes if contact.turns_with(shape)}
        own = {id(body) for body in contact.members} & left.keys()
        others = set().union(*(joined[body] for body in own)) - own
        load = max((max(loads[body]) for body in others), default=0.0)
        return all(
            left[body][0] <= BALANCED * force and (left[body][1] <= BALANCED * force or body not in turning)
            for body in own
        ) and all(max(left[body]) <= BALANCED * load for body in others)

    return {contact.name for contact, force in zip(tables.contacts, forces, strict=True) if rests(contact, force)}


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


def warn_of_contacts(impacts: Sequence[ImpactRecord], answer: RunOutput, settings: dict[str, Any]) -> None:
    """Say what was not as it should be when contacts began."""
    for impact in impacts:
        if impact.t_start == 0.0 and impact.initial_indentation > OVERLAP:
            warn(
                f"Contact {impact.contact!r}: the shapes overlap by {impact.initial_indentation:.3g} m at the start "
                f"(approach speed {impact.approach_speed:.3g} m/s); the force begins with that indentation. Move the "
                "bodies apart if that is not meant"
            )
    if answer.too_deep:
        warn(
            f"simulate: {answer.too_deep} steps of min_step = {settings['min_step']:g} s began a contact deeper than "
            f"penetration_tolerance = {settings['penetration_tolerance']:g} m; take a smaller min_step or onset='event'"
        )


def treat_constraints(mechanism: ModelEvaluator, y: np.ndarray, settings: dict[str, Any]) -> None:
    examine(mechanism, y)
    if settings["constraints"] != "projection":
        mechanism.tables.stabilise(settings["alpha"], settings["beta"])
    if settings["constraints"] == "augmented":
        mechanism.prepare_reactions()  # all rows, redundant ones too, share the penalty
        mechanism.tables.regularise(PENALTY, SWEEPS)


def trouble(mechanism: ModelEvaluator, t: float, y: np.ndarray) -> str:
    """The body with the largest acceleration where the run ended, or just after it where the last state is healthy."""
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


def stall(mechanism: ModelEvaluator, answer: RunOutput) -> str:
    """Return what a run without progress was busy with, and what to change."""
    if answer.contact is None:
        return "; check the forces there for jumps and very large values"
    name = mechanism.tables.contacts[answer.contact].name
    return (
        f"; the last event was at contact {name!r} ({answer.events} events so far): use another integrator or onset, "
        "or change its law or the start position a little"
    )


def message(mechanism: ModelEvaluator, answer: RunOutput) -> str:
    """One sentence: what ended the run, when, and where."""
    if answer.outcome.ok:
        return str(answer.outcome)
    where, last = "", answer.last()[: mechanism.tables.size]
    if answer.outcome in (Outcome.NOT_FINITE, Outcome.STEP_UNDERFLOW, Outcome.STALLED):
        where = trouble(mechanism, answer.end, last)
    if answer.outcome is Outcome.STALLED:
        where += stall(mechanism, answer)
    if answer.outcome is Outcome.SINGULAR:
        from carom.solve.analyses.mobility import mobility

        involved = mobility(mechanism, answer.end, last.copy()).involved or range(mechanism.m)
        where = f", in joints {', '.join(repr(name) for name in mechanism.owners(involved))}"
    if answer.outcome is Outcome.CONSTRAINT_DRIFT:
        gaps = np.abs(mechanism.rows(answer.end, last.copy())[0])
        where = f", worst in {mechanism.owners([int(np.argmax(gaps))])[0]!r}, open by {gaps.max():.3g}"
    return f"{str(answer.outcome).rstrip('.')}: t = {answer.end:.9g} s{where}."
