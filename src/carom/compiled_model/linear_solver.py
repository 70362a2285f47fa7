"""Linear solver of the equations of motion: choice for a model, and the arrays that it needs."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.compiled_model.sparsity_pattern import elimination_order, symbolic_factorisation
from carom.mechanics import kkt_lu, kkt_redundant, kkt_schur, kkt_sparse
from carom.mechanics.model_record import TRIPLE

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData

DENSE_ROWS = 26
"""Largest number of constraint equations for the dense solver; the cost of the sparse one grows linearly."""

DENSE_REDUNDANT = 400
"""Largest number of constraint equations of which redundant ones are left out; above, all have a proximal term."""

MIN_INERTIA_RATIO = 1e-3
"""Ratio of an inertia to mass × arm² below which the solver with pivoting is used [-]."""

PROXIMAL, PROXIMAL_ITERATIONS = 1e-8, 4
"""Proximal term on the multipliers [-] and its iterations, which reduce the error of the term below rounding."""


def choose_solver(data: SystemData) -> None:
    """Choose a Schur complement for small systems, sparse LDLᵀ for large ones, LU where a mass is zero or small."""
    decoupled = decoupled_rotations(data)
    mass = data["mass"]
    mass[decoupled] = 1.0
    data["inverse_mass"][decoupled] = 1.0
    solver: ModuleType
    is_small = 0 < data.n_constraints <= DENSE_REDUNDANT and np.any(has_small_inertia(data))
    if np.any(mass == 0.0) or is_small:
        solver, arrays = kkt_lu, pivoted_arrays(data)
    elif data.n_constraints <= DENSE_ROWS:
        solver, arrays = kkt_schur, schur_arrays(data)
    else:
        solver, arrays = kkt_sparse, sparse_arrays(data)
    data.use_solver(solver, arrays)


def use_implicit(data: SystemData, stiffness: np.ndarray) -> None:
    """Use the solver of implicit steps, which subtracts ``stiffness`` from the mass matrix."""
    data.use_solver(kkt_lu, {**pivoted_arrays(data), "stiffness": stiffness})


def use_rank(data: SystemData, rank: int) -> None:
    """Use ``rank`` independent rows of redundant constraints, or a proximal term where that is not possible."""
    if data.n_constraints > DENSE_REDUNDANT or not np.all(data["mass"] > 0.0):
        data.regularise(PROXIMAL, PROXIMAL_ITERATIONS)
        return
    m = data.n_constraints
    arrays = {"rank": rank, "row_order": np.arange(m), "factors": np.zeros((m, m)), "workspace": np.zeros(m)}
    data.use_solver(kkt_redundant, {**schur_arrays(data), **arrays})


def use_least_norm(data: SystemData) -> None:
    """Use all rows of redundant constraints with a proximal term, which gives multipliers of least norm."""
    data.regularise(PROXIMAL, PROXIMAL_ITERATIONS)
    if data.n_constraints <= DENSE_REDUNDANT:
        data.use_solver(kkt_schur, schur_arrays(data))


def decoupled_rotations(data: SystemData) -> np.ndarray:
    """Return the rotation velocities of point masses without a torque; any inertia leaves them constant."""
    n_body = data.kind.n_velocities
    if np.all(data.mass > 0.0):
        return np.zeros(0, int)
    indices = [
        index
        for k, body in enumerate(data.system.bodies)
        if body.mass > 0.0 and not np.any(body.inertia) and not any(element.turns(body) for element in data.elements)
        for index in range(n_body * k + data.system.dim, n_body * (k + 1))
    ]
    return np.array(indices, int)


def joint_inertias(data: SystemData) -> np.ndarray:
    """Return mass × arm² of every body [kg m²]; the arm is the distance to the farthest joint."""
    arms = {id(body): 0.0 for body in data.system.bodies}
    for element in data.joints:
        for body, point in zip(element.members, element.points, strict=False):
            if id(body) in arms:
                arms[id(body)] = max(arms[id(body)], sum(part * part for part in point))
    return np.array([body.mass * arms[id(body)] for body in data.system.bodies])


def has_small_inertia(data: SystemData) -> np.ndarray:
    """Return True for each body whose inertia J is so much smaller than `joint_inertias` that 1/J would swamp 1/m."""
    inertia = data.mass.reshape(-1, data.kind.n_velocities)[:, data.system.dim :]
    return inertia.min(axis=1) < MIN_INERTIA_RATIO * joint_inertias(data)


def pivoted_arrays(data: SystemData) -> dict[str, Any]:
    """Return the arrays of the LU factorisation with pivoting of the KKT matrix, scaled by the masses."""
    size, dim = data.n_velocities + data.n_constraints, data.system.dim
    mass = data["mass"].reshape(-1, data.kind.n_velocities)
    heaviest = mass[:, :dim].max() or 1.0
    typical = np.full(mass.shape[1], mass[:, dim:].max() or heaviest)
    typical[:dim] = heaviest
    scale = np.ones(size)
    weight = np.where(mass > 0.0, mass, typical)
    is_small = has_small_inertia(data)
    weight[is_small, dim:] = np.maximum(weight[is_small, dim:], joint_inertias(data)[is_small, None])
    scale[: data.n_velocities] = 1.0 / np.sqrt(weight).ravel()
    pivots = np.zeros(size, np.int64)
    return {"matrix": np.zeros((size, size)), "pivots": pivots, "workspace": np.zeros(size), "scale": scale}


def schur_arrays(data: SystemData) -> dict[str, Any]:
    """Return the arrays of the Schur complement Φ_q M⁻¹ Φ_qᵀ, with the pairs of rows that share a body."""
    m = data.n_constraints
    by_column: dict[int, list[tuple[int, int]]] = {}
    for row, jac, column in data["jacobian_blocks"].tolist():
        by_column.setdefault(column, []).append((row, jac))
    pairs = [
        (min(r, s) * m + max(r, s), p, q, column)
        for column, entries in by_column.items()
        for i, (r, p) in enumerate(entries)
        for s, q in entries[i:]
    ]
    table = np.array(pairs, kkt_schur.ROW_PAIR.dtype)
    return {"n_row_pairs": len(table), "row_pairs": table, "matrix": np.zeros((m, m)), "diagonal": np.zeros(m)}


def sparse_arrays(data: SystemData) -> dict[str, Any]:
    """Return the arrays of the sparse LDLᵀ factorisation of the KKT matrix, with its pattern."""
    n, m = data.n_velocities, data.n_constraints
    order = elimination_order(data)
    position = np.empty(n + m, np.int64)
    position[order] = np.arange(n + m)
    rows, columns = (data["jacobian_blocks"][name] for name in ("row", "velocity_index"))
    # Entries of the upper triangle: the diagonal of M and of the rows, then three numbers per Jacobian block.
    i = np.concatenate([position, np.repeat(position[n + rows], TRIPLE)])
    j = np.concatenate([position, position[(columns[:, None] + np.arange(TRIPLE)).ravel()]])
    low, high = np.minimum(i, j), np.maximum(i, j)
    by_column = np.lexsort((low, high))
    entry = np.empty(len(low), np.int64)
    entry[by_column] = np.arange(len(low))
    start = np.searchsorted(high[by_column], np.arange(n + m + 1)).astype(np.int64)
    index = low[by_column].astype(np.int64)
    pattern_start, pattern, l_start, l_index = symbolic_factorisation(start, index)
    return {
        "position": position,
        "column_start": start,
        "column_index": index,
        "values": np.zeros(len(low)),
        "mass_index": entry[:n].copy(),
        "row_index": entry[n : n + m].copy(),
        "jacobian_index": entry[n + m :].copy(),
        "pattern_start": pattern_start,
        "pattern_index": pattern,
        "l_start": l_start,
        "l_index": l_index,
        "l_values": np.zeros(len(l_index)),
        "l_end": np.zeros(n + m, np.int64),
        "inverse_pivot": np.zeros(n + m),
        "workspace": np.zeros(n + m),
    }
