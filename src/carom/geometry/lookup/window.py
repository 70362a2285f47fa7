"""The part of a table that is in memory: the records around the contact point, moved as that moves (L 3.3)."""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any

import numpy as np

from carom.geometry.lookup.format import Header
from carom.kernels import floats, jit
from carom.kernels.signatures import call_advise

# What a window is: the first record along u and v, how many there are, how many the table has, whether it goes round;
# how many times it has moved; lower bounds of u and v and records for each unit of them; where the file is mapped.
WINDOW = 18
(
    FIRST_U, FIRST_V, SIZE_U, SIZE_V, BLOCKS_U, BLOCKS_V, ROUND_U, ROUND_V, KNOWN, UPDATES, LOW_U, LOW_V, PER_U, PER_V,
    MAP, LENGTH, ADVISE,
) = range(17)  # fmt: skip

DONT_NEED = np.int32(4)
"""MADV_DONTNEED: pages that are mapped leave memory, and come back from the file when they are read."""


class Window:
    """``size`` records along u and v of a table that is mapped at ``start``, ``length`` bytes long."""

    def __init__(self, header: Header, size: tuple[int, int], start: int, length: int):
        self.state = np.zeros(WINDOW)
        self.size = tuple(min(wanted, there) for wanted, there in zip(size, header.blocks, strict=True))
        periodic = [header.ends[k] == "periodic" for k in (0, 2)]
        whole = [wanted >= there for wanted, there in zip(self.size, header.blocks, strict=True)]
        self.state[[SIZE_U, SIZE_V]] = self.size
        self.state[[BLOCKS_U, BLOCKS_V]] = header.blocks
        self.state[[ROUND_U, ROUND_V]] = [float(p and not w) for p, w in zip(periodic, whole, strict=True)]
        self.state[[LOW_U, LOW_V]] = header.low
        self.state[[PER_U, PER_V]] = [1.0 / (d * n) for d, n in zip(header.increment, header.record, strict=True)]
        self.state[[MAP, LENGTH, ADVISE]] = start, length, _advise_address()

    @property
    def address(self) -> float:
        return float(self.state.ctypes.data)

    @property
    def updates(self) -> int:
        """How many times it has moved."""
        return int(self.state[UPDATES])

    @property
    def first(self) -> tuple[int, int] | None:
        """The record in its corner; None before the first contact search."""
        return (int(self.state[FIRST_U]), int(self.state[FIRST_V])) if self.state[KNOWN] else None

    def reset(self) -> None:
        """As before the first contact search."""
        self.state[[KNOWN, UPDATES]] = 0.0


def _advise_address() -> int:
    """Of the system's function madvise; 0 where there is none, and mapped pages stay until others need the room."""
    if sys.platform == "win32":
        return 0
    library: Any = ctypes.CDLL(None)
    return int(ctypes.cast(library.madvise, ctypes.c_void_p).value or 0)


@jit
def place(record, first, size, blocks, goes_round):
    """Where a record is in the window, and whether it is at a border beyond which the table goes on."""
    at = record - first
    if goes_round != 0.0:
        at -= math.floor(at / blocks) * blocks
    border = False
    if size >= 3.0:
        border = (at == 0.0 and (first > 0.0 or goes_round != 0.0)) or (
            at == size - 1.0 and (first + size < blocks or goes_round != 0.0)
        )
    return at, border


@jit
def centred(record, size, blocks, goes_round):
    """First record of a window about a record."""
    first = record - math.floor(0.5 * size)
    if goes_round != 0.0:
        return first - math.floor(first / blocks) * blocks
    return min(max(first, 0.0), blocks - size)


@jit
def let_go(address):
    """What is in memory of the mapped file may go; the system reads records again as they are asked for."""
    window = floats(address)
    if window[ADVISE] != 0.0:
        call_advise(int(window[ADVISE]), int(window[MAP]), int(window[LENGTH]), DONT_NEED)


@jit
def keep_window(address, u, v):
    """The seven steps of L 3.3 for the first guess (u, v) of a search."""
    window = floats(address)
    # (1) Locate the contact record.
    a = min(max(math.floor((u - window[LOW_U]) * window[PER_U]), 0.0), window[BLOCKS_U] - 1.0)
    b = min(max(math.floor((v - window[LOW_V]) * window[PER_V]), 0.0), window[BLOCKS_V] - 1.0)
    known = window[KNOWN] != 0.0
    if known:
        # (2) Does it belong to the window, and (3) is it a border record?
        at_u, border_u = place(a, window[FIRST_U], window[SIZE_U], window[BLOCKS_U], window[ROUND_U])
        at_v, border_v = place(b, window[FIRST_V], window[SIZE_V], window[BLOCKS_V], window[ROUND_V])
        inside = 0.0 <= at_u < window[SIZE_U] and 0.0 <= at_v < window[SIZE_V]
        if inside and not border_u and not border_v:
            return
    # (4) Centre the window at it and (5) note which records that are.
    window[FIRST_U] = centred(a, window[SIZE_U], window[BLOCKS_U], window[ROUND_U])
    window[FIRST_V] = centred(b, window[SIZE_V], window[BLOCKS_V], window[ROUND_V])
    window[KNOWN] = 1.0
    if known:
        window[UPDATES] += 1.0
    # (6) Read the records of the window.
    let_go(address)
