"""A CVODE solver whose past can be saved.

The past of a multistep method is hidden inside CVODE. CVODE itself is deterministic: the same calls with the same
values of the right-hand side lead to the same past. Both are recorded from the last restart on, and replayed into a new
solver. Replaying evaluates nothing of the model.
"""

from __future__ import annotations

import ctypes
import math

import numpy as np

from carom.errors import ModelError
from carom.kernels.interpreted import Row
from carom.solve.compliant.cvode_rhs import NOT_RECORDED, RECORDED, REPLAYED
from carom.solve.compliant.cvode_solver import NORMAL, ONE_STEP, CvodeOptions, CvodeStep, cvode_solver

MAX_NUMBERS = 2_000_000
"""Recorded numbers beyond which a run should restart; 16 MB."""
TASKS = (ONE_STEP, NORMAL)
"""Tasks of CVODE, by their number in a checkpoint."""
FIRST_CAPACITY = 1024
"""Evaluations that can be recorded before the array is enlarged."""


class RecordedSolver:
    """CVODE for a record `RHS`; with ``recording``, its past can be saved."""

    def __init__(self, rhs: Row, recording: bool, options: CvodeOptions):
        self.rhs = rhs
        self.start = np.zeros(0)
        self.calls: list[tuple[float, float, float]] = []
        self.values = np.zeros((FIRST_CAPACITY if recording else 0, len(options.atol)))
        self.recording = RECORDED if recording else NOT_RECORDED
        self._enlarge = ctypes.CFUNCTYPE(ctypes.c_int32)(self.enlarge)
        rhs.enlarge_function = ctypes.cast(self._enlarge, ctypes.c_void_p).value
        self.connect(self.recording, len(self.values))
        self.solver = cvode_solver(rhs, options)

    def connect(self, recording: int, capacity: int) -> None:
        """Let the right-hand side record into the array, or replay from it."""
        rhs = self.rhs
        rhs.recording, rhs.values, rhs.capacity = recording, self.values.ctypes.data, capacity

    def enlarge(self) -> int:
        """Double the array of recorded values; the right-hand side calls it."""
        self.values = np.concatenate([self.values, np.zeros_like(self.values)])
        self.connect(self.recording, len(self.values))
        return 0

    @property
    def is_full(self) -> bool:
        """True when the record is as long as it may be."""
        return bool(self.rhs.n_values * self.values.shape[1] > MAX_NUMBERS)

    def restart(self, t: float, y: np.ndarray) -> None:
        """Start at ``y`` without a past."""
        self.start = np.array([t, *y])
        self.calls, self.rhs.n_values = [], 0
        self.solver.restart(t, y)

    def step(self, t: float, task: int, stop: float = math.nan) -> CvodeStep:
        """Take one internal step towards ``t`` [s], or interpolate at ``t``; do not pass ``stop`` [s]."""
        if self.recording == RECORDED:
            self.calls.append((t, TASKS.index(task), stop))
        return self.solver.step(t, task, stop)

    def carried(self) -> dict[str, np.ndarray]:
        """Return the record since the last restart."""
        return {
            "solver start": self.start,
            "solver calls": np.array(self.calls).reshape(-1, 3),
            "solver values": self.values[: self.rhs.n_values].copy(),
        }

    def play_back(self, carried: dict[str, np.ndarray]) -> None:
        """Bring a new solver to the state of the recorded one."""
        start, calls, values = (carried.get(f"solver {name}", np.zeros(0)) for name in ("start", "calls", "values"))
        if start.ndim != 1 or calls.ndim != 2 or values.shape[1:] != (start.size - 1,):
            raise ModelError("resume: the checkpoint is damaged; delete the .state file to restart from the beginning")
        count = len(values)
        self.values = np.concatenate([values, np.zeros((FIRST_CAPACITY, values.shape[1]))])
        self.connect(REPLAYED, count)
        self.restart(float(start[0]), start[1:])
        for t, task, stop in calls.tolist():
            self.step(t, TASKS[int(task)], stop)
        if self.rhs.n_values != count:
            raise ModelError(
                "resume: this version of SUNDIALS takes other steps than the one that wrote the checkpoint; use that "
                "version, or delete the .state file to restart from the beginning"
            )
        self.connect(self.recording, len(self.values))
