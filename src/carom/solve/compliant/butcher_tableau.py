"""What an explicit Runge–Kutta method is: its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Tableau:
    """y₁ = y₀ + h Σ bᵢ kᵢ with kᵢ = f(t₀ + cᵢ h, y₀ + h Σ aᵢⱼ kⱼ).

    ``error`` weights the stages to estimate the local error (none: the step is fixed); the last stage is taken at the
    end of the step. ``error_3`` is the second estimate of the eighth-order pair. ``order`` is that of y₁,
    ``error_order`` the power of h the controller counts on. A method whose steps are too long for the result's own
    interpolation (quintic) brings a dense output with ``extra`` stages, and puts ``inner`` nodes into every step.
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
        """True if the method has an error estimate."""
        return self.error is not None


def lower(rows: list[list[float]], size: int) -> np.ndarray:
    """Return a strictly lower triangular matrix from its rows."""
    a = np.zeros((size, size))
    for i, row in enumerate(rows):
        a[i, : len(row)] = row
    return a
