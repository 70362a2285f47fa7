"""Output of a run: nodes, contact log, outcome and counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from carom.result.outcome import Outcome

if TYPE_CHECKING:
    from carom.solve.method import Method

MAX_NUMBERS = 16_000_000
"""Numbers in the nodes of a run that stores every step, beyond which every second node is dropped, repeatedly."""


@dataclass(frozen=True)
class ContactJump:
    """Jump of the indentation of a contact in one step."""

    contact: int
    """Index of the contact."""
    before: float
    """Largest indentation of its shapes before the step, and after it [m]."""
    after: float
    travel: float
    """Bound of the relative motion in the step [m]."""

    def description(self, name: str) -> str:
        """Return what happened at the contact of this name."""
        values = " to ".join(f"{-depth:.3g} m" for depth in (self.before, self.after))
        return (
            f", at contact {name!r}: its gap changed from {values}, while its bodies moved by {self.travel:.3g} m at "
            "most; check the shapes there: one may be too thin for the speed, the step or the softness of the contact"
        )


@dataclass
class RunOutput:
    """Nodes of a run, its contact log, the reason and time of its end, and its cost."""

    requested_times: np.ndarray | None = None
    """Rising times of the nodes to keep [s]; None keeps all."""
    is_driven: ClassVar[bool] = False
    """True if nodes may wait in the buffer of the method until it is full, or `Method.flush` is called."""
    batches: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    """Times and rows of the nodes, chunk by chunk; a row is a state, followed by the stored histories of contacts."""
    outcome: Outcome = Outcome.FINISHED
    error: BaseException | None = None
    """Exception of a user's function."""
    t_reached: float = 0.0
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    stride: int = 1
    """Number of steps per node."""
    contact_log: list[np.ndarray] = field(default_factory=list)
    """Log rows of the contacts that ended."""
    events: int = 0
    last_contact: int | None = None
    """Index of the contact of the last event."""
    contact_jump: ContactJump | None = None
    """Jump of an indentation that ended the run."""
    n_late_onsets: int = 0
    """Contacts that began too deep although the step was the smallest allowed."""
    implicit_share: dict[str, float] = field(default_factory=dict)
    """Number and duration [s] of the implicit steps, their Jacobians and factorisations."""

    def add(self, t: np.ndarray, y: np.ndarray) -> None:
        """Add nodes; drop those that are not requested."""
        if self.requested_times is not None:
            index = np.minimum(np.searchsorted(self.requested_times, t), len(self.requested_times) - 1)
            requested = self.requested_times[index] == t
            t, y = t[requested], y[requested]
        self.batches.append((t, y))

    @property
    def capacity(self) -> int | None:
        """Numbers that the nodes may contain until some are dropped; None without a limit."""
        return MAX_NUMBERS

    @property
    def resumed_state(self) -> dict[str, np.ndarray] | None:
        """Arrays of the checkpoint from which the run resumes; None at its start."""
        return None

    @property
    def checkpoint_due(self) -> bool:
        """True when a checkpoint is due."""
        return False

    def write_checkpoint(self, method: Method) -> None:
        """Write a checkpoint, if the output goes to a file."""

    @property
    def n_numbers(self) -> int:
        """Numbers in the nodes."""
        return sum(y.size for _, y in self.batches)

    def thin(self) -> None:
        """Drop every second node between the first and the last, except at discontinuities."""
        t, y = self.nodes()
        jump = np.flatnonzero(t[:-1] == t[1:])
        kept = np.unique([*range(0, len(t), 2), *jump, *(jump + 1), len(t) - 1])
        self.batches = [(t[kept], y[kept])]

    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return times and rows of all nodes."""
        times, states = zip(*self.batches, strict=True)
        nodes = np.concatenate(times), np.concatenate(states)
        self.batches = [nodes]  # so that the nodes are in memory once
        return nodes

    def last_node(self) -> np.ndarray:
        """Return the row of the last node."""
        return next(y[-1] for _, y in reversed(self.batches) if len(y))

    @property
    def failed(self) -> bool:
        """True if an exception of a user's function ended the run; Ctrl-C is an interruption."""
        return self.error is not None and not isinstance(self.error, KeyboardInterrupt)

    def raise_with(self, result: Any) -> None:
        """Raise the exception of a user's function with the result up to then; Ctrl-C is an outcome instead."""
        if self.error is not None and self.failed:
            self.error.add_note(f"at t = {self.t_reached:.9g} s; the result up to then is this exception's .result")
            self.error.result = result  # type: ignore[attr-defined]
            raise self.error


RECENT = 4
"""Stops whose nodes may come after a flush: a method holds back two nodes at most."""


@dataclass
class DrivenOutput(RunOutput):
    """Nodes at the times up to which a run has been advanced so far."""

    is_driven: ClassVar[bool] = True
    resumed: dict[str, np.ndarray] | None = None
    """Arrays of the state from which the run continues; None at its start."""
    expected: list[float] = field(default_factory=lambda: [0.0])
    """Times of the nodes that may come [s]."""
    n_nodes: int = 0
    """Nodes so far."""
    keeps_all: bool = False
    """True if every step is a node of the result."""
    inner: set[float] = field(default_factory=set)
    """Times of nodes that controllers need, which are not asked for [s]."""

    @property
    def capacity(self) -> int | None:
        """No limit: nodes that are evaluated already cannot be dropped."""
        return None

    @property
    def resumed_state(self) -> dict[str, np.ndarray] | None:
        """Arrays of the state from which the run continues; None at its start."""
        return self.resumed

    def add(self, t: np.ndarray, y: np.ndarray) -> None:
        """Add copies of the nodes at the expected times."""
        chosen = self.is_expected(t)
        self.batches.append((t[chosen], y[chosen]))
        self.n_nodes += len(self.batches[-1][0])
        del self.expected[:-RECENT]

    def is_expected(self, t: np.ndarray) -> np.ndarray:
        """Return True for each node at an expected time."""
        return np.ones(len(t), bool) if self.keeps_all else np.isin(t, self.expected)

    def expect(self, t: float, is_inner: bool) -> None:
        """Expect a node at the time ``t`` [s]."""
        self.expected.append(t)
        if is_inner and not self.keeps_all:
            self.inner.add(t)
        else:
            self.inner.discard(t)

    def is_requested(self, t: np.ndarray) -> np.ndarray:
        """Return True for each node that belongs to the result."""
        return ~np.isin(t, list(self.inner)) if self.inner else np.ones(len(t), bool)
