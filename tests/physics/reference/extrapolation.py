"""One step of Gragg's extrapolated midpoint rule, in whatever precision the state has (float64, longdouble)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rates = Callable[[np.floating, np.ndarray], np.ndarray]


def midpoint(rates: Rates, x, y: np.ndarray, slope: np.ndarray, length, substeps: int) -> np.ndarray:
    """y(x + length) by the explicit midpoint rule: its error has even powers of length/substeps only."""
    h = length / substeps
    before, now = y, y + h * slope
    for k in range(1, substeps):
        before, now = now, before + (h + h) * rates(x + k * h, now)
    return now


def step(rates: Rates, x, y: np.ndarray, length, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """y(x + length) of order 2·columns, and the difference from the order below, substeps 2, 4, …, 2·columns."""
    slope = rates(x, y)
    row: list[np.ndarray] = []
    for j in range(columns):
        entry = midpoint(rates, x, y, slope, length, 2 * (j + 1))
        for k in range(j):
            ratio = y.dtype.type(j + 1) / (j - k)
            row[k], entry = entry, entry + (entry - row[k]) / (ratio * ratio - 1)
        row.append(entry)
    return row[-1], row[-1] - row[-2]
