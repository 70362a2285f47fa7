"""One look for all figures, set for a figure and never for the user's own."""

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

from carom.errors import choice
from carom.io.atomic_write import atomic_write

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#56B4E9", "#000000", "#E69F00", "#CC79A7")
"""Okabe and Ito, in the order that colour-blind readers tell apart best."""

INK, FAINT = "#222222", "#8a8a8a"
DPI = 150
SYMBOL = 0.028
"""Size of pins and bearings, relative to the diagonal of a drawing."""

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
    """From now on figures are for light pages and print ("light"), or for "dark" pages."""
    _look.set(choice("plot", "look", look, LOOKS))


def look_in_use() -> str:
    return _look.get()


@contextmanager
def style() -> Iterator[None]:
    """The look, for what is drawn inside; the settings from outside come back after it."""
    with rc_context(_SETTINGS):
        yield


def line_look(index: int, count: int) -> dict[str, Any]:
    """Colour and width of curve ``index`` of ``count``; many curves run through a scale of colours instead.

    Of a few curves the first is the widest, so that one that coincides with it does not hide it.
    """
    if count > len(COLOURS):
        from matplotlib import colormaps

        return {"color": colormaps["viridis"](0.92 * index / (count - 1)), "linewidth": 1.2}
    return {"color": COLOURS[index], "linewidth": 1.3 + 0.3 * (min(count, 4) - 1 - min(index, 3))}


class Picture(Figure):
    """A figure that notebooks show as it is, without a window or pyplot."""

    def _repr_png_(self) -> bytes:
        with io.BytesIO() as buffer, style():
            self.savefig(buffer, format="png")
            return buffer.getvalue()


def new_figure(width: float, height: float, title: str | None) -> Figure:
    """An empty figure [inches] that places its panels itself and needs no window."""
    figure = Picture(figsize=(width, height), dpi=DPI, layout="constrained")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold", color=INK)
    return figure


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write ``figure`` to ``path`` (its ending says the format), whole or not at all."""
    # The format is read off the ending, so the name for now must keep it.
    with atomic_write(path, Path(path).suffix) as part, style():
        figure.savefig(part)
    return Path(path)
