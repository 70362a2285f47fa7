"""Step-size control of adaptive Runge–Kutta methods: factors from one step length to the next."""

from __future__ import annotations

import math

from carom.kernels import jit
from carom.mechanics.model_record import OK

SAFETY, MAX_SHRINK, MAX_GROWTH = 0.9, 0.2, 5.0
FAILED_SHRINK = 0.25
"""Factor after a step without a finite error."""
PI_WEIGHT = 0.04
"""Weight of the last error in PI control [-]; 0 gives the elementary controller."""
MIN_LAST_ERROR = 1e-4
"""Lower bound of the last error in PI control, and its value at the start, in units of the tolerance."""


@jit
def growth_factor(error, last_error, order, pi_weight):
    """Return the factor of the length after an accepted step, from its error and the last (Hairer & Wanner, IV.2)."""
    if error == 0.0:
        return MAX_GROWTH
    factor = SAFETY * error ** (0.75 * pi_weight - 1.0 / order) * last_error**pi_weight
    return min(MAX_GROWTH, max(MAX_SHRINK, factor))


@jit
def shrink_factor(status, error, order):
    """Return the factor of the length after a rejected step."""
    if status != OK or not math.isfinite(error):
        return FAILED_SHRINK
    return max(MAX_SHRINK, SAFETY * error ** (-1.0 / order))
