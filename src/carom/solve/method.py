"""A method: a way to advance a compiled model in time, one chunk of compiled work after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from carom.solve.run_output import RunOutput

Progress = tuple[float, float | None, int | None]
"""Time reached [s], step size [s], and number of contacts that are not separated; None where a method does not know."""


class Method(ABC):
    """A run of one method; nodes, outcome and exceptions of users' functions go to ``output``.

    `carom.solve.run` prepares a method, advances it until it is finished, and writes checkpoints between two chunks.
    """

    output: RunOutput
    finished = False
    """True at the end of the run, and after a failure."""

    @abstractmethod
    def prepare(self) -> None:
        """Store the first node, or restore the checkpoint of the output; after a run, return to its start."""

    @abstractmethod
    def advance(self) -> None:
        """Advance by one chunk of compiled work; raise KeyboardInterrupt between two steps."""

    @abstractmethod
    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays with which another run of this model resumes from the current node, to the same bits."""

    @abstractmethod
    def contact_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""

    @abstractmethod
    def open_contacts(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that are not separated, as if the run ended now."""

    @abstractmethod
    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps and evaluations to the output."""

    @property
    @abstractmethod
    def progress(self) -> Progress:
        """Progress to report."""

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.progress[0]

    can_continue = False
    """True if `continue_to` exists."""

    def continue_to(self, t: float) -> None:
        """Make ``t`` [s], later than the time reached, the next stop and the end of the run, for now."""
        raise NotImplementedError(f"{type(self).__name__} cannot be continued")

    def inputs_changed(self) -> None:  # noqa: B027  (time stepping evaluates the model in every step)
        """Continue from the current state with changed inputs of the model: what was evaluated before is not valid."""

    def waiting_nodes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the nodes that `flush` holds back, because the next event may change them."""
        return None

    @property
    def can_restart(self) -> bool:
        """True if `prepare` can be called after a run, with another ``output``, for another run of the request."""
        return False

    def flush(self, at_end: bool = False) -> None:  # noqa: B027  (most methods have no buffer)
        """Pass buffered nodes to the output; only ``at_end`` those that the next event may still change."""

    def close(self) -> None:  # noqa: B027
        """Release threads and other resources."""
