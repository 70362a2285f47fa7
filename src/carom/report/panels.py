"""The curves of a report: which of them, and with how many points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from carom.plot.curves import Curve, Curves
from carom.plot.panels import group
from carom.plot.words import axis_words
from carom.report.pack import packed
from carom.result.result import Result

POINTS = 2400
"""Of a curve; a longer one keeps the least and the largest value of each piece."""
FEW = 7
"""Bodies or contacts in one panel: as many as there are colours."""
MANY = 40
"""Bodies beyond which none is plotted on its own."""


def panel_data(result: Result, what: Sequence[Any]) -> list[dict[str, Any]]:
    """Panels of ``what``, as `plot_result` takes it, or of what matters most, and the energy."""
    curves = Curves(result)
    panels = group(curves, what) if what else usual(result, curves)
    balance = Curve("energy", "energy error", "J", result.t, result.energy.balance)
    panels = [*panels, [curves.energy(name) for name in energies(result)], [balance]]
    return [_panel(panel) for panel in map(_finite, panels) if panel]


def usual(result: Result, curves: Curves) -> list[list[Curve]]:
    """Positions and speeds of bodies that are not too many, forces and indentations of contacts that press hardest."""
    bodies = [body.name for body in result.bodies[:FEW]] if len(result.bodies) <= MANY else []
    vectors = result.series_type.vectors
    quantities = [*result.series_type.pose[:3], *vectors["velocity"][:2]]
    panels = [[curve for name in bodies for curve in curves.find(f"{name}.{one}")] for one in quantities if bodies]
    contacts = [info for info in result.elements if info.family == "contact"]
    for signal in ("normal_force", "indentation", "contacts"):
        having = [info.name for info in contacts if signal in info.signals]
        peaks = {name: np.nanmax(np.abs(getattr(result[name], signal)), initial=0.0) for name in having}
        hardest = sorted(having, key=lambda name: -peaks[name])[:FEW]
        panels.append([curve for name in having if name in hardest for curve in curves.find(f"{name}.{signal}")])
    joints = [info.name for info in result.elements if info.family == "joint" and {"fx", "fy"} <= set(info.signals)]
    panels.append([curve for name in joints[:FEW] for curve in curves.find(f"{name}.force")])
    return panels


def energies(result: Result) -> list[str]:
    """Columns of the ledger in which something happens."""
    names = [name for name in result.energy.names() if np.any(getattr(result.energy, name) != 0.0)]
    return [*names, "total"]


def thin(t: np.ndarray, y: np.ndarray, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """A curve of about so many points that is as high and as low as the whole one everywhere."""
    if len(t) <= points:
        return t, y
    edges = np.linspace(0, len(t), points // 2 + 1).astype(int)
    low = np.array([a + int(np.argmin(y[a:b])) for a, b in pairwise(edges)])
    high = np.array([a + int(np.argmax(y[a:b])) for a, b in pairwise(edges)])
    kept = np.unique(np.concatenate([[0], low, high, [len(t) - 1]]))
    return t[kept], y[kept]


def _finite(curves: Sequence[Curve]) -> list[Curve]:
    """Curves without gaps and of single precision, as scales need them."""
    largest = np.finfo(np.float32).max
    return [curve for curve in curves if len(curve.values) and np.all(np.abs(curve.values) < largest)]


def _panel(curves: Sequence[Curve]) -> dict[str, Any]:
    same = len({curve.quantity for curve in curves}) == 1
    shown = []
    for curve in curves:
        t, y = thin(curve.t, curve.values)
        name = curve.owner if same and len(curves) > 1 else curve.quantity.replace("_", " ")
        if not same and curve.owner != "energy":
            name = f"{curve.owner}.{curve.quantity}"
        shown.append({"name": name, "t": packed(t, "f64"), "y": packed(y, "f32")})
    label = axis_words([curve.quantity for curve in curves], curves[0].unit)
    owner = curves[0].owner if len(curves) == 1 and curves[0].owner != "energy" else ""
    return {"label": f"{owner}: {label}" if owner else label, "curves": shown}
