"""Steps near singular positions of the joints.

There, steps are taken on the constraint manifold: with stages projected onto the constraints
(``projected_rhs_kernel``), the error measured along them (``tangential_kernel``), and no stage at a pivot that rounding
spoils.
"""

from __future__ import annotations

import math

from carom.kernels import jit
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.compliant.records import ACCEPTED, NEEDS_PROJECTED_STAGES, NOT_FINITE, RANK_LOSS, REPEAT, UNDERFLOW
from carom.solve.runge_kutta.records import RUNGE_KUTTA

NEAR_SINGULAR, CLOSE = 1e-2, 1e-4
"""Pivot ratios below which a failed step is repeated on the manifold, and below which every step is [-]."""
LOCKED = 1e-6
"""Pivot ratio below which a run that cannot continue has lost rank [-]."""
PIVOT_ROUNDING, MAX_SHORTER, MAX_LONGER = 1e-7, 8, 12
"""Pivot ratio that rounding spoils [-]; numbers of shorter and longer steps tried to avoid it."""


@jit
def assess_pivots(run, progress, trial, is_good):
    """Return ACCEPTED if the pivots of the step are large enough, else REPEAT or NEEDS_PROJECTED_STAGES.

    ``is_good`` says that the step has succeeded and its error is within the tolerance.
    """
    if run.project_kernel == 0 or not trial.min_pivot_ratio < NEAR_SINGULAR:
        return ACCEPTED
    is_adaptive = RUNGE_KUTTA(run.rk).is_adaptive != 0
    if progress.on_manifold == 0 and (trial.min_pivot_ratio < CLOSE or not (is_adaptive and is_good)):
        progress.on_manifold = 1
        return NEEDS_PROJECTED_STAGES if run.projected_rhs_kernel == 0 else REPEAT
    if progress.on_manifold != 0 and trial.min_pivot_ratio < PIVOT_ROUNDING and avoid_pivot(progress, trial.h):
        return REPEAT
    return ACCEPTED


@jit
def avoid_pivot(progress, h):
    """Choose another step length that may avoid a tiny pivot; return False if there is none left to try."""
    if progress.pivot_is_safe == 0 or progress.pivot_retries >= MAX_SHORTER + MAX_LONGER:
        return False
    if progress.pivot_retries == 0:
        progress.h_before_retries = h
    progress.pivot_retries += 1
    tries = progress.pivot_retries
    progress.h = 0.83 * h if tries <= MAX_SHORTER else progress.h_before_retries * 1.2 ** (tries - MAX_SHORTER)
    return True


@jit
def accept_pivots(run, progress, trial):
    """Start a new series of retries after an accepted step; leave the manifold away from singular positions."""
    settings = SETTINGS(MODEL(run.model).settings)
    progress.pivot_is_safe = 1 if settings.min_pivot_ratio > PIVOT_ROUNDING else 0
    progress.pivot_retries = 0
    if trial.min_pivot_ratio > 2.0 * NEAR_SINGULAR:
        progress.on_manifold = 0


@jit
def failure_of_step(trial):
    """Return the status of a run whose trial step cannot be shortened further."""
    if trial.status != OK or trial.min_pivot_ratio < LOCKED:
        return RANK_LOSS
    return UNDERFLOW if math.isfinite(trial.error) else NOT_FINITE


@jit
def failure_to_advance(run):
    """Return the status of a run whose step is too short to change the time."""
    is_locked = SETTINGS(MODEL(run.model).settings).min_pivot_ratio < LOCKED
    return RANK_LOSS if is_locked else UNDERFLOW
