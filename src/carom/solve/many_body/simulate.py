"""Compliant run of a system with large groups of contacts."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import positive
from carom.compiled_model.many_body_data import ManyBodyData
from carom.errors import warn
from carom.model.system import System
from carom.progress import Progress
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.checkpointing import Journal, StreamedOutput
from carom.solve.initial_state import check_length, output_times
from carom.solve.many_body.default_step import default_step
from carom.solve.many_body.node_output import NodeOutput
from carom.solve.many_body.verlet_engine import VerletEngine
from carom.solve.model_digest import digest
from carom.solve.node_batches import result_of
from carom.solve.run_output import RunOutput
from carom.solve.run_warnings import reference_energy

MAX_NODES, MAX_NUMBERS = 1000, 8_000_000
"""Limits of a run without requested output times: nodes, and numbers of the motion in all nodes."""
NUMBERS_PER_BODY = 19
"""Coordinates, velocities and accelerations of a body at a node."""
OVERLAP = 1e-9
"""Indentation at the start above which a warning is issued [m]."""


class VerletRun:
    """A run: an engine, and its progress between output nodes."""

    def __init__(self, engine: VerletEngine, nodes: NodeOutput, answer: RunOutput, report: Progress):
        self.engine, self.nodes, self.answer, self.report = engine, nodes, answer, report
        self.time = self.target = 0.0
        self.contacts = 0

    def carried(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        return {"times": np.array([self.time, self.target, self.contacts]), **self.engine.mutable_state()}

    def open_touches(self) -> list[np.ndarray]:
        """Return no contacts, as these runs have no contact log."""
        return []

    def tell(self, answer: RunOutput) -> None:
        """Update end time and counts of the run output."""
        answer.end, answer.steps, answer.evaluations = self.time, self.engine.steps, self.engine.steps + 1

    def start(self, step: float) -> None:
        """Store the first node, or restore a checkpoint."""
        if self.answer.resumed is None:
            self.engine.evaluate(step)
            self.store_node()
            warn_of_overlaps(self.engine)
        else:
            self.engine.restore(self.answer.resumed)
            self.time, self.target, contacts = self.answer.resumed["times"].tolist()
            self.contacts = int(contacts)

    def store_node(self) -> None:
        """Store the current node of the engine."""
        row = self.nodes.row()
        self.contacts = self.nodes.n_contacts(row[0])
        self.answer.add(np.array([self.time]), row)

    def run(self, times: np.ndarray, step: float) -> None:
        """Advance with a node at each of ``times`` [s]."""
        answer, engine = self.answer, self.engine
        if self.time < self.target:
            self.complete_segment(engine.finish_segment(self.update_progress))
        for time in times.tolist():
            if time <= self.time:
                continue
            if answer.error is not None or not answer.outcome.ok:
                return
            self.target = time
            self.complete_segment(engine.advance(time - self.time, step, self.update_progress))
        if answer.error is None and answer.outcome.ok:
            answer.keep(self)

    def complete_segment(self, is_finite: bool) -> None:
        """Store a node at the end of a segment, or the reason why the run ends."""
        answer = self.answer
        answer.error = self.engine.model.user_error()
        if answer.error is None and is_finite:
            self.time = self.target
            self.store_node()
        elif answer.error is None:
            answer.outcome = Outcome.NOT_FINITE

    def update_progress(self, elapsed: float) -> None:
        """Write a checkpoint if it is due, and report the progress; ``elapsed`` is the time since the last node [s]."""
        engine = self.engine
        if self.answer.due and not any(kernel.error for kernel in engine.model.user_kernels):
            self.answer.keep(self)
        self.report(self.time + elapsed, float(engine.settings.h), engine.n_touching)


def run_many_body(
    system: System,
    t_end: float,
    output: float | Sequence[float] | None,
    progress: bool | Callable[[float], Any] | None,
    journal: Journal | None,
    max_step: float | None,
    threads: int | None = None,
) -> Result:
    """Simulate with the integrator "verlet"."""
    start = clock.perf_counter()
    model = ManyBodyData(system)
    settings: dict[str, Any] = {"t_end": t_end, "method": "compliant", "integrator": "verlet", "max_step": max_step}
    if max_step is None:
        max_step, speed = default_step(system, model.groups)
        settings |= {"max_step": max_step, "step_from": f"1/30 of the shortest contact at {speed:.3g} m/s"}
    step = min(positive("simulate", "max_step", max_step), t_end)
    check_length(t_end, "max_step", step)
    times = node_times(output, t_end, step, len(system.bodies))
    for kernel in model.user_kernels:
        kernel.forget()
    answer = RunOutput()
    with Progress(system.name, t_end, progress) as report, VerletEngine(model, threads) as engine:
        nodes = NodeOutput(engine)

        def statistics() -> dict[str, float]:
            counts = {"contacts": run.contacts, "rebuilds": engine.rebuilds, "threads": engine.threads}
            return {**counts, "energy_reference": reference_energy(system)}

        if journal is not None:
            values = [*model.body_values, model.parameters, system.gravity]
            answer = StreamedOutput(
                journal=journal, observer=nodes, settings=settings, impacts=no_impacts, stats=statistics,
                digest=digest(nodes.head, values),
            )  # fmt: skip
        run = VerletRun(engine, nodes, answer, report)
        run.start(step)
        try:
            run.run(times, step)
            if answer.outcome.ok and answer.error is None:
                report(t_end)
        except KeyboardInterrupt:
            answer.outcome = Outcome.INTERRUPTED
    if isinstance(answer.error, KeyboardInterrupt):
        answer.outcome = Outcome.INTERRUPTED
    run.tell(answer)
    text = message(model, answer)
    if isinstance(answer, StreamedOutput):
        result = answer.finish(text)
    else:
        stats = {
            "steps": answer.steps, "rejected": 0, "evaluations": answer.evaluations,
            "wall_time": clock.perf_counter() - start, **statistics(),
        }  # fmt: skip
        result = result_of(nodes.head, nodes.see(*answer.nodes()), stats, answer.outcome, text, settings)
    answer.raise_with(result)
    return result


def no_impacts(touches: Sequence[np.ndarray]) -> list[ImpactRecord]:
    """Return no impacts, as these runs have no contact log."""
    return []


def node_times(output: float | Sequence[float] | None, t_end: float, step: float, n_bodies: int) -> np.ndarray:
    """Return the times of the nodes after the first one [s]."""
    if output is not None:
        return np.unique(np.append(output_times(output, t_end), t_end))
    max_nodes = max(MAX_NUMBERS // (NUMBERS_PER_BODY * n_bodies), 20)
    count = min(MAX_NODES, max_nodes, max(int(t_end / step), 1))
    return np.linspace(0.0, t_end, count + 1)[1:]


def warn_of_overlaps(engine: VerletEngine) -> None:
    """Warn if shapes overlap at the start."""
    touching = np.flatnonzero(engine.pairs.is_touching[: engine.n_pairs])
    depth = engine.pairs.output["indentation"][touching]
    if depth.size and depth.max() > OVERLAP:
        warn(
            f"System {engine.model.system.name!r}: {np.count_nonzero(depth > OVERLAP)} pairs of shapes overlap by up "
            f"to {depth.max():.3g} m at t = 0, so their contacts start with a force; separate the bodies if this is "
            "not intended"
        )


def message(model: ManyBodyData, answer: RunOutput) -> str:
    """Return a sentence about the end of the run."""
    if answer.outcome.ok:
        return str(answer.outcome)
    details = non_finite_bodies(model) if answer.outcome is Outcome.NOT_FINITE else ""
    return f"{str(answer.outcome).rstrip('.')}: after t = {answer.end:.9g} s{details}."


def non_finite_bodies(model: ManyBodyData) -> str:
    """Return which bodies have numbers that are not finite, and what to do."""
    wrong = np.flatnonzero(~np.isfinite(model.body_values[0][1:]).all(axis=1))
    names = f" at body {model.bodies[wrong[0]].name!r} and {len(wrong) - 1} others" if len(wrong) else ""
    return f"{names}; the step may be too long for the contacts; reduce max_step"
