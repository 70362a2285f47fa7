"""Arrays that evaluations change: snapshot, independent copy and fingerprint of a model."""

from __future__ import annotations

from copy import copy

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.compiled_model.system_data import SystemData
from carom.kernels.interpreted import array_address
from carom.mechanics.model_record import MODEL

CONSTANT_ARRAYS = {
    "mass", "inverse_mass", "gravity_force", "joints", "forces", "jacobian_blocks", "contacts",
    "body_offsets", "velocity_indices", "params", "inputs", "input_slots", "wear", "generalized", "principal_axes",
    "solver",
}  # fmt: skip
"""Arrays with constants of the model or with addresses, which evaluations do not change."""

IDENTIFYING_ARRAYS = ("mass", "gravity_force", "jacobian_blocks", "velocity_indices", "params")
"""Arrays that distinguish one model from another."""


def mutable_arrays(data: SystemData | GeneralizedData) -> dict[str, np.ndarray]:
    """Return the arrays changed by evaluations, by name; restoring them resumes a run bit for bit."""
    arrays = {f"model {name}": as_numbers(array) for name, array in data.arrays.items() if name not in CONSTANT_ARRAYS}
    arrays |= {f"solver {name}": as_numbers(array) for name, array in data.solver_arrays.items()}
    if isinstance(data, GeneralizedData):
        arrays |= {f"generalized {name}": array for name, array in data.workspace.items()}
    return arrays


def as_numbers(array: np.ndarray) -> np.ndarray:
    """Return a table of records as a view of its 8-byte numbers; other arrays unchanged."""
    return array.view(np.int64) if array.dtype.names else array


def copy_table(array: np.ndarray) -> np.ndarray:
    """Return a copy of an array; NumPy copies tables of records field by field, three times slower."""
    return array.view(np.int64).copy().view(array.dtype) if array.dtype.names else array.copy()


def copy_data(data: SystemData) -> SystemData:
    """Return a copy of a compiled model that shares only constants with it."""
    other = copy(data)
    other.model, other.kernels = MODEL.copy(data.model), list(data.kernels)
    other.user_kernels = list(data.user_kernels)
    own = {name: copy_table(array) for name, array in data.arrays.items() if name not in CONSTANT_ARRAYS}
    if data.inputs is not None:  # they change parameters
        own |= {name: copy_table(data[name]) for name in ("params", "inputs")}
    if data.wear is not None:
        own["params"] = copy_table(data["params"])
    own["solver"] = solver = copy_table(data["solver"])
    other.arrays = data.arrays | own
    MODEL.connect(other.model, own)
    other.solver_arrays = {name: array.copy() for name, array in data.solver_arrays.items()}
    for name, array in other.solver_arrays.items():
        solver[name] = array_address(array)
    return other


def numbers_at(data: SystemData, name: str) -> np.ndarray:
    """Return an array of a model by the name that `carom.compiled_model.changed_numbers` uses."""
    others = {"y0": data.y0, "own mass": data.mass, "joint_points": data.joint_points.reshape(-1)}
    return others[name] if name in others else data[name]


def is_same_model(data: SystemData, other: SystemData) -> bool:
    """Return True if two models consist of the same numbers and kernels."""
    names = {*CONSTANT_ARRAYS, "warm_start", "settings", "y0", "own mass"} - {"solver"}
    present = names & {*data.arrays, "y0", "own mass"}
    if present != names & {*other.arrays, "y0", "own mass"} or data.breaks != other.breaks:
        return False
    fields = [name for name in MODEL.names if name not in data.arrays]
    if any(getattr(data.model, name) != getattr(other.model, name) for name in fields):
        return False
    pairs = [(numbers_at(data, name), numbers_at(other, name)) for name in present]
    pairs += [(array, other.solver_arrays.get(name, np.zeros(0))) for name, array in data.solver_arrays.items()]
    pairs += [(data.output.rows, other.output.rows), (data.joint_points, other.joint_points)]
    return all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)


def fingerprint(data: SystemData | GeneralizedData) -> list[np.ndarray]:
    """Return the arrays that distinguish one model from another."""
    arrays = [data.y0, *(as_numbers(data[name]) for name in IDENTIFYING_ARRAYS if name in data.arrays)]
    if isinstance(data, SystemData) and data.inputs is not None:
        arrays.append(data.inputs.fingerprint())
    return arrays
