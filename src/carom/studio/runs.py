"""Runs that the page has asked for: one at a time, with progress, to be stopped without loss."""

from __future__ import annotations

import itertools
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carom.cli.model import model_case
from carom.cli.values import divide, value
from carom.errors import CaromWarning, ModelError
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS, Case, CheckFailed
from carom.result.result import Result

WAITING, RUNNING, DONE, CANCELLED, FAILED = "waiting", "running", "done", "cancelled", "failed"
MOST = 40
"""Runs that are kept; the oldest go."""


@dataclass
class Run:
    """One run, from the time it was asked for."""

    number: int
    source: str
    given: dict[str, Any]
    label: str
    state: str = WAITING
    fraction: float = 0.0
    error: str = ""
    case: Case | None = None
    result: Result | None = None
    check: tuple[bool, str] | None = None
    warnings: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def told(self) -> dict[str, Any]:
        """What the page is told."""
        told: dict[str, Any] = {
            "id": self.number, "source": self.source, "label": self.label, "state": self.state,
            "fraction": self.fraction, "error": self.error,
        }  # fmt: skip
        if self.result is not None:
            told["message"] = self.result.message or str(self.result.outcome)
            told["seconds"] = float(self.result.stats.get("wall_time", 0.0))
        return told


class Runs:
    """All of them."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="carom-studio-")
        self.models: dict[str, Path] = {}
        self.known: dict[int, Run] = {}
        self._numbers = itertools.count(1)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="run")

    def close(self) -> None:
        """Stop what runs, and forget everything."""
        for run in list(self.known.values()):
            run.stop.set()
        self._worker.shutdown(cancel_futures=True)
        self.folder.cleanup()

    def open_model(self, name: str, text: str) -> str:
        """Keep the text of a model file; the name it is known by from now on."""
        stem = "".join(letter for letter in Path(name).stem if letter.isalnum() or letter in "-_ ")[:60] or "model"
        path = Path(self.folder.name) / f"{stem}.yaml"
        path.write_text(text, encoding="utf-8")
        self.models[path.name] = path
        return path.name

    def make(self, source: str, given: dict[str, Any]) -> tuple[Case, dict[str, Any]]:
        """The case of a source with the values given, and the options of its run."""
        if isinstance(given.get("output"), str) or "every" in given:
            raise ModelError("the studio writes no files; save the result when the run is done")
        if source in self.models:
            case, _, options = model_case(str(self.models[source]), given)
            return case, options
        if source not in CASES:
            raise ModelError(f"there is no case {source!r}")
        parameters, options = divide(source, CASES[source], given, RUN_OPTIONS)
        return CASES[source](**parameters), options

    def start(self, source: str, given: dict[str, Any]) -> Run:
        """Ask for a run; words that are numbers become numbers, empty ones are left out."""
        values = {key: value(item) if isinstance(item, str) else item for key, item in given.items() if item != ""}
        said = ", ".join(f"{key}={item}" for key, item in given.items() if item != "" and key not in ("t_end",))
        run = Run(next(self._numbers), source, values, f"{source} ({said})" if said else source)
        self.known[run.number] = run
        for number in sorted(self.known)[:-MOST]:
            self.known.pop(number).stop.set()
        self._worker.submit(self._work, run)
        return run

    def _work(self, run: Run) -> None:
        if run.stop.is_set():
            run.state = CANCELLED
            return

        def progress(fraction: float) -> None:
            run.fraction = fraction
            if run.stop.is_set():
                raise KeyboardInterrupt  # ends the run between two steps, with what was computed

        run.state = RUNNING
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", CaromWarning)
                run.case, options = self.make(run.source, run.given)
                run.result = run.case.run(progress=progress, **options)
            run.warnings = [str(one.message) for one in caught if issubclass(one.category, CaromWarning)]
            if not run.stop.is_set():
                run.check = checked(run.case, run.result)
        except Exception as error:  # noqa: BLE001  (whatever a model raises is told on the page, and the studio goes on)
            run.error = str(error) or type(error).__name__
            run.result = getattr(error, "result", None)
        run.state = FAILED if run.error else CANCELLED if run.stop.is_set() else DONE


def checked(case: Case, result: Result) -> tuple[bool, str]:
    """Whether the case's own check passed, in words."""
    try:
        found = case.check(result)
    except CheckFailed as failure:
        return False, str(failure)
    return True, f"{len(found)} comparisons with theory or a second method."
