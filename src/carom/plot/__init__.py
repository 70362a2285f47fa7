"""Figures: series over time, the energy ledger, the mechanism itself. They need no window."""

from carom.plot.mechanism import plot_mechanism
from carom.plot.overview import plot_overview
from carom.plot.series import plot_result
from carom.plot.style import save_figure

__all__ = ["plot_mechanism", "plot_overview", "plot_result", "save_figure"]
