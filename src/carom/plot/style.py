"""Common style of all figures; the Matplotlib settings of the user do not change."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from carom.argument_checks import one_of
from carom.io.atomic_write import atomic_write
from carom.scene.colours import COLOURS, palette_colour

__all__ = [
    "COLOURS", "DPI", "FAINT", "INK", "LOOKS", "MAX_VECTOR_POINTS", "NotebookFigure", "current_look", "line_style",
    "new_figure", "save_figure", "style", "use", "using",
]  # fmt: skip

INK, FAINT = "#222222", "#8a8a8a"
DPI = 150
MAX_VECTOR_POINTS = 5000
"""Number of points beyond which a figure stores them as pixels."""

_SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.xmargin": 0.01,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 1.4,
    "figure.facecolor": "white",
    "figure.titlesize": 11.0,
    "savefig.facecolor": "auto",
}


LOOKS = ("light", "dark")
_look: ContextVar[str] = ContextVar("look", default="light")


def use(look: str) -> None:
    """Set the look of all following figures: "light" (pages and print) or "dark".

    Examples
    --------
    >>> import carom as cm
    >>> cm.plot.use("dark")
    >>> cm.plot.use("light")
    """
    _look.set(one_of("plot", "look", look, LOOKS))


def current_look() -> str:
    """Return the look that `use` has set."""
    return _look.get()


@contextmanager
def using(look: str) -> Iterator[None]:
    """Set the look inside a context."""
    token = _look.set(look)
    try:
        yield
    finally:
        _look.reset(token)


@contextmanager
def style() -> Iterator[None]:
    """Apply the common style inside a context; the previous settings are restored afterwards."""
    with rc_context(_SETTINGS):
        yield


def line_style(index: int, count: int) -> dict[str, Any]:
    """Return colour and width of curve ``index`` of ``count``.

    Of a few curves the first is the widest, so that it stays visible below one that coincides with it.
    """
    width = 1.2 if count > len(COLOURS) else 1.3 + 0.3 * (min(count, 4) - 1 - min(index, 3))
    return {"color": palette_colour(index, count), "linewidth": width}


class NotebookFigure(Figure):
    """Figure that notebooks show without a window or pyplot."""

    def _repr_png_(self) -> bytes:
        with io.BytesIO() as buffer, style():
            self.savefig(buffer, format="png")
            return buffer.getvalue()


def new_figure(width: float, height: float, title: str | None) -> Figure:
    """Return an empty figure of some size [inches] with automatic layout; it needs no window."""
    figure = NotebookFigure(figsize=(width, height), dpi=DPI, layout="constrained")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold", color=INK)
    return figure


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write ``figure`` atomically to ``path``; the suffix of the path selects the format.

    Examples
    --------
    >>> import carom as cm
    >>> import tempfile
    >>> result = cm.gallery.falling_ball().run()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = cm.plot.save_figure(cm.plot.plot_energy(result), f"{folder}/energy.png")
    ...
    >>> path.name
    'energy.png'
    """
    # Matplotlib derives the format from the suffix, so the temporary file must have the same one.
    with atomic_write(path, Path(path).suffix) as part, style():
        figure.savefig(part)
    return Path(path)
