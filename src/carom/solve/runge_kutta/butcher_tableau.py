"""Butcher tableau of an explicit Runge–Kutta method."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Tableau:
    """Coefficients of y₁ = y₀ + h Σ bᵢ kᵢ with kᵢ = f(t₀ + cᵢ h, y₀ + h Σ aᵢⱼ kⱼ).

    ``error`` weights the stages to estimate the local error (none: the step is fixed); the last stage is taken at the
    end of the step. ``error_3`` is the second estimate of the eighth-order pair. ``order`` is that of y₁,
    ``error_order`` the power of h that the step control assumes. A method whose steps are too long for the quintic
    interpolation of results has a dense output with further stages (``extra_c``, ``extra_a``), and stores ``inner``
    nodes inside every step.
    """

    name: str
    order: int
    error_order: int
    c: np.ndarray
    a: np.ndarray
    b: np.ndarray
    error: np.ndarray | None = None
    error_3: np.ndarray | None = None
    extra_c: np.ndarray = field(default_factory=lambda: np.zeros(0))
    extra_a: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    dense: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    inner: int = 0
    reference: str = field(default="", repr=False)

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.c)

    @property
    def adaptive(self) -> bool:
        """True if the method estimates its error."""
        return self.error is not None


def lower(rows: list[list[float]], size: int) -> np.ndarray:
    """Return a strictly lower triangular matrix from its rows."""
    a = np.zeros((size, size))
    for i, row in enumerate(rows):
        a[i, : len(row)] = row
    return a
