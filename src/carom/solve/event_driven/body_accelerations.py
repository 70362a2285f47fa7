"""Accelerations of bodies that follow generalised coordinates."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.kernels.derivatives import WEIGHTS
from carom.mechanics import generalized_stepping as general

WAY = 1e-3
"""Of coordinates, in their units, and their velocities: over it the velocities of bodies are differenced."""


def body_accelerations(tables: GeneralizedData, t: np.ndarray, y: np.ndarray, accelerations: np.ndarray) -> np.ndarray:
    """Of all bodies at nodes y = (q, u) with ``accelerations`` u̇: differences of fourth order along the motion."""
    system, functions = tables.system, tables.functions
    f, bodies = system.freedom, len(system.bodies)
    result = np.zeros((len(t), 3 * bodies))
    if functions.bodies is None or functions.body_rates is None:
        return result
    addresses = np.array(
        [functions.mass.address, 0, 0, 0, functions.bodies.address, functions.body_rates.address], np.int64
    )
    scratch = np.zeros(max(f * f, 3 * bodies * (f + 1)))
    contacts, energies = np.zeros((len(t), 0, general.SHOWN)), np.zeros((len(t), 2))
    fastest = np.abs(y[:, f:]).max(axis=1) + np.sqrt(np.abs(accelerations).max(axis=1))
    step = WAY / (1.0 + fastest)[:, None]
    for place, weight in WEIGHTS:
        s = place * step
        moved = np.hstack([y[:, :f] + s * (y[:, f:] + 0.5 * s * accelerations), y[:, f:] + s * accelerations])
        places, rates = np.zeros_like(result), np.zeros_like(result)
        general.observe(
            t + s[:, 0], moved, addresses, np.array([f, 0, 1, bodies]), contacts, scratch, places, rates, contacts,
            energies,
        )  # fmt: skip
        result += weight / step * rates
    return result
