"""Intervals from the profile of the likelihood: how far a parameter can go while the others make up for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.study.fitted import Fit
from carom.study.uncertainty import quantile


def profile(fit: Fit, index: int) -> tuple[float, float]:
    """Where the sum of squares has risen by s² t², with Student's t at the confidence of ``fit``.

    D. M. Bates, D. G. Watts, Nonlinear Regression Analysis and Its Applications, Wiley 1988, section 6.1.
    """
    if fit.loss != "linear":
        raise ModelError(f"fit: a profile needs loss='linear', this fit has {fit.loss!r}")
    search = fit.search
    one, best = search.model.unknowns[index], search.best
    least = float(np.sum(search.residuals(best) ** 2))
    rise = least / fit.freedom * quantile(fit.confidence, fit.freedom) ** 2
    estimate = fit.estimates[index]
    found = []
    for side, end in ((-1.0, estimate.low), (1.0, estimate.high)):
        wall = 0.5 + 0.5 * side
        reach = max(abs(one.inner(end) - best[index]), 1e-9)
        found.append(one.outer(crossing(search, index, side, reach, wall, least + rise)))
    return found[0], found[1]


def crossing(search: Any, index: int, side: float, reach: float, wall: float, level: float) -> float:
    """The place of parameter ``index`` at which the others can no longer keep the sum below ``level``."""
    inner, other, place = 0.0, None, np.array(search.best)
    step, sums = reach, {}
    for _ in range(25):
        at = float(np.clip(search.best[index] + side * step, 0.0, 1.0))
        place, total = held(search, index, at, place)
        sums[step] = total
        if total > level:
            other = step
        else:
            inner = step
            if at == wall:
                return wall
        if other is None:
            step *= 1.5
        elif other - inner < 1e-2 * reach:
            break
        else:
            low, high = np.sqrt(max(sums.get(inner, 0.0), 0.0)), np.sqrt(sums[other])
            share = (np.sqrt(level) - low) / (high - low) if inner in sums and high > low else 0.5
            step = inner + float(np.clip(share, 0.1, 0.9)) * (other - inner)
    return float(np.clip(search.best[index] + side * (inner if other is None else 0.5 * (inner + other)), 0.0, 1.0))


def held(search: Any, index: int, at: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    """The least sum of squares with one place held."""
    from scipy.optimize import least_squares

    free = [k for k in range(len(start)) if k != index]

    def whole(x: np.ndarray) -> np.ndarray:
        place = np.array(start)
        place[free], place[index] = x, at
        return place

    if not free:
        return whole(np.zeros(0)), float(np.sum(search.residuals(whole(np.zeros(0))) ** 2))
    weight = (search.weight * search.used)[:, None]
    found = least_squares(
        lambda x: search.residuals(whole(x)), np.clip(start[free], 1e-9, 1.0 - 1e-9),
        jac=lambda x: (search.model.jacobian(whole(x)) * weight)[:, free],
        bounds=(0.0, 1.0), x_scale="jac", max_nfev=20, ftol=1e-8, xtol=1e-8,
    )  # fmt: skip
    return whole(found.x), 2.0 * float(found.cost)
