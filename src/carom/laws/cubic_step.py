"""The cubic step of penalty contact models."""

from __future__ import annotations

from carom.kernels import jit


@jit
def cubic_step(x, x0, h0, x1, h1):
    """h0 until x0, h1 from x1 on, between them the cubic that is flat at both ends: Zhu et al., eq. (5)."""
    if x <= x0:
        return h0
    if x >= x1:
        return h1
    s = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * s * s * (3.0 - 2.0 * s)
