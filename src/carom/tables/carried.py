"""What tables carry from one evaluation to the next, and tables that do not share it."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from carom.mechanics import block as slot
from carom.tables.generalized import GeneralTables
from carom.tables.tables import Tables

FIXED = {
    slot.MASS, slot.INVERSE_MASS, slot.WEIGHT, slot.JOINT_TABLE, slot.FORCE_TABLE, slot.LINK_TABLE, slot.CONTACT_TABLE,
    slot.MEMBERS, slot.HOMES, slot.PAR, slot.GENERAL, slot.PRINCIPAL, slot.SOLVER,
}  # fmt: skip
"""Constants of the model, and tables of addresses."""


def carried(tables: Tables | GeneralTables) -> dict[str, np.ndarray]:
    """The arrays that evaluations change, by name: with their contents, a run goes on as if it had not stopped."""
    found = {f"block {place}": array for place, array in tables.arrays.items() if place not in FIXED}
    own = tables.implicit if isinstance(tables, GeneralTables) else tables.solver_arrays
    found |= {f"solver {k}": array for k, array in enumerate(own) if isinstance(array, np.ndarray)}
    if isinstance(tables, GeneralTables):
        found |= {f"own {place}": array for place, array in tables.own.items()}
    return found


def twin(tables: Tables) -> Tables:
    """The same model with arrays of its own."""
    other = copy(tables)
    other.block, other.arrays, other.kernels = tables.block.copy(), {}, list(tables.kernels)
    for place, array in tables.arrays.items():
        other.put(place, array.copy())
    solver: list[Any] = [part.copy() if isinstance(part, np.ndarray) else part for part in tables.solver_arrays]
    other.solver_arrays = solver
    other.put(slot.SOLVER, np.array([a if isinstance(a, int) else a.ctypes.data for a in solver], np.int64))
    return other


def fingerprint(tables: Tables | GeneralTables) -> list[np.ndarray]:
    """What tells one model from another, as numbers."""
    places = [slot.MASS, slot.WEIGHT, slot.LINK_TABLE, slot.HOMES, slot.PAR]
    return [tables.y0, *(tables[place] for place in places if place in tables.arrays)]
