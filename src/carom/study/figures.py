"""Figures of studies: fits, bounces, sensitivities and tolerance checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.plot.figure_options import open_figure
from carom.plot.panels import curve_legend, label_time, label_values
from carom.plot.style import COLOURS, FAINT, INK, line_style
from carom.result.series import current_quantity
from carom.study.fitting.measured_data import IMPACTS
from carom.study.fitting.prediction import impact_quantity, measurable_impacts, series_for_column
from carom.study.tolerance_check import ROUNDING_RATIO

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from carom.study.fitting.bounce_times import BounceFit
    from carom.study.fitting.fit_result import FitResult
    from carom.study.sensitivity import Sensitivity
    from carom.study.tolerance_check import ToleranceCheck

MANY_SAMPLES = 400
"""Number of samples from which data are drawn as small dots."""
MAX_TITLE = 60
"""Largest number of characters for the estimates in a title."""


def plot_fit(fit: FitResult, **page: Any) -> Figure:
    """Plot data, model and residuals of every column; ``page`` is as in `plot_result`."""
    names = list(fit.data.columns)
    values = ", ".join(f"{e.name.rpartition('.')[2]} {e.value:.4g} ± {(e.high - e.low) / 2:.1g}" for e in fit.estimates)
    model = Path(fit.subject).name
    title = f"Fit of {model}: {values}" if len(values) < MAX_TITLE else f"Fit of {model}"
    with open_figure(7.0, 0.6 + 3.0 * len(names), title, **page) as figure:
        axes = figure.subplots(
            2 * len(names), 1, squeeze=False, gridspec_kw={"height_ratios": [3.0, 1.0] * len(names)}
        )[:, 0]
        for k, name in enumerate(names):
            draw_column(axes[2 * k], axes[2 * k + 1], fit, name)
        axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)
    return figure


def draw_column(above: Axes, below: Axes, fit: FitResult, name: str) -> None:
    """Draw one column, and below it its residuals relative to the noise."""
    data = fit.data.columns[name]
    z = fit.residuals[name] / fit.sigma[name]
    if name.startswith(f"{IMPACTS}."):
        sample_numbers, quantity = 1.0 + np.arange(len(data)), name.partition(".")[2]
        impacts = measurable_impacts(fit.result, fit.data.contact)
        model = impact_quantity(impacts, quantity, len(data), float(fit.result.t[-1]))
        above.plot(sample_numbers, model, "_", color=COLOURS[1], markersize=14.0, markeredgewidth=2.0, label="model")
        above.plot(sample_numbers, data, "o", color=COLOURS[0], markersize=4.0, label="data")
        below.plot(sample_numbers, z, "o", color=COLOURS[0], markersize=3.0)
        above.set_ylabel(quantity.replace("_", " "))
        below.set_xlabel("impact")
    else:
        t = fit.data.t
        dot: dict[str, Any] = {"marker": "o", "linestyle": "", "color": COLOURS[0]}
        dot["markersize"] = 3.0 if len(t) < MANY_SAMPLES else 1.5
        unused = np.isnan(fit.residuals[name]) & np.isfinite(data)
        above.plot(t, data, label="data", **dot)
        above.plot(t[unused], data[unused], "x", color=FAINT, markersize=5.0)
        above.plot(fit.result.t, series_for_column(fit.result, name), color=COLOURS[1], label="model")
        owner, _, quantity = name.rpartition(".")
        if owner == "energy":
            unit = "J"
        else:
            series = fit.result[owner]
            quantity = current_quantity(series, quantity)
            unit = series.units.get(quantity, "N")
        label_values(above, [quantity], unit)
        above.set_title(owner, loc="left", color=INK)
        below.plot(t, z, **dot)
        below.set_xlim(above.get_xlim())
        above.tick_params(labelbottom=False)
        label_time(below)
    below.axhline(0.0, color=FAINT, linewidth=0.8)
    for limit in (-2.0, 2.0):
        below.axhline(limit, color=FAINT, linewidth=0.6, linestyle=":")
    below.set_ylabel("residual [σ]")


def plot_bounce(fit: BounceFit, **page: Any) -> Figure:
    """Plot the restitution over the approach speed, from pairs of flights and by the fit, and the residuals."""
    single = np.diff(fit.number) == 1
    flights = np.where(single, np.diff(fit.times), np.nan)
    with np.errstate(invalid="ignore"):
        ratios = flights[1:] / flights[:-1]
    speeds = fit.gravity * flights[:-1] / 2.0
    with open_figure(7.0, 5.0, "Restitution from impact times", **page) as figure:
        above, below = figure.subplots(2, 1, gridspec_kw={"height_ratios": [2.0, 1.0]})
        above.plot(speeds, ratios, "o", color=COLOURS[0], markersize=4.0, label="ratio of successive flights")
        fine = np.linspace(0.0, 1.05 * float(fit.speeds[0]), 200)[1:]
        above.plot(fine, fit.restitution(fine), color=COLOURS[1], label="fit")
        above.set_xlabel("approach speed [m/s]")
        above.set_ylabel("restitution [-]")
        above.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)
        below.axhline(0.0, color=FAINT, linewidth=0.8)
        below.plot(fit.number + 1, 1e3 * fit.residuals, "o", color=COLOURS[0], markersize=4.0)
        below.set_xlabel("impact")
        below.set_ylabel("residual [ms]")
    return figure


def plot_sensitivity(sensitivity: Sensitivity, **page: Any) -> Figure:
    """Plot bars with intervals of 95 %, the most important parameter first; ``page`` is as in `plot_result`."""
    names = sensitivity.ranking
    rows = np.arange(len(names))
    model = f" of {sensitivity.name}" if sensitivity.measure != sensitivity.name else ""
    title = f"Sensitivity of {sensitivity.measure}{model}"
    is_morris = sensitivity.method == "morris"
    width, height = 8.6 if is_morris else 6.6, 1.4 + 0.45 * len(names) + (1.4 if is_morris else 0.0)
    with open_figure(width, height, title, **page) as figure:
        axes = figure.subplots(1, 2 if is_morris else 1, squeeze=False)[0]
        bars = axes[0]
        indices = [("mu_star", "mean change μ*")] if is_morris else [("ST", "total, ST"), ("S1", "first order, S1")]
        thickness = 0.7 / len(indices)
        for k, (key, label) in enumerate(indices):
            at = rows + (k - (len(indices) - 1) / 2.0) * thickness
            bars.barh(
                at, [sensitivity[name][key] for name in names], thickness, color=COLOURS[k], label=label,
                xerr=[sensitivity[name][f"{key}_conf"] for name in names],
                error_kw={"ecolor": INK, "elinewidth": 0.9},
            )  # fmt: skip
        bars.set_yticks(rows, names)
        bars.invert_yaxis()
        bars.grid(visible=False, axis="y")
        bars.set_xlabel("mean change over the range, μ*" if is_morris else "fraction of the variance [-]")
        if is_morris:
            draw_morris_plane(axes[1], sensitivity)
        else:
            bars.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)
    return figure


def draw_morris_plane(axes: Axes, sensitivity: Sensitivity) -> None:
    """Draw the standard deviation σ of the elementary effects over their mean magnitude μ*."""
    for k, name in enumerate(sensitivity.ranking):
        point = sensitivity[name]["mu_star"], sensitivity[name]["sigma"]
        axes.plot(*point, "o", color=COLOURS[k % len(COLOURS)])
        axes.annotate(name, point, (5, 3), textcoords="offset points", fontsize=8)
    axes.margins(0.25)
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("mean change μ*")
    axes.set_ylabel("standard deviation σ")


def plot_tolerance_check(check: ToleranceCheck, **page: Any) -> Figure:
    """Plot the differences of all series over time on a logarithmic scale; ``page`` is as in `plot_result`."""
    with open_figure(7.0, 3.6, f"{check.name}: {check.settings[0]} against {check.settings[1]}", **page) as figure:
        axes = figure.subplots()
        for k, (name, values) in enumerate(check.difference.items()):
            style = line_style(k, len(check.difference))
            axes.semilogy(check.t, np.maximum(values, ROUNDING_RATIO), label=name, **style)
        axes.axhline(check.threshold, color=FAINT, linewidth=0.8, linestyle="-.")
        if not check.valid_to_end:
            axes.axvline(check.horizon, color=FAINT, linewidth=0.8, linestyle="-.")
        axes.set_ylabel("difference relative to range [-]")
        label_time(axes)
        curve_legend(axes)
    return figure
