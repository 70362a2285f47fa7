"""What a fit knows of its parameters: covariance, intervals, and what the data cannot tell.

``z`` are residuals in units of their noise and ``jacobian`` their derivatives, at the solution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

LOSSES = {"linear": 1.0, "soft_l1": 1.3, "huber": 1.345, "cauchy": 2.385}
"""Losses, and the residual [σ] beyond which they grow slower: 95 % efficiency with normal noise (Huber, Holland)."""

INSENSITIVE = 0.1
"""Change of all residuals together [σ] over the whole range of a parameter below which data say nothing of it."""
CONDITION = 1e6
"""Of the Jacobian with columns of length one: beyond it parameters cannot be told apart."""
CORRELATED = 0.99
PRESENT = 0.3
"""Share of a direction from which on a parameter is named in it."""


def inverse(normal: np.ndarray) -> np.ndarray:
    """(JᵀJ)⁻¹ with columns scaled to one; infinite variances where there is no information."""
    size = np.sqrt(np.diag(normal))
    known = size > 0.0
    out = np.diag(np.where(known, 0.0, np.inf))
    if np.any(known):
        scale = size[known]
        part = np.linalg.pinv(normal[np.ix_(known, known)] / np.outer(scale, scale), rcond=1e-14, hermitian=True)
        out[np.ix_(known, known)] = part / np.outer(scale, scale)
    return out


def classic(jacobian: np.ndarray, variance: float) -> np.ndarray:
    """Covariance with noise of the same size everywhere."""
    return variance * inverse(jacobian.T @ jacobian)


def sandwich(jacobian: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Covariance whatever the noise is at each sample: HC3 of J. G. MacKinnon & H. White, J. Econometrics 29 (1985)."""
    bread = inverse(jacobian.T @ jacobian)
    if not np.all(np.isfinite(bread)):
        return bread
    leverage = np.einsum("ij,jk,ik->i", jacobian, bread, jacobian)
    weighted = jacobian * (z / np.maximum(1.0 - leverage, 1e-3))[:, None]
    return bread @ (weighted.T @ weighted) @ bread


def of_loss(jacobian: np.ndarray, z: np.ndarray, loss: str) -> np.ndarray:
    """Covariance of an M-estimate: P. J. Huber, E. M. Ronchetti, Robust Statistics, 2nd ed. 2009, eq. (7.81)."""
    psi, slope = influence(z, loss)
    n, p = jacobian.shape
    mean = max(float(np.mean(slope)), 1e-3)
    factor = (1.0 + p / n * float(np.var(slope)) / mean**2) ** 2
    return factor * float(np.sum(psi**2)) / max(n - p, 1) / mean**2 * inverse(jacobian.T @ jacobian)


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
