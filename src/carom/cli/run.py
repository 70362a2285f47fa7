"""``carom run``: run a case or a model file, print a summary, write result and figures."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from carom.argument_checks import similar_names
from carom.cli.browser import open_page
from carom.cli.command_output import EXIT_FAILED, EXIT_OK, EXIT_USAGE, print_error, require_writable
from carom.cli.formats import FIGURES, parse_formats, write_format
from carom.cli.key_values import parse, separate_options
from carom.cli.model_case import is_model_file, model_case
from carom.cli.run_summary import RunSummary
from carom.errors import CaromWarning, ModelError
from carom.gallery import CASES
from carom.gallery.case import RUN_OPTIONS
from carom.result.export import import_optional
from carom.short_form import counted

REPORT, VIDEO = "report.html", "run.mp4"
SHORT_RUN = 3.0
"""Wall time, including the loading of compiled code, below which a run is repeated with a tighter tolerance [s]."""


def run_case(
    name: str,
    settings: list[str],
    t_end: float | None,
    out: Path,
    as_json: bool,
    with_report: bool = False,
    open_report: bool = False,
    stream: Path | None = None,
    check_tolerance: bool | None = None,
    formats: tuple[str, ...] = (),
    video: bool = False,
) -> int:
    """Run a case or a model file, print its summary, write its files; return the exit code."""
    is_file = is_model_file(name)
    if name not in CASES and not is_file:
        close = similar_names(name, CASES)
        hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(CASES)}"
        print_error(f"unknown case {name!r}; {hint}")
        return EXIT_USAGE
    folder = out / (Path(name).stem if is_file else name)
    console = Console(highlight=False, quiet=as_json)
    try:
        require_writable(folder)
        names = parse_formats(formats)
        if video or "mp4" in names:
            import_optional("imageio_ffmpeg", "video")  # An error before the run, not after it.
        summary, options = compute(name, settings, t_end, stream)
        summary.show(console)
        sys.stdout.flush()  # The user reads this while the check runs and the figures are drawn.
        examine(summary, check_tolerance, options)
    except (ModelError, OSError, ImportError) as error:
        print_error(error)
        return EXIT_USAGE
    summary.show_check(console)
    sys.stdout.flush()
    try:
        for path in write(summary, folder, with_report, stream, bool(check_tolerance), names, video):
            summary.files.append(str(path))
            opened = open_report and path.name == REPORT and open_page(path.resolve().as_uri())
            hint = "" if opened or path.name != REPORT else ": open it in a browser"
            console.print(Text(f"wrote {path}{hint}"), soft_wrap=True)
            sys.stdout.flush()
    except (ModelError, OSError) as error:
        print_error(error)
        return EXIT_FAILED
    if as_json:
        Console(highlight=False).out(summary.to_json())
    return EXIT_OK if summary.ok else EXIT_FAILED


def compute(
    name: str, settings: list[str], t_end: float | None, stream: Path | None = None
) -> tuple[RunSummary, dict[str, Any]]:
    """Build and run the case; return its summary and the options of the run."""
    values = parse(settings) | ({} if t_end is None else {"t_end": t_end})
    if stream is not None:
        values["stream"] = str(stream)
    messages: list[str] = []
    with collect_warnings(messages):
        if is_model_file(name):
            case, parameters, options = model_case(name, values)
        else:
            parameters, options = separate_options(name, CASES[name], values, RUN_OPTIONS)
            case = CASES[name](**parameters)
        result = case.run(**options)
    return RunSummary(case, parameters, result, warnings=messages), options


def examine(summary: RunSummary, check_tolerance: bool | None, options: dict[str, Any]) -> None:
    """Check a run, then repeat it with a tighter tolerance if ``check_tolerance`` is True, or None and the run short.

    If the tolerance cannot be checked, a warning in the summary gives the reason.
    """
    if check_tolerance is None:
        check_tolerance = summary.result.stats.get("wall_time", SHORT_RUN) < SHORT_RUN and "stream" not in options
    with collect_warnings(summary.warnings):
        summary.check()
        if check_tolerance and summary.result.outcome.ok:
            from carom.study import tolerance_check

            repeated = {key: value for key, value in options.items() if key != "stream"}
            try:
                summary.tolerance_check = tolerance_check.check_tolerance(
                    summary.case, result=summary.result, **repeated
                )
            except ModelError as error:
                summary.warnings.append(str(error))


@contextmanager
def collect_warnings(messages: list[str]) -> Iterator[None]:
    """Append the warnings of carom to ``messages``; issue those of other libraries as usual."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaromWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, CaromWarning):
            messages.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def write(
    summary: RunSummary,
    folder: Path,
    with_report: bool = False,
    stream: Path | None = None,
    plot_check: bool = False,
    formats: tuple[str, ...] = (),
    video: bool = False,
) -> Iterator[Path]:
    """Write the result and its figures, each file completely or not at all; yield each path when it is written.

    A result that was written during the run is at ``stream``; ``formats`` are further formats of the result, or those
    of the figures in place of PNG; ``video`` writes an animation. The tolerance check is plotted if the run depends on
    its tolerance, or if ``plot_check`` is set.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "result.h5" if stream is None else stream
    if stream is None:
        summary.result.save(path)
    yield path
    for name in (name for name in formats if name not in FIGURES):
        yield write_format(summary.result, folder, "result", name, summary.case.drawing_system)
    if video:
        trace = summary.case.figure_settings.trace
        yield summary.result.animate(folder / VIDEO, system=summary.case.drawing_system, trace=trace)
    if with_report:
        yield write_report(summary, folder / REPORT)
    from carom.plot import save_figure

    check = summary.tolerance_check
    if check is not None and (plot_check or not check.valid_to_end):
        yield save_figure(check.plot(), folder / "tolerance_check.png")

    for name, figure in summary.case.figures(summary.result).items():
        for suffix in [item for item in formats if item in FIGURES] or ["png"]:
            yield save_figure(figure, folder / f"{name}.{suffix}")


def write_report(summary: RunSummary, path: Path) -> Path:
    """Write the run as one HTML file."""
    case, settings = summary.case, summary.case.figure_settings
    verdict = summary.failure or f"{counted(len(summary.check_results), 'comparison')} with theory or a second method."
    is_checked = summary.failure is not None or bool(summary.check_results)
    return summary.result.report(
        path, system=case.system, panels=settings.report_panels, trace=settings.trace, title=case.title,
        lead=case.description, check=(summary.failure is None, verdict) if is_checked else None,
        warnings=summary.warnings,
    )  # fmt: skip
