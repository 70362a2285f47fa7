"""Covariance, confidence intervals, profile likelihood and identifiability of fitted parameters.

``z`` are the residuals relative to their standard deviation and ``jacobian`` their derivatives with respect to the unit
values of the parameters, both at the solution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError

if TYPE_CHECKING:
    from carom.study.fitting.fit_result import FitResult

LOSSES = {"linear": 1.0, "soft_l1": 1.3, "huber": 1.345, "cauchy": 2.385}
"""Loss functions and their scale [σ], chosen for 95 % efficiency with normal noise (Huber; Holland and Welsch)."""

BATCHES = (4, 6, 8, 12, 24)
"""Numbers of consecutive batches of a series whose means give the error of its mean."""

MIN_SENSITIVITY = 0.1
"""Norm of a column of the Jacobian [σ] below which the data do not depend on a parameter."""
MAX_CONDITION = 1e6
"""Condition number of the Jacobian with unit columns above which parameters cannot be identified separately."""
HIGH_CORRELATION = 0.99
"""Correlation of two parameters above which a message mentions them [-]."""
INVOLVED_COMPONENT = 1e-2
"""Component of an unidentifiable direction [-] above which a parameter is part of it."""
UNIDENTIFIABLE_LENGTH = 1e6
"""Length of an unidentifiable direction for correlations, relative to the standard errors [-]."""
OUTLIER_RATIO, NEIGHBOURS = 5.0, 5
"""Ratio of an outlier to the standard deviation of the samples around it [-], and the samples on each side of it."""
MENTIONED_COMPONENT = 0.3
"""Component of an unidentifiable direction [-] above which a message mentions a parameter."""


def scaled_svd(jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return singular values and right singular vectors of J with unit columns, and the norms of its columns.

    The vectors are rows, divided by the norms of the columns; columns of norm zero have zero components.
    """
    norms = np.linalg.norm(jacobian, axis=0)
    nonzero = norms > 0.0
    if not np.any(nonzero):
        return np.zeros(0), np.zeros((0, len(norms))), norms
    _, values, vectors = np.linalg.svd(jacobian[:, nonzero] / norms[nonzero], full_matrices=False)
    directions = np.zeros((len(values), len(norms)))
    directions[:, nonzero] = vectors / norms[nonzero]
    return values, directions, norms


def inverse_normal_matrix(jacobian: np.ndarray) -> np.ndarray:
    """Return (JᵀJ)⁻¹ in the identifiable directions; variances are infinite where a parameter has no effect."""
    values, directions, norms = scaled_svd(jacobian)
    identifiable = values * MAX_CONDITION >= values.max(initial=0.0)
    scaled = directions[identifiable] / values[identifiable, None]
    return scaled.T @ scaled + np.diag(np.where(norms > 0.0, 0.0, np.inf))


def unidentifiable_directions(jacobian: np.ndarray) -> np.ndarray:
    """Return the directions, one per row, in which parameters can change without an effect on the residuals."""
    values, directions, norms = scaled_svd(jacobian)
    null = directions[values * MAX_CONDITION < values.max(initial=0.0)]
    return np.where(np.abs(null * norms) > INVOLVED_COMPONENT, null, 0.0)


