"""Work–precision diagrams: error against CPU time, every program's ways as lines, its front in full colour."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

import compare
from carom.plot.style import COLOURS, INK, new_figure, save_figure, style
from precision import Point, front
from tables import ASIDE, NAMES

LOOKS = {
    "carom": (COLOURS[0], "o"), "exudyn": (COLOURS[1], "s"), "mujoco": (COLOURS[2], "^"), "siconos": (COLOURS[6], "D"),
}  # fmt: skip
PANELS = {
    "work_precision_impacts": ("two_spheres", "slider_crank_block", "slider_crank_clearance"),
    "work_precision_chain": ("chain_10", "chain_100", "chain_1000"),
}


def draw(results: dict[str, Any], folder: Path) -> list[str]:
    """Write the figures; their names."""
    problems = {problem.key: problem for problem in compare.PROBLEMS}
    for name, keys in PANELS.items():
        with style():
            figure = new_figure(3.3 * len(keys), 3.6, None)
            axes = figure.subplots(1, len(keys))
            for panel, key in zip(axes, keys, strict=True):
                diagram(panel, results["peers"]["problems"][key])
                panel.set_title(problems[key].title, loc="left", fontweight="bold", color=INK)
                panel.set_ylabel(problems[key].measure)
            known: dict[str, Any] = {}
            for panel in axes:
                handles, labels = panel.get_legend_handles_labels()
                known.update(zip(labels, handles, strict=True))
            figure.legend(known.values(), known.keys(), loc="outside lower center", ncols=len(known))
        save_figure(figure, folder / f"{name}.png")
    return list(PANELS)


def diagram(panel: Axes, table: dict[str, list[dict[str, Any]]]) -> None:
    """One problem: lower and further left is better."""
    for name, lines in table.items():
        colour, marker = LOOKS[name]
        found = compare.points(lines)
        for way in dict.fromkeys(point.way for point in found):
            line(panel, [point for point in found if point.way == way], color=colour, alpha=0.3, linewidth=0.8)
        alone = [point for point in found if not any(easier in point.way for easier in ASIDE)]
        look: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4.0}
        line(panel, front(alone), label=NAMES[name], linewidth=1.8 if name == "carom" else 1.2, **look)
        for easier in ASIDE:
            aside = [point for point in found if easier in point.way]
            if aside:
                label = f"{NAMES[name]}, {easier}"
                line(panel, front(aside), label=label, linestyle=":", markerfacecolor="white", **look)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel("CPU time [s]")


def line(panel: Axes, points: list[Point], **look: Any) -> None:
    shown = [point for point in points if math.isfinite(point.error) and 0.0 < point.error < 1.0]
    if shown:
        panel.plot([point.seconds for point in shown], [point.error for point in shown], **look)
