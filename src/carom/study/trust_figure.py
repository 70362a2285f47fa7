"""How two runs of other tolerances part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from carom.plot.page import new_page
from carom.plot.panels import label_time, name_curves
from carom.plot.style import FAINT, line_look
from carom.study.trust import LEAST

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from carom.study.trust import Trust


def plot_trust(trust: Trust, **page: Any) -> Figure:
    """Differences of the series over time; ``page`` is as in `plot_result`."""
    with new_page(7.0, 3.6, f"{trust.name}: {trust.settings[0]} against {trust.settings[1]}", **page) as figure:
        axes = figure.subplots()
        for k, (name, values) in enumerate(trust.difference.items()):
            axes.semilogy(trust.t, np.maximum(values, LEAST), label=name, **line_look(k, len(trust.difference)))
        axes.axhline(trust.threshold, color=FAINT, linewidth=0.8, linestyle="-.")
        if not trust.whole:
            axes.axvline(trust.horizon, color=FAINT, linewidth=0.8, linestyle="-.")
        axes.set_ylabel("difference, of the range [1]")
        label_time(axes)
        name_curves(axes)
    return figure
