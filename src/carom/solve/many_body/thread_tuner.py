"""Choice between one thread and several during a run."""

from __future__ import annotations

TRIAL_SECONDS, SETTLED_SECONDS = 0.1, 2.0
"""Duration of a trial with one thread or several, and of the use of the faster choice until the next trial [s]."""


class ThreadTuner:
    """Choice between one thread and several by repeated trials: on a busy machine threads wait for each other."""

    def __init__(self, threads: int):
        self.active = threads > 1
        self.parallel = True
        self._seconds = {True: 0.0, False: 0.0}
        self._steps = {True: 0, False: 0}
        self._limit = TRIAL_SECONDS

    def add_measurement(self, seconds: float, steps: int) -> None:
        """Add wall time [s] and steps of the last call; choose again after a trial."""
        if not self.active:
            return
        self._seconds[self.parallel] += seconds
        self._steps[self.parallel] += steps
        if self._seconds[self.parallel] < self._limit:
            return
        if not self._steps[not self.parallel]:  # the other choice has not been tried yet
            self.parallel, self._limit = not self.parallel, TRIAL_SECONDS
            return
        speeds = {parallel: self._steps[parallel] / self._seconds[parallel] for parallel in (True, False)}
        self.parallel, self._limit = speeds[True] >= speeds[False], SETTLED_SECONDS
        self._seconds, self._steps = {True: 0.0, False: 0.0}, {True: 0, False: 0}
