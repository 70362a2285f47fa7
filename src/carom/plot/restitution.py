"""What comes back of an impact: restitution of contact laws."""

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
from carom.plot.overlay import name_below, overlaid
from carom.plot.page import Page, new_page
from carom.plot.style import FAINT

POINTS = 81


def plot_restitution(*laws: str | type[NormalLaw], **page: Unpack[Page]) -> Figure:
    """Restitution that a free impact really has, over the one prescribed; a law that keeps its word is the diagonal.

    ``laws`` are names or classes of laws that take a restitution (default: all of them). ``page`` is as in
    `plot_result`.
    """
    chosen = {kind.name.replace("_", " "): kind for kind in _kinds(laws)}
    with new_page(5.4, 5.2, "Restitution: prescribed and returned", **page) as figure:
        draw_restitution(figure.subplots(), chosen)
        name_below(figure, columns=3)
    return figure


def draw_restitution(axes: Axes, laws: dict[str, Any]) -> None:
    """The curves of ``laws`` into ``axes``."""
    prescribed = np.linspace(0.0, 1.0, POINTS)
    axes.plot([0.0, 1.0], [0.0, 1.0], color=FAINT, linewidth=0.8, linestyle="-.")
    for kind, look in overlaid(laws):
        axes.plot(prescribed, [_returned(kind, float(c)) for c in prescribed], **look)
    axes.set_aspect("equal")
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.02)
    axes.set_xlabel("restitution prescribed [1]")
    axes.set_ylabel("restitution returned [1]")


def _returned(kind: type[NormalLaw], restitution: float) -> float:
    """Not a number where the law takes no such restitution."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)  # that a law returns something else is what the figure shows
        try:
            law = kind(stiffness=1e8, restitution=restitution)  # type: ignore[call-arg]
        except ModelError:
            return math.nan
        return float(law.returned_restitution())


def _kinds(laws: Sequence[str | type[NormalLaw]]) -> list[type[NormalLaw]]:
    needed, known = {"stiffness", "restitution"}, {"stiffness", "restitution", "exponent", "exact"}
    able = {name: kind for name, kind in LAWS.items() if needed <= set(kind.arguments) <= known}
    if not laws:
        return list(able.values())
    found = []
    for law in laws:
        kind = able.get(law) if isinstance(law, str) else law
        if kind is None or kind not in able.values():
            raise ModelError(f"plot: expected laws that take a restitution, {', '.join(able)}, got {law!r}")
        found.append(kind)
    return found
