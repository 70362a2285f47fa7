"""Figure of the energy balance."""

from __future__ import annotations

from typing import Unpack

from matplotlib.figure import Figure

from carom.plot.figure_options import FigureOptions
from carom.plot.time_series import plot_result
from carom.result.result import Result


def plot_energy(result: Result, **options: Unpack[FigureOptions]) -> Figure:
    """Plot the energies of a run, the dissipated energy and the energy error over time [J].

    ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_energy(result)
    >>> len(figure.axes)
    2
    """
    return plot_result(result, "energy", **options)
