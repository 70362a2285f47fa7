"""Figures 3 to 7 of Machado et al. (2012)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.gallery.case_variants import AUTHORS
from carom.gallery.figures.impact_curves import impact_figure
from carom.laws import LAWS
from carom.laws.normal.hysteretic import Hysteretic
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Runs = Callable[[tuple[str, ...], Result], dict[str, Result]]

TOUCH = "touch"
MAX_FACTOR = 6.0
"""Upper limit of the axis of hysteresis factors, some of which are unbounded."""


def extra_figures(runs: Runs) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``runs`` returns the runs with several laws from one run."""

    def hertz(result: Result) -> Figure:
        return impact_figure(runs(("hertz",), result), TOUCH, "Impact of two spheres: Hertz", time_plot="Hertz")

    def hunt_crossley(result: Result) -> Figure:
        results = runs(("hertz", "hunt_crossley"), result)
        return impact_figure(results, TOUCH, "Impact of two spheres: Hunt and Crossley", time_plot="Hunt–Crossley")

    def first_laws(result: Result) -> Figure:
        results = runs(("hertz", "hunt_crossley", "herbert_mcwhannell", "lee_wang"), result)
        return impact_figure(results, TOUCH, "Impact of two spheres: early damped laws")

    def later_laws(result: Result) -> Figure:
        names = ("hertz", "hunt_crossley", "lankarani_nikravesh", "gonthier", "zhiying_qishao", "flores")
        return impact_figure(runs(names, result), TOUCH, "Impact of two spheres: later damped laws")

    return {"C3": hertz, "C4": hunt_crossley, "C5": first_laws, "C6": later_laws, "C7": hysteresis_factors}


def hysteresis_factors(_: Result) -> Figure:
    """Plot the hysteresis factor over the restitution for unit stiffness and unit approach speed."""
    import numpy as np

    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below, with_line_styles

    restitution = np.linspace(0.0, 1.0, 201)
    laws = {
        AUTHORS[kind.name]: kind(stiffness=1.0, restitution=1.0)
        for kind in LAWS.values()
        if issubclass(kind, Hysteretic) and kind.name in AUTHORS
    }
    with open_figure(6.4, 4.4, "Hysteresis factor of the dissipative laws") as figure:
        axes = figure.subplots()
        for law, style in with_line_styles(laws):
            c = restitution[1:] if law.singular_at_zero else restitution
            axes.plot(c, [law.factor(value) for value in c], **style)
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, MAX_FACTOR)
        axes.set_xlabel("restitution [-]")
        axes.set_ylabel("hysteresis factor for K = 1, v = 1 [N s/m$^{2.5}$]")
        legend_below(figure)
    return figure
