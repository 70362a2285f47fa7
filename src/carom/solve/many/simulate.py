"""A compliant run of a system with large groups of contacts."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.errors import notify, positive
from carom.model.system import System
from carom.progress import Progress
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.advice import reference_energy
from carom.solve.answer import Answer
from carom.solve.digest import digest
from carom.solve.many import layout as at
from carom.solve.many.engine import Engine
from carom.solve.many.nodes import Nodes
from carom.solve.many.scene import Scene
from carom.solve.many.step import default_step
from carom.solve.pieces import result_of
from carom.solve.start import check_length, output_times
from carom.solve.streamed import Journal, Streamed

MOST_NODES, MOST_NUMBERS = 1000, 8_000_000
"""Of a run that keeps what it wants: nodes, and numbers of the motion in all of them."""
OVERLAP = 1e-9
"""Indentation [m] at the start that is reported."""


class Verlet:
    """One run: an engine, and how far it is between its nodes."""

    def __init__(self, engine: Engine, nodes: Nodes, answer: Answer, report: Progress):
        self.engine, self.nodes, self.answer, self.report = engine, nodes, answer, report
        self.reached = self.goal = 0.0
        self.contacts = 0

    def carried(self) -> dict[str, np.ndarray]:
        return {"times": np.array([self.reached, self.goal, self.contacts]), **self.engine.carried()}

    def open_touches(self) -> list[np.ndarray]:
        return []

    def tell(self, answer: Answer) -> None:
        answer.end, answer.steps, answer.evaluations = self.reached, self.engine.steps, self.engine.steps + 1

    def begin(self, step: float) -> None:
        """The first node, or where another run was."""
        if self.answer.resumed is None:
            self.engine.evaluate(step)
            self.add()
            report_overlaps(self.engine)
        else:
            self.engine.go_on(self.answer.resumed)
            self.reached, self.goal, contacts = self.answer.resumed["times"].tolist()
            self.contacts = int(contacts)

    def add(self) -> None:
        """A node where the engine is."""
        row = self.nodes.row()
        self.contacts = self.nodes.contacts(row[0])
        self.answer.add(np.array([self.reached]), row)

    def run(self, times: np.ndarray, step: float) -> None:
        """A node at each of ``times``."""
        answer, engine = self.answer, self.engine
        if self.reached < self.goal:
            self.arrived(engine.arrive(self.watch))
        for time in times.tolist():
            if time <= self.reached:
                continue
            if answer.error is not None or not answer.outcome.ok:
                return
            self.goal = time
            self.arrived(engine.advance(time - self.reached, step, self.watch))
        if answer.error is None and answer.outcome.ok:
            answer.keep(self)

    def arrived(self, fine: bool) -> None:
        answer = self.answer
        answer.error = user_error(self.engine.scene)
        if answer.error is None and fine:
            self.reached = self.goal
            self.add()
        elif answer.error is None:
            answer.outcome = Outcome.NOT_FINITE

    def watch(self, passed: float) -> None:
        engine = self.engine
        if self.answer.due and not any(kernel.error for kernel in engine.scene.user_kernels):
            self.answer.keep(self)
        self.report(self.reached + passed, float(engine.numbers[at.H]), int(engine.list.touching[: engine.pairs].sum()))


def run_many(
    system: System,
    t_end: float,
    output: float | Sequence[float] | None,
    progress: bool | Callable[[float], Any] | None,
    journal: Journal | None,
    max_step: float | None,
    threads: int | None = None,
) -> Result:
    """What `simulate` does with the integrator "verlet"."""
    began = clock.perf_counter()
    scene = Scene(system)
    settings: dict[str, Any] = {"t_end": t_end, "method": "compliant", "integrator": "verlet", "max_step": max_step}
    if max_step is None:
        max_step, speed = default_step(system, scene.groups)
        settings |= {"max_step": max_step, "step_from": f"1/30 of the shortest contact at {speed:.3g} m/s"}
    step = min(positive("simulate", "max_step", max_step), t_end)
    check_length(t_end, "max_step", step)
    times = node_times(output, t_end, step, len(system.bodies))
    for kernel in scene.user_kernels:
        kernel.forget()
    answer = Answer()
    with Progress(system.name, t_end, progress) as report, Engine(scene, threads) as engine:
        nodes = Nodes(engine)

        def costs() -> dict[str, float]:
            own = {"contacts": run.contacts, "rebuilds": engine.rebuilds, "threads": engine.threads}
            return {**own, "energy_reference": reference_energy(system)}

        if journal is not None:
            numbers = [scene.hot, scene.cold, scene.parameters, system.gravity]
            answer = Streamed(
                journal=journal, observer=nodes, settings=settings, impacts=no_impacts, stats=costs,
                digest=digest(nodes.head, numbers),
            )  # fmt: skip
        run = Verlet(engine, nodes, answer, report)
        run.begin(step)
        try:
            run.run(times, step)
            if answer.outcome.ok and answer.error is None:
                report(t_end)
        except KeyboardInterrupt:
            answer.outcome = Outcome.INTERRUPTED
    if isinstance(answer.error, KeyboardInterrupt):
        answer.outcome = Outcome.INTERRUPTED
    run.tell(answer)
    text = message(scene, answer)
    if isinstance(answer, Streamed):
        result = answer.finish(text)
    else:
        stats = {
            "steps": answer.steps, "rejected": 0, "evaluations": answer.evaluations,
            "wall_time": clock.perf_counter() - began, **costs(),
        }  # fmt: skip
        result = result_of(nodes.head, nodes.see(*answer.nodes()), stats, answer.outcome, text, settings)
    answer.raise_with(result)
    return result


def no_impacts(touches: Sequence[np.ndarray]) -> list[ImpactRecord]:
    """Runs of many bodies do not log their contacts."""
    return []


def node_times(output: float | Sequence[float] | None, t_end: float, step: float, bodies: int) -> np.ndarray:
    """Times of the nodes after the first."""
    if output is not None:
        return np.unique(np.append(output_times(output, t_end), t_end))
    count = min(MOST_NODES, max(MOST_NUMBERS // (19 * bodies), 20), max(int(t_end / step), 1))
    return np.linspace(0.0, t_end, count + 1)[1:]


def report_overlaps(engine: Engine) -> None:
    """Say that shapes overlap before anything moves."""
    touching = np.flatnonzero(engine.list.touching[: engine.pairs])
    deep = engine.list.seen[touching, at.INDENTATION]
    if deep.size and deep.max() > OVERLAP:
        notify(
            f"System {engine.scene.system.name!r}: {np.count_nonzero(deep > OVERLAP)} pairs of shapes overlap at the "
            f"start, by up to {deep.max():.3g} m; their forces begin with that indentation. Move them apart if that is "
            "not meant"
        )


def user_error(scene: Scene) -> BaseException | None:
    """What a user's function raised inside compiled code, if one did."""
    for kernel in scene.user_kernels:
        error = kernel.error
        if error is not None:
            kernel.forget()
            error.add_note(f"raised in a function of {kernel.owner}")
            return error
    return None


def message(scene: Scene, answer: Answer) -> str:
    """One sentence: how the run ended, and when."""
    if answer.outcome.ok:
        return str(answer.outcome)
    where = trouble(scene) if answer.outcome is Outcome.NOT_FINITE else ""
    return f"{str(answer.outcome).rstrip('.')}: after t = {answer.end:.9g} s{where}."


def trouble(scene: Scene) -> str:
    """The bodies whose numbers are none, and what to do."""
    wrong = np.flatnonzero(~np.isfinite(scene.hot[1:]).all(axis=1))
    name = f" at body {scene.bodies[wrong[0]].name!r} and {len(wrong) - 1} others" if len(wrong) else ""
    return f"{name}; the step may be too long for the contacts: give a smaller max_step="
