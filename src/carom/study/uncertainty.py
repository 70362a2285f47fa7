"""What a fit knows of its parameters: covariance, intervals, and what the data cannot tell.

``z`` are residuals in units of their noise and ``jacobian`` their derivatives, at the solution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

LOSSES = {"linear": 1.0, "soft_l1": 1.3, "huber": 1.345, "cauchy": 2.385}
"""Losses, and the residual [σ] beyond which they grow slower: 95 % efficiency with normal noise (Huber, Holland)."""

BATCHES = (4, 6, 8, 12, 24)
"""Numbers of consecutive parts of a series whose means tell the error of the mean of all."""

INSENSITIVE = 0.1
"""Change of all residuals together [σ] over the whole range of a parameter below which data say nothing of it."""
CONDITION = 1e6
"""Of the Jacobian with columns of length one: beyond it parameters cannot be told apart."""
CORRELATED = 0.99
INVOLVED = 1e-2
"""Component of such a direction from which on a parameter takes part in it."""
HUGE = 1e6
"""Length of such a direction for correlations, in standard errors."""
BEYOND, AROUND = 5.0, 5
"""Residual that is an outlier [standard deviations of the samples around it], and samples on each side of it."""
PRESENT = 0.3
"""Share of a direction from which on a parameter is named in it."""


def modes(jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return singular values and right singular vectors of J with columns of length one, and the lengths.

    Vectors are rows, per length of their column; columns of length zero are not part of any.
    """
    size = np.linalg.norm(jacobian, axis=0)
    known = size > 0.0
    if not np.any(known):
        return np.zeros(0), np.zeros((0, len(size))), size
    _, values, vectors = np.linalg.svd(jacobian[:, known] / size[known], full_matrices=False)
    directions = np.zeros((len(values), len(size)))
    directions[:, known] = vectors / size[known]
    return values, directions, size


def inverse(jacobian: np.ndarray) -> np.ndarray:
    """Return (JᵀJ)⁻¹ in the directions that data can tell apart; infinite variances where a parameter has no effect."""
    values, directions, size = modes(jacobian)
    clear = values * CONDITION >= values.max(initial=0.0)
    scaled = directions[clear] / values[clear, None]
    return scaled.T @ scaled + np.diag(np.where(size > 0.0, 0.0, np.inf))


def indistinct(jacobian: np.ndarray) -> np.ndarray:
    """Return the directions, one per row, in which parameters can change together without an effect on residuals."""
    values, directions, size = modes(jacobian)
    lost = directions[values * CONDITION < values.max(initial=0.0)]
    return np.where(np.abs(lost * size) > INVOLVED, lost, 0.0)


