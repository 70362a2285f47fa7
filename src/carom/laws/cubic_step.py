"""Cubic step function of penalty contact models."""

from __future__ import annotations

from carom.kernels import jit


@jit
def cubic_step(x, x0, h0, x1, h1):
    """Return h0 up to x0, h1 from x1 on, and between them the cubic with zero slope at both ends.

    Zhu et al., eq. (5).
    """
    if x <= x0:
        return h0
    if x >= x1:
        return h1
    s = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * s * s * (3.0 - 2.0 * s)


@jit
def cubic_step_slope(x, x0, h0, x1, h1):
    """Return the derivative of `cubic_step` by ``x``."""
    if x <= x0 or x >= x1:
        return 0.0
    s = (x - x0) / (x1 - x0)
    return 6.0 * (h1 - h0) / (x1 - x0) * s * (1.0 - s)
