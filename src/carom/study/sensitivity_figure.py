"""Which parameters matter, in bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from carom.plot.figure_options import open_figure
from carom.plot.style import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from carom.study.sensitivity import Sensitivity


def plot_sensitivity(found: Sensitivity, **page: Any) -> Figure:
    """Bars with intervals of 95 %, the most important parameter first; ``page`` is as in `plot_result`."""
    names = found.ranking
    rows = np.arange(len(names))
    of = f" of {found.name}" if found.measure != found.name else ""
    title = f"What {found.measure}{of} depends on"
    morris = found.method == "morris"
    with open_figure(
        8.6 if morris else 6.6, 1.4 + 0.45 * len(names) + (1.4 if morris else 0.0), title, **page
    ) as figure:
        axes = figure.subplots(1, 2 if morris else 1, squeeze=False)[0]
        bars = axes[0]
        shown = [("mu_star", "mean change μ*")] if morris else [("ST", "with others, ST"), ("S1", "alone, S1")]
        thick = 0.7 / len(shown)
        for k, (key, words) in enumerate(shown):
            at = rows + (k - (len(shown) - 1) / 2.0) * thick
            bars.barh(
                at, [found[name][key] for name in names], thick, color=COLOURS[k], label=words,
                xerr=[found[name][f"{key}_conf"] for name in names], error_kw={"ecolor": INK, "elinewidth": 0.9},
            )  # fmt: skip
        bars.set_yticks(rows, names)
        bars.invert_yaxis()
        bars.grid(visible=False, axis="y")
        bars.set_xlabel("mean change over the range, μ*" if morris else "share of the variance [1]")
        if morris:
            scatter = axes[1]
            for k, name in enumerate(names):
                scatter.plot(found[name]["mu_star"], found[name]["sigma"], "o", color=COLOURS[k % len(COLOURS)])
                scatter.annotate(name, (found[name]["mu_star"], found[name]["sigma"]), (5, 3),
                                 textcoords="offset points", fontsize=8)  # fmt: skip
            scatter.margins(0.25)
            scatter.set_xlim(left=0.0)
            scatter.set_ylim(bottom=0.0)
            scatter.set_xlabel("mean change μ*")
            scatter.set_ylabel("spread σ")
        else:
            bars.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)
    return figure
