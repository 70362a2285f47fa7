"""Validation problem: finite time of infinitely many bounces."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from carom.gallery.case import CheckResult, max_abs_error
from carom.gallery.cases.bouncing_ball import GRAVITY, bouncing_ball
from carom.gallery.validation.problem import CLOSED_FORM, require_finished, validation_problem

HEIGHT, RESTITUTION = 1.0, 0.8
"""Initial height [m], restitution [-]."""
MIN_IMPACTS = 60
"""Smallest number of impacts; the flight after them is a millionth of the first."""


@validation_problem(
    CLOSED_FORM, "B. Brogliato, Nonsmooth Mechanics: Models, Dynamics and Control, 3rd ed., Springer 2016"
)
def zeno_time() -> Iterator[CheckResult]:
    """Zeno time of the bouncing ball, from impact to impact.

    Impact n = 0, 1, … of a ball that falls from 1 m and bounces with ε = 0.8 occurs at t₀ [1 + 2 ε (1 − εⁿ)/(1 − ε)],
    t₀ = √(2 h/g); the ball is at rest from t₀ (1 + ε)/(1 − ε). The event-driven run integrates from impact to impact.
    """
    result = require_finished(bouncing_ball(RESTITUTION, HEIGHT).run(scheme="event-driven"))
    fall_time = math.sqrt(2.0 * HEIGHT / GRAVITY)
    impacts = result.impacts
    n = np.arange(len(impacts))
    times = fall_time * (1.0 + 2.0 * RESTITUTION * (1.0 - RESTITUTION**n) / (1.0 - RESTITUTION))
    speeds = GRAVITY * fall_time * RESTITUTION**n
    last = impacts[-1]
    yield CheckResult(f"impacts short of {MIN_IMPACTS}", max(MIN_IMPACTS - len(impacts), 0), 0.0)
    yield max_abs_error("time of every impact [s]", [impact.t_start for impact in impacts], times, 1e-9)
    yield max_abs_error("speed of every impact [m/s]", [impact.approach_speed for impact in impacts], speeds, 1e-8)
    rest = fall_time * (1.0 + RESTITUTION) / (1.0 - RESTITUTION)
    t_rest_start = last.t_start if last.persistent else math.inf
    yield CheckResult("start of rest [s]", abs(t_rest_start - rest), 1e-6)
