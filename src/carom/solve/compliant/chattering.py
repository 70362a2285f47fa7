"""Detection of chattering: a force that jumps to and fro holds the steps of a run short.

A run whose steps are short is searched for a jump of the accelerations just ahead. A jump keeps its size however
closely it is bracketed; the change of a smooth force, however stiff, does not, and is not reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from carom.errors import warn
from carom.solve.model_evaluator import ModelEvaluator

TRIES = 2000
"""Attempted steps between two searches."""

SHORT = 1e-5
"""Mean length of attempted steps, as a fraction of the run, below which a search is made."""

REACH = tuple(2.0**k for k in range(-3, 9))
"""Distances searched ahead, in mean steps."""

BISECTIONS, LEAST_BISECTIONS = 30, 10
"""Bisections of a jump; fewer than the second number, where the clock resolves no more, prove nothing."""

FINEST = 2e-15
"""Fraction of the time that the clock resolves well."""

LASTING, SLIGHT = 0.5, 1e-6
"""Fractions of a jump that remains when it is bracketed, and of the largest acceleration that a jump must exceed."""

ROUNDED = 1e-10
"""Fraction of the largest force in the system up to which a jump is rounding: it moves a body of next to no mass."""


class ChatterDetector:
    """Warns once per run when a force that jumps holds the steps short."""

    def __init__(self, mechanism: ModelEvaluator, start: float, t_end: float):
        self.mechanism, self.end = mechanism, t_end
        self.length = t_end - start if math.isfinite(t_end) else 0.0  # without an end, no step is short
        self.t, self.tries = start, 0
        self.reported = False

    def steps_until_search(self, tries: int) -> int:
        """Return the number of steps that may be attempted after ``tries`` until `look` is due."""
        return max(self.tries + TRIES - tries, 1)

    def look(self, t: float, y: np.ndarray, tries: int) -> None:
        """Search for a jump at (t, y) if ``tries`` attempted steps so far have brought the run too little further."""
        if self.reported or tries - self.tries < TRIES:
            return
        pace = (t - self.t) / (tries - self.tries)
        count, self.t, self.tries = tries - self.tries, t, tries
        if not 0.0 < pace < SHORT * self.length:
            return
        jump = find_jump(self.mechanism.copy(), t, y, pace)
        if jump is not None:
            self.reported = True
            warn(
                f"simulate: the last {count} steps before t = {t:.9g} s were only {pace:.2g} s long on average, for "
                f"{cause(self.mechanism, jump)} jumps to and fro ({(self.end - t) / self.length:.0%} of the run is "
                "left). Smooth the switch, for example tanh(v/v0) in place of sign(v), or use a contact with a "
                "friction law, or method='nonsmooth'"
            )


def find_jump(mechanism: ModelEvaluator, t: float, y: np.ndarray, length: float) -> np.ndarray | None:
    """Return by how much M u̇ jumps just ahead of (t, y), some steps of ``length`` [s] away; None where it does not."""
    n = mechanism.n
    slope = mechanism.evaluate(t, y.copy())[0]

    def acceleration(ahead: float) -> np.ndarray:
        return mechanism.evaluate(t + ahead, y + ahead * slope)[0][n : 2 * n]

    low, before = 0.0, slope[n : 2 * n]
    for reach in REACH:
        high, after = reach * length, acceleration(reach * length)
        jump = bracket(acceleration, low, before, high, after, FINEST * abs(t))
        if jump is not None and np.abs(mechanism.mass * jump).max() > ROUNDED * mechanism.largest_force():
            return np.asarray(mechanism.mass * jump)
        low, before = high, after
    return None


def bracket(
    acceleration: Callable[[float], np.ndarray],
    low: float,
    before: np.ndarray,
    high: float,
    after: np.ndarray,
    finest: float,
) -> np.ndarray | None:
    """Return the jump between two times, by bisection on the larger change; None where the change is smooth."""
    change = float(np.abs(after - before).max())
    if (high - low) * 0.5**LEAST_BISECTIONS < finest:
        return None
    if not change > SLIGHT * float(np.abs(after).max() + np.abs(before).max()):
        return None
    for _ in range(BISECTIONS):
        if high - low < finest:
            break
        middle = 0.5 * (low + high)
        value = acceleration(middle)
        if np.abs(value - before).max() > np.abs(after - value).max():
            high, after = middle, value
        else:
            low, before = middle, value
        if not np.abs(after - before).max() > LASTING * change:
            return None
    return after - before


def cause(mechanism: ModelEvaluator, jump: np.ndarray) -> str:
    """Name the force that jumps: those of users on the body with the largest jump, or else the body."""
    body = mechanism.body(int(np.argmax(np.abs(jump))))
    written = [force for force in mechanism.system.forces if force.function is not None]
    nearest = [force for force in written if any(member is body for member in force.members)] or written
    if nearest:
        return f"the function of {' or '.join(force.label for force in nearest)}, by {np.abs(jump).max():.3g},"
    return f"a force on body {body.name!r}, by {np.abs(jump).max():.3g},"
