"""Progress bar for runs that take longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from html import escape
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from carom.argument_checks import boolean

BAR_DELAY = 1.0
"""Computing time before the bar appears [s]."""
NOTEBOOK_INTERVAL = 0.2
"""Time between two updates of a bar in a notebook [s]."""


def in_notebook() -> bool:
    """Return True in a notebook, whose kernel shows HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class NotebookBar:
    """Progress bar of a notebook: an HTML element that is updated in place, without widgets."""

    def __init__(self, label: str, total: float):
        display: Any = import_module("IPython.display")
        self._html, self.label, self.total = display.HTML, label, total
        self._updated = -NOTEBOOK_INTERVAL
        self._handle = display.display(self._html(""), display_id=True)

    def update(self, completed: float, text: str) -> None:
        """Show the value reached and a text."""
        now = time.perf_counter()
        if now - self._updated >= NOTEBOOK_INTERVAL:
            self._updated = now
            bar = f'<progress max="1" value="{min(completed / self.total, 1.0):.4f}"></progress>'
            self._handle.update(self._html(f"{escape(self.label)} {bar} {escape(text)}"))

    def stop(self) -> None:
        """Remove the bar."""
        self._handle.update(self._html(""))


class Progress:
    """Progress report, called with the time reached; shows a bar when the work takes long.

    Parameters
    ----------
    label
        name of the work, shown beside the bar.
    total
        value at which the work is complete, e.g. the end time [s].
    show
        True (bar from the start), False (no bar), None (bar in a terminal or a notebook when the work takes long),
        or a function that is called with the completed fraction [-].
    status
        format of the text beside the bar.
    """

    def __init__(
        self,
        label: str,
        total: float,
        show: bool | Callable[[float], Any] | None,
        status: str = "t = {task.completed:.4g} of {task.total:.4g} s",
    ):
        self.label, self.total, self.status = label, total, status
        self.callback = show if callable(show) else None
        self.has_bar = (
            sys.stderr.isatty() or in_notebook()
            if show is None
            else self.callback is None and boolean(label, "progress", show)
        )
        self.start_time = time.perf_counter() - (BAR_DELAY if show is True else 0.0)
        self.reached = 0.0
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, t: float, step: float | None = None, contacts: int | None = None) -> None:
        """Report that ``t`` is reached, with the step size ``step`` [s] and the number of loaded ``contacts``."""
        if self.callback is not None:
            if t > self.reached:
                self.reached = t
                self.callback(t / self.total)
        elif self.has_bar:
            if self._bar is None and time.perf_counter() - self.start_time >= BAR_DELAY:
                self._open_bar()
            if self._bar is not None:
                details = [] if step is None else [f"step {step:.1e} s"]
                details += [] if contacts is None else [f"{contacts} in contact"]
                self._show(t, ", ".join(details))

    def _show(self, completed: float, details: str) -> None:
        """Show the value reached and the ``details`` in the bar."""
        if isinstance(self._bar, NotebookBar):
            status = self.status.format(task=SimpleNamespace(completed=completed, total=self.total))
            self._bar.update(completed, f"{status} {details}")
        else:
            self._bar.update(self._task, completed=completed, details=details)

    def _open_bar(self) -> None:
        if in_notebook():
            self._bar = NotebookBar(self.label, self.total)
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn(self.status),
            TextColumn("{task.fields[details]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self.label, total=self.total, details="")

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
