"""What the times of a bouncing ball say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from carom.plot.figure_options import open_figure
from carom.plot.style import COLOURS, FAINT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from carom.study.bounce import Bounce


def plot_bounce(fit: Bounce, **page: Any) -> Figure:
    """Restitution over approach speed, from each pair of flights and by the fit; and residuals of the times."""
    single = np.diff(fit.number) == 1
    flights = np.where(single, np.diff(fit.times), np.nan)
    with np.errstate(invalid="ignore"):
        ratios = flights[1:] / flights[:-1]
    speeds = fit.gravity * flights[:-1] / 2.0
    with open_figure(7.0, 5.0, "Restitution from times of impacts", **page) as figure:
        above, below = figure.subplots(2, 1, gridspec_kw={"height_ratios": [2.0, 1.0]})
        above.plot(speeds, ratios, "o", color=COLOURS[0], markersize=4.0, label="one flight over the one before")
        fine = np.linspace(0.0, 1.05 * float(fit.speeds[0]), 200)[1:]
        above.plot(fine, fit.restitution(fine), color=COLOURS[1], label="fit")
        above.set_xlabel("approach speed [m/s]")
        above.set_ylabel("restitution [1]")
        above.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)
        below.axhline(0.0, color=FAINT, linewidth=0.8)
        below.plot(fit.number + 1, 1e3 * fit.residuals, "o", color=COLOURS[0], markersize=4.0)
        below.set_xlabel("impact")
        below.set_ylabel("residual [ms]")
    return figure
