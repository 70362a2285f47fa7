"""The driver of all runs: options → compiled model → method → output → result.

Progress, Ctrl-C, checkpoints, statistics and warnings exist here and nowhere else. A problem is the compiled model of a
run with its settings; a method advances it. Both are found by name in `METHODS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from carom.argument_checks import one_of
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.progress import Progress
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve import run_warnings
from carom.solve.built_run import BuiltRun, build
from carom.solve.checkpointing import Checkpoint, StreamedOutput
from carom.solve.many_body_support import needs_many_bodies
from carom.solve.method import Method
from carom.solve.model_digest import digest
from carom.solve.node_batches import NodeEvaluator, result_of
from carom.solve.options import AUTO, EVENT_DRIVEN, VERLET, Compliant, Nonsmooth, Options, with_integrator
from carom.solve.run_output import RunOutput
from carom.solve.sensor_evaluator import sensor_facts

ShowProgress = bool | Callable[[float], Any] | None
OutputTimes = float | Sequence[float] | None


@dataclass(frozen=True)
class RunRequest:
    """A run from t = 0 to ``t_end`` [s]; ``output`` is an interval or times of the nodes, None stores every step."""

    system: System | GeneralizedSystem
    t_end: float
    options: Options
    output: OutputTimes = None
    progress: ShowProgress = None
    checkpoint: Checkpoint | None = None
    recorder: Callable[[Any], Method] | None = None
    """Method that records its steps for neighbouring runs, in place of the one that the options choose."""


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended: its problem, its method with its nodes, and its result."""

    problem: Any
    method: Any
    result: Result


class Problem(Protocol):
    """The compiled model of a run, and the meaning of its nodes, contact log and outcome."""

    settings: dict[str, Any]
    evaluator: NodeEvaluator
    requested_times: np.ndarray | None
    """Times of the nodes to store; None stores all."""

    @property
    def tables(self) -> Any:
        """Compiled model, in which inputs change forces and motions; None if there is none."""

    def __init__(self, request: RunRequest): ...

    def method_request(self, output: RunOutput, report: Callable[..., None]) -> Any:
        """Return the argument of the method."""

    def digest_values(self) -> list[Any]:
        """Return the numbers that identify the model."""

    def impacts(self, rows: Sequence[np.ndarray]) -> list[ImpactRecord]:
        """Return the impacts of the rows of a contact log."""

    def statistics(self, method: Any) -> dict[str, Any]:
        """Return the statistics of this kind of run."""

    def message(self, method: Any) -> str:
        """Return a sentence about the end of the run."""

    def warn_after(self, method: Any, result: Result) -> None:
        """Warn of results that should not be trusted."""


@dataclass(frozen=True)
class MethodEntry:
    """Classes of a method as "module:class"; they are imported on first use to keep start-up fast."""

    problem: str
    method: str


METHODS: dict[str, MethodEntry] = {
    "runge-kutta": MethodEntry(
        "carom.solve.compliant.problem:CompliantProblem", "carom.solve.compliant.rk_integrator:RungeKutta"
    ),
    "sundials": MethodEntry("carom.solve.compliant.problem:CompliantProblem", "carom.solve.compliant.cvode:Cvode"),
    "verlet": MethodEntry("carom.solve.many_body.problem:ManyBodyProblem", "carom.solve.many_body.verlet:Verlet"),
    "time-stepping": MethodEntry(
        "carom.solve.timestepping.problem:NonsmoothProblem", "carom.solve.timestepping.time_stepper:TimeStepper"
    ),
    "rigid": MethodEntry(
        "carom.solve.many_body.rigid_problem:RigidProblem", "carom.solve.many_body.rigid:RigidStepper"
    ),
    "event-driven": MethodEntry(
        "carom.solve.timestepping.problem:NonsmoothProblem", "carom.solve.event_driven.event_driven_run:EventDriven"
    ),
}
"""Methods by name."""


