"""A CVODE solver whose past can be saved.

The past of a multistep method is hidden inside CVODE. CVODE itself is deterministic: the same calls with the same
values of the right-hand side lead to the same past. Both are recorded from the last restart on, and played back into a
new solver. Playing back evaluates nothing of the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from carom.errors import ModelError

MOST_NUMBERS = 2_000_000
"""Recorded numbers beyond which a run should restart; 16 MB."""
METHODS = ("onestep", "normal")


class RecordedSolver:
    """CVODE for ``rate(t, y, y')``; with ``recording``, its past can be saved."""

    def __init__(self, rate: Callable[[float, np.ndarray, np.ndarray], None], recording: bool, **options: Any):
        from sksundae.cvode import CVODE

        self.rate, self.recording = rate, recording
        self.start = np.zeros(0)
        self.calls: list[tuple[float, float, float]] = []
        self.values: list[np.ndarray] = []
        self.played: Iterator[np.ndarray] | None = None
        self.solver: Any = CVODE(self.evaluate, **options)

    @property
    def full(self) -> bool:
        """True when the record is as long as it may be."""
        return len(self.values) * self.start.size > MOST_NUMBERS

    def evaluate(self, t: float, y: np.ndarray, yp: np.ndarray) -> None:
        if self.played is not None:
            yp[:] = next(self.played)
            return
        self.rate(t, y, yp)
        if self.recording:
            self.values.append(np.array(yp))

    def restart(self, t: float, y: np.ndarray) -> None:
        """Forget the past and begin at ``y``."""
        self.start = np.array([t, *y])
        self.calls, self.values = [], []
        self.solver.init_step(t, y)

    def step(self, t: float, method: str, stop: float = math.nan) -> Any:
        """Advance by one internal step towards ``t``, or interpolate at ``t``; not beyond ``stop``."""
        if self.recording:
            self.calls.append((t, METHODS.index(method), stop))
        return self.solver.step(t, method=method, tstop=None if math.isnan(stop) else stop)

    def carried(self) -> dict[str, np.ndarray]:
        """Return the record since the last restart."""
        return {
            "solver start": self.start,
            "solver calls": np.array(self.calls).reshape(-1, 3),
            "solver values": np.array(self.values).reshape(-1, self.start.size - 1),
        }

    def play_back(self, carried: dict[str, np.ndarray]) -> None:
        """Bring a new solver to where the recorded one was."""
        start, calls, values = (carried.get(f"solver {name}", np.zeros(0)) for name in ("start", "calls", "values"))
        if start.ndim != 1 or calls.ndim != 2 or values.shape[1:] != (start.size - 1,):
            raise ModelError("resume: the checkpoint is damaged; delete the .state file to restart from the beginning")
        self.restart(float(start[0]), start[1:])
        self.played = iter(values)
        try:
            for t, method, stop in calls.tolist():
                self.step(t, METHODS[int(method)], stop)
            complete = next(self.played, None) is None
        except StopIteration:
            complete = False
        finally:
            self.played = None
        if not complete:
            raise ModelError(
                "resume: this version of SUNDIALS takes other steps than the one that wrote the checkpoint; use that "
                "version, or delete the .state file to restart from the beginning"
            )
        self.values = list(values)
