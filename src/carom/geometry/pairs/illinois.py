"""Illinois method, a regula falsi that does not stall: the step by which a bracket of a sign change is narrowed."""

from __future__ import annotations

from carom.kernels import jit


@jit
def narrow(low, high, below, above, side, at, value):
    """Return the bracket after the value at a point of it, from ``low`` with ``below`` < 0 to ``high`` with ``above``.

    ``side`` is the end that the last step has moved, −1 or 1, 0 at first; the value at the other end is halved where
    one end is moved twice. It is the last number that is returned.
    """
    if value < 0.0:
        if side < 0:
            above *= 0.5
        return at, high, value, above, -1
    if side > 0:
        below *= 0.5
    return low, at, below, value, 1
