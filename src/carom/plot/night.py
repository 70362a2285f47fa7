"""Figures for dark pages: the same figure in other colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import Collection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.table import Cell
from matplotlib.text import Text

PAPER, INK, FAINT, GRID = "#16191d", "#e6e8ea", "#8d959e", "#343a42"
NIGHT = {
    "#ffffff": PAPER,
    "#000000": INK,
    "#222222": INK,
    "#8a8a8a": FAINT,
    "#dddddd": GRID,
    "#eeeeee": "#2a2f36",
    "#0072b2": "#4ba3dd",
    "#d55e00": "#f08a3c",
    "#009e73": "#2cc295",
    "#56b4e9": "#8fd0f5",
    "#e69f00": "#f0c040",
    "#cc79a7": "#e3a1c6",
}
"""What a colour by day becomes; others stay."""


def darken(figure: Figure) -> None:
    """Turn the colours of a figure to those for the night."""
    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            artist.set_color(turned(artist.get_color()))
            artist.set_markerfacecolor(turned(artist.get_markerfacecolor()))
            artist.set_markeredgecolor(turned(artist.get_markeredgecolor()))
        elif isinstance(artist, Text):
            artist.set_color(turned(artist.get_color()))
        elif isinstance(artist, Patch):
            face, edge = turned(artist.get_facecolor()), turned(artist.get_edgecolor())
            artist.set_facecolor(face)
            artist.set_edgecolor(edge)
            if isinstance(artist, Cell):  # its text is no child of it
                artist.get_text().set_color(turned(artist.get_text().get_color()))
        elif isinstance(artist, Collection):
            _turn_many(artist)
    for axes in figure.get_axes():
        for axis in (axes.xaxis, axes.yaxis, *([axes.zaxis] if hasattr(axes, "zaxis") else [])):
            shown: Any = axis.get_tick_params()
            colour = turned(shown.get("labelcolor", shown.get("color", "#222222")))
            axis.set_tick_params(colors=colour, grid_color=GRID)


def turned(colour: Any) -> Any:
    """A colour by night, with the opacity that it had."""
    if isinstance(colour, str) and colour in ("none", "auto"):
        return colour
    red, green, blue, alpha = to_rgba(colour)
    name = NIGHT.get(to_hex((red, green, blue)))
    return colour if name is None else to_rgba(name, alpha)


def _turn_many(artist: Collection) -> None:
    """Faces in space hand out their colours in the order of their depth, and keep them in their own."""
    faces: Any = getattr(artist, "_facecolor3d", artist.get_facecolor())
    edges: Any = getattr(artist, "_edgecolor3d", artist.get_edgecolor())
    for colours, put in ((faces, artist.set_facecolor), (edges, artist.set_edgecolor)):
        found = [turned(tuple(colour)) for colour in np.atleast_2d(np.asarray(colours)) if len(colour)]
        if found:
            put(found)
