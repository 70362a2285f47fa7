"""What an integrator is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from carom.result.outcome import Outcome
from carom.solve.mechanism import Mechanism


@dataclass
class Request:
    """Integrate ``mechanism`` from ``y`` at time 0 through every one of ``stops`` (rising, the last is the end).

    ``jumps`` says of every stop whether a prescribed motion changes its form there. ``record_steps`` keeps a node at
    every step, otherwise only at the stops. ``onset`` says how the beginning of a contact is found, ``min_step`` and
    ``depth`` belong to it. ``report(t)`` is called now and then; it may raise KeyboardInterrupt.
    """

    mechanism: Mechanism
    y: np.ndarray
    stops: np.ndarray
    jumps: np.ndarray
    record_steps: bool
    projecting: bool
    rtol: float
    atol: float
    max_step: float
    report: Callable[[float], None]
    onset: str = "event"
    min_step: float = 1e-7
    depth: float = 1e-6


@dataclass
class Answer:
    """Nodes of the run, why it ended and when, and what it cost."""

    parts: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    """Times and states of the nodes, with what the contacts remember behind each state, chunk by chunk."""
    outcome: Outcome = Outcome.FINISHED
    error: BaseException | None = None
    """What a user's function raised."""
    end: float = 0.0
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    stride: int = 1
    """Every how many steps a node was kept."""
    touches: list[np.ndarray] = field(default_factory=list)
    """Contacts that ended, one row each (see `watch`)."""
    events: int = 0
    too_deep: int = 0
    """Contacts that began too deep although the step was the smallest allowed."""

    def add(self, t: np.ndarray, y: np.ndarray) -> None:
        self.parts.append((t, y))

    def numbers(self) -> int:
        """How many numbers the nodes hold."""
        return sum(y.size for _, y in self.parts)

    def thin(self) -> None:
        """Drop every second node between the first and the last, but none of those where something jumps."""
        t, y = self.nodes()
        jump = np.flatnonzero(t[:-1] == t[1:])
        kept = np.unique([*range(0, len(t), 2), *jump, *(jump + 1), len(t) - 1])
        self.parts = [(t[kept], y[kept])]

    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        times, states = zip(*self.parts, strict=True)
        return np.concatenate(times), np.concatenate(states)


def largest_sizes(mechanism: Mechanism) -> np.ndarray:
    """Largest size a component is measured against: an angle counts no more than one radian, however far it turned."""
    cap = np.full(mechanism.controlled, np.inf)
    cap[2 : mechanism.n : 3] = 1.0
    return cap
