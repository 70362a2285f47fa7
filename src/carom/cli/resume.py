"""``carom resume``: go on with a run that was interrupted."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.text import Text

from carom.errors import ModelError
from carom.io.result_file import ResultFileError
from carom.io.unfinished_runs import resume

OK, FAILED, REFUSED = 0, 1, 2


def resume_file(file: Path, t_end: float | None, as_json: bool) -> int:
    """The command; returns its exit code."""
    errors, console = Console(stderr=True, highlight=False), Console(highlight=False)
    try:
        result = resume(file, t_end=t_end)
    except (ModelError, ResultFileError, OSError) as error:
        errors.print(Text(f"error: {error}", style="red"), soft_wrap=True)
        return REFUSED
    if as_json:
        told = {"name": result.name, "outcome": result.outcome.name, "message": result.message,
                "t_end": float(result.t[-1]), "nodes": len(result.t), "file": str(file)}  # fmt: skip
        console.out(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        console.print(Text(result.summary()), soft_wrap=True)
        console.print(Text(f"wrote {file}"), soft_wrap=True)
    return OK if result.outcome.ok else FAILED
