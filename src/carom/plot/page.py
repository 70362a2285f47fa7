"""The sheet a figure is drawn on: the keywords that every figure takes, and what becomes of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypedDict

from matplotlib.figure import Figure

from carom.errors import choice
from carom.plot.night import darken
from carom.plot.style import LOOKS, look_in_use, new_figure, save_figure, style


class Page(TypedDict, total=False):
    """``title`` stands above the figure, ``size`` is (width, height) in inches, ``path`` a file to write as well.

    ``look`` is "light" or "dark", for this figure alone; `carom.plot.use` says it for all.
    """

    title: str | None
    size: tuple[float, float] | None
    path: str | os.PathLike[str] | None
    look: str | None


@contextmanager
def new_page(
    width: float,
    height: float,
    heading: str,
    *,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    path: str | os.PathLike[str] | None = None,
    look: str | None = None,
) -> Iterator[Figure]:
    """A figure to draw into, ``width`` by ``height`` [inches] under ``heading`` unless `Page` says otherwise."""
    chosen = look_in_use() if look is None else choice("plot", "look", look, LOOKS)
    with style():
        figure = new_figure(*(size or (width, height)), heading if title is None else title)
        yield figure
        if chosen == "dark":
            darken(figure)
    if path is not None:
        save_figure(figure, path)
