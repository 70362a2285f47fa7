"""Figure of the identification from a drop test: recorded and fitted force, and the confidence region."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from carom.study.fitting.fit_result import FitResult

TOUCH, FORCE = "plate", "plate.normal_force"


def extra_figures(law: KelvinVoigt, identification: Callable[[], FitResult]) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``identification`` returns the fit to the record of a pad with ``law``."""
    return {"identification": lambda _: draw_identification(law, identification())}


def draw_identification(law: KelvinVoigt, fit: FitResult) -> Figure:
    """Plot record and fit over the time since the onset, and both parameters with their confidence region."""
    from carom.plot.figure_options import open_figure

    with open_figure(9.0, 3.8, "Drop test: stiffness and restitution from the recorded force") as figure:
        forces, region = figure.subplots(1, 2, width_ratios=(3, 2))
        draw_record(forces, fit)
        draw_region(region, law, fit)
    return figure


def draw_record(axes: Axes, fit: FitResult) -> None:
    """Draw the recorded forces and those of the fitted model."""
    from carom.plot.contact_history import TIME_SINCE_ONSET
    from carom.plot.panels import curve_legend, label_time, label_values
    from carom.plot.style import COLOURS

    times, onset = fit.data.t, fit.result.impacts[0].t_start
    axes.plot(times - onset, fit.data.columns[FORCE], ".", color=COLOURS[0], markersize=4.0, label="record")
    model = fit.result.sample(times)[TOUCH].normal_force
    axes.plot(times - onset, model, color=COLOURS[1], label="fitted model")
    label_values(axes, ["normal force"], "N")
    label_time(axes, TIME_SINCE_ONSET)
    curve_legend(axes)


def draw_region(axes: Axes, law: KelvinVoigt, fit: FitResult) -> None:
    """Draw the ellipse that contains both parameters with the confidence of the fit."""
    import numpy as np

    from carom.plot.panels import curve_legend, label_axis
    from carom.plot.style import COLOURS

    radius = math.sqrt(-2.0 * math.log(1.0 - fit.confidence))  # χ² with two degrees of freedom: p = 1 − exp(−r²/2)
    angle = np.linspace(0.0, 2.0 * math.pi, 181)
    circle = radius * np.array([np.cos(angle), np.sin(angle)])
    centre = np.array([fit["stiffness"], fit["restitution"]])
    stiffness, restitution = centre[:, None] + np.linalg.cholesky(fit.covariance) @ circle
    axes.plot(stiffness, restitution, color=COLOURS[1], label=f"{100.0 * fit.confidence:g} % region")
    axes.plot(*centre, "+", color=COLOURS[1], label="fit")
    axes.plot(law.stiffness, law.returned_restitution(), "o", color=COLOURS[0], markersize=4.0, label="true")
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["stiffness"], "N/m")
    axes.set_ylabel("restitution [-]")
    curve_legend(axes)
