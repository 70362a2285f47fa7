"""Dark theme: replaces the colours of a figure for dark pages."""

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

from carom.scene import colours as scene_colours

PAPER, INK, FAINT, GRID = "#16191d", "#e6e8ea", "#8d959e", "#343a42"
DARK_COLOURS = {
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
"""Colour of the dark theme by colour of the light theme; other colours do not change."""


def apply_dark_theme(figure: Figure) -> None:
    """Replace the colours of a figure by those of the dark theme."""
    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            artist.set_color(dark_colour(artist.get_color()))
            artist.set_markerfacecolor(dark_colour(artist.get_markerfacecolor()))
            artist.set_markeredgecolor(dark_colour(artist.get_markeredgecolor()))
        elif isinstance(artist, Text):
            artist.set_color(dark_colour(artist.get_color()))
        elif isinstance(artist, Patch):
            face, edge = dark_colour(artist.get_facecolor()), dark_colour(artist.get_edgecolor())
            artist.set_facecolor(face)
            artist.set_edgecolor(edge)
            if isinstance(artist, Cell):  # the text of a cell is not among its children
                artist.get_text().set_color(dark_colour(artist.get_text().get_color()))
        elif isinstance(artist, Collection):
            _darken_collection(artist)
    for axes in figure.get_axes():
        for axis in (axes.xaxis, axes.yaxis, *([axes.zaxis] if hasattr(axes, "zaxis") else [])):
            parameters: Any = axis.get_tick_params()
            colour = dark_colour(parameters.get("labelcolor", parameters.get("color", "#222222")))
            axis.set_tick_params(colors=colour, grid_color=GRID)


def dark_colour(colour: Any) -> Any:
    """Return a colour of the dark theme with the opacity of ``colour``."""
    if isinstance(colour, str) and colour in ("none", "auto"):
        return colour
    red, green, blue, alpha = to_rgba(colour)
    name = DARK_COLOURS.get(to_hex((red, green, blue)))
    return colour if name is None else to_rgba(name, alpha)


def _darken_collection(artist: Collection) -> None:
    """Replace the colours of all faces and edges of a collection."""
    # A 3D collection returns its colours sorted by depth, but expects them in the order of its faces.
    faces: Any = getattr(artist, "_facecolor3d", artist.get_facecolor())
    edges: Any = getattr(artist, "_edgecolor3d", artist.get_edgecolor())
    for colours, set_colours in ((faces, artist.set_facecolor), (edges, artist.set_edgecolor)):
        dark = [dark_colour(tuple(colour)) for colour in np.atleast_2d(np.asarray(colours)) if len(colour)]
        if dark:
            set_colours(dark)


def scene_colour(colour: str, is_dark: bool) -> tuple[float, ...]:
    """Return red, green and blue (0 … 1) of a colour of a scene in the light or dark theme."""
    named = {scene_colours.INK: INK, scene_colours.PAPER: PAPER, scene_colours.FAINT: FAINT}
    shown = named.get(colour, dark_colour(colour)) if is_dark else colour
    return tuple(part / 255.0 for part in scene_colours.rgb(shown))
