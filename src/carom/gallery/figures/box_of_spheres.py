"""Figure of the box of spheres: side views and force on the floor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def extra_figures(radius: float, side: float) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name."""
    return {"overview": lambda result: overview(result, radius, side)}


def overview(result: Result, radius: float, side: float) -> Figure:
    """Plot the spheres at the start and at the end, and the force on the floor over time."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import draw_curves, label_time
    from carom.scene.curve_data import CurveFinder

    with open_figure(9.0, 5.0, "Box of spheres") as figure:
        start, end, series = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 1.6))
        centres = result.q.reshape(len(result.t), -1, 7)[:, :, :3]
        height = float(centres[:, :, 2].max()) + 2.0 * radius
        for axes, node in ((start, 0), (end, -1)):
            draw_spheres(axes, centres[node], radius, side, height)
            axes.set_title(f"t = {result.t[node]:.3g} s", loc="left")
        draw_curves(series, CurveFinder(result).find("floor.normal_force"))
        label_time(series)
    return figure


def draw_spheres(axes: Axes, centres: object, radius: float, side: float, height: float) -> None:
    """Draw the spheres from the side, from back to front; distant ones are darker."""
    import numpy as np
    from matplotlib.collections import EllipseCollection

    from carom.plot.style import INK

    points = np.asarray(centres)[np.argsort(-np.asarray(centres)[:, 1])]
    brightness = 0.35 + 0.6 * (1.0 - points[:, 1] / side)
    colours = np.column_stack([0.55 * brightness, 0.75 * brightness, brightness]).clip(0.0, 1.0)
    size = np.full(len(points), 2.0 * radius)
    spheres = EllipseCollection(
        size, size, np.zeros(len(points)), units="xy", offsets=points[:, [0, 2]], offset_transform=axes.transData,
        facecolors=colours, edgecolors="white", linewidths=0.3,
    )  # fmt: skip
    axes.add_collection(spheres)
    axes.plot([0.0, 0.0, side, side], [height, 0.0, 0.0, height], color=INK, linewidth=1.2)
    axes.set_aspect("equal")
    axes.set_xlim(-0.05 * side, 1.05 * side)
    axes.set_ylim(-0.05 * side, height)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("z [m]")
