"""Detection of a user's force that jumps to and fro in an event-driven run, and holds its steps short.

The search for the jump is that of compliant runs, along the smooth motion with the contact forces of the current modes.
"""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.system_data import SystemData
from carom.errors import warn
from carom.solve.compliant.chattering import SHORT, TRIES, cause, find_jump
from carom.solve.event_driven.smooth_phase import SmoothPhase
from carom.solve.model_evaluator import ModelEvaluator


class SmoothMotion(ModelEvaluator):
    """Smooth phase of a run as an evaluator of y' = f(t, y), for the search for jumps."""

    def __init__(self, smooth_phase: SmoothPhase, tables: SystemData):
        self.smooth_phase, self.tables = smooth_phase, tables
        self.system, self.n, self.m = tables.system, smooth_phase.n, tables.n_constraints

    def copy(self) -> SmoothMotion:
        """Return this evaluator: an evaluation changes nothing that the next step needs."""
        return self

    def evaluate(self, t: float, y: np.ndarray) -> tuple[np.ndarray, int]:
        """Return y' = f(t, y) and a `Status`."""
        derivative = np.zeros_like(y)
        return derivative, self.smooth_phase.evaluate_rhs(t, y, derivative)


class ChatterDetector:
    """Warns once per run when a force that jumps holds the steps of an event-driven run short."""

    def __init__(self, smooth_phase: SmoothPhase, start: float, t_end: float):
        source = smooth_phase.time_stepper.model.source
        self.motion = SmoothMotion(smooth_phase, source) if isinstance(source, SystemData) else None
        self.start, self.t_end = start, t_end
        self.t, self.tries = start, 0
        self.reported = False

    def look(self, t: float, tries: int) -> bool:
        """Search for a jump if ``tries`` attempted steps so far have brought the run too little further.

        Return True after a search: it leaves the forces of another state.
        """
        if self.motion is None or self.reported or tries - self.tries < TRIES:
            return False
        count, pace = tries - self.tries, (t - self.t) / (tries - self.tries)
        self.t, self.tries = t, tries
        length = self.t_end - self.start if math.isfinite(self.t_end) else 0.0  # without an end, no step is short
        if not 0.0 < pace < SHORT * length:
            return False
        jump = find_jump(self.motion, t, self.motion.smooth_phase.y, pace)
        if jump is not None:
            self.reported = True
            warn(
                f"simulate: the last {count} steps before t = {t:.9g} s were only {pace:.2g} s long on average, for "
                f"{cause(self.motion, jump)} jumps to and fro ({(self.t_end - t) / length:.0%} of the run is left). "
                "Smooth the switch, for example tanh(v/v0) in place of sign(v), or model it by a contact with "
                "ImpactLaw(friction=...)"
            )
        return True
