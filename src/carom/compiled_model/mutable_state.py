"""Arrays that evaluations change: snapshot, independent copy and fingerprint of a model."""

from __future__ import annotations

from copy import copy

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.compiled_model.system_data import SystemData
from carom.mechanics.model_record import MODEL

FIXED = {
    "mass", "inverse_mass", "gravity_force", "joints", "forces", "jacobian_blocks", "contacts",
    "body_offsets", "velocity_indices", "params", "generalized", "principal_axes", "solver",
}  # fmt: skip
"""Constants of the model, and tables of addresses."""


def carried(tables: SystemData | GeneralizedData) -> dict[str, np.ndarray]:
    """Return the arrays changed by evaluations, by name; restoring them resumes a run bit for bit."""
    found = {f"model {name}": as_numbers(array) for name, array in tables.arrays.items() if name not in FIXED}
    found |= {f"solver {name}": as_numbers(array) for name, array in tables.solver_arrays.items()}
    if isinstance(tables, GeneralizedData):
        found |= {f"own {place}": array for place, array in tables.own.items()}
    return found


def as_numbers(array: np.ndarray) -> np.ndarray:
    """Return an array of records as a view of its 8-byte numbers; others as they are."""
    return array.view(np.int64) if array.dtype.names else array


def twin(tables: SystemData) -> SystemData:
    """Return a copy of the model that shares no arrays with it."""
    other = copy(tables)
    other.model, other.arrays, other.kernels = MODEL.copy(tables.model), {}, list(tables.kernels)
    for name, array in tables.arrays.items():
        other.set_array(name, array.copy())
    other.solver_arrays = {name: array.copy() for name, array in tables.solver_arrays.items()}
    for name, array in other.solver_arrays.items():
        other["solver"][name] = array.ctypes.data
    return other


def fingerprint(tables: SystemData | GeneralizedData) -> list[np.ndarray]:
    """Return the arrays that distinguish one model from another."""
    places = ["mass", "gravity_force", "jacobian_blocks", "velocity_indices", "params"]
    return [tables.y0, *(as_numbers(tables[place]) for place in places if place in tables.arrays)]
