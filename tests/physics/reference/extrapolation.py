"""A step of Gragg's extrapolated midpoint rule, and a root, in the precision the state has (float64, longdouble)."""

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


def root(function, low, high):
    """Root of a function that is negative at low and positive at high: Illinois' rule, to the last bit."""
    f_low, f_high = function(low), function(high)
    side = 0
    for _ in range(100):
        if high - low <= 4 * np.finfo(high.dtype).eps * high or f_low == f_high:
            break
        x = (low * f_high - high * f_low) / (f_high - f_low)
        if not low < x < high:
            x = (low + high) / 2
        f = function(x)
        if f == 0:
            return x
        if f > 0:
            high, f_high, f_low, side = x, f, f_low / 2 if side > 0 else f_low, 1
        else:
            low, f_low, f_high, side = x, f, f_high / 2 if side < 0 else f_high, -1
    return high
