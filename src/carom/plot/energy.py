"""The energy ledger as a figure."""

from __future__ import annotations

from typing import Unpack

from matplotlib.figure import Figure

from carom.plot.page import Page
from carom.plot.series import plot_result
from carom.result.result import Result


def plot_energy(result: Result, **page: Unpack[Page]) -> Figure:
    """Where the energy of a run is, where it went, and what the books cannot explain, over time.

    ``page`` is as in `plot_result`.
    """
    return plot_result(result, "energy", **page)
