"""Initial state that satisfies the joints, checks of the run length, and requested output times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

import numpy as np

from carom.argument_checks import finite_float, is_list, positive
from carom.errors import ModelError, warn
from carom.solve.analyses.assembly import solve_positions, solve_velocities
from carom.solve.model_evaluator import ModelEvaluator

MAX_DURATION, MAX_STEPS = 1e12, 1e12
"""Largest duration [s] and number of steps of a run."""
MAX_NODES = 10_000_000
"""Largest number of requested output times."""
CONSISTENCY = 1e-15
"""Residual of the constraints, relative to coordinates and velocities, below which a state satisfies them [-]."""


def check_spans(mechanism: ModelEvaluator, t_end: float) -> None:
    """Raise if a motion given by a table does not cover the run."""
    for joint in mechanism.tables.joints:
        if joint.motion is None:
            continue
        low, high = joint.motion.span
        last = t_end if math.isfinite(t_end) else 0.0  # each later time is checked when it is requested
        if not low <= 0.0 <= last <= high:
            raise ModelError(f"{joint.label}: its table covers {low:g} s to {high:g} s, the run needs 0 to {last:g} s")


def consistent_start(mechanism: ModelEvaluator) -> np.ndarray:
    """Return the initial state, projected onto the constraints; warn if it had to move noticeably."""
    y = mechanism.tables.y0.copy()
    if mechanism.m == 0:
        return y
    n = mechanism.n
    jacobian = mechanism.matrix(0.0, y)
    phi, nu = (mechanism.tables[place][: mechanism.m].copy() for place in ("Phi", "nu"))
    size = 1.0 + np.abs(y[:n]).max()
    speed = 1.0 + np.abs(y[n : 2 * n]).max()
    if np.abs(phi).max() <= CONSISTENCY * size and np.abs(jacobian @ y[n : 2 * n] - nu).max() <= CONSISTENCY * speed:
        return y
    before = y.copy()
    solve_positions(mechanism, y, [])
    solve_velocities(mechanism, y, [])
    moved, turned = np.abs(y[:n] - before[:n]).max(), np.abs(y[n : 2 * n] - before[n : 2 * n]).max()
    if moved > 1e-9 * size or turned > 1e-9 * speed:
        gaps = np.abs(phi) / size if moved > 1e-9 * size else velocity_gaps(mechanism, before) / speed
        open_rows = np.flatnonzero(gaps > 1e-10)
        if all(mechanism.tables.row_owner(int(row)).motion is not None for row in open_rows):
            return y  # a driver sets its system in motion: that is what it is for
        names = ", ".join(repr(name) for name in mechanism.owners(open_rows))
        warn(
            f"System {mechanism.system.name!r}: the start does not satisfy {names}; positions moved by {moved:.3g}, "
            f"velocities by {turned:.3g} [m/s, rad/s]; call system.assemble(keep=[...]) to choose which values are kept"
        )
    return y


def velocity_gaps(mechanism: ModelEvaluator, y: np.ndarray) -> np.ndarray:
    """Return the residuals of the velocity constraints [m/s, rad/s]."""
    n = mechanism.n
    return np.abs(mechanism.matrix(0.0, y) @ y[n : 2 * n] - mechanism.rows(0.0, y)[1])


def check_length(t_end: float, what: str, step: float) -> None:
    """Raise if a run is too long, or has too many steps of the length ``step`` [s], to end; it may have no end yet."""
    if t_end == math.inf:
        return
    if t_end > MAX_DURATION:
        raise ModelError(f"simulate: t_end must be at most {MAX_DURATION:g} s, got {t_end:g}")
    if t_end > MAX_STEPS * step:
        raise ModelError(
            f"simulate: {what} = {step:g} s is too short for a run of {t_end:g} s, which would have more than "
            f"{MAX_STEPS:g} steps"
        )


def output_times(output: float | Sequence[float] | None, t_end: float) -> np.ndarray:
    """Return the requested times of nodes after the start [s]."""
    if output is None:
        return np.zeros(0)
    if not is_list(output):
        interval = positive("simulate", "output", output)
        if t_end > MAX_NODES * interval:
            raise ModelError(
                f"simulate: output every {interval:g} s up to {t_end:g} s are {t_end / interval:.3g} nodes, more than "
                f"{MAX_NODES}; use a longer interval"
            )
        count = math.floor(t_end / interval * (1.0 + 1e-12))
        times = interval * np.arange(1, count + 1)
        return np.where(times > t_end * (1.0 - 1e-12), t_end, times)
    listed = list(islice(output, MAX_NODES + 1))  # type: ignore[arg-type]
    if len(listed) > MAX_NODES:
        raise ModelError(f"simulate: output must have at most {MAX_NODES} times, got more")
    times = np.array([finite_float("simulate", "output", value) for value in listed])
    if np.any(times < 0.0) or np.any(times > t_end * (1.0 + 1e-12)):
        raise ModelError(
            f"simulate: output times must lie between 0 and t_end = {t_end:g} s, got {times.min():g} to {times.max():g}"
        )
    return np.unique(np.minimum(times[times > 0.0], t_end))
