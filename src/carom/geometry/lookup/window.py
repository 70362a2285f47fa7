"""Window of a lookup table: the records in memory around the contact point, moved with it (L 3.3)."""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any

import numpy as np

from carom.geometry.lookup.format import Header
from carom.kernels import EVALUATION, FLOAT, address_of, jit, kernel, record
from carom.kernels.signatures import call_madvise

WINDOW = record(
    first_u=FLOAT,  # first record along u and v
    first_v=FLOAT,
    size_u=FLOAT,  # records of the window along u and v
    size_v=FLOAT,
    records_u=FLOAT,  # records of the table along u and v
    records_v=FLOAT,
    cyclic_u=FLOAT,  # 1.0 where the window continues at the other end of the table
    cyclic_v=FLOAT,
    is_known=FLOAT,  # 1.0 after the first contact search
    n_updates=FLOAT,  # number of moves of the window
    u_low=FLOAT,  # lower bounds of u and v
    v_low=FLOAT,
    records_per_u=FLOAT,  # records per unit of u and v
    records_per_v=FLOAT,
    map=FLOAT,  # address and length [byte] of the mapped file
    length=FLOAT,
    advise_kernel=FLOAT,  # address of madvise, 0.0 where it does not exist
)

DONT_NEED = np.int32(4)
"""MADV_DONTNEED: mapped pages leave memory, and are read from the file again on the next access."""


class Window:
    """``size`` records along u and v of a table that is mapped at ``start``, ``length`` bytes long."""

    def __init__(self, header: Header, size: tuple[int, int], start: int, length: int):
        self.data = WINDOW.zeros()
        self._state = state = self.data[0]
        self.size = tuple(min(requested, available) for requested, available in zip(size, header.blocks, strict=True))
        for k, axis in enumerate("uv"):
            covers_all = self.size[k] >= header.blocks[k]
            state[f"size_{axis}"] = self.size[k]
            state[f"records_{axis}"] = header.blocks[k]
            state[f"cyclic_{axis}"] = header.ends[2 * k] == "periodic" and not covers_all
            state[f"{axis}_low"] = header.low[k]
            state[f"records_per_{axis}"] = 1.0 / (header.increment[k] * header.record[k])
        state["map"], state["length"], state["advise_kernel"] = start, length, _advise_address()

    @property
    def address(self) -> float:
        """Address of the record `WINDOW`."""
        return float(self.data.ctypes.data)

    @property
    def updates(self) -> int:
        """Number of moves."""
        return int(self._state["n_updates"])

    @property
    def first(self) -> tuple[int, int] | None:
        """Indices of its first record; None before the first contact search."""
        return (int(self._state["first_u"]), int(self._state["first_v"])) if self._state["is_known"] else None

    def reset(self) -> None:
        """Restore the state before the first contact search."""
        self._state["is_known"] = self._state["n_updates"] = 0.0


def _advise_address() -> int:
    """Return the address of the system function madvise, or 0 where it does not exist and pages stay mapped."""
    if sys.platform == "win32":
        return 0
    library: Any = ctypes.CDLL(None)
    return int(ctypes.cast(library.madvise, ctypes.c_void_p).value or 0)


@jit
def position_in_window(index, first, size, records, is_cyclic):
    """Return the position of a record in the window, and whether it is a border record with the table beyond it."""
    position = index - first
    if is_cyclic != 0.0:
        position -= math.floor(position / records) * records
    is_border = False
    if size >= 3.0:
        is_border = (position == 0.0 and (first > 0.0 or is_cyclic != 0.0)) or (
            position == size - 1.0 and (first + size < records or is_cyclic != 0.0)
        )
    return position, is_border


@jit
def first_of_centred(index, size, records, is_cyclic):
    """Return the first record of a window centred at a record."""
    first = index - math.floor(0.5 * size)
    if is_cyclic != 0.0:
        return first - math.floor(first / records) * records
    return min(max(first, 0.0), records - size)


@jit
def release_pages(address):
    """Release the memory of the mapped file; the system reads records again when they are needed."""
    window = WINDOW(address)
    if window.advise_kernel != 0.0:
        call_madvise(int(window.advise_kernel), int(window.map), int(window.length), DONT_NEED)


@kernel(EVALUATION, WINDOW)
def release_pages_of(window):
    """Release the memory of the mapped file of a window, called from Python."""
    release_pages(address_of(window))


@jit
def update_window(address, u, v):
    """Move the window for the initial guess (u, v) of a search: the seven steps of L 3.3."""
    window = WINDOW(address)
    # (1) Locate the contact record.
    a = min(max(math.floor((u - window.u_low) * window.records_per_u), 0.0), window.records_u - 1.0)
    b = min(max(math.floor((v - window.v_low) * window.records_per_v), 0.0), window.records_v - 1.0)
    is_known = window.is_known != 0.0
    if is_known:
        # (2) Does it belong to the window, and (3) is it a border record?
        position_u, border_u = position_in_window(a, window.first_u, window.size_u, window.records_u, window.cyclic_u)
        position_v, border_v = position_in_window(b, window.first_v, window.size_v, window.records_v, window.cyclic_v)
        is_inside = 0.0 <= position_u < window.size_u and 0.0 <= position_v < window.size_v
        if is_inside and not border_u and not border_v:
            return
    # (4) Centre the window at it and (5) store its records.
    window.first_u = first_of_centred(a, window.size_u, window.records_u, window.cyclic_u)
    window.first_v = first_of_centred(b, window.size_v, window.records_v, window.cyclic_v)
    window.is_known = 1.0
    if is_known:
        window.n_updates += 1.0
    # (6) Read the records of the window.
    release_pages(address)
