"""Keyword options that every figure takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypedDict

from matplotlib.figure import Figure

from carom.argument_checks import one_of
from carom.plot.dark_theme import apply_dark_theme
from carom.plot.style import LOOKS, current_look, new_figure, save_figure, style, using


class FigureOptions(TypedDict, total=False):
    """Options of a figure: ``title`` above it, ``size`` (width, height) [inches], ``path`` of a file to write.

    ``look`` is "light" or "dark" for this figure; `carom.plot.use` sets it for all figures.
    """

    title: str | None
    size: tuple[float, float] | None
    path: str | os.PathLike[str] | None
    look: str | None


@contextmanager
def open_figure(
    width: float,
    height: float,
    heading: str,
    *,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    path: str | os.PathLike[str] | None = None,
    look: str | None = None,
) -> Iterator[Figure]:
    """Open a figure of ``width`` by ``height`` [inches] under ``heading``; `FigureOptions` override these.

    The look is applied and the file written when the context ends.
    """
    used_look = current_look() if look is None else one_of("plot", "look", look, LOOKS)
    with style(), using(used_look):
        figure = new_figure(*(size or (width, height)), heading if title is None else title)
        yield figure
        if used_look == "dark":
            apply_dark_theme(figure)
    if path is not None:
        save_figure(figure, path)
