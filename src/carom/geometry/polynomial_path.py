"""Path given by a polynomial for each coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import vector
from carom.errors import ModelError
from carom.geometry.planar_path import Path


class PolynomialPath(Path):
    """Path x(s), y(s) [m] from coefficients in rising powers of s, for s in ``span`` = (low, high)."""

    def __init__(self, owner: str, x: Any, y: Any, span: Any):
        from numpy.polynomial import Polynomial
        from scipy.interpolate import PPoly

        low, high = span_of(owner, span)
        shift = Polynomial([low, 1.0])  # powers are those of s minus the first knot
        parts = [Polynomial(vector(owner, what, value) or (0.0,))(shift).coef for what, value in (("x", x), ("y", y))]
        terms = max(len(part) for part in parts)
        coefficients = np.zeros((terms, 1, 2))
        for k, part in enumerate(parts):
            coefficients[terms - len(part) :, 0, k] = part[::-1]
        super().__init__(PPoly(coefficients, [low, high]))


def span_of(owner: str, span: Any) -> tuple[float, float]:
    """Return the range (low, high) of a parameter; raise if it does not rise."""
    low, high = vector(owner, "span", span, 2)
    if not low < high:
        raise ModelError(f"{owner}: span must be (low, high) with low < high, got ({low:g}, {high:g})")
    return low, high
