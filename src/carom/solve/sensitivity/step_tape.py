"""Recorded steps of a Runge–Kutta run, and the methods that record and repeat them."""

from __future__ import annotations

import numpy as np

from carom.kernels.interpreted import address_of_argument
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.records import TAPE, TAPE_STEP
from carom.solve.compliant.rk_integrator import RungeKutta
from carom.solve.sensitivity.step_replay import replay_chunk

FIRST_CAPACITY = 2048
"""Steps on a tape before it is enlarged."""


class StepTape:
    """Accepted steps of a run: length, event, stop and method of each."""

    def __init__(self) -> None:
        self.steps = TAPE_STEP.zeros(FIRST_CAPACITY)
        self.record = TAPE.new(capacity=FIRST_CAPACITY)
        self.record.steps = self.steps.ctypes.data

    def enlarge(self) -> None:
        """Double the capacity if the tape is full."""
        if self.record.n_steps < self.record.capacity:
            return
        longer = TAPE_STEP.zeros(2 * len(self.steps))
        longer[: len(self.steps)] = self.steps
        self.steps, self.record.steps, self.record.capacity = longer, longer.ctypes.data, len(longer)

    @property
    def recorded(self) -> np.ndarray:
        """Recorded steps, a table of TAPE_STEP."""
        return self.steps[: self.record.n_steps]

    def stretch(self, t_end: np.ndarray) -> np.ndarray:
        """Return the relative change of the length of each step, equal between two events or stops.

        ``t_end`` are the ends of the steps in a neighbouring run.
        """
        steps = self.recorded
        ends = np.flatnonzero((steps["has_event"] != 0) | (steps["reaches_stop"] != 0))
        own, other = (np.diff(times[ends], prepend=0.0) for times in (steps["t_end"], t_end))
        ratio = np.divide(other - own, own, out=np.zeros(len(ends)), where=own > 0.0)
        counts = np.diff(ends, prepend=-1)
        return np.repeat(ratio, counts)


class RecordingRungeKutta(RungeKutta):
    """A Runge–Kutta run that records its accepted steps."""

    def __init__(self, request: IntegrationRequest):
        super().__init__(request)
        self.tape = StepTape()

    @property
    def can_restart(self) -> bool:
        """False: a tape has one run."""
        return False

    def prepare(self) -> None:
        """Connect the tape before the first step."""
        super().prepare()
        self.run_record.tape = address_of_argument(self.tape.record)

    def advance(self) -> None:
        """Integrate one chunk with space on the tape."""
        self.tape.enlarge()
        super().advance()


class ReplayingRungeKutta(RungeKutta):
    """A neighbouring run that repeats the steps of a tape; ``stretch`` is the relative change of their lengths."""

    loop = replay_chunk

    def __init__(self, request: IntegrationRequest, tape: StepTape, stretch: np.ndarray | None):
        super().__init__(request)
        self.steps = tape.recorded.copy()
        """Steps with the lengths from which the run starts, and the times at which they end in it."""
        if stretch is not None:
            self.steps["h"] *= 1.0 + stretch
        self.tape = TAPE.new(n_steps=len(self.steps), capacity=len(self.steps) + 1)
        self.tape.steps = self.steps.ctypes.data

    def prepare(self) -> None:
        """Connect the tape before the first step."""
        super().prepare()
        self.connect_tape()

    def connect_tape(self) -> None:
        """Let the record of the loop point at the tape."""
        self.run_record.tape = address_of_argument(self.tape)