def add_unidentifiable_variance(covariance: np.ndarray, jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return covariance and correlations, with infinite variances in unidentifiable directions."""
    null = unidentifiable_directions(jacobian)
    involved = np.any(null != 0.0, axis=0)
    if not np.any(involved):
        return covariance, correlation_matrix(covariance)
    largest = float(np.max(np.diag(covariance)[involved]))
    smallest = np.min(np.where(null != 0.0, np.abs(null), np.inf), axis=1)
    huge = null * (UNIDENTIFIABLE_LENGTH * math.sqrt(largest + 1.0) / smallest)[:, None]
    joint = huge.T @ huge
    infinite = np.where(joint == 0.0, covariance, np.copysign(np.inf, joint))
    return infinite, correlation_matrix(covariance + joint)


def classic_covariance(jacobian: np.ndarray, variance: float) -> np.ndarray:
    """Return the covariance for noise of equal ``variance`` in all samples."""
    return variance * inverse_normal_matrix(jacobian)


def sandwich_covariance(jacobian: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the covariance for noise that differs from sample to sample.

    HC3 estimator of J. G. MacKinnon & H. White, J. Econometrics 29 (1985) 305–325.
    """
    bread = inverse_normal_matrix(jacobian)
    if not np.all(np.isfinite(bread)):
        return bread
    leverage = np.einsum("ij,jk,ik->i", jacobian, bread, jacobian)
    weighted = jacobian * (z / np.maximum(1.0 - leverage, 1e-3))[:, None]
    return bread @ (weighted.T @ weighted) @ bread


def sandwich_degrees_of_freedom(jacobian: np.ndarray) -> np.ndarray:
    """Return the degrees of freedom of the variances of `sandwich_covariance`, one per parameter (Satterthwaite).

    They are few if few samples determine a parameter, however many samples there are: R. M. Bell, D. F. McCaffrey,
    Survey Methodology 28 (2002) 169–181. With D_i = a_i²/(1 − h_i)², a = J (JᵀJ)⁻¹ e and H = B Bᵀ, the number is
    tr(Q)²/tr(Q²) of Q = (I − H) D (I − H).
    """
    n, p = jacobian.shape
    bread = inverse_normal_matrix(jacobian)
    if not np.all(np.isfinite(bread)):
        return np.full(p, float(max(n - p, 1)))
    basis = np.linalg.qr(jacobian / np.linalg.norm(jacobian, axis=0))[0]
    complement = np.maximum(1.0 - np.sum(basis**2, axis=1), 1e-3)
    freedom = np.zeros(p)
    for k, a in enumerate((jacobian @ bread).T):
        d = a**2 / complement**2
        square = np.sum(d**2 * (2.0 * complement - 1.0)) + np.sum((basis.T @ (d[:, None] * basis)) ** 2)
        freedom[k] = np.sum(d * complement) ** 2 / max(square, 1e-300)
    return np.clip(freedom, 1.0, max(n - p, 1))


def robust_covariance(jacobian: np.ndarray, z: np.ndarray, loss: str) -> np.ndarray:
    """Return the covariance of an M-estimate.

    Equation (7.81) of P. J. Huber, E. M. Ronchetti, Robust Statistics, 2nd ed. 2009.
    """
    psi, psi_prime = influence_function(z, loss)
    n, p = jacobian.shape
    mean = max(float(np.mean(psi_prime)), 1e-3)
    factor = (1.0 + p / n * float(np.var(psi_prime)) / mean**2) ** 2
    return factor * float(np.sum(psi**2)) / max(n - p, 1) / mean**2 * inverse_normal_matrix(jacobian)


def influence_function(z: np.ndarray, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """Return ψ(z), half the derivative of the loss, and ψ'(z)."""
    c = LOSSES[loss]
    s = (z / c) ** 2
    match loss:
        case "soft_l1":
            return z / np.sqrt(1.0 + s), (1.0 + s) ** -1.5
        case "huber":
            return np.clip(z, -c, c), (np.abs(z) <= c).astype(float)
        case "cauchy":
            return z / (1.0 + s), (1.0 - s) / (1.0 + s) ** 2
    return z, np.ones_like(z)


def correlation_matrix(covariance: np.ndarray) -> np.ndarray:
    """Return the correlations [-]; zero where a variance is zero or infinite."""
    errors = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = covariance / np.outer(errors, errors)
    correlation = np.where(np.isfinite(correlation), correlation, 0.0)
    np.fill_diagonal(correlation, 1.0)
    return np.clip(correlation, -1.0, 1.0)


def t_quantile(confidence: float, freedom: float) -> float:
    """Return the two-sided quantile of Student's t, of the normal distribution if ``freedom`` is infinite."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(0.5 + 0.5 * confidence) if math.isinf(freedom) else stdtrit(freedom, 0.5 + 0.5 * confidence))


def mean_error(sums: np.ndarray, lengths: np.ndarray, confidence: float = 0.95) -> float:
    """Return the half-width of the confidence interval of Σ sums/Σ lengths, by the method of batch means.

    The largest half-width over several numbers of batches is used: the means of short batches are correlated if the
    series is correlated over long times, and their scatter is then too small. For a first-order autoregressive series,
    intervals of 95 % contain the mean in 96 % of the cases with 20 correlation times in the series, 98 % with 60, 92 %
    with 10.
    """
    order, error = np.arange(len(sums)), 0.0
    for count in BATCHES:
        means = [np.sum(sums[batch]) / np.sum(lengths[batch]) for batch in np.array_split(order, count)]
        error = max(error, t_quantile(confidence, count - 1) * float(np.std(means, ddof=1)) / math.sqrt(count))
    return error


def standard_deviation(values: np.ndarray, robust: bool) -> float:
    """Return the standard deviation about zero; ``robust`` estimates it from the median of the magnitudes."""
    if len(values) == 0:
        return 0.0
    return 1.4826 * float(np.median(np.abs(values))) if robust else float(np.sqrt(np.mean(values**2)))


def noise_level(values: np.ndarray) -> float:
    """Return the standard deviation of the noise of a sampled smooth signal, from its third differences."""
    values = values[np.isfinite(values)]
    if len(values) < 8:
        return 0.0
    third = np.diff(values, 3) / math.sqrt(20.0)
    return 1.4826 * float(np.median(np.abs(third)))


def count_outliers(z: np.ndarray) -> int:
    """Return the number of residuals that exceed by far both their neighbours and the upper quartile of all."""
    if len(z) < 4 * NEIGHBOURS:
        return 0
    magnitudes = np.abs(z)
    padded = np.pad(magnitudes, NEIGHBOURS, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * NEIGHBOURS + 1)
    local = 1.4826 * np.median(windows, axis=1)
    return int(np.sum(magnitudes > OUTLIER_RATIO * np.maximum(local, np.quantile(magnitudes, 0.75) / 1.15)))


def identifiability_warnings(
    jacobian: np.ndarray, names: Sequence[str], unit_values: np.ndarray, correlations: np.ndarray
) -> list[str]:
    """Return messages about parameters that the data do not determine, or whose estimate is at a bound."""
    messages = []
    norms = np.linalg.norm(jacobian, axis=0)
    insensitive = norms <= MIN_SENSITIVITY
    for name in np.array(names)[insensitive]:
        messages.append(
            f"{name}: the data do not depend on this parameter; fix it at a known value, or measure a series that "
            "depends on it"
        )
    sensitive = np.flatnonzero(~insensitive)
    if len(sensitive) > 1:
        _, values, directions = np.linalg.svd(jacobian[:, sensitive] / norms[sensitive], full_matrices=False)
        if values[-1] * MAX_CONDITION < values[0]:
            mixed = [names[int(sensitive[k])] for k in np.flatnonzero(np.abs(directions[-1]) > MENTIONED_COMPONENT)]
            messages.append(
                f"{' and '.join(mixed)} cannot be identified separately, only a combination of them (condition number "
                f"{values[0] / max(values[-1], 1e-300):.1g}); fix one of them, or measure another series"
            )
        else:
            for i, a in enumerate(sensitive):
                for b in sensitive[:i]:
                    if abs(correlations[a, b]) > HIGH_CORRELATION:
                        messages.append(
                            f"{names[int(b)]} and {names[int(a)]} are highly correlated ({correlations[a, b]:.4f}), "
                            "so their intervals are wide; fix one of them, or measure another series"
                        )
    for name, unit_value in zip(names, unit_values, strict=True):
        if min(unit_value, 1.0 - unit_value) < 1e-3:
            side = "lower" if unit_value < 0.5 else "upper"
            messages.append(f"{name}: estimate is at its {side} bound; widen the bound unless it is physical")
    return messages


def profile_interval(fit: FitResult, index: int) -> tuple[float, float]:
    """Return the interval in which the sum of squares, minimised over the other parameters, rises by at most s² t².

    t is Student's t at the confidence of ``fit``: section 6.1 of D. M. Bates, D. G. Watts, Nonlinear Regression
    Analysis and Its Applications, Wiley 1988.
    """
    if fit.loss != "linear":
        raise ModelError(f"fit: a profile needs a fit with loss='linear', got loss={fit.loss!r}")
    solver = fit.solver
    parameter, best = solver.prediction.parameters[index], solver.best
    minimum = float(np.sum(solver.residuals(best) ** 2))
    rise = minimum / fit.freedom * t_quantile(fit.confidence, fit.freedom) ** 2
    estimate = fit.estimates[index]
    limits = []
    for side, end in ((-1.0, estimate.low), (1.0, estimate.high)):
        bound = 0.5 + 0.5 * side
        first_step = max(abs(parameter.to_unit(end) - best[index]), 1e-9)
        limits.append(parameter.from_unit(profile_limit(solver, index, side, first_step, bound, minimum + rise)))
    return limits[0], limits[1]


def profile_limit(solver: Any, index: int, side: float, first_step: float, bound: float, level: float) -> float:
    """Return the unit value of parameter ``index`` at which the profile of the sum of squares reaches ``level``."""
    inner, outer, unit_values = 0.0, None, np.array(solver.best)
    step, sums = first_step, {}
    for _ in range(25):
        at = float(np.clip(solver.best[index] + side * step, 0.0, 1.0))
        unit_values, total = minimise_others(solver, index, at, unit_values)
        sums[step] = total
        if total > level:
            outer = step
        else:
            inner = step
            if at == bound:
                return bound
        if outer is None:
            step *= 1.5
        elif outer - inner < 1e-2 * first_step:
            break
        else:
            low, high = np.sqrt(max(sums.get(inner, 0.0), 0.0)), np.sqrt(sums[outer])
            fraction = (np.sqrt(level) - low) / (high - low) if inner in sums and high > low else 0.5
            step = inner + float(np.clip(fraction, 0.1, 0.9)) * (outer - inner)
    return float(np.clip(solver.best[index] + side * (inner if outer is None else 0.5 * (inner + outer)), 0.0, 1.0))


def minimise_others(solver: Any, index: int, at: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    """Minimise the sum of squares with parameter ``index`` fixed; return the unit values and the sum."""
    from scipy.optimize import least_squares

    free = [k for k in range(len(start)) if k != index]

    def expand(x: np.ndarray) -> np.ndarray:
        unit_values = np.array(start)
        unit_values[free], unit_values[index] = x, at
        return unit_values

    if not free:
        return expand(np.zeros(0)), float(np.sum(solver.residuals(expand(np.zeros(0))) ** 2))
    weight = (solver.weight * solver.is_used)[:, None]
    solution = least_squares(
        lambda x: solver.residuals(expand(x)), np.clip(start[free], 1e-9, 1.0 - 1e-9),
        jac=lambda x: (solver.prediction.jacobian(expand(x)) * weight)[:, free],
        bounds=(0.0, 1.0), x_scale="jac", max_nfev=20, ftol=1e-8, xtol=1e-8,
    )  # fmt: skip
    return expand(solution.x), 2.0 * float(solution.cost)
