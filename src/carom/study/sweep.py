"""The same model with many values, each run measured, and kept on disk as they finish."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carom.errors import ModelError, notify
from carom.gallery.compare import quiet
from carom.progress import Progress
from carom.result.outcome import Outcome
from carom.study import executors
from carom.study.design import Design, design
from carom.study.identity import carom_version, digest, identity, identity_of_subject
from carom.study.journal import Journal
from carom.study.measure import Function, Measure, Unmeasurable, measures
from carom.study.subject import Subject, subject
from carom.study.table import Record, Sweep

JOURNAL, TABLE = "runs.jsonl", "table.csv"
"""Files of a folder: what is done, line by line, and the table when all is done."""


@dataclass(frozen=True)
class Run:
    """One run and what is measured of it; works in any process."""

    subject: Subject
    measures: tuple[Measure | Function, ...]
    fixed: Mapping[str, Any]

    def __call__(self, point: Mapping[str, Any]) -> dict[str, Any]:
        given = {**self.fixed, **point}
        with quiet():
            result = self.subject.run(given, progress=False)
        if result.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        try:
            values = {measure.name: measure(result, given) for measure in self.measures}
        except Unmeasurable as error:
            return {"refused": str(error)}
        return {"values": values, "outcome": result.outcome.name}


def sweep(
    case: Any,
    parameters: Mapping[str, Any],
    measure: str | Callable[..., Any] | Sequence[Any] | None = None,
    *,
    samples: int | None = None,
    method: str | None = None,
    seed: int | None = 0,
    out: str | os.PathLike[str] | None = None,
    executor: Any = None,
    progress: bool | Callable[[float], Any] | None = None,
    **values: Any,
) -> Sweep:
    """Run ``case`` with every combination of ``parameters``, or with samples of them, and measure each run.

    Parameters
    ----------
    case : a case of the gallery, a model file, a system, or a function that makes one (`carom.study.subject`).
    parameters : by name (a parameter of the case, an option of the run, or a place of its model such as
        "touch.law.restitution"), a list of values; for samples a range ``(low, high)``, `Uniform`, `Log`, `Normal`, or
        a distribution of ``scipy.stats``.
    measure : what is kept of each run: texts such as "touch.normal_force.max" or "impacts.count"
        (`carom.study.measure`), or functions of the result that return a number, an array or a mapping.
    method : "grid" (all combinations), "list" (values that go together), or "latin", "sobol", "random" with
        ``samples`` points, the same for the same ``seed``.
    out : a folder, or a file .jsonl, in which every run is kept when it is done. The same call goes on where it was
        stopped, by whatever; another sweep is refused there.
    executor : "processes" (default), a number of them, "serial", the address of a Dask scheduler, or its Client.
    values : the same for all runs: parameters, options of the run, places of the model.

    A run that fails keeps its error in the table and stops no other. Ctrl-C returns what is done.
    """
    one, wanted = subject(case), measures(measure)
    plan = design(parameters, samples, method, seed)
    check(one, plan, values)
    run = Run(one, wanted, dict(values))
    records: dict[int, Record] = {}
    with open_journal(out, run, plan) as journal:
        for line in journal.lines if journal else ():
            record, number = Record.from_line(line), line.get("run")
            if record is not None and isinstance(number, int):
                records[number] = record
        missing = [number for number in range(len(plan.points)) if number not in records]
        with Progress(f"sweep of {one.name}", len(plan.points), progress, RUNS) as bar:
            try:
                for number, record in perform(run, plan, missing, executor):
                    if journal:
                        journal.add(record.to_line(number, plan.points[number]))
                    records[number] = record
                    bar(len(records))
            except KeyboardInterrupt:
                kept = f"; the same call goes on from there ({out})" if journal else ""
                notify(f"sweep: stopped with {len(records)} of {len(plan.points)} runs done{kept}")
    table = Sweep(one.name, plan, [records.get(number) for number in range(len(plan.points))])
    if out is not None and not is_file(out) and table.complete:
        table.to_csv(Path(out) / TABLE)
    for name in without_effect(plan, records):
        notify(
            f"sweep: {name} has no effect on {', '.join(table.measures)}: the model of {one.name} does not use it, or "
            "its runs end before it matters"
        )
    return table


def without_effect(plan: Design, records: Mapping[int, Record]) -> list[str]:
    """Return the parameters that change no measure in any runs which differ in them alone.

    Samples, no two of which do, tell something only where all are measured alike.
    """
    measured = {number: repr(record.values) for number, record in records.items() if record.error is None}
    same = len(set(measured.values())) == 1
    found = []
    for name in plan.names:
        groups: dict[str, list[int]] = {}
        for number in measured:
            others = {} if same else {key: value for key, value in plan.points[number].items() if key != name}
            groups.setdefault(repr(others), []).append(number)
        several = [g for g in groups.values() if len({repr(plan.points[number][name]) for number in g}) > 1]
        if several and all(len({measured[number] for number in group}) == 1 for group in several):
            found.append(name)
    return found


RUNS = "{task.completed:.0f} of {task.total:.0f} runs"


def perform(run: Run, plan: Design, numbers: Sequence[int], executor: Any) -> Iterator[tuple[int, Record]]:
    """The runs of these ``numbers``, as they finish."""
    if not numbers:
        return
    pool = executors.executor(executor)
    try:
        for place, done in pool.map(run, [plan.points[number] for number in numbers]):
            if done.ok and "refused" in done.value:
                raise ModelError(done.value["refused"])
            yield (
                numbers[place],
                Record(done.value["values"], done.value["outcome"]) if done.ok else Record(error=done.error),
            )
    finally:
        if pool is not executor:  # one that was given is the user's
            pool.close()


def check(one: Subject, plan: Design, values: Mapping[str, Any]) -> None:
    """Refuse names that mean nothing, before anything runs."""
    one.divide({**values, **plan.points[0]})
    both = sorted(set(values) & set(plan.names))
    if both:
        raise ModelError(f"sweep: {', '.join(both)} cannot be both fixed and varied")


def is_file(out: str | os.PathLike[str]) -> bool:
    return Path(out).suffix == ".jsonl"


def open_journal(out: str | os.PathLike[str] | None, run: Run, plan: Design) -> Any:
    """The file that keeps what is done, if there is to be one."""
    if out is None:
        return nullcontext()
    head = {
        "case": identity_of_subject(run.subject),
        "parameters": [list(plan.names), len(plan.points), digest(identity(plan.points))],
        "measures": [one.name if isinstance(one, Measure) else identity(one.function) for one in run.measures],
        "options": identity(run.fixed),
        "version": carom_version(),
    }
    return Journal(Path(out) if is_file(out) else Path(out) / JOURNAL, head)
