"""How a run begins: a state that satisfies the joints, motions that cover it, and the times that are asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

import numpy as np

from carom.argument_checks import finite_float, is_list, positive
from carom.errors import ModelError, warn
from carom.solve.analyses.assembly import solve_positions, solve_velocities
from carom.solve.model_evaluator import ModelEvaluator

LONGEST, MOST_STEPS = 1e12, 1e12
"""Seconds and steps of a run: years of computing."""
MOST_NODES = 10_000_000
"""Times that a run may be asked for."""
CONSISTENT = 1e-15
"""Constraint residual relative to coordinates and velocities [-] below which an initial state satisfies the joints."""


def check_spans(mechanism: ModelEvaluator, t_end: float) -> None:
    """Raise unless motions defined by a table cover the run."""
    for joint in mechanism.tables.joints:
        if joint.motion is not None and not joint.motion.span[0] <= 0.0 <= t_end <= joint.motion.span[1]:
            low, high = joint.motion.span
            raise ModelError(f"{joint.label}: its table covers {low:g} s to {high:g} s, the run needs 0 to {t_end:g} s")


def consistent_start(mechanism: ModelEvaluator) -> np.ndarray:
    """Return the state of the system projected onto the constraints; warn if it changes significantly."""
    y = mechanism.tables.y0.copy()
    if mechanism.m == 0:
        return y
    n = mechanism.n
    jacobian = mechanism.matrix(0.0, y)
    phi, nu = (mechanism.tables[place][: mechanism.m].copy() for place in ("Phi", "nu"))
    size = 1.0 + np.abs(y[:n]).max()
    speed = 1.0 + np.abs(y[n : 2 * n]).max()
    if np.abs(phi).max() <= CONSISTENT * size and np.abs(jacobian @ y[n : 2 * n] - nu).max() <= CONSISTENT * speed:
        return y
    before = y.copy()
    solve_positions(mechanism, y, [])
    solve_velocities(mechanism, y, [])
    moved, turned = np.abs(y[:n] - before[:n]).max(), np.abs(y[n : 2 * n] - before[n : 2 * n]).max()
    if moved > 1e-9 * size or turned > 1e-9 * speed:
        gaps = np.abs(phi) / size if moved > 1e-9 * size else velocity_gaps(mechanism, before) / speed
        open_rows = np.flatnonzero(gaps > 1e-10)
        if all(mechanism.tables.row_owner(int(row)).motion is not None for row in open_rows):
            return y  # a driver may set its system in motion
        names = ", ".join(repr(name) for name in mechanism.owners(open_rows))
        warn(
            f"System {mechanism.system.name!r}: the start does not satisfy {names}; positions moved by {moved:.3g}, "
            f"velocities by {turned:.3g}. Call system.assemble(keep=[...]) to choose what stays"
        )
    return y


def velocity_gaps(mechanism: ModelEvaluator, y: np.ndarray) -> np.ndarray:
    """Return |Φ_q v − ν| of each constraint at a state."""
    n = mechanism.n
    return np.abs(mechanism.matrix(0.0, y) @ y[n : 2 * n] - mechanism.rows(0.0, y)[1])


def check_length(t_end: float, what: str, step: float) -> None:
    """Raise if a run is too long, or has too many steps of the length ``step`` [s]."""
    if t_end > LONGEST:
        raise ModelError(f"simulate: t_end must be at most {LONGEST:g} s, got {t_end:g}")
    if t_end > MOST_STEPS * step:
        raise ModelError(
            f"simulate: {what} = {step:g} s is too short for a run of {t_end:g} s, which would have more than "
            f"{MOST_STEPS:g} steps"
        )


def output_times(output: float | Sequence[float] | None, t_end: float) -> np.ndarray:
    """Return the times of the output nodes after 0 [s], from an interval or a list of times; none for None."""
    if output is None:
        return np.zeros(0)
    if not is_list(output):
        interval = positive("simulate", "output", output)
        if t_end > MOST_NODES * interval:
            raise ModelError(
                f"simulate: output every {interval:g} s up to {t_end:g} s are {t_end / interval:.3g} nodes, more than "
                f"{MOST_NODES}; use a longer interval"
            )
        count = math.floor(t_end / interval * (1.0 + 1e-12))
        times = interval * np.arange(1, count + 1)
        return np.where(times > t_end * (1.0 - 1e-12), t_end, times)
    listed = list(islice(output, MOST_NODES + 1))  # type: ignore[arg-type]
    if len(listed) > MOST_NODES:
        raise ModelError(f"simulate: output must have at most {MOST_NODES} times, got more")
    times = np.array([finite_float("simulate", "output", value) for value in listed])
    if np.any(times < 0.0) or np.any(times > t_end * (1.0 + 1e-12)):
        raise ModelError(
            f"simulate: output times must lie between 0 and t_end = {t_end:g} s, got {times.min():g} to {times.max():g}"
        )
    return np.unique(np.minimum(times[times > 0.0], t_end))
