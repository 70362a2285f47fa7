"""A fit beside its data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.plot.figure_options import open_figure
from carom.plot.panels import label_time, label_values
from carom.plot.style import COLOURS, FAINT, INK
from carom.study.comparison import impacts_seen, of_impacts, series_of
from carom.study.measured import IMPACTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from carom.study.fitted import Fit

DENSE = 400
"""Samples from which on data are drawn as small dots."""


def plot_fit(fit: Fit, **page: Any) -> Figure:
    """Data, model and residuals for every column; ``page`` is as in `plot_result`."""
    names = list(fit.data.columns)
    found = ", ".join(f"{e.name.rpartition('.')[2]} {e.value:.4g} ± {(e.high - e.low) / 2:.1g}" for e in fit.estimates)
    name = Path(fit.subject).name
    title = f"Fit of {name}: {found}" if len(found) < 60 else f"Fit of {name}"
    with open_figure(7.0, 0.6 + 3.0 * len(names), title, **page) as figure:
        axes = figure.subplots(
            2 * len(names), 1, squeeze=False, gridspec_kw={"height_ratios": [3.0, 1.0] * len(names)}
        )[:, 0]
        for k, name in enumerate(names):
            draw_column(axes[2 * k], axes[2 * k + 1], fit, name)
        axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)
    return figure


def draw_column(above: Axes, below: Axes, fit: Fit, name: str) -> None:
    """One column and its residuals, these in units of the noise."""
    seen = fit.data.columns[name]
    z = fit.residuals[name] / fit.sigma[name]
    if name.startswith(f"{IMPACTS}."):
        number = 1.0 + np.arange(len(seen))
        told = of_impacts(impacts_seen(fit.result, fit.data.contact), name.partition(".")[2], len(seen),
                          float(fit.result.t[-1]))  # fmt: skip
        above.plot(number, told, "_", color=COLOURS[1], markersize=14.0, markeredgewidth=2.0, label="model")
        above.plot(number, seen, "o", color=COLOURS[0], markersize=4.0, label="data")
        below.plot(number, z, "o", color=COLOURS[0], markersize=3.0)
        above.set_ylabel(name.partition(".")[2].replace("_", " "))
        below.set_xlabel("impact")
    else:
        t = fit.data.t
        dot: dict[str, Any] = {"marker": "o", "linestyle": "", "color": COLOURS[0]}
        dot["markersize"] = 3.0 if len(t) < DENSE else 1.5
        left_out = np.isnan(fit.residuals[name]) & np.isfinite(seen)
        above.plot(t, seen, label="data", **dot)
        above.plot(t[left_out], seen[left_out], "x", color=FAINT, markersize=5.0)
        above.plot(fit.result.t, series_of(fit.result, name), color=COLOURS[1], label="model")
        owner, _, quantity = name.rpartition(".")
        unit = "J" if owner == "energy" else fit.result[owner].units.get(quantity, "N")
        label_values(above, [quantity], unit)
        above.set_title(owner, loc="left", color=INK)
        below.plot(t, z, **dot)
        below.set_xlim(above.get_xlim())
        above.tick_params(labelbottom=False)
        label_time(below)
    below.axhline(0.0, color=FAINT, linewidth=0.8)
    for side in (-2.0, 2.0):
        below.axhline(side, color=FAINT, linewidth=0.6, linestyle=":")
    below.set_ylabel("residual [σ]")
