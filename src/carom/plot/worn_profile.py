"""Worn profile of a journal and its bearing over time, in polar coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from carom.argument_checks import integer
from carom.plot.style import new_figure, style

if TYPE_CHECKING:
    from carom.result.wear_record import WearRecord

MAX_CURVES = 12
"""Largest default number of profiles in one figure."""
UNITS = ((1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))
"""Units of depths, the largest first."""
CIRCLE = 0.5
"""Radius of the unworn circle relative to the largest depth [-]."""


def plot_wear(record: WearRecord, *, curves: int = MAX_CURVES) -> Figure:
    """Plot the depths of both surfaces of a worn contact over their circumference, ``curves`` times of the run.

    The unworn circle is drawn dashed; wear of the bearing is outside it, that of the journal inside. Angles are those
    of the axes of the two bodies.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.worn_slider_crank(cycles=20, cycle_factor=10)
    >>> figure = cm.plot.plot_wear(case.run().wear["pin"])
    >>> [axes.get_title() for axes in figure.axes[:2]]
    ['bearing', 'journal']
    """
    chosen = np.unique(np.linspace(0, len(record.t) - 1, integer("plot_wear", "curves", curves, 1, 1000)).astype(int))
    scale, unit = unit_of(record.max_depth)
    names = ("bearing", "journal") if record.radii else ("first surface", "second surface")
    with style():
        figure = new_figure(9.0, 4.8, None)
        colours, times = colormaps["viridis"], Normalize(record.t[0], max(record.t[-1], record.t[0] + 1e-300))
        for k, (depths, sign) in enumerate(((record.first, 1.0), (record.second, -1.0))):
            axes = figure.add_subplot(1, 2, k + 1, projection="polar")
            deepest = max(float(depths.max()), 1e-300) / scale
            radius = CIRCLE * deepest if sign > 0.0 else (1.0 + CIRCLE) * deepest
            angles = np.append(record.angles, 2.0 * np.pi)
            for i in chosen:
                r = radius + sign * np.append(depths[i], depths[i, :1]) / scale
                axes.plot(angles, r, color=colours(times(record.t[i])), linewidth=1.2)
            axes.plot(angles, np.full_like(angles, radius), color="black", linewidth=0.8, linestyle="--")
            axes.set_ylim(0.0, (1.0 + CIRCLE) * deepest * 1.05)
            axes.set_yticks(radius + sign * np.array([0.0, 0.5, 1.0]) * deepest)
            axes.set_yticklabels([f"{value:.3g}" for value in np.array([0.0, 0.5, 1.0]) * deepest])
            axes.set_title(names[k])
            axes.set_xlabel(f"depth [{unit}], at most {deepest:.3g}")
        figure.colorbar(ScalarMappable(times, colours), ax=figure.axes, label="time [s]", shrink=0.8)
        figure.suptitle(
            f"{record.name}: {record.mass * 1e6:.3g} mg removed, each cycle counts {record.cycle_factor:g} times"
        )
    return figure


def unit_of(depth: float) -> tuple[float, str]:
    """Return the size [m] and the name of the unit in which a depth has a readable number."""
    return next((entry for entry in UNITS if depth >= entry[0]), UNITS[-1])
