"""Deflections of sticking friction in analyses of a system at rest.

Friction laws with a state hold a load at rest by the deflection z of the contact. Its rate ż is proportional to the
speed of a slow motion, so a small displacement changes it by a definite amount, whatever the time it takes.
"""

from __future__ import annotations

import warnings

import numpy as np

from carom.solve.model_evaluator import ModelEvaluator

SLOW = 1e-9
"""Largest velocity of the motions whose rates are evaluated [m/s, rad/s]."""
VARIATION = 1e-4
"""Relative change of a direction for derivatives about it [-]."""
BALANCE_STEP = 1e-12
"""Change of a deflection for derivatives of the forces [m]."""
BALANCE_ITERATIONS = 20
PATH_ACCURACY, SMALLEST_DEFLECTION = 1e-6, 1e-13
"""Relative [-] and absolute [m] accuracy of the deflections along a displacement."""


def friction_states(mechanism: ModelEvaluator) -> np.ndarray:
    """Return the indices in y of the friction states of all contacts."""
    offsets = mechanism.tables["contacts"]["friction_state_offset"][: len(mechanism.tables.contacts)]
    first = 2 * mechanism.n + offsets[offsets >= 0]
    per_contact = np.arange(mechanism.tables.kind.contact_kernels.FRICTION_STATES)
    return (first[:, None] + per_contact).ravel()


def changes(mechanism: ModelEvaluator, y: np.ndarray, states: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Return the change of the friction states by a small displacement ``motion``, extrapolated from their rates."""
    n = mechanism.n
    largest = np.abs(motion).max(initial=0.0)
    if largest == 0.0:
        return np.zeros(len(states))
    moving = y.copy()
    moving[n : 2 * n] = SLOW / largest * motion
    return mechanism.rate(mechanism.now, moving)[0][states] * (largest / SLOW)


def mean_change(mechanism: ModelEvaluator, y: np.ndarray, states: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Return the mean change of the friction states by ``motion`` and by its opposite, as a linear motion has it."""
    forth = changes(mechanism, y, states, motion)
    return 0.5 * (forth - changes(mechanism, y, states, -motion))


def slopes(
    mechanism: ModelEvaluator, y: np.ndarray, states: np.ndarray, direction: np.ndarray | None = None
) -> np.ndarray:
    """Return the derivatives of the friction states by the coordinates, for displacements near ``direction``.

    Without a direction they are the mean of both directions of each coordinate.
    """
    columns = []
    for unit in np.eye(mechanism.n):
        if direction is None:
            columns.append(mean_change(mechanism, y, states, unit))
            continue
        step = VARIATION * np.abs(direction).max()
        ahead = changes(mechanism, y, states, direction + step * unit)
        columns.append((ahead - changes(mechanism, y, states, direction - step * unit)) / (2.0 * step))
    return np.array(columns).T.reshape(len(states), mechanism.n)


def follow(mechanism: ModelEvaluator, y: np.ndarray, states: np.ndarray, motion: np.ndarray) -> bool:
    """Move the friction states of the pose ``y`` along the displacement ``motion`` to it; return whether it worked."""
    from scipy.integrate import solve_ivp

    trial = y.copy()

    def rate(_: float, z: np.ndarray) -> np.ndarray:
        trial[states] = z
        return changes(mechanism, trial, states, motion)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a failure, which ``success`` tells
        path = solve_ivp(
            rate, (0.0, 1.0), y[states], "LSODA", t_eval=(1.0,), rtol=PATH_ACCURACY, atol=SMALLEST_DEFLECTION
        )
    if not path.success:
        return False
    y[states] = path.y[:, -1]
    release_open_contacts(mechanism, y)
    return True


def release_open_contacts(mechanism: ModelEvaluator, y: np.ndarray) -> None:
    """Reset the friction states of contacts without force."""
    tables = mechanism.tables
    mechanism.rate(mechanism.now, y)
    for k in range(len(tables.contacts)):
        first = int(tables["contacts"]["friction_state_offset"][k])
        if first >= 0 and not tables["contact_state"]["normal_force"][k] > 0.0:
            size = tables.kind.contact_kernels.FRICTION_STATES
            y[2 * mechanism.n + first : 2 * mechanism.n + first + size] = 0.0


def balance(mechanism: ModelEvaluator, y: np.ndarray, states: np.ndarray) -> None:
    """Set the friction states of ``y`` so that the forces of the pose balance as far as they can; least deflections."""
    n = mechanism.n
    for _ in range(BALANCE_ITERATIONS):
        before = mechanism.rate(mechanism.now, y)[0][n : 2 * n]
        columns = []
        for state in states:
            sides = []
            for sign in (1.0, -1.0):
                trial = y.copy()
                trial[state] += sign * BALANCE_STEP
                sides.append(mechanism.rate(mechanism.now, trial)[0][n : 2 * n])
            columns.append((sides[0] - sides[1]) / (2.0 * BALANCE_STEP))
        weight = np.sqrt(mechanism.mass)
        change = np.linalg.lstsq((weight * np.array(columns)).T, -weight * before, rcond=1e-9)[0]
        y[states] += change
        if np.abs(change).max() <= 1e-9 * np.abs(y[states]).max():
            return
