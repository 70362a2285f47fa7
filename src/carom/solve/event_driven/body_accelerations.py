"""Accelerations of bodies that follow generalised coordinates."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.kernels.derivatives import WEIGHTS
from carom.solve.generalized_nodes import evaluate_generalized_nodes

DIFFERENCE_LENGTH = 1e-3
"""Change of the coordinates and their velocities, in their units, over which velocities of bodies are differenced."""


def body_accelerations(tables: GeneralizedData, t: np.ndarray, y: np.ndarray, accelerations: np.ndarray) -> np.ndarray:
    """Return the accelerations of all bodies at nodes y = (q, u) with ``accelerations`` u̇, one row per node.

    The velocities of the bodies are differenced along the motion, with fourth order.
    """
    system, functions = tables.system, tables.functions
    f, bodies = system.freedom, len(system.bodies)
    result = np.zeros((len(t), 3 * bodies))
    if functions.bodies is None or functions.body_rates is None:
        return result
    fastest = np.abs(y[:, f:]).max(axis=1) + np.sqrt(np.abs(accelerations).max(axis=1))
    step = DIFFERENCE_LENGTH / (1.0 + fastest)[:, None]
    for offset, weight in WEIGHTS:
        s = offset * step
        shifted = np.hstack([y[:, :f] + s * (y[:, f:] + 0.5 * s * accelerations), y[:, f:] + s * accelerations])
        positions, velocities = np.zeros_like(result), np.zeros_like(result)
        evaluate_generalized_nodes(tables, t=t + s[:, 0], nodes=shifted, poses=positions, rates=velocities)
        result += weight / step * velocities
    return result