def unknown_together(covariance: np.ndarray, jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the covariance and the correlations, with infinite variances of parameters that cannot be told apart."""
    lost = indistinct(jacobian)
    involved = np.any(lost != 0.0, axis=0)
    if not np.any(involved):
        return covariance, correlation(covariance)
    largest = float(np.max(np.diag(covariance)[involved]))
    smallest = np.min(np.where(lost != 0.0, np.abs(lost), np.inf), axis=1)
    far = lost * (HUGE * math.sqrt(largest + 1.0) / smallest)[:, None]
    joint = far.T @ far
    found = np.where(joint == 0.0, covariance, np.copysign(np.inf, joint))
    return found, correlation(covariance + joint)


def classic(jacobian: np.ndarray, variance: float) -> np.ndarray:
    """Covariance with noise of the same size everywhere."""
    return variance * inverse(jacobian)


def sandwich(jacobian: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Covariance whatever the noise is at each sample: HC3 of J. G. MacKinnon & H. White, J. Econometrics 29 (1985)."""
    bread = inverse(jacobian)
    if not np.all(np.isfinite(bread)):
        return bread
    leverage = np.einsum("ij,jk,ik->i", jacobian, bread, jacobian)
    weighted = jacobian * (z / np.maximum(1.0 - leverage, 1e-3))[:, None]
    return bread @ (weighted.T @ weighted) @ bread


def sandwich_freedom(jacobian: np.ndarray) -> np.ndarray:
    """Degrees of freedom of the variances of `sandwich`, one per parameter, after Satterthwaite.

    They are few where few samples tell a parameter, however many there are: R. M. Bell, D. F. McCaffrey, Survey
    Methodology 28 (2002) 169–181. With D_i = a_i²/(1 − h_i)², a = J (JᵀJ)⁻¹ e and H = B Bᵀ, it is tr(Q)²/tr(Q²) of
    Q = (I − H) D (I − H).
    """
    n, p = jacobian.shape
    bread = inverse(jacobian)
    if not np.all(np.isfinite(bread)):
        return np.full(p, float(max(n - p, 1)))
    basis = np.linalg.qr(jacobian / np.linalg.norm(jacobian, axis=0))[0]
    left = np.maximum(1.0 - np.sum(basis**2, axis=1), 1e-3)
    found = np.zeros(p)
    for k, a in enumerate((jacobian @ bread).T):
        d = a**2 / left**2
        square = np.sum(d**2 * (2.0 * left - 1.0)) + np.sum((basis.T @ (d[:, None] * basis)) ** 2)
        found[k] = np.sum(d * left) ** 2 / max(square, 1e-300)
    return np.clip(found, 1.0, max(n - p, 1))


def of_loss(jacobian: np.ndarray, z: np.ndarray, loss: str) -> np.ndarray:
    """Covariance of an M-estimate: P. J. Huber, E. M. Ronchetti, Robust Statistics, 2nd ed. 2009, eq. (7.81)."""
    psi, slope = influence(z, loss)
    n, p = jacobian.shape
    mean = max(float(np.mean(slope)), 1e-3)
    factor = (1.0 + p / n * float(np.var(slope)) / mean**2) ** 2
    return factor * float(np.sum(psi**2)) / max(n - p, 1) / mean**2 * inverse(jacobian)


def influence(z: np.ndarray, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """ψ(z), half the slope of the loss, and ψ'(z)."""
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


def correlation(covariance: np.ndarray) -> np.ndarray:
    """Zero where there is no information."""
    size = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = covariance / np.outer(size, size)
    found = np.where(np.isfinite(found), found, 0.0)
    np.fill_diagonal(found, 1.0)
    return np.clip(found, -1.0, 1.0)


def quantile(confidence: float, freedom: float) -> float:
    """Of Student's t, two-sided; of the normal distribution where ``freedom`` is infinite."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(0.5 + 0.5 * confidence) if math.isinf(freedom) else stdtrit(freedom, 0.5 + 0.5 * confidence))


def mean_error(sums: np.ndarray, lengths: np.ndarray, confidence: float = 0.95) -> float:
    """Return the half-width of the interval of Σ sums/Σ lengths, from the means of consecutive batches.

    The largest of several numbers of batches counts: means of short batches depend on each other where values are
    correlated over long times, and spread too little. For a first-order autoregressive series, intervals of 95 % hold
    the mean 96 times in 100 with 20 correlation times in the series, 98 times with 60, 92 times with 10.
    """
    order, found = np.arange(len(sums)), 0.0
    for count in BATCHES:
        means = [np.sum(sums[part]) / np.sum(lengths[part]) for part in np.array_split(order, count)]
        found = max(found, quantile(confidence, count - 1) * float(np.std(means, ddof=1)) / math.sqrt(count))
    return found


def spread(values: np.ndarray, robust: bool) -> float:
    """Standard deviation about zero; from the median where there may be outliers."""
    if len(values) == 0:
        return 0.0
    return 1.4826 * float(np.median(np.abs(values))) if robust else float(np.sqrt(np.mean(values**2)))


def noise(values: np.ndarray) -> float:
    """Standard deviation of the noise of samples in a row, from their third differences: a smooth signal has none."""
    values = values[np.isfinite(values)]
    if len(values) < 8:
        return 0.0
    third = np.diff(values, 3) / math.sqrt(20.0)
    return 1.4826 * float(np.median(np.abs(third)))


def outliers(z: np.ndarray) -> int:
    """Return how many residuals in a row of samples stand out from all, and from those around them."""
    if len(z) < 4 * AROUND:
        return 0
    sizes = np.abs(z)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(sizes, AROUND, mode="reflect"), 2 * AROUND + 1)
    near = 1.4826 * np.median(windows, axis=1)
    return int(np.sum(sizes > BEYOND * np.maximum(near, np.quantile(sizes, 0.75) / 1.15)))


def doubts(jacobian: np.ndarray, names: Sequence[str], places: np.ndarray, correlations: np.ndarray) -> list[str]:
    """What the data cannot tell, and what to do; ``places`` are between 0 and 1, the bounds."""
    told = []
    size = np.linalg.norm(jacobian, axis=0)
    silent = size <= INSENSITIVE
    for name in np.array(names)[silent]:
        told.append(f"the data say nothing of {name}: hold it at a known value, or measure a series that feels it")
    known = np.flatnonzero(~silent)
    if len(known) > 1:
        _, values, directions = np.linalg.svd(jacobian[:, known] / size[known], full_matrices=False)
        if values[-1] * CONDITION < values[0]:
            mixed = [names[int(known[k])] for k in np.flatnonzero(np.abs(directions[-1]) > PRESENT)]
            told.append(
                f"{' and '.join(mixed)} cannot be told apart, only a combination of them can (condition "
                f"{values[0] / max(values[-1], 1e-300):.1g}): hold one, or measure another series"
            )
        else:
            for i, a in enumerate(known):
                for b in known[:i]:
                    if abs(correlations[a, b]) > CORRELATED:
                        told.append(
                            f"{names[int(b)]} and {names[int(a)]} are hard to tell apart (correlation "
                            f"{correlations[a, b]:.4f}): their intervals are wide; hold one, or measure another series"
                        )
    for name, place in zip(names, places, strict=True):
        if min(place, 1.0 - place) < 1e-3:
            told.append(f"{name} is at its {'lower' if place < 0.5 else 'upper'} bound: widen it if that is no limit")
    return told
