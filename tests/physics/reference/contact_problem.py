"""Data of a run with contacts: the law of each contact, the equations of motion, and the record of an impact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass
class PowerLaw:
    """F = K δ^1.5 (1 + A δ̇/v⁻); `cut` sets a negative force to zero."""

    stiffness: float
    damping: float
    cut: bool = False

    def force(self, depth, rate, approach):
        return self.stiffness * depth * np.sqrt(depth) * (1 + self.damping * rate / approach)

    def push(self, depth, rate, approach):
        """Has the sign of the force."""
        return 1 + self.damping * rate / approach


@dataclass
class Impact:
    contact: int
    t_start: np.floating
    approach_speed: np.floating
    t_end: np.floating | None = None
    separation_speed: np.floating | None = None
    peak_force: np.floating = 0
    max_indentation: np.floating = 0
    cuts: list = field(default_factory=list)
    steps: list = field(default_factory=list, repr=False)


@dataclass
class Problem:
    """`touch(t, y)` gives (δ, δ̇) of every contact, `rates(t, y, forces)` the derivative of the state."""

    touch: Callable
    rates: Callable
    laws: Sequence
    scale: np.ndarray  # error of a step allowed in y: tolerance × scale, but no less than rounding
    contact_time: float  # rough length of an impact
    max_step: float
    marks: Callable | None = None  # values of (t, y) at whose zeros the rates change their form
