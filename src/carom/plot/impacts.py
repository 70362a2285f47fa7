"""Figure with a table of the impacts of a run."""

from __future__ import annotations

from typing import Unpack

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.style import FAINT, INK
from carom.result.result import Result
from carom.scene.impact_table import impact_table
from carom.typing import ElementLike

ROWS = 30
"""Default largest number of rows."""


def plot_impacts(
    result: Result, contact: ElementLike | None = None, *, rows: int = ROWS, **options: Unpack[FigureOptions]
) -> Figure:
    """Draw a table of the first ``rows`` impacts of ``result``, or of one ``contact``.

    ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_impacts(result)
    >>> len(figure.axes)
    1
    """
    impacts = result.impacts if contact is None else result.impacts.of(contact)
    listed = impacts[:rows]
    headings, columns = impact_table(listed)
    with open_figure(9.0, 0.8 + 0.24 * (len(listed) + 1), result.name, **options) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        cells = [list(row) for row in zip(*columns, strict=True)] or [["none", *[""] * (len(headings) - 1)]]
        letters = [3 + max(len(row[k]) for row in [headings, *cells]) for k in range(len(headings))]
        widths = [count / sum(letters) for count in letters]
        table = axes.table(cells, colLabels=headings, colWidths=widths, bbox=Bbox.unit(), edges="horizontal")
        table.auto_set_font_size(False)
        table.set_fontsize(7.5)
        for (row, _), cell in table.get_celld().items():
            cell.set_edgecolor(FAINT)
            cell.set_text_props(color=INK, fontweight="bold" if row == 0 else "normal")
        if len(impacts) > len(listed):
            axes.set_title(f"the first {len(listed)} of {len(impacts)} impacts", loc="left", color=INK)
    return figure
