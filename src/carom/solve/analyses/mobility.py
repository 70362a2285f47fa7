"""Degrees of freedom, redundant constraints, singular positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.compiled_model.linear_solver import PROXIMAL, PROXIMAL_ITERATIONS
from carom.errors import ModelError, warn
from carom.model.system import System
from carom.solve.model_evaluator import ModelEvaluator

RANK = 1e-9
"""Rows (scaled to unit mobility) whose smallest singular value falls below this are dependent."""


INDEPENDENT = 1e-3
"""Smallest pivot, in units of its row, above which the rows are independent without a closer look."""


@dataclass(frozen=True)
class Mobility:
    """Independent rows, dependent rows (one choice of them), and the joints that depend on each other."""

    rank: int
    dependent: tuple[int, ...]
    involved: tuple[int, ...]


def mobility(mechanism: ModelEvaluator, t: float, y: np.ndarray) -> Mobility:
    """Return the rank of Φ_q at (t, y) and its dependent rows, with rows scaled to unit mobility."""
    if mechanism.m == 0:
        return Mobility(0, (), ())
    mass = mechanism.mass
    weight = np.sqrt(np.divide(1.0, mass, out=np.full_like(mass, _heaviest_mobility(mass)), where=mass > 0.0))
    if mechanism.large:
        return _sparse_mobility(mechanism.jacobian(t, y), weight)
    scaled = mechanism.dense_jacobian(t, y) * weight
    norms = np.linalg.norm(scaled, axis=1)
    scaled /= np.where(norms > 0.0, norms, 1.0)[:, None]
    left, sizes, _ = np.linalg.svd(scaled)
    rank = int(np.sum(sizes > RANK))
    null = left[:, rank:]  # combinations of rows that vanish
    involved = tuple(np.flatnonzero(np.abs(null).max(axis=1, initial=0.0) > 1e-6)) if null.size else ()
    return Mobility(rank, _dependent(scaled, mechanism.m - rank), tuple(int(i) for i in involved))


def _heaviest_mobility(mass: np.ndarray) -> float:
    positive = mass[mass > 0.0]
    return float(1.0 / positive.min()) if positive.size else 1.0


def _dependent(scaled: np.ndarray, count: int) -> tuple[int, ...]:
    """Return the rows that depend on earlier rows, in the order of the model."""
    if count == 0:
        return ()
    basis = np.zeros((0, scaled.shape[1]))
    found = []
    for k, row in enumerate(scaled):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        size = np.linalg.norm(rest)
        if size <= 1e-8:
            found.append(k)
        else:
            basis = np.vstack([basis, rest / size])
    return tuple(found)


def _sparse_mobility(jacobian: Any, weight: np.ndarray) -> Mobility:
    from scipy.sparse import csc_array, diags_array, eye_array
    from scipy.sparse.linalg import splu

    scaled = jacobian @ diags_array(weight)
    norms = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    scaled = diags_array(1.0 / np.where(norms > 0.0, norms, 1.0)) @ scaled
    schur = csc_array(scaled @ scaled.T + 1e-15 * eye_array(scaled.shape[0]))
    factors = splu(schur, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    pivots = np.abs(factors.U.diagonal())
    rows = np.argsort(factors.perm_c)  # column k of the factor is row rows[k] of the matrix
    dependent = tuple(sorted(int(rows[k]) for k in np.flatnonzero(pivots < 1e-12)))
    return Mobility(scaled.shape[0] - len(dependent), dependent, dependent)


def degrees_of_freedom(system: System) -> int:
    """Return the number of velocities that joints and drivers leave free in the current pose."""
    mechanism = ModelEvaluator(system)
    return mechanism.n - mobility(mechanism, 0.0, mechanism.tables.y0.copy()).rank


def examine(mechanism: ModelEvaluator, y: np.ndarray) -> Mobility:
    """Find dependent constraints at the start; warn of redundant ones, raise at a singular position."""
    refuse_undetermined(mechanism, y)
    if mechanism.min_pivot_ratio(0.0, y) > INDEPENDENT:
        return Mobility(mechanism.m, (), ())
    here = mobility(mechanism, 0.0, y)
    if not here.dependent:
        return here
    if _rank_rises_nearby(mechanism, y, here):
        names = ", ".join(repr(name) for name in mechanism.owners(here.involved))
        raise ModelError(
            f"System {mechanism.system.name!r} starts in a singular position: joints {names} lose their independence "
            "there and the motion is not determined; start from another position"
        )
    names = ", ".join(repr(name) for name in mechanism.owners(here.dependent))
    count = len(here.dependent)
    warn(
        f"System {mechanism.system.name!r}: {count} constraint equation{'s are' if count > 1 else ' is'} redundant, in "
        f"{names}; the motion is right, the reactions of these joints are the smallest that fit"
    )
    mechanism.set_redundant(here.rank)
    return here


def refuse_undetermined(mechanism: ModelEvaluator, y: np.ndarray) -> None:
    """Raise if the joints leave a massless body free to move."""
    massless = np.flatnonzero(mechanism.mass == 0.0)
    if massless.size == 0:
        return
    held = mechanism.dense_jacobian(0.0, y)[:, massless] if mechanism.m else np.zeros((1, massless.size))
    free = _null_space(held)
    if free.shape[1]:
        loose = massless[np.abs(free).max(axis=1) > 1e-6].tolist()
        names = ", ".join(dict.fromkeys(repr(mechanism.body(place).name) for place in loose))
        raise ModelError(
            f"System {mechanism.system.name!r}: joints leave {names} free to move, without mass or inertia to say how; "
            "give mass and inertia, or hold it"
        )


def _rank_rises_nearby(mechanism: ModelEvaluator, y: np.ndarray, here: Mobility) -> bool:
    """Return True if the rows become independent after a small motion that the joints allow."""
    n = mechanism.n
    mechanism.tables.regularise(PROXIMAL, PROXIMAL_ITERATIONS)
    try:
        free = np.zeros((n, 0)) if mechanism.large else _null_space(mechanism.dense_jacobian(0.0, y))
        rng = np.random.default_rng(0)
        reach = 1e-3 * (1.0 + np.abs(y[:n]).max())
        for time in (0.0, 1e-3):
            if free.shape[1] == 0 and time == 0.0:
                continue
            trial = y.copy()
            if free.shape[1]:
                step = free @ rng.standard_normal(free.shape[1])
                trial[:n] += reach * step / max(np.abs(step).max(), 1e-300)
            mechanism.assemble(time, trial)
            moved = mobility(mechanism, time, trial)
            residual = np.abs(mechanism.rows(time, trial)[0]).max(initial=0.0)
            if residual < 1e-9 * (1.0 + np.abs(y[:n]).max()) and moved.rank > here.rank:
                return True
        return False
    finally:
        mechanism.tables.regularise(0.0, 1)


def _null_space(matrix: np.ndarray) -> np.ndarray:
    _, sizes, right = np.linalg.svd(matrix)
    rank = int(np.sum(sizes > 1e-9 * max(sizes.max(initial=0.0), 1e-300)))
    return right[rank:].T
