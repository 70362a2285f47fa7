"""The time in which a ball bounces infinitely often."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from carom.gallery.case import Finding, farthest
from carom.gallery.cases.bouncing_ball import GRAVITY, bouncing_ball
from carom.gallery.validation.problem import CLOSED_FORM, finished, problem

HEIGHT, RESTITUTION = 1.0, 0.8
MANY = 60
"""Impacts at least; the flight after so many is a millionth of the first."""


@problem(CLOSED_FORM, "B. Brogliato, Nonsmooth Mechanics: Models, Dynamics and Control, 3rd ed., Springer 2016")
def zeno_time() -> Iterator[Finding]:
    """Zeno time of the bouncing ball, from impact to impact.

    Impact n of a ball that falls from 1 m and returns ε = 0.8 comes at t₀ [1 + 2 ε (1 − εⁿ)/(1 − ε)], n from 0 and
    t₀ = √(2 h/g); all of them are over at t₀ (1 + ε)/(1 − ε). The run integrates from each impact to the next.
    """
    result = finished(bouncing_ball(RESTITUTION, HEIGHT).run(scheme="event-driven"))
    fall = math.sqrt(2.0 * HEIGHT / GRAVITY)
    impacts = result.impacts
    n = np.arange(len(impacts))
    times = fall * (1.0 + 2.0 * RESTITUTION * (1.0 - RESTITUTION**n) / (1.0 - RESTITUTION))
    speeds = GRAVITY * fall * RESTITUTION**n
    last = impacts[-1]
    yield Finding(f"impacts short of {MANY}", max(MANY - len(impacts), 0), 0.0)
    yield farthest("time of every impact [s]", [impact.t_start for impact in impacts], times, 1e-9)
    yield farthest("speed of every impact [m/s]", [impact.approach_speed for impact in impacts], speeds, 1e-8)
    rest = fall * (1.0 + RESTITUTION) / (1.0 - RESTITUTION)
    begun = last.t_start if last.persistent else math.inf
    yield Finding("time at which it rests [s]", abs(begun - rest), 1e-6)
