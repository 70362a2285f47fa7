"""Derivatives of the equations of motion about a state at rest."""

from __future__ import annotations

import numpy as np

from carom.solve.model_evaluator import ModelEvaluator


def rest_state(mechanism: ModelEvaluator) -> np.ndarray:
    """Return the current pose with zero velocities."""
    y = mechanism.tables.y0.copy()
    y[mechanism.n : 2 * mechanism.n] = 0.0
    return y


def reach(mechanism: ModelEvaluator, y: np.ndarray) -> np.ndarray:
    """Return a small change of every coordinate, scaled by 1 rad for angles and the system size for positions [m].

    In contact it is limited to a fraction of the indentation, so that no contact opens.
    """
    n = mechanism.n
    places = y[:n][~mechanism.angles]
    arms = mechanism.tables.joint_points
    size = max(float(np.abs(places).max()), float(np.abs(arms).max(initial=0.0))) or 1.0
    steps = np.full(n, 1e-3 * size)
    steps[mechanism.angles] = 1e-3
    depths = mechanism.indentations(y)
    touching = depths[depths > 0.0]
    if touching.size:
        depth = float(touching.min())
        steps = np.minimum(steps, 1e-2 * depth * np.where(mechanism.angles, 1.0 / size, 1.0))
    return steps


def stiffness(
    mechanism: ModelEvaluator, y: np.ndarray, states: np.ndarray, by_position: np.ndarray | None
) -> np.ndarray:
    """Return the tangent stiffness ∂(Q − Φ_qᵀλ)/∂q at fixed λ, by central differences.

    The friction states, at the indices ``states`` of y, follow with the derivatives ``by_position``.
    """
    n = mechanism.n
    mechanism.rate(mechanism.now, y)
    multipliers = mechanism.multipliers()
    steps = 1e-2 * reach(mechanism, y)
    matrix = np.zeros((n, n))
    for i in range(n):
        sides = []
        for sign in (1.0, -1.0):
            trial = y.copy()
            trial[i] += sign * steps[i]
            if by_position is not None:
                trial[states] += sign * steps[i] * by_position[:, i]
            jacobian = mechanism.dense_jacobian(mechanism.now, trial)
            sides.append(mechanism.tables["rhs_motion"].copy() - jacobian.T @ multipliers)
        matrix[:, i] = (sides[0] - sides[1]) / (2.0 * steps[i])
    return matrix


def free_directions(mechanism: ModelEvaluator, y: np.ndarray) -> np.ndarray:
    """Return a mass-orthonormal basis of the motions that the joints allow, as columns."""
    mass = np.where(mechanism.mass > 0.0, mechanism.mass, 1e-12 * mechanism.mass.max())
    weight = 1.0 / np.sqrt(mass)
    if mechanism.m == 0:
        return np.diag(weight)
    scaled = mechanism.dense_jacobian(mechanism.now, y) * weight
    norms = np.linalg.norm(scaled, axis=1)
    _, sizes, right = np.linalg.svd(scaled / np.where(norms > 0.0, norms, 1.0)[:, None])
    rank = int(np.sum(sizes > 1e-9))
    return weight[:, None] * right[rank:].T
