"""Request of an integration: initial state, stops, tolerances and output."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.run_output import RunOutput


@dataclass
class IntegrationRequest:
    """Integrate ``mechanism`` from ``y`` at ``start`` [s] through all ``stops`` (rising, the last is the end).

    ``jumps`` marks the stops at which a prescribed motion changes its form. ``record_steps`` stores a node at every
    step, otherwise only at the stops; nodes go to ``output``, which may contain a checkpoint. ``onset`` is the onset
    method, with ``min_step`` [s] and ``depth`` [m]. ``memory`` is the part of an earlier node behind its state: the
    histories of the contacts that are closed at ``start``.
    """

    mechanism: ModelEvaluator
    integrator: str
    y: np.ndarray
    stops: np.ndarray
    jumps: np.ndarray
    record_steps: bool
    projecting: bool
    rtol: float
    atol: float
    max_step: float
    onset: str = "event"
    min_step: float = 1e-7
    depth: float = 1e-6
    start: float = 0.0
    memory: np.ndarray | None = None
    output: RunOutput = field(default_factory=RunOutput)


def largest_sizes(mechanism: ModelEvaluator) -> np.ndarray:
    """Return the largest size that scales the error of each component; 1 rad for angles, however far they turned."""
    cap = np.full(mechanism.controlled, np.inf)
    cap[: mechanism.n][mechanism.angles] = 1.0
    turning = mechanism.tables.n_orientation
    cap[2 * mechanism.n : 2 * mechanism.n + turning] = 1.0  # orientations
    return cap
