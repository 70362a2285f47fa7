"""``carom resume``: continuation of an interrupted run."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.text import Text

from carom.cli.command_output import EXIT_FAILED, EXIT_OK, EXIT_USAGE, print_error, print_files
from carom.errors import ModelError
from carom.io.result_file_checks import ResultFileError
from carom.io.unfinished_runs import resume


def resume_file(file: Path, t_end: float | None, as_json: bool) -> int:
    """Resume the run in ``file`` up to ``t_end`` [s]; return the exit code."""
    console = Console(highlight=False)
    try:
        result = resume(file, t_end=t_end)
    except (ModelError, ResultFileError, OSError) as error:
        print_error(error)
        return EXIT_USAGE
    if as_json:
        summary = {"name": result.name, "outcome": result.outcome.name, "message": result.message,
                   "t_end": float(result.t[-1]), "nodes": len(result.t), "file": str(file)}  # fmt: skip
        console.out(json.dumps(summary, ensure_ascii=False, indent=2))
    else:
        console.print(Text(result.summary()), soft_wrap=True)
        print_files(console, [file])
    return EXIT_OK if result.outcome.ok else EXIT_FAILED
