"""A progress bar for long runs, nothing for short ones."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from carom.errors import truth

PATIENCE = 1.0
"""Seconds of work before a bar appears."""


class Progress:
    """Called with the time reached; shows a bar once the work takes long.

    ``show`` is True (from the start), False (never), None (when standard error is a terminal and the work is long), or
    a function that is called with the fraction done. ``reached`` is what the bar says beside it.
    """

    def __init__(
        self,
        label: str,
        total: float,
        show: bool | Callable[[float], Any] | None,
        reached: str = "t = {task.completed:.4g} of {task.total:.4g} s",
    ):
        self.label, self.total, self.text = label, total, reached
        self.call = show if callable(show) else None
        self.wanted = sys.stderr.isatty() if show is None else self.call is None and truth(label, "progress", show)
        self.began = time.perf_counter() - (PATIENCE if show is True else 0.0)
        self.reached = 0.0
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, t: float, step: float | None = None, contacts: int | None = None) -> None:
        """``t`` is reached, by steps of ``step`` [s], with so many contacts that press, where these are known."""
        if self.call is not None:
            if t > self.reached:
                self.reached = t
                self.call(t / self.total)
        elif self.wanted:
            if self._bar is None and time.perf_counter() - self.began >= PATIENCE:
                self._open()
            if self._bar is not None:
                words = [] if step is None else [f"step {step:.1e} s"]
                words += [] if contacts is None else [f"{contacts} in contact"]
                self._bar.update(self._task, completed=t, work=", ".join(words))

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn(self.text),
            TextColumn("{task.fields[work]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self.label, total=self.total, work="")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
