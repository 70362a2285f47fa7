"""Restitution of contact laws in a free impact."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import CaromWarning, ModelError
from carom.laws import LAWS
from carom.laws.normal.base import NormalLaw
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.overlay import legend_below, with_line_styles
from carom.plot.style import FAINT

POINTS = 81
"""Number of prescribed restitutions between 0 and 1."""


def plot_restitution(*laws: str | type[NormalLaw], **options: Unpack[FigureOptions]) -> Figure:
    """Plot the restitution of a free impact over the prescribed one; an exact law lies on the diagonal.

    ``laws`` are names or classes of laws with a restitution parameter (default: all of them). ``options`` are those of
    `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> figure = cm.plot.plot_restitution("flores", "hunt_crossley")
    >>> len(figure.axes)
    1
    """
    selected = {kind.name.replace("_", " "): kind for kind in _kinds(laws)}
    with open_figure(5.4, 5.2, "Restitution: prescribed and returned", **options) as figure:
        draw_restitution(figure.subplots(), selected)
        legend_below(figure, columns=3)
    return figure


def draw_restitution(axes: Axes, laws: dict[str, Any]) -> None:
    """Draw the curves of ``laws`` into ``axes``."""
    prescribed = np.linspace(0.0, 1.0, POINTS)
    axes.plot([0.0, 1.0], [0.0, 1.0], color=FAINT, linewidth=0.8, linestyle="-.")
    for kind, style in with_line_styles(laws):
        axes.plot(prescribed, [_returned(kind, float(c)) for c in prescribed], **style)
    axes.set_aspect("equal")
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.02)
    axes.set_xlabel("restitution prescribed [1]")
    axes.set_ylabel("restitution returned [1]")


def _returned(kind: type[NormalLaw], restitution: float) -> float:
    """Return the restitution of a free impact; NaN if the law does not allow the prescribed value."""
    with warnings.catch_warnings():
        # The figure itself shows the deviation that the warning would report.
        warnings.simplefilter("ignore", CaromWarning)
        try:
            law = kind(stiffness=1e8, restitution=restitution)  # type: ignore[call-arg]
        except ModelError:
            return math.nan
        return float(law.returned_restitution())


def _kinds(laws: Sequence[str | type[NormalLaw]]) -> list[type[NormalLaw]]:
    """Return the classes of ``laws``; all laws with a restitution if there are none."""
    required, known = {"stiffness", "restitution"}, {"stiffness", "restitution", "exponent", "exact"}
    available = {name: kind for name, kind in LAWS.items() if required <= set(kind.arguments) <= known}
    if not laws:
        return list(available.values())
    kinds = []
    for law in laws:
        kind = available.get(law) if isinstance(law, str) else law
        if kind is None or kind not in available.values():
            raise ModelError(f"plot: expected laws with a restitution, got {law!r}; choose from {', '.join(available)}")
        kinds.append(kind)
    return kinds
