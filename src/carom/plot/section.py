"""Poincaré section: points of a motion against each other, or each against the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from matplotlib.figure import Figure

from carom.plot.page import Page, new_page
from carom.plot.style import COLOURS, FAINT

MANY = 5000
"""Points beyond which they are stored as pixels."""


def plot_section(points: np.ndarray, names: Sequence[str], **page: Unpack[Page]) -> Figure:
    """The first two columns of ``points`` against each other; of a single column, each point against the next.

    ``names`` are those of the columns. ``page`` is as in `plot_result`.
    """
    single = points.shape[1] == 1
    x, y = (points[:-1, 0], points[1:, 0]) if single else (points[:, 0], points[:, 1])
    labels = (f"{names[0]}, this one", f"{names[0]}, the next") if single else (names[0], names[1])
    with new_page(5.2, 4.6, "Section", **page) as figure:
        axes = figure.subplots()
        if single and len(x):
            ends = [min(x.min(), y.min()), max(x.max(), y.max())]
            axes.plot(ends, ends, color=FAINT, linewidth=0.8, linestyle="--")
        pixels = len(x) > MANY
        axes.plot(
            x, y, ".", color=COLOURS[0], markersize=1.6 if pixels else 4.0, markeredgewidth=0.0, rasterized=pixels
        )
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.margins(0.05)
    return figure
