"""Arrays of the linear systems of implicit methods: pattern of the factors, and places of the entries in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.compiled_model.sparsity_pattern import elimination_order, symbolic_factorisation
from carom.compiled_model.system_data import SystemData
from carom.kernels.interpreted import Row
from carom.mechanics.contact_directions import PLANAR_ROW_SIZE, SPATIAL_ROW_SIZE
from carom.mechanics.contact_jacobian import CONTACT_JACOBIAN
from carom.mechanics.implicit_matrix import IMPLICIT_SOLVER
from carom.mechanics.model_record import TRIPLE

SMALLEST_MASS = 1e-6
"""Ratio to the largest mass, or inertia, that a body without one has in the matrix [-]; joints determine its motion."""


@dataclass(frozen=True)
class ImplicitSolver:
    """The record `IMPLICIT_SOLVER` of a model and the arrays that it points at."""

    record: Row
    arrays: dict[str, np.ndarray]


def implicit_solver(data: SystemData) -> ImplicitSolver:
    """Return the linear systems of implicit methods of a model."""
    fields = implicit_arrays(data)
    arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    record = IMPLICIT_SOLVER.new(**{name: value for name, value in fields.items() if name not in arrays})
    IMPLICIT_SOLVER.connect(record, arrays)
    return ImplicitSolver(record, arrays)


def implicit_arrays(data: SystemData) -> dict[str, Any]:
    """Return the fields of the record `IMPLICIT_SOLVER` of a model."""
    n, m, n_body = data.n_velocities, data.n_constraints, data.kind.n_velocities
    order = elimination_order(data)
    position = np.empty(n + m, np.int64)
    position[order] = np.arange(n + m)
    groups = [contact_velocities(entry, n_body) for entry in data["contacts"]]
    blocks = data["jacobian_blocks"]
    rows = n + np.repeat(blocks["row"], TRIPLE)
    columns = (blocks["velocity_index"][:, None] + np.arange(TRIPLE)).ravel()
    lower_start, lower_index, upper_start, upper_index = pattern_of(position, groups, rows, columns)
    size, filled = n + m, len(lower_index)
    places = entry_places(size, lower_start, lower_index, upper_start, upper_index)
    n_values = size + 2 * filled
    return {
        "size": size, "n_values": n_values, "rows_per_contact": data.kind.rows_per_contact,
        "row_size": PLANAR_ROW_SIZE if data.system.dim == 2 else SPATIAL_ROW_SIZE, "entry_width": 2 * n_body,
        "lower_values": size, "upper_values": size + filled,
        "jacobians": CONTACT_JACOBIAN.zeros(len(groups) + 1), "mass": positive_masses(data),
        "position": position, "lower_start": lower_start, "lower_index": lower_index,
        "upper_start": upper_start, "upper_index": upper_index,
        "contact_entries": contact_entries(groups, position, places, 2 * n_body),
        "jacobian_entries": jacobian_entries(position[rows], position[columns], places),
        "real_values": np.zeros(n_values), "complex_values": np.zeros(n_values, complex),
        "workspace": np.zeros(size, complex),
        "real_unknowns": np.zeros(size), "complex_unknowns": np.zeros(size, complex),
        "real_displacements": np.zeros(n), "complex_displacements": np.zeros(n, complex), "row_weight": np.zeros(m + 1),
    }  # fmt: skip


def contact_velocities(contact: np.ndarray, n_body: int) -> list[int]:
    """Return the indices of the velocities of both bodies of a contact; −1 for those of the ground."""
    first = (int(contact["velocity_a"]), int(contact["velocity_b"]))
    return [start + d if start >= 0 else -1 for start in first for d in range(n_body)]


def positive_masses(data: SystemData) -> np.ndarray:
    """Return the diagonal of M with small numbers in place of zeros [kg, kg m²]."""
    mass = data["mass"].reshape(-1, data.kind.n_velocities).copy()
    for part in (slice(0, data.system.dim), slice(data.system.dim, None)):
        largest = float(mass[:, part].max()) or float(mass.max()) or 1.0
        mass[:, part] = np.maximum(mass[:, part], SMALLEST_MASS * largest)
    return mass.ravel()


def pattern_of(
    position: np.ndarray, groups: list[list[int]], rows: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of L and U: starts and columns of each, in the order of elimination."""
    size = len(position)
    entries = {(k, k) for k in range(size)}
    for group in {tuple(group) for group in groups}:  # many spots of two bodies have one block
        places = [int(position[index]) for index in group if index >= 0]
        entries |= {(min(i, j), max(i, j)) for i in places for j in places}
    low, high = np.minimum(position[rows], position[columns]), np.maximum(position[rows], position[columns])
    entries |= set(zip(low.tolist(), high.tolist(), strict=True))
    upper = np.array(sorted(entries, key=lambda entry: (entry[1], entry[0])), np.int64)
    start = np.searchsorted(upper[:, 1], np.arange(size + 1)).astype(np.int64)
    return symbolic_factorisation(start, upper[:, 0].copy())


def entry_places(
    size: int, lower_start: np.ndarray, lower_index: np.ndarray, upper_start: np.ndarray, upper_index: np.ndarray
) -> dict[tuple[int, int], int]:
    """Return the place of every (row, column) in the values: the diagonal, then L, then U."""
    places = {(k, k): k for k in range(size)}
    filled = len(lower_index)
    for start, index, first in ((lower_start, lower_index, size), (upper_start, upper_index, size + filled)):
        owners = np.repeat(np.arange(size), np.diff(start))
        places |= {(i, j): first + p for p, (i, j) in enumerate(zip(owners.tolist(), index.tolist(), strict=True))}
    return places


def contact_entries(
    groups: list[list[int]], position: np.ndarray, places: dict[tuple[int, int], int], width: int
) -> np.ndarray:
    """Return the places of the blocks of all contacts, by rows; −1 for the ground."""
    table = np.full((len(groups) + 1, width, width), -1, np.int64)
    blocks: dict[tuple[int, ...], np.ndarray] = {}
    for block, group in zip(table, groups, strict=False):
        known = blocks.get(tuple(group))
        if known is None:
            moving = [(i, int(position[index])) for i, index in enumerate(group) if index >= 0]
            for i, first in moving:
                for j, second in moving:
                    block[i, j] = places[first, second]
            known = blocks[tuple(group)] = block
        block[...] = known
    return table


def jacobian_entries(rows: np.ndarray, columns: np.ndarray, places: dict[tuple[int, int], int]) -> np.ndarray:
    """Return two places for every number of Φ_q, that of the row and that of the column."""
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return np.array([(places[i, j], places[j, i]) for i, j in pairs], np.int64).reshape(-1, 2)
