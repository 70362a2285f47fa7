"""Statics: a position in which all forces balance."""

from __future__ import annotations

import time as clock

import numpy as np

from carom.argument_checks import finite_float
from carom.errors import warn
from carom.mechanics import model_record as slot
from carom.model.system import System
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.analyses.assembly import solve_positions
from carom.solve.analyses.mobility import examine
from carom.solve.analyses.stick_deflection import follow, friction_states, slopes
from carom.solve.analyses.tangent_stiffness import rest_state, stiffness
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.postprocessing import SystemNodeEvaluator, make_result

ITERATIONS = 500
TOLERANCE = 1e-11
"""Residual force relative to the largest force in the system below which it counts as balanced [-]."""
FIRST_FRACTION, FIRST_FRACTION_STICKING = 0.05, 1e-11
"""First displacement, relative to the size of the system [-]: with friction that sticks, contacts close before it."""


def statics(system: System, *, time: float = 0.0) -> Result:
    """Return the equilibrium near the current pose, with drivers held at ``time`` [s], as a result with one node.

    The way there follows the overdamped motion M q̇ = Q − Φ_qᵀλ in ever longer steps, so it runs downhill into a stable
    equilibrium and ends as Newton's method. Take the pose over with ``system.set_state(result)``. Friction laws with a
    state, such as `ElastoPlastic`, stick and slip on this way, and hold the equilibrium by their deflection; other
    friction has no force at rest.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> spring = system.add(cm.SpringDamper(system.ground.point(0.5, 1.0), rod, stiffness=1000.0))
    >>> round(float(cm.statics(system)[rod].y[-1]), 6)
    -0.00981
    """
    t = finite_float("statics", "time", time)
    began = clock.perf_counter()
    mechanism = ModelEvaluator(system, "statics")
    mechanism.require_laws("statics")
    mechanism.now = t
    mechanism.tables.freeze(t)
    y = rest_state(mechanism)
    solve_positions(mechanism, y, [])
    examine(mechanism, y)
    states = friction_states(mechanism)
    residual, scale = imbalance(mechanism, y)
    tau = first_interval(mechanism, y, FIRST_FRACTION_STICKING if states.size else FIRST_FRACTION)
    outcome = Outcome.NOT_CONVERGED
    iterations = 0
    while iterations < ITERATIONS:
        iterations += 1
        size = np.abs(residual).max(initial=0.0)
        if size <= TOLERANCE * scale + mechanism.rounding(y):
            outcome = Outcome.FINISHED
            break
        trial = relax(mechanism, y, residual, tau, states)
        if trial is None:
            tau *= 0.25
            continue
        new, scale = imbalance(mechanism, trial)
        ratio = size / max(np.abs(new).max(initial=0.0), 1e-300)
        tau *= float(np.clip(1.5 * ratio, 0.25, 10.0))
        y, residual = trial, new
    message = str(outcome)
    if outcome is not Outcome.FINISHED:
        worst = int(np.argmax(np.abs(residual)))
        message = (
            f"No equilibrium found: {np.abs(residual).max():.3g} N or N m out of balance at body "
            f"{mechanism.body(worst).name!r}; {advice(mechanism)}."
        )
        warn(f"statics: {message}")
    stats = {"steps": iterations, "rejected": 0, "evaluations": iterations * (2 * mechanism.n + 2)}
    stats["wall_time"] = clock.perf_counter() - began  # type: ignore[assignment]
    settings = {"time": t, "method": "statics"}
    return make_result(SystemNodeEvaluator(mechanism), np.array([t]), y[None], stats, outcome, message, settings)


def advice(mechanism: ModelEvaluator) -> str:
    """Return why a system may have no equilibrium."""
    pressed = mechanism.tables["contact_state"]["normal_force"] > 0.0
    for contact, is_pressed in zip(mechanism.tables.contacts, pressed, strict=False):
        if is_pressed and contact.friction is not None and not contact.friction.has_state:
            law = type(contact.friction).__name__
            return f"{contact.label}: {law} has no force at rest; friction.ElastoPlastic holds bodies at rest"
    return "something may be free to run away"


def imbalance(mechanism: ModelEvaluator, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the force residual Q − Φ_qᵀλ at rest and the largest single force [N] for scaling."""
    ydot, _ = mechanism.rate(mechanism.now, y)
    n = mechanism.n
    return mechanism.mass * ydot[n : 2 * n], max(mechanism.largest_force(), 1e-12)


def first_interval(mechanism: ModelEvaluator, y: np.ndarray, fraction: float) -> float:
    """Return the pseudo-time [s] in which the overdamped motion covers a small fraction of the system size."""
    n = mechanism.n
    ydot, _ = mechanism.rate(mechanism.now, y)
    speed = np.abs(ydot[n : 2 * n]).max(initial=0.0)
    return fraction * (np.abs(y[:n]).max() + 1e-3) / max(speed, 1e-12)


def relax(
    mechanism: ModelEvaluator, y: np.ndarray, residual: np.ndarray, tau: float, states: np.ndarray
) -> np.ndarray | None:
    """Do a step, back onto the constraints; return None when it fails.

    Friction states yield differently forth and back, so their slopes are those of the direction of a first estimate.
    """
    n = mechanism.n
    change = displacement(mechanism, y, residual, tau, states, slopes(mechanism, y, states) if states.size else None)
    if states.size and np.any(change):
        change = displacement(mechanism, y, residual, tau, states, slopes(mechanism, y, states, change))
    trial = y.copy()
    trial[:n] += change
    far = np.abs(change).max(initial=0.0) > 0.3 * (np.abs(y[:n]).max() + 0.1)
    if far or not np.all(np.isfinite(trial)) or mechanism.assemble(mechanism.now, trial) != slot.OK:
        return None
    trial[n : 2 * n] = 0.0
    if states.size and not follow(mechanism, trial, states, change):
        return None
    return trial


def displacement(
    mechanism: ModelEvaluator,
    y: np.ndarray,
    residual: np.ndarray,
    tau: float,
    states: np.ndarray,
    by_position: np.ndarray | None,
) -> np.ndarray:
    """Return dq of [s (M/τ − K), Φ_qᵀ; Φ_q, 0] [dq; s dλ] = [s residual; 0], s = 1/max |M/τ − K|."""
    n, m = mechanism.n, mechanism.m
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n] = np.diag(np.where(mechanism.mass > 0.0, mechanism.mass, mechanism.mass.max())) / tau
    matrix[:n, :n] -= stiffness(mechanism, y, states, by_position)
    jacobian = mechanism.dense_jacobian(mechanism.now, y)
    matrix[n:, :n], matrix[:n, n:] = jacobian, jacobian.T
    scale = 1.0 / np.abs(matrix[:n, :n]).max()
    matrix[:n, :n] *= scale
    right = np.concatenate([scale * residual, np.zeros(m)])
    return np.linalg.lstsq(matrix, right, rcond=1e-13)[0][:n]