@cache
def load_class(path: str) -> Any:
    """Return the class "module:class"."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def choose_method(request: RunRequest) -> tuple[str, RunRequest]:
    """Return the name of the method of a run, and the request with the integrator chosen."""
    options = request.options
    if not isinstance(options, Compliant):
        return nonsmooth_method(request.system, options), request
    from carom.solve.compliant.registry import INTEGRATORS
    from carom.solve.runge_kutta.registry import explicit_method

    if options.integrator == AUTO and needs_many_bodies(request.system):
        options = with_integrator(options, "verlet")
        request = replace(request, options=options)
    if options.integrator == VERLET:
        return VERLET, request
    if options.integrator not in INTEGRATORS:
        one_of("simulate", "integrator", options.integrator, (*INTEGRATORS, VERLET))
    return ("sundials" if explicit_method(options.integrator) is None else "runge-kutta"), request


def nonsmooth_method(system: System | GeneralizedSystem, options: Nonsmooth) -> str:
    """Return the name of the method of a non-smooth run; many bodies have one of their own where it supports them."""
    if options.scheme == EVENT_DRIVEN:
        return EVENT_DRIVEN
    if isinstance(system, System) and needs_many_bodies(system):
        from carom.solve.many_body.rigid_choice import expansion_reason

        if expansion_reason(system, options) is None:
            return "rigid"
    return "time-stepping"


def run(request: RunRequest) -> Result:
    """Simulate a model with the requested method and return the result."""
    return finished_run(request).result


def finished_run(request: RunRequest) -> FinishedRun:
    """Simulate a model with the requested method."""
    began = time.perf_counter()
    if needs_driving(request.system):
        from carom.solve.driven_run import driven_run

        return driven_run(request)
    name, request = choose_method(request)
    built = build(name, load_class(METHODS[name].problem), request)
    problem = built.problem

    def statistics() -> dict[str, Any]:
        return statistics_of(built, method, time.perf_counter() - began)

    output = RunOutput(problem.requested_times)
    if request.checkpoint is not None:
        evaluator = problem.evaluator
        output = StreamedOutput(
            problem.requested_times, checkpoint=request.checkpoint, evaluator=evaluator, settings=problem.settings,
            impacts=problem.impacts, statistics=statistics,
            digest=digest(evaluator.metadata, [*problem.digest_values(), sensor_facts(request.system)]),
        )  # fmt: skip
    with Progress(run_label(request, problem), request.t_end, request.progress) as report:
        method_class = request.recorder or load_class(METHODS[name].method)
        method = built.method or method_class(problem.method_request(output, report))
        method.output = output
        advance_to_end(method, report)
    message = end_message(problem, method)
    if isinstance(output, StreamedOutput):
        result = output.finish(message)
    else:
        batch = problem.evaluator.evaluate(*output.nodes())
        result = result_of(problem.evaluator.metadata, batch, statistics(), output.outcome, message, problem.settings,
                           problem.impacts(output.contact_log))  # fmt: skip
    if output.outcome.ok and output.error is None:
        built.keep(method, request.system)
    problem.warn_after(method, result)
    output.raise_with(result)
    run_warnings.after(request.system, result)
    return FinishedRun(problem, method, result)


def needs_driving(system: System | GeneralizedSystem) -> bool:
    """Return True if a system has controllers, sensors with a rate, inputs that follow tables, or wear."""
    return isinstance(system, System) and bool(driving_items(system))


def driving_items(system: System) -> list[Any]:
    """Return what acts at its own times in a run: controllers, sensors with a rate, tables of inputs, wear."""
    sensors = [sensor for sensor in system.sensors if sensor.period is not None]
    tables = [u for u in system.inputs if u.table is not None]
    worn = [contact for contact in system.contacts if contact.wear is not None]
    return [*system.controllers, *sensors, *tables, *worn]


def statistics_of(built: BuiltRun, method: Method, wall_time: float) -> dict[str, Any]:
    """Return the cost of a run that has taken ``wall_time`` [s], and the statistics of its kind."""
    output = method.output
    costs = {"steps": output.steps, "rejected": output.rejected, "evaluations": output.evaluations,
             "wall_time": wall_time, "stride": output.stride}  # fmt: skip
    return {**costs, **built.problem.statistics(method), "energy_reference": built.reference_energy}


def end_message(problem: Problem, method: Method) -> str:
    """Return a sentence about the end of a run."""
    if method.output.failed:
        return f"An exception in a user's function ended the run: t = {method.output.t_reached:.9g} s."
    return problem.message(method)


def run_label(request: RunRequest, problem: Problem) -> str:
    """Return the text beside the progress bar: the name of the system, and the memory if it is estimated."""
    memory = getattr(problem, "memory", None)
    return request.system.name if memory is None else f"{request.system.name} [{memory}]"


def advance_to_end(method: Method, report: Callable[..., None]) -> None:
    """Advance a method chunk by chunk to its end, with checkpoints and progress; Ctrl-C keeps the computed part."""
    output = method.output
    try:
        method.prepare()  # Ctrl-C is raised here, as nothing is computed yet
        advance_until_interrupt(method, report)
    finally:
        method.close()
    if output.error is not None:  # raised by a user's function; also Ctrl-C that came while it was running
        output.outcome = Outcome.INTERRUPTED
    method.flush(at_end=True)
    output.contact_log += [*method.contact_log(), *method.open_contacts()]
    method.update_counts()


def advance_until_interrupt(method: Method, report: Callable[..., None]) -> None:
    """Advance a prepared method to its end, or until Ctrl-C."""
    output = method.output
    try:
        while not method.finished:
            method.advance()
            output.contact_log += method.contact_log()
            if method.finished:
                break
            if output.checkpoint_due:
                write_checkpoint(method)
            report(*method.progress)
        if output.outcome.ok and output.error is None:
            write_checkpoint(method)
            report(*method.progress)
    except KeyboardInterrupt:
        if not method.finished:  # an interruption of the last report changes nothing
            output.outcome = Outcome.INTERRUPTED


def write_checkpoint(method: Method) -> None:
    """Store what is computed, and what a resumed run needs, where the output goes to a file."""
    method.flush()
    method.output.write_checkpoint(method)
