"""Nodes of a driven run of many bodies that wait for their evaluation, and the segments between them."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from carom.kernels.decorators import Kernel
from carom.kernels.interpreted import Row, address_of_argument
from carom.solve.many_body.node_buffer import CONTACTS_ENDED, NODE_STORED, NodeBuffer


class BatchedNodes(Protocol):
    """Output of an engine, which evaluates many nodes at once."""

    n_body_arrays: int

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the engine from which its nodes follow."""

    def rows(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Return nodes with these arrays, whose first axis is the node."""


class WaitingNodes:
    """Nodes that wait, with the segments of equal steps between them.

    ``segment`` is the record of ``kernel``, which advances to a node and copies the arrays of ``nodes``.
    """

    def __init__(self, nodes: BatchedNodes, kernel: Kernel, segment: Row):
        self.nodes, self.kernel, self.segment, self.buffer = nodes, kernel, segment, NodeBuffer()
        self._address = address_of_argument(segment)
        segment.nodes = self.buffer.address
        self.times: list[float] = []
        """Times of the nodes [s]."""
        self.n_steps = 0
        """Steps of the last segment."""
        self.status = CONTACTS_ENDED
        """Status of the last segment."""
        self.is_connected = self.is_small = False

    def is_ready(self) -> bool:
        """Connect the arrays of the current neighbour list; return False if they are so large that no node waits."""
        if not self.is_connected:
            self.is_small = self.buffer.connect(self.nodes.arrays(), self.nodes.n_body_arrays)
            self.is_connected = True
        return self.is_small

    @property
    def is_full(self) -> bool:
        """True if no other node can wait."""
        return len(self.times) >= self.buffer.capacity

    def advance(self, begin: float, end: float, max_step: float) -> bool:
        """Advance in equal steps of at most ``max_step`` [s], and store the node at ``end`` [s].

        Return False if the segment is not complete, or failed; ``status`` is that of the loop.
        """
        duration = end - begin
        count = self.n_steps = max(math.ceil(duration / max_step * (1.0 - 1e-9)), 1)
        self.status = status = self.kernel.call(self._address, begin, duration / count, count)
        if status < NODE_STORED:
            return False
        self.times.append(end)
        return True

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        """Return times and rows of the nodes; none wait any more."""
        times, self.times = np.array(self.times), []
        return times, self.nodes.rows(self.buffer.take())
