"""Curve panels of a report: selection of the curves and reduction of their points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from carom.report.encoding import encode_array
from carom.result.result import Result
from carom.scene.colours import COLOURS
from carom.scene.curve_data import CurveData, CurveFinder, group_by_panel
from carom.scene.labels import axis_label

MAX_POINTS = 2400
"""Number of points of a curve; a longer curve keeps the minimum and maximum of each interval."""
MAX_CURVES = len(COLOURS)
"""Number of bodies or contacts in one panel: one per colour."""
MAX_BODIES = 40
"""Number of bodies beyond which single bodies are not plotted."""


def panel_data(result: Result, what: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the panels of ``what`` (as in `plot_result`), by default of the main series, and of the energy."""
    curves = CurveFinder(result)
    panels = group_by_panel(curves, what) if what else default_panels(result, curves)
    balance = CurveData("energy", "energy error", "J", result.t, result.energy.balance)
    panels = [*panels, [curves.energy(name) for name in changing_energies(result)], [balance]]
    return [_encode_panel(panel) for panel in map(_finite_curves, panels) if panel]


def default_panels(result: Result, curves: CurveFinder) -> list[list[CurveData]]:
    """Return forces and indentations of the most loaded contacts, then positions and velocities of the bodies."""
    bodies = [body.name for body in result.bodies[:MAX_CURVES]] if len(result.bodies) <= MAX_BODIES else []
    quantities = [*result.series_type.pose[:3], *result.series_type.vectors["velocity"][:2]]
    panels = []
    contacts = [info for info in result.elements if info.family == "contact"]
    for signal in ("normal_force", "indentation", "contacts"):
        names = [info.name for info in contacts if signal in info.signals]
        peaks = {name: np.nanmax(np.abs(getattr(result[name], signal)), initial=0.0) for name in names}
        most_loaded = sorted(names, key=lambda name: -peaks[name])[:MAX_CURVES]
        panels.append([curve for name in names if name in most_loaded for curve in curves.find(f"{name}.{signal}")])
    panels += [
        [curve for name in bodies for curve in curves.find(f"{name}.{quantity}")] for quantity in quantities if bodies
    ]
    joints = [info.name for info in result.elements if info.family == "joint" and {"fx", "fy"} <= set(info.signals)]
    panels.append([curve for name in joints[:MAX_CURVES] for curve in curves.find(f"{name}.force")])
    return panels


def changing_energies(result: Result) -> list[str]:
    """Return the energies that are not zero throughout, and the total energy."""
    names = [name for name in result.energy.names() if np.any(getattr(result.energy, name) != 0.0)]
    return [*names, "total"]


def decimate(t: np.ndarray, y: np.ndarray, points: int = MAX_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Return a curve of about ``points`` points with the minima and maxima of the original in each interval."""
    if len(t) <= points:
        return t, y
    edges = np.linspace(0, len(t), points // 2 + 1).astype(int)
    low = np.array([a + int(np.argmin(y[a:b])) for a, b in pairwise(edges)])
    high = np.array([a + int(np.argmax(y[a:b])) for a, b in pairwise(edges)])
    selected = np.unique(np.concatenate([[0], low, high, [len(t) - 1]]))
    return t[selected], y[selected]


def _finite_curves(curves: Sequence[CurveData]) -> list[CurveData]:
    """Return the curves without NaN and within single precision, which the scales of the page require."""
    limit = np.finfo(np.float32).max
    return [curve for curve in curves if len(curve.values) and np.all(np.abs(curve.values) < limit)]


def _encode_panel(curves: Sequence[CurveData]) -> dict[str, Any]:
    same_quantity = len({curve.quantity for curve in curves}) == 1
    encoded = []
    for curve in curves:
        t, y = decimate(curve.t, curve.values)
        name = curve.owner if same_quantity and len(curves) > 1 else curve.quantity.replace("_", " ")
        if not same_quantity and curve.owner != "energy":
            name = f"{curve.owner}.{curve.quantity}"
        encoded.append({"name": name, "t": encode_array(t, "f64"), "y": encode_array(y, "f32")})
    label = axis_label([curve.quantity for curve in curves], curves[0].unit)
    owner = curves[0].owner if len(curves) == 1 and curves[0].owner != "energy" else ""
    return {"label": f"{owner}: {label}" if owner else label, "curves": encoded}
