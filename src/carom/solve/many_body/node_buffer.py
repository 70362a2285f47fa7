"""Nodes that wait for their evaluation: copies of the arrays of an engine, which compiled code makes at each node."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from carom.kernels import ADDRESS, INT, floats, ints, jit, offset, record
from carom.kernels.interpreted import address_of_argument

MAX_NODES, MAX_NUMBERS = 1024, 500_000
"""Largest number of nodes that wait, and of numbers in them."""
MIN_NODES = 16
"""Number of nodes below which waiting saves nothing."""

NODE_STORED, CONTACTS_ENDED = 100, 101
"""Status of a complete segment whose node waits; at the second one the log of contacts has new rows."""

NODE_PART = record(
    source=ADDRESS,  # the array of the engine
    size=INT,  # numbers
)
"""An array that is copied at each node."""

NODE_BUFFER = record(
    parts=ADDRESS,  # table of `NODE_PART`
    n_parts=INT,
    n_checked=INT,  # first parts, which contain numbers of bodies and must be finite
    rows=ADDRESS,  # one row of numbers per node
    row_size=INT,  # numbers
    n_rows=INT,
)
"""Nodes that wait."""


@jit
def store_node(buffer):
    """Copy the arrays as a new row; return False if the numbers of the bodies are not finite."""
    row = offset(ints(buffer.rows), buffer.n_rows * buffer.row_size)
    first = 0
    for k in range(buffer.n_parts):
        part = NODE_PART(buffer.parts, k)
        if k < buffer.n_checked:
            numbers = floats(part.source)
            for i in range(part.size):
                if numbers[i] - numbers[i] != 0.0:  # NaN or infinite
                    return False
        values = ints(part.source)
        for i in range(part.size):
            row[first + i] = values[i]
        first += part.size
    buffer.n_rows += 1
    return True


class NodeBuffer:
    """Rows of an engine's arrays at the nodes that wait; ``record`` is what compiled code reads."""

    def __init__(self) -> None:
        self.record = NODE_BUFFER.new()
        self.address = address_of_argument(self.record)
        self.capacity = 0

    def connect(self, arrays: dict[str, np.ndarray], n_checked: int) -> bool:
        """Copy these arrays from now on; return False if they are so large that nodes should not wait.

        The first ``n_checked`` of them contain the numbers of the bodies.
        """
        self._arrays = arrays
        sizes = [array.nbytes // 8 for array in arrays.values()]
        row_size = sum(sizes)
        self.capacity = min(MAX_NODES, MAX_NUMBERS // max(row_size, 1))
        if self.capacity < MIN_NODES:
            return False
        self._parts = NODE_PART.zeros(len(sizes))
        self._parts["source"] = [array.ctypes.data for array in arrays.values()]
        self._parts["size"] = sizes
        self._rows = np.zeros((self.capacity, row_size), np.int64)
        record = self.record
        record.parts, record.n_parts, record.n_checked = self._parts.ctypes.data, len(sizes), n_checked
        record.rows, record.row_size, record.n_rows = self._rows.ctypes.data, row_size, 0
        return True

    def take(self) -> dict[str, np.ndarray]:
        """Return the arrays of the waiting nodes by name, with the node as their first axis; none wait any more."""
        taken = dict(self._columns(int(self.record.n_rows)))
        self.record.n_rows = 0
        return taken

    def _columns(self, count: int) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the arrays of the first ``count`` nodes."""
        first = 0
        for name, array in self._arrays.items():
            size = array.nbytes // 8
            columns = self._rows[:count, first : first + size].copy()
            yield name, columns.ravel().view(array.dtype).reshape(count, *array.shape)
            first += size
