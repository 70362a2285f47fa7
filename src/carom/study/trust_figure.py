"""How two runs of other tolerances part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from carom.plot.figure_options import open_figure
from carom.plot.panels import curve_legend, label_time
from carom.plot.style import FAINT, line_style
from carom.study.trust import LEAST

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from carom.study.trust import Trust


def plot_trust(trust: Trust, **page: Any) -> Figure:
    """Differences of the series over time; ``page`` is as in `plot_result`."""
    with open_figure(7.0, 3.6, f"{trust.name}: {trust.settings[0]} against {trust.settings[1]}", **page) as figure:
        axes = figure.subplots()
        for k, (name, values) in enumerate(trust.difference.items()):
            axes.semilogy(trust.t, np.maximum(values, LEAST), label=name, **line_style(k, len(trust.difference)))
        axes.axhline(trust.threshold, color=FAINT, linewidth=0.8, linestyle="-.")
        if not trust.whole:
            axes.axvline(trust.horizon, color=FAINT, linewidth=0.8, linestyle="-.")
        axes.set_ylabel("difference, of the range [1]")
        label_time(axes)
        curve_legend(axes)
    return figure
