"""What the compiled loop is given: one table of addresses, counts and limits, and the arrays behind it."""

from __future__ import annotations

import numpy as np

SIZE = 47
(
    # addresses of functions; 0 where there is none
    RATE,
    CAREFUL_RATE,
    TANGENTIAL,
    PROJECT,
    # addresses of arrays
    BLOCK,
    Y,
    K,  # slopes of the stages, row by row
    NEW,
    TRIAL,
    SLOPE,
    PROBE,
    A,
    B,  # 0 where the last stage is taken at the new state
    C,
    ERROR,  # 0 for methods without an estimate
    ERROR_3,
    EXTRA_A,
    EXTRA_C,
    DENSE,
    STOPS,
    JUMPS,
    CAP,
    LARGEST,
    WATCHERS,  # 0 where there are no contacts
    DESK,
    CLOCK,
    COUNTS,
    OUT_T,
    OUT_Y,
    LIMITS,
    # counts
    STATES,  # numbers in y
    CONTROLLED,  # of them, those whose error counts
    STAGES,
    EXTRA,
    DENSE_ORDER,
    INNER,
    ERROR_ORDER,
    ADAPTIVE,
    STOP_COUNT,
    STRIDE,  # every how many steps a node is kept; 0: only at stops
    ROOM,  # nodes that fit
    WIDTH,  # numbers in a node
    LOG_ROOM,
    ONSET,
    BUDGET,  # evaluations
    A_WIDTH,
    EXTRA_WIDTH,
) = range(SIZE)

# Entries of LIMITS: tolerances of a step, its length, how far a joint may open, and those of the onset of contacts.
RTOL, ATOL, MAX_STEP, TORN, MIN_STEP, DEEPEST = range(6)


class Plan:
    """The table, with its arrays kept alive."""

    def __init__(self) -> None:
        self.table = np.zeros(SIZE, np.int64)
        self.arrays: dict[int, np.ndarray] = {}

    def put(self, place: int, array: np.ndarray | None) -> None:
        """An array into its place; None leaves the place empty."""
        if array is not None:
            self.arrays[place] = array = np.ascontiguousarray(array)
            self.table[place] = array.ctypes.data
