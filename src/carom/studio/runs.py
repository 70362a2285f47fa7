"""Runs that the page has asked for: one at a time, with progress, to be stopped without loss."""

from __future__ import annotations

import itertools
import re
import tempfile
import threading
import unicodedata
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carom.cli.model import model_case
from carom.cli.values import divide
from carom.errors import CaromWarning, ModelError
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS, Case, CheckFailed, described
from carom.io.model.model_reader import read
from carom.result.result import Result
from carom.studio.parameters import converted, label_of

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
    model: Path | None = None
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
        stem = Path(unicodedata.normalize("NFC", name).replace("\\", "/")).stem
        stem = "".join(letter for letter in stem if letter.isalnum() or letter in "-_ ").strip()[:60] or "model"
        path = Path(tempfile.mkdtemp(dir=self.folder.name)) / f"{stem}.yaml"  # a run that waits keeps its own text
        path.write_text(text, encoding="utf-8")
        read(path)  # refused here when it is not a model
        self.models[path.name] = path
        return path.name

    def without_folder(self, message: str) -> str:
        """Return ``message`` with model files under the names that they were opened with."""
        return re.sub(rf"{re.escape(self.folder.name)}[/\\][^/\\]+[/\\]", "", message)

    def make(self, run: Run) -> tuple[Case, dict[str, Any]]:
        """Return the case of a run with its values, and the options of the run."""
        if isinstance(run.given.get("output"), str) or "every" in run.given:
            raise ModelError("the studio writes no files; save the result when the run is done")
        if run.model is not None:
            case, _, options = model_case(str(run.model), run.given)
            return case, options
        maker = CASES[run.source]
        parameters, options = divide(run.source, maker, run.given, RUN_OPTIONS)
        return maker(**parameters), options

    def start(self, source: str, given: dict[str, Any]) -> Run:
        """Queue a run with the values ``given``; empty ones are left out."""
        model = self.models.get(source)
        if model is None and source not in CASES:
            raise ModelError(f"unknown case {source[:60]!r}")
        values = converted(source, model, {key: item for key, item in given.items() if item != ""})
        title = described(CASES[source])[0] if model is None else model.stem.replace("_", " ")
        run = Run(next(self._numbers), source, values, label_of(title, values), model)
        self.known[run.number] = run
        for number in sorted(self.known)[:-MOST]:
            self.cancel(self.known.pop(number))
        self._worker.submit(self._work, run)
        return run

    def cancel(self, run: Run) -> None:
        """Stop a run; one that waits does not begin."""
        run.stop.set()
        if run.state == WAITING:
            run.state = CANCELLED

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
                run.case, options = self.make(run)
                run.result = run.case.run(progress=progress, **options)
            run.warnings = [str(one.message) for one in caught if issubclass(one.category, CaromWarning)]
            if not run.stop.is_set():
                run.check = checked(run.case, run.result)
        except Exception as error:  # noqa: BLE001  (the page shows whatever a model raises, and the next run begins)
            known = isinstance(error, ModelError | OSError) or hasattr(error, "result")
            run.error = self.without_folder(str(error) if known else f"{type(error).__name__}: {error}")
            run.result = getattr(error, "result", None)
        run.state = FAILED if run.error else CANCELLED if run.stop.is_set() else DONE


def checked(case: Case, result: Result) -> tuple[bool, str] | None:
    """Return whether the case's own check passed, in words; None for one without comparisons."""
    try:
        found = case.check(result)
    except CheckFailed as failure:
        return False, str(failure)
    return (True, f"{len(found)} comparisons with theory or a second method.") if found else None
