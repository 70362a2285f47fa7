"""The linear solver of a model, and the arrays it needs."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.compiled_model.sparsity_pattern import elimination_order, symbolic
from carom.mechanics import kkt_lu, kkt_redundant, kkt_schur, kkt_sparse
from carom.mechanics.model_record import TRIPLE

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData

DENSE_ROWS = 26
"""Above this number of constraint equations the sparse solver takes over, whose cost grows in proportion."""


DENSE_RANKED = 400
"""Up to this number of equations, redundant ones are set aside exactly; above, all carry a proximal term."""

SLIGHT = 1e-3
"""Of mass × arm²: an inertia below it is left to the pivoted solver."""

EPSILON, SWEEPS = 1e-8, 4
"""The proximal term and its sweeps: four take 1e-8 below rounding."""


def choose_solver(tables: SystemData) -> None:
    """Schur complement for small systems, sparse LDLᵀ for large ones, pivoted LU where a body has next to no mass."""
    free = decoupled_rotations(tables)
    mass = tables["mass"]
    mass[free] = 1.0
    tables["inverse_mass"][free] = 1.0
    solver: ModuleType
    slight = np.any(slight_inertias(tables)) and tables.n_constraints <= DENSE_RANKED
    if np.any(mass == 0.0) or slight:
        solver, arrays = kkt_lu, pivoted_arrays(tables)
    elif tables.n_constraints <= DENSE_ROWS:
        solver, arrays = kkt_schur, schur_arrays(tables)
    else:
        solver, arrays = kkt_sparse, sparse_arrays(tables)
    tables.use_solver(solver, arrays)


def use_implicit(tables: SystemData, stiffness: np.ndarray) -> None:
    """For steps that are implicit in the forces: ``stiffness`` is subtracted from the mass matrix."""
    tables.use_solver(kkt_lu, {**pivoted_arrays(tables), "stiffness": stiffness})


def use_independent_rows(tables: SystemData, rank: int) -> None:
    """For redundant constraints: exact accelerations from ``rank`` rows."""
    m = tables.n_constraints
    own = {"rank": rank, "row_order": np.arange(m), "factors": np.zeros((m, m)), "workspace": np.zeros(m)}
    tables.use_solver(kkt_redundant, {**schur_arrays(tables), **own})


def use_least_norm(tables: SystemData) -> None:
    """For redundant constraints: multipliers of least norm, from all rows with a proximal term."""
    tables.regularise(EPSILON, SWEEPS)
    if tables.n_constraints <= DENSE_RANKED:
        tables.use_solver(kkt_schur, schur_arrays(tables))


def decoupled_rotations(tables: SystemData) -> np.ndarray:
    """Angles of point masses (no inertia) that nothing turns: they keep their speed whatever inertia they get."""
    width = tables.kind.n_velocities
    free = [
        place
        for k, body in enumerate(tables.system.bodies)
        if body.mass > 0.0 and not np.any(body.inertia) and not any(element.turns(body) for element in tables.elements)
        for place in range(width * k + tables.system.dim, width * (k + 1))
    ]
    return np.array(free, int)


def held_inertias(tables: SystemData) -> np.ndarray:
    """Mass × arm² of every body, the arm to the farthest point a joint holds it by."""
    arms = {id(body): 0.0 for body in tables.system.bodies}
    for element in tables.joints:
        for body, point in zip(element.members, element.points, strict=False):
            if id(body) in arms:
                arms[id(body)] = max(arms[id(body)], sum(part * part for part in point))
    return np.array([body.mass * arms[id(body)] for body in tables.system.bodies])


def slight_inertias(tables: SystemData) -> np.ndarray:
    """Bodies whose own inertia is nothing against that: 1/J would drown 1/m."""
    own = tables.mass.reshape(-1, tables.kind.n_velocities)[:, tables.system.dim :]
    return own.min(axis=1) < SLIGHT * held_inertias(tables)


def pivoted_arrays(tables: SystemData) -> dict[str, Any]:
    size, dim = tables.n_velocities + tables.n_constraints, tables.system.dim
    mass = tables["mass"].reshape(-1, tables.kind.n_velocities)
    heaviest = mass[:, :dim].max() or 1.0
    typical = np.full(mass.shape[1], mass[:, dim:].max() or heaviest)
    typical[:dim] = heaviest
    scale = np.ones(size)
    weight = np.where(mass > 0.0, mass, typical)
    slight = slight_inertias(tables)
    weight[slight, dim:] = np.maximum(weight[slight, dim:], held_inertias(tables)[slight, None])
    scale[: tables.n_velocities] = 1.0 / np.sqrt(weight).ravel()
    pivots = np.zeros(size, np.int64)
    return {"matrix": np.zeros((size, size)), "pivots": pivots, "workspace": np.zeros(size), "scale": scale}


def schur_arrays(tables: SystemData) -> dict[str, Any]:
    m = tables.n_constraints
    by_column: dict[int, list[tuple[int, int]]] = {}
    for row, jac, column in tables["jacobian_blocks"].tolist():
        by_column.setdefault(column, []).append((row, jac))
    pairs = [
        (min(r, s) * m + max(r, s), p, q, column)
        for column, entries in by_column.items()
        for i, (r, p) in enumerate(entries)
        for s, q in entries[i:]
    ]
    table = np.array(pairs, kkt_schur.ROW_PAIR.dtype)
    return {"n_row_pairs": len(table), "row_pairs": table, "matrix": np.zeros((m, m)), "diagonal": np.zeros(m)}


def sparse_arrays(tables: SystemData) -> dict[str, Any]:
    n, m = tables.n_velocities, tables.n_constraints
    order = elimination_order(tables)
    place = np.empty(n + m, np.int64)
    place[order] = np.arange(n + m)
    rows, columns = (tables["jacobian_blocks"][name] for name in ("row", "velocity_index"))
    # Upper triangle, entry by entry: the diagonal of M and of the rows, then three numbers a link.
    i = np.concatenate([place, np.repeat(place[n + rows], TRIPLE)])
    j = np.concatenate([place, place[(columns[:, None] + np.arange(TRIPLE)).ravel()]])
    low, high = np.minimum(i, j), np.maximum(i, j)
    by_column = np.lexsort((low, high))
    where = np.empty(len(low), np.int64)
    where[by_column] = np.arange(len(low))
    start = np.searchsorted(high[by_column], np.arange(n + m + 1)).astype(np.int64)
    index = low[by_column].astype(np.int64)
    pattern_start, pattern, l_start, l_index = symbolic(start, index)
    return {
        "position": place,
        "column_start": start,
        "column_index": index,
        "values": np.zeros(len(low)),
        "mass_index": where[:n].copy(),
        "row_index": where[n : n + m].copy(),
        "jacobian_index": where[n + m :].copy(),
        "pattern_start": pattern_start,
        "pattern_index": pattern,
        "l_start": l_start,
        "l_index": l_index,
        "l_values": np.zeros(len(l_index)),
        "l_end": np.zeros(n + m, np.int64),
        "inverse_pivot": np.zeros(n + m),
        "workspace": np.zeros(n + m),
    }
