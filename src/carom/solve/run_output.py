"""What a run answers, whichever method made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.result.outcome import Outcome

if TYPE_CHECKING:
    from carom.solve.method import Method

MOST_NUMBERS = 16_000_000
"""Of the nodes of a run that is kept step by step: beyond it, every second node is dropped, again and again."""


@dataclass
class RunOutput:
    """Nodes of the run, why it ended and when, and what it cost."""

    wanted: np.ndarray | None = None
    """Times of the nodes to keep, in their order; None keeps all."""
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
    contact: int | None = None
    """Index of the contact of the last event."""
    too_deep: int = 0
    """Contacts that began too deep although the step was the smallest allowed."""

    def add(self, t: np.ndarray, y: np.ndarray) -> None:
        if self.wanted is not None:
            place = np.minimum(np.searchsorted(self.wanted, t), len(self.wanted) - 1)
            kept = self.wanted[place] == t
            t, y = t[kept], y[kept]
        self.parts.append((t, y))

    @property
    def room(self) -> int | None:
        """How many more numbers nodes may hold until some are dropped; None: none ever are."""
        return MOST_NUMBERS

    @property
    def resumed(self) -> dict[str, np.ndarray] | None:
        """What the run left when it was interrupted, by which it goes on; None at its start."""
        return None

    @property
    def due(self) -> bool:
        """Whether what there is should be kept now."""
        return False

    def keep(self, method: Method) -> None:
        """Write a checkpoint, if the output goes to a file."""

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

    def last(self) -> np.ndarray:
        """The last node."""
        return next(y[-1] for _, y in reversed(self.parts) if len(y))

    def raise_with(self, result: Any) -> None:
        """Raise what a user's function raised, with the result up to then; not Ctrl-C, which is an outcome."""
        if self.error is not None and not isinstance(self.error, KeyboardInterrupt):
            self.error.add_note(f"at t = {self.end:.9g} s; what was computed up to then is this exception's .result")
            self.error.result = result  # type: ignore[attr-defined]
            raise self.error
