"""Queue of the runs of the studio: one at a time, with progress; a cancelled run keeps its result so far."""

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

from carom.cli.key_values import separate_options
from carom.cli.model_case import model_case
from carom.errors import CaromWarning, ModelError
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS, Case, CheckFailed, title_and_description
from carom.io.model.model_reader import read
from carom.result.result import Result
from carom.studio.parameters import convert_values, run_label

WAITING, RUNNING, DONE, CANCELLED, FAILED = "waiting", "running", "done", "cancelled", "failed"
MAX_RUNS = 40
"""Largest number of stored runs; the oldest are removed."""


@dataclass
class QueuedRun:
    """A run of the queue with its state and its result."""

    number: int
    source: str
    settings: dict[str, Any]
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

    def state_data(self) -> dict[str, Any]:
        """Return the state of the run for the page."""
        data: dict[str, Any] = {
            "id": self.number, "source": self.source, "label": self.label, "state": self.state,
            "fraction": self.fraction, "error": self.error,
        }  # fmt: skip
        if self.result is not None:
            data["message"] = self.result.message or str(self.result.outcome)
            data["seconds"] = float(self.result.stats.get("wall_time", 0.0))
        return data


class RunQueue:
    """Queue of runs and the model files opened by the page."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="carom-studio-")
        self.models: dict[str, Path] = {}
        self.known: dict[int, QueuedRun] = {}
        self._numbers = itertools.count(1)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="run")

    def close(self) -> None:
        """Stop all runs and delete all files."""
        for run in list(self.known.values()):
            run.stop.set()
        self._worker.shutdown(cancel_futures=True)
        self.folder.cleanup()

    def open_model(self, name: str, text: str) -> str:
        """Store the text of a model file; return the name under which it is listed."""
        stem = Path(unicodedata.normalize("NFC", name).replace("\\", "/")).stem
        stem = "".join(letter for letter in stem if letter.isalnum() or letter in "-_ ").strip()[:60] or "model"
        path = Path(tempfile.mkdtemp(dir=self.folder.name)) / f"{stem}.yaml"  # A waiting run keeps its text.
        path.write_text(text, encoding="utf-8")
        read(path)  # Raises if the text is not a model.
        self.models[path.name] = path
        return path.name

    def without_folder(self, message: str) -> str:
        """Return ``message`` with model files called by the names under which they were opened."""
        return re.sub(rf"{re.escape(self.folder.name)}[/\\][^/\\]+[/\\]", "", message)

    def build(self, run: QueuedRun) -> tuple[Case, dict[str, Any]]:
        """Build the case of a run; return it with the options of the run."""
        if "stream" in run.settings or isinstance(run.settings.get("output"), str):
            raise ModelError("the studio writes no files; remove stream, and download the result instead")
        if run.model is not None:
            case, _, options = model_case(str(run.model), run.settings)
            return case, options
        factory = CASES[run.source]
        parameters, options = separate_options(run.source, factory, run.settings, RUN_OPTIONS)
        return factory(**parameters), options

    def start(self, source: str, values: dict[str, Any]) -> QueuedRun:
        """Queue a run of ``source`` with the ``values`` of the form; empty ones are left out."""
        model = self.models.get(source)
        if model is None and source not in CASES:
            raise ModelError(f"unknown case {source[:60]!r}")
        settings = convert_values(source, model, {key: item for key, item in values.items() if item != ""})
        title = title_and_description(CASES[source])[0] if model is None else model.stem.replace("_", " ")
        run = QueuedRun(next(self._numbers), source, settings, run_label(title, settings), model)
        self.known[run.number] = run
        for number in sorted(self.known)[:-MAX_RUNS]:
            self.cancel(self.known.pop(number))
        self._worker.submit(self._work, run)
        return run

    def cancel(self, run: QueuedRun) -> None:
        """Stop a run; a waiting run does not start."""
        run.stop.set()
        if run.state == WAITING:
            run.state = CANCELLED

    def _work(self, run: QueuedRun) -> None:
        if run.stop.is_set():
            run.state = CANCELLED
            return

        def progress(fraction: float) -> None:
            run.fraction = fraction
            if run.stop.is_set():
                raise KeyboardInterrupt  # Ends the run between two steps; the result so far is kept.

        run.state = RUNNING
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", CaromWarning)
                run.case, options = self.build(run)
                run.result = run.case.run(progress=progress, **options)
            run.warnings = [str(one.message) for one in caught if issubclass(one.category, CaromWarning)]
            if not run.stop.is_set():
                run.check = check_verdict(run.case, run.result)
        except Exception as error:  # noqa: BLE001  (the page shows any error of a model, and the next run starts)
            known = isinstance(error, ModelError | OSError) or hasattr(error, "result")
            run.error = self.without_folder(str(error) if known else f"{type(error).__name__}: {error}")
            run.result = getattr(error, "result", None)
        run.state = FAILED if run.error else CANCELLED if run.stop.is_set() else DONE


def check_verdict(case: Case, result: Result) -> tuple[bool, str] | None:
    """Check a result; return True or False and a text, or None for a case without comparisons."""
    try:
        check_results = case.check(result)
    except CheckFailed as failure:
        return False, str(failure)
    if not check_results:
        return None
    return True, f"{len(check_results)} comparisons with theory or a second method."
