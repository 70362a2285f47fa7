"""``carom run``: run a case, show what came out, then write it."""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from carom.cli.report import Report
from carom.cli.values import divide, parse
from carom.errors import CaromWarning, ModelError
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS

OK, FAILED, REFUSED = 0, 1, 2


def run_case(name: str, settings: list[str], t_end: float | None, out: Path, as_json: bool) -> int:
    """The command; returns its exit code."""
    errors = Console(stderr=True, highlight=False)
    if name not in CASES:
        close = difflib.get_close_matches(name, CASES, n=3)
        meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(CASES)}"
        errors.print(Text(f"error: there is no case {name!r}; {meant}", style="red"))
        return REFUSED
    try:
        require_writable(out / name)
        report = compute(name, settings, t_end)
    except (ModelError, OSError) as error:
        errors.print(Text(f"error: {error}", style="red"))
        return REFUSED
    console = Console(highlight=False)
    if not as_json:
        report.show(console)
        sys.stdout.flush()  # people read this while the figures are drawn
    try:
        for path in write(report, out / name):
            report.files.append(str(path))
            if not as_json:
                console.print(Text(f"wrote {path}"), soft_wrap=True)
    except OSError as error:
        errors.print(Text(f"error: {error}", style="red"))
        return FAILED
    if as_json:
        console.out(report.to_json())
    return OK if report.ok else FAILED


def compute(name: str, settings: list[str], t_end: float | None) -> Report:
    """Build the case, run and check it; warnings are kept for the report."""
    parameters, options = divide(name, CASES[name], parse(settings), RUN_OPTIONS)
    if t_end is not None:
        options["t_end"] = t_end
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaromWarning)
        case = CASES[name](**parameters)
        report = Report.of(case, parameters, case.run(**options))
    for warning in caught:
        if issubclass(warning.category, CaromWarning):
            report.warnings.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return report


def require_writable(folder: Path) -> None:
    """Refuse a place that cannot be written, before the work is done; nothing is made yet."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise NotADirectoryError(f"cannot write into {folder}: {there} is a file")
    if not os.access(there, os.W_OK):
        raise PermissionError(f"cannot write into {folder}: {there} is closed to writing")


def write(report: Report, folder: Path) -> Iterator[Path]:
    """Write the result and its figures, each file whole or not at all; yields what is there as it comes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "result.h5"
    report.result.save(path)
    yield path
    from carom.plot import save_figure

    for name, figure in report.case.figures(report.result).items():
        yield save_figure(figure, folder / f"{name}.png")
