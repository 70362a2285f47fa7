"""A compliant run of a system with large groups of contacts."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from carom.errors import notify, positive
from carom.model.system import System
from carom.progress import Progress
from carom.result.energy import Energy
from carom.result.info import BodyInfo, ElementInfo
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.many import layout as at
from carom.solve.many.engine import Engine
from carom.solve.many.nodes import SIGNALS, Nodes
from carom.solve.many.scene import Scene
from carom.solve.many.step import default_step
from carom.solve.observe import inertia_of
from carom.solve.sketch import sketch_later
from carom.solve.start import output_times

MOST_NODES, MOST_NUMBERS = 1000, 8_000_000
"""Of a run that keeps what it wants: nodes, and numbers of the motion in all of them."""
OVERLAP = 1e-9
"""Indentation [m] at the start that is reported."""


def run_many(
    system: System,
    t_end: float,
    output: float | Sequence[float] | None,
    progress: bool | Callable[[float], Any] | None,
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
    times = node_times(output, t_end, step, len(system.bodies))
    for kernel in scene.user_kernels:
        kernel.forget()
    outcome, error = Outcome.FINISHED, None
    with Progress(system.name, t_end, progress) as report, Engine(scene, threads) as engine:
        nodes = Nodes(engine, len(times) + 1)
        engine.evaluate(step)
        nodes.add(0.0)
        report_overlaps(system, engine)
        reached = 0.0
        try:
            for time in times:
                fine = engine.advance(float(time) - reached, step, partial(tell, report, engine, reached))
                error = user_error(scene)
                if error is not None:
                    break
                if not fine:
                    outcome = Outcome.NOT_FINITE
                    break
                reached = float(time)
                nodes.add(reached)
            if outcome.ok and error is None:
                report(t_end)
        except KeyboardInterrupt:
            outcome = Outcome.INTERRUPTED
    if isinstance(error, KeyboardInterrupt):
        outcome = Outcome.INTERRUPTED
    stats = {
        "steps": engine.steps, "rejected": 0, "evaluations": engine.steps + 1,
        "wall_time": clock.perf_counter() - began, "contacts": int(nodes.signals[nodes.count - 1, ::SIGNALS].sum()),
        "rebuilds": engine.rebuilds, "threads": engine.threads,
    }  # fmt: skip
    result = make_result(system, scene, nodes, stats, outcome, reached, settings)
    if error is not None and not isinstance(error, KeyboardInterrupt):
        error.add_note(f"at t = {reached:.9g} s or after; what was computed up to then is this exception's .result")
        error.result = result  # type: ignore[attr-defined]
        raise error
    return result


def tell(report: Progress, engine: Engine, start: float, passed: float) -> None:
    report(start + passed, float(engine.numbers[at.H]), int(engine.list.touching[: engine.pairs].sum()))


def node_times(output: float | Sequence[float] | None, t_end: float, step: float, bodies: int) -> np.ndarray:
    """Times of the nodes after the first."""
    if output is not None:
        return np.unique(np.append(output_times(output, t_end), t_end))
    count = min(MOST_NODES, max(MOST_NUMBERS // (19 * bodies), 20), max(int(t_end / step), 1))
    return np.linspace(0.0, t_end, count + 1)[1:]


def report_overlaps(system: System, engine: Engine) -> None:
    """Say that shapes overlap before anything moves."""
    touching = np.flatnonzero(engine.list.touching[: engine.pairs])
    deep = engine.list.seen[touching, at.INDENTATION]
    if deep.size and deep.max() > OVERLAP:
        notify(
            f"System {system.name!r}: {np.count_nonzero(deep > OVERLAP)} pairs of shapes overlap at the start, by up "
            f"to {deep.max():.3g} m; their forces begin with that indentation. Move them apart if that is not meant"
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


def make_result(
    system: System,
    scene: Scene,
    nodes: Nodes,
    stats: dict[str, Any],
    outcome: Outcome,
    reached: float,
    settings: dict[str, Any],
) -> Result:
    """The nodes with their names."""
    count = nodes.count
    message = str(outcome)
    if not outcome.ok:
        where = trouble(scene) if outcome is Outcome.NOT_FINITE else ""
        message = f"{message.rstrip('.')}: after t = {reached:.9g} s{where}."
    elements = tuple(
        ElementInfo(
            name=group.name or "",
            kind=type(group).__name__,
            family="contact",
            members=(),
            signals=group.signals,
            units=group.units,
            columns=(SIGNALS * k, SIGNALS * (k + 1)),
        )
        for k, group in enumerate(scene.groups)
    )
    return Result(
        name=system.name,
        dim=system.dim,
        t=nodes.t[:count],
        q=nodes.q[:count],
        v=nodes.v[:count],
        a=nodes.a[:count],
        signals=nodes.signals[:count],
        ledger=Energy.from_columns(nodes.energies[:count]),
        bodies=tuple(BodyInfo(body.name, body.mass, inertia_of(body)) for body in system.bodies),
        elements=elements,
        stats=stats,
        outcome=outcome,
        message=message,
        settings=settings,
        smooth=False,
        sketch=sketch_later(system),
    )


def trouble(scene: Scene) -> str:
    """The bodies whose numbers are none, and what to do."""
    wrong = np.flatnonzero(~np.isfinite(scene.hot[1:]).all(axis=1))
    name = f" at body {scene.bodies[wrong[0]].name!r} and {len(wrong) - 1} others" if len(wrong) else ""
    return f"{name}; the step may be too long for the contacts: give a smaller max_step="
