"""Figure 12 of Machado et al. (2012)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CARTILAGE = "cartilage"
LAWS = ("hertz", "hunt_crossley", "lankarani_nikravesh", "gonthier", "flores")


def extra_figures(
    runs: Callable[[tuple[str, ...], Result], dict[str, Result]],
) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``runs`` returns the runs with several laws from one run."""
    return {"C12": lambda result: contact_figure(runs(LAWS, result))}


def contact_figure(runs: dict[str, Result]) -> Figure:
    """Plot the contact force over time and over the indentation."""
    from carom.plot.compare import draw_series
    from carom.plot.contact_data import contact_samples
    from carom.plot.figure_options import open_figure
    from carom.plot.hysteresis_loop import draw_loop
    from carom.plot.overlay import legend_below

    with open_figure(9.0, 4.0, "Contact of femur and tibia: five laws") as figure:
        first, second = figure.subplots(1, 2)
        draw_series(first, runs, f"{CARTILAGE}.normal_force")
        draw_loop(second, {name: contact_samples(result, CARTILAGE) for name, result in runs.items()})
        for letter, axes in zip("ab", (first, second), strict=True):
            axes.set_title(f"({letter})", loc="left")
        legend_below(figure, columns=5)
    return figure
