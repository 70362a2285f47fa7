"""Figures of the site in a light and a dark theme, and the Markdown that includes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from matplotlib.figure import Figure

from carom.plot import save_figure
from carom.plot.dark_theme import apply_dark_theme
from carom.plot.style import FAINT, INK, new_figure, style

BLUE, RED, GREEN = "#0072B2", "#D55E00", "#009E73"
__all__ = ["BLUE", "FAINT", "GREEN", "INK", "RED", "keep", "picture", "sheet"]


@contextmanager
def sheet(width: float, height: float) -> Iterator[Figure]:
    """An empty figure [inches] in the look of the library."""
    with style():
        yield new_figure(width, height, None)


def keep(figure: Figure, path: Path) -> None:
    """Write ``figure`` twice: ``path``.png and, for dark pages, ``path``-dark.png."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, path.with_suffix(".png"))
    figure.set_layout_engine("none")  # everything has its place
    apply_dark_theme(figure)
    save_figure(figure, path.with_name(f"{path.name}-dark.png"))


def picture(name: str, alt: str) -> str:
    """The figure ``name`` that `keep` wrote beside the page."""
    return f"![{alt}]({name}.png#only-light)\n![{alt}]({name}-dark.png#only-dark)\n"
