"""``carom run``: run a case or a model file, show what came out, then write it."""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from carom.cli.browser import open_page
from carom.cli.model import is_model, model_case
from carom.cli.report import Report
from carom.cli.values import divide, parse
from carom.errors import CaromWarning, ModelError
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS

OK, FAILED, REFUSED = 0, 1, 2
REPORT = "report.html"
QUICK = 3.0
"""Wall time [s], including the loading of compiled code, below which the tolerance of a run is checked by default."""


def run_case(
    name: str,
    settings: list[str],
    t_end: float | None,
    out: Path,
    as_json: bool,
    with_report: bool = False,
    open_it: bool = False,
    stream: Path | None = None,
    check_tolerance: bool | None = None,
) -> int:
    """The command; returns its exit code."""
    errors = Console(stderr=True, highlight=False)
    file = is_model(name)
    if name not in CASES and not file:
        close = difflib.get_close_matches(name, CASES, n=3)
        meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(CASES)}"
        errors.print(Text(f"error: there is no case {name!r}; {meant}", style="red"))
        return REFUSED
    folder = out / (Path(name).stem if file else name)
    console = Console(highlight=False, quiet=as_json)
    try:
        require_writable(folder)
        report, options = compute(name, settings, t_end, stream)
        report.show(console)
        sys.stdout.flush()  # people read this while it is checked and the figures are drawn
        examine(report, check_tolerance, options)
    except (ModelError, OSError) as error:
        errors.print(Text(f"error: {error}", style="red"))
        return REFUSED
    report.show_verdict(console)
    sys.stdout.flush()
    try:
        for path in write(report, folder, with_report, stream, bool(check_tolerance)):
            report.files.append(str(path))
            opened = open_it and path.name == REPORT and open_page(path.resolve().as_uri())
            hint = "" if opened or path.name != REPORT else ": open it in a browser"
            console.print(Text(f"wrote {path}{hint}"), soft_wrap=True)
            sys.stdout.flush()
    except OSError as error:
        errors.print(Text(f"error: {error}", style="red"))
        return FAILED
    if as_json:
        Console(highlight=False).out(report.to_json())
    return OK if report.ok else FAILED


def compute(
    name: str, settings: list[str], t_end: float | None, stream: Path | None = None
) -> tuple[Report, dict[str, Any]]:
    """Build the case and run it; the options of the run, too."""
    given = parse(settings) | ({} if t_end is None else {"t_end": t_end})
    if stream is not None:
        if "output" in given:
            given["every"] = given.pop("output")
        given["output"] = str(stream)
    noted: list[str] = []
    with noting(noted):
        if is_model(name):
            case, parameters, options = model_case(name, given)
        else:
            parameters, options = divide(name, CASES[name], given, RUN_OPTIONS)
            case = CASES[name](**parameters)
        result = case.run(**options)
    return Report(case, parameters, result, warnings=noted), options


def examine(report: Report, check_tolerance: bool | None, options: dict[str, Any]) -> None:
    """Check a run and its tolerance (None: the tolerance of short runs only); an error of the latter is a note."""
    if check_tolerance is None:
        check_tolerance = report.result.stats.get("wall_time", QUICK) < QUICK and "output" not in options
    with noting(report.warnings):
        report.check()
        if check_tolerance and report.result.outcome.ok:
            from carom.study import tolerance_check

            again = {key: value for key, value in options.items() if key not in ("output", "every")}
            try:
                report.tolerance_check = tolerance_check.check_tolerance(report.case, result=report.result, **again)
            except ModelError as error:
                report.warnings.append(str(error))


@contextmanager
def noting(notes: list[str]) -> Iterator[None]:
    """Keep our warnings for the report; those of others go on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaromWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, CaromWarning):
            notes.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def require_writable(folder: Path) -> None:
    """Refuse a place that cannot be written, before the work is done; nothing is made yet."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise NotADirectoryError(f"cannot write into {folder}: {there} is a file")
    if not os.access(there, os.W_OK):
        raise PermissionError(f"cannot write into {folder}: {there} is closed to writing")


def write(
    report: Report, folder: Path, with_report: bool = False, stream: Path | None = None, plot_check: bool = False
) -> Iterator[Path]:
    """Write the result and its figures, each file whole or not at all; yields what is there as it comes.

    A result that was written while it was computed is at ``stream``. The tolerance check is plotted if the run depends
    on its tolerance, or if ``plot_check`` is set.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "result.h5" if stream is None else stream
    if stream is None:
        report.result.save(path)
    yield path
    if with_report:
        yield write_page(report, folder / REPORT)
    from carom.plot import save_figure

    check = report.tolerance_check
    if check is not None and (plot_check or not check.valid_to_end):
        yield save_figure(check.plot(), folder / "tolerance_check.png")

    for name, figure in report.case.figures(report.result).items():
        yield save_figure(figure, folder / f"{name}.png")


def write_page(report: Report, path: Path) -> Path:
    """The run as one HTML file."""
    case = report.case
    verdict = report.failure or f"{len(report.findings)} comparisons with theory or a second method."
    checked = report.failure is not None or bool(report.findings)
    return report.result.report(
        path, system=case.system, panels=case.look.motion, trace=case.look.trace, title=case.title,
        lead=case.description, check=(report.failure is None, verdict) if checked else None, warnings=report.warnings,
    )  # fmt: skip
