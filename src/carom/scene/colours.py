"""Colours of bodies and curves, shared by figures, reports and the viewer."""

from __future__ import annotations

from collections.abc import Sequence

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#56B4E9", "#000000", "#E69F00", "#CC79A7")
"""Palette of Okabe and Ito, in the order that colour-blind readers distinguish best."""
BLACK = "#000000"

INK, PAPER, FAINT = "ink", "paper", "faint"
"""Colours of a scene that depend on the light or dark theme; all others are "#rrggbb"."""
LIGHT_THEME = {INK: (40, 40, 40), PAPER: (255, 255, 255), FAINT: (150, 150, 150)}

MAX_DISTINCT = 40
"""Number of bodies beyond which colours of the palette are repeated."""


def palette_colour(index: int, count: int) -> str:
    """Return colour ``index`` of ``count``; more colours than the palette has are taken from a continuous scale."""
    if count <= len(COLOURS):
        return COLOURS[index]
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return str(to_hex(colormaps["viridis"](0.92 * index / (count - 1))))


def body_colours(names: Sequence[str]) -> dict[str, str]:
    """Return the colour "#rrggbb" of each body."""
    if len(names) > MAX_DISTINCT:
        cycle = [colour for colour in COLOURS if colour != BLACK]
        return {name: cycle[k % len(cycle)] for k, name in enumerate(names)}
    return {name: palette_colour(k, len(names)).lower() for k, name in enumerate(names)}


def rgb(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue (0 … 255) of a colour of a scene in the light theme."""
    if colour in LIGHT_THEME:
        return LIGHT_THEME[colour]
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue
