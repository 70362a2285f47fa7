"""Figure of the design of a bumper: forces over the travel, and the smallest force over the damping."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from carom.study.optimize import Optimum

POINTS = 400
"""Number of points of a curve."""
BESIDE_EVENT = 1e-3
"""Distance from onset and end of an impact, relative to its duration [-]."""


def extra_figures(
    design: Callable[[], Optimum], mass: float, speed: float, stroke: float
) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``design`` returns the optimum."""
    return {"design": lambda result: draw_design(result, design(), mass, speed, stroke)}


def draw_design(result: Result, best: Optimum, mass: float, speed: float, stroke: float) -> Figure:
    """Plot the force over the travel for the first design and the optimum, and the force of other damping ratios."""
    from carom.plot.figure_options import open_figure

    with open_figure(9.0, 4.0, "Bumper: the smallest peak force within the stroke") as figure:
        loops, ratios = figure.subplots(1, 2)
        draw_loops(loops, {"first design": result, "optimum": best.result}, mass * speed**2 / (2.0 * stroke), stroke)
        draw_ratios(ratios, best, mass, speed, stroke)
    return figure


def draw_loops(axes: Axes, runs: dict[str, Result], constant_force: float, stroke: float) -> None:
    """Draw the force over the travel during the first impact; the ideal is a constant force over the stroke."""
    import numpy as np

    from carom.plot.overlay import with_line_styles
    from carom.plot.panels import curve_legend, label_axis
    from carom.plot.style import FAINT

    axes.plot([0.0, stroke, stroke], [constant_force, constant_force, 0.0], color=FAINT, linewidth=0.8, linestyle="--",
              label="constant force")  # fmt: skip
    for result, style in with_line_styles(runs):
        for impact in result.impacts[:1]:
            fractions = np.linspace(0.0, 1.0, POINTS)
            fractions[[0, -1]] = BESIDE_EVENT, 1.0 - BESIDE_EVENT  # the force jumps there
            contact = result.sample(impact.t_start + fractions * impact.duration)["bumper"]
            axes.plot([0.0, *contact.indentation], [0.0, *contact.normal_force], **style)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["travel"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["force"], "N")
    curve_legend(axes)


def draw_ratios(axes: Axes, best: Optimum, mass: float, speed: float, stroke: float) -> None:
    """Draw the peak force of bumpers that use the whole stroke over their damping ratio, in closed form."""
    import numpy as np

    from carom.plot.panels import curve_legend, label_axis
    from carom.plot.style import COLOURS

    ratios = np.linspace(0.0, 1.0, POINTS)
    # The travel of a unit stiffness and mass scales with 1/ω: ω = v/s (travel of the unit bumper at unit speed).
    units = [KelvinVoigt(1.0, 2.0 * ratio).impact(1.0, 1.0) for ratio in ratios]
    forces = np.array([unit.peak_force * unit.max_indentation for unit in units]) * mass * speed**2 / stroke
    axes.plot(ratios, forces, color=COLOURS[0], label="closed form")
    ratio = 0.5 * best["damping"] / math.sqrt(best["stiffness"] * mass)
    axes.plot(ratio, best.objective, color=COLOURS[1], linestyle="none", marker="o", label=f"optimum, ζ = {ratio:.4f}")
    axes.set_xlabel("damping ratio ζ [-]")
    axes.set_ylim(0.0)
    label_axis(axes.yaxis, (0.0, float(forces.max())), ["peak force"], "N")
    curve_legend(axes)
