"""Kinematics: positions, velocities, accelerations and driver efforts of a fully driven system."""

from __future__ import annotations

import time as clock
from itertools import pairwise

import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError, warn
from carom.mechanics import model_record as slot
from carom.model.system import System
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.analyses.assembly import solve_positions, solve_velocities
from carom.solve.analyses.mobility import examine
from carom.solve.initial_state import check_spans
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.postprocessing import SystemNodeEvaluator, make_result

HALVINGS = 14
"""Number of halvings of an interval after which a position counts as unreachable."""

LARGEST_TURN = 0.25
"""Largest rotation of a body per step [rad]; it keeps Newton's method on the same solution branch."""

LOCKED = 1e-11
"""Smallest pivot (see `carom.mechanics.model_record`) of a position that still determines its velocities."""


def kinematics(system: System, t_end: float, *, points: int = 1001) -> Result:
    """Return the motion of a fully driven system at ``points`` times from 0 to ``t_end`` [s].

    Positions satisfy Φ(q, t) = 0 to rounding, velocities Φ_q v = ν, accelerations Φ_q a = γ; the reactions of joints
    and the efforts of drivers (inverse dynamics) follow from the masses and forces. A position that cannot be reached
    ends the analysis, and the `Outcome` says so.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.four_bar()
    >>> cm.kinematics(case.system, t_end=0.1, points=3).t.tolist()
    [0.0, 0.05, 0.1]
    """
    t_end = positive("kinematics", "t_end", t_end)
    if int(points) < 2:
        raise ModelError(f"kinematics: points must be at least 2, got {points}")
    began = clock.perf_counter()
    mechanism = ModelEvaluator(system, "kinematics")
    check_spans(mechanism, t_end)
    y = mechanism.tables.y0.copy()
    solve_positions(mechanism, y, [])
    freedom = mechanism.n - examine(mechanism, y).rank
    if freedom:
        raise ModelError(
            f"System {system.name!r} has {freedom} degree{'s' if freedom > 1 else ''} of freedom left; "
            "kinematics needs a Driver for each of them (or use cm.simulate)"
        )
    solve_velocities(mechanism, y, [])
    times = np.linspace(0.0, t_end, int(points))
    nodes = [y.copy()]
    outcome, message = Outcome.FINISHED, str(Outcome.FINISHED)
    iterations = 0
    for before, after in pairwise(times):
        status, used = advance(mechanism, y, before, after)
        iterations += used
        if status is not Outcome.FINISHED:
            outcome, message = status, stuck(mechanism, y, before, status)
            warn(message)
            break
        nodes.append(y.copy())
    stats = {"steps": len(nodes) - 1, "rejected": iterations - len(nodes) + 1, "evaluations": iterations}
    stats["wall_time"] = clock.perf_counter() - began  # type: ignore[assignment]
    settings = {"t_end": t_end, "points": int(points), "method": "kinematics"}
    times = times[: len(nodes)]
    return make_result(
        SystemNodeEvaluator(mechanism, integrate_work=True), times, np.array(nodes), stats, outcome, message, settings
    )


def advance(mechanism: ModelEvaluator, y: np.ndarray, t0: float, t1: float) -> tuple[Outcome, int]:
    """Advance ``y`` from t0 to t1 [s] by prediction and Newton's method; halve a step that fails."""
    n = mechanism.n
    fastest = np.abs(y[n : 2 * n][mechanism.angles]).max(initial=0.0)
    t, smallest = t0, (t1 - t0) / 2**HALVINGS
    step = min(t1 - t0, max(LARGEST_TURN / max(fastest, 1e-300), smallest))
    tries = 0
    while t < t1:
        step = min(step, t1 - t)
        new_t = t1 if t + step >= t1 else t + step
        trial = y.copy()
        rate, _ = mechanism.rate(t, y)
        h = new_t - t
        trial[:n] += h * y[n : 2 * n] + 0.5 * h * h * rate[n : 2 * n]
        trial[n : 2 * n] += h * rate[n : 2 * n]
        guess = trial[:n].copy()
        failed = mechanism.assemble(new_t, trial) != slot.OK or not np.all(np.isfinite(trial))
        tries += 1
        went = np.abs(trial[:n] - y[:n]).max()
        turned = np.abs((trial[:n] - y[:n])[mechanism.angles]).max(initial=0.0)
        if failed or turned > 2.0 * LARGEST_TURN or np.abs(trial[:n] - guess).max() > 0.2 * went + 1e-9:
            step *= 0.5
            if step < smallest:
                return Outcome.NOT_CONVERGED, tries
            continue
        if mechanism.tables.settings.min_pivot_ratio < LOCKED:
            return Outcome.SINGULAR, tries
        y[:], t = trial, new_t
        step *= 2.0
    return Outcome.FINISHED, tries


def stuck(mechanism: ModelEvaluator, y: np.ndarray, t: float, outcome: Outcome) -> str:
    """Return a message with the locked joints, from the left singular vector of the smallest singular value of Φ_q."""
    jacobian = mechanism.dense_jacobian(t, y)
    left, _, _ = np.linalg.svd(jacobian / np.maximum(np.linalg.norm(jacobian, axis=1), 1e-300)[:, None])
    involved = np.flatnonzero(np.abs(left[:, -1]) > 0.1)
    names = ", ".join(repr(name) for name in mechanism.owners(involved))
    return f"{str(outcome).rstrip('.')}: t = {t:.9g} s, in joints {names}; the drivers ask for a position out of reach."
