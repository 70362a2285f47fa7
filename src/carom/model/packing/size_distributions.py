"""Size distributions: random radii of spheres."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from carom.argument_checks import is_list, one_of, positive, short_repr, vector
from carom.errors import ModelError
from carom.typing import VectorLike

SUM_TOLERANCE = 1e-6
"""Largest deviation of the sum of the fractions of a table from one [-]."""


@dataclass(frozen=True)
class SizeDistribution:
    """Distribution of radii [m] by number; `uniform`, `normal`, `lognormal` and `table` return one.

    ``quantile(p, dim)`` returns the radius [m] below which the fraction ``p`` of the spheres lies; ``dim`` matters for
    tables by mass only, since mass is proportional to r³, in 2D to r².

    Examples
    --------
    >>> import carom as cm
    >>> grains = cm.packing.uniform(1e-3, 3e-3)
    >>> grains.mean(), float(grains.quantile(0.25))
    (0.002, 0.0015)
    >>> grains
    <SizeDistribution uniform, radii 0.001 to 0.003 m>
    """

    name: str
    smallest: float
    largest: float
    inverse: Callable[[np.ndarray, int], np.ndarray]
    mean_radius: Callable[[int], float]

    def __repr__(self) -> str:
        return f"<SizeDistribution {self.name}, radii {self.smallest:.6g} to {self.largest:.6g} m>"

    def quantile(self, p: ArrayLike, dim: int = 3) -> np.ndarray:
        """Return the radii [m] below which the fractions ``p`` of the spheres lie."""
        probability = np.asarray(p, dtype=np.float64)
        if not np.all((probability >= 0.0) & (probability <= 1.0)):
            raise ModelError(f"packing.{self.name}: p must lie in [0, 1], got {short_repr(p)}")
        return np.clip(self.inverse(probability, dim), self.smallest, self.largest)

    def mean(self, dim: int = 3) -> float:
        """Return the mean radius by number [m]."""
        return self.mean_radius(dim)

    def sample(self, count: int, generator: np.random.Generator, dim: int = 3) -> np.ndarray:
        """Return ``count`` random radii [m]."""
        return self.quantile(generator.random(count), dim)


def uniform(smallest: float, largest: float) -> SizeDistribution:
    """Return the uniform distribution of radii from ``smallest`` to ``largest`` [m].

    Examples
    --------
    >>> import carom as cm
    >>> cm.packing.uniform(1e-3, 3e-3).mean()
    0.002
    """
    low, high = _limits("packing.uniform", (smallest, largest))
    return SizeDistribution("uniform", low, high, lambda p, _: low + (high - low) * p, lambda _: 0.5 * (low + high))


def normal(mean: float, sd: float, limits: VectorLike) -> SizeDistribution:
    """Return the normal distribution of radii with ``mean`` and standard deviation ``sd`` [m], cut off at ``limits``.

    ``limits`` are the smallest and the largest radius [m]; the distribution between them is the normal one, scaled, so
    its mean differs from ``mean`` if the limits are not symmetric.

    Examples
    --------
    >>> import carom as cm
    >>> sizes = cm.packing.normal(2e-3, 0.2e-3, limits=(1.5e-3, 2.5e-3))
    >>> round(sizes.mean(), 9)
    0.002
    """
    owner = "packing.normal"
    mean, sd = positive(owner, "mean", mean), positive(owner, "sd", sd)
    low, high = _limits(owner, limits)
    a, b = (low - mean) / sd, (high - mean) / sd
    below, inside = _cut(owner, a, b, limits)
    density = [math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) for z in (a, b)]
    average = mean + sd * (density[0] - density[1]) / inside
    return SizeDistribution(
        "normal", low, high, lambda p, _: mean + sd * ndtri(below + p * inside), lambda _: float(average)
    )


def lognormal(median: float, sigma: float, limits: VectorLike) -> SizeDistribution:
    """Return the log-normal distribution of radii with ``median`` [m], cut off at ``limits`` [m].

    ``sigma`` [-] is the standard deviation of the logarithm of the radius; exp(sigma) is the geometric standard
    deviation. ``median`` is that of the distribution without limits.

    Examples
    --------
    >>> import carom as cm
    >>> sizes = cm.packing.lognormal(2e-3, 0.3, limits=(0.5e-3, 8e-3))
    >>> round(sizes.mean(), 6)  # median · exp(sigma²/2)
    0.002092
    """
    owner = "packing.lognormal"
    median, sigma = positive(owner, "median", median), positive(owner, "sigma", sigma)
    low, high = _limits(owner, limits)
    a, b = math.log(low / median) / sigma, math.log(high / median) / sigma
    below, inside = _cut(owner, a, b, limits)
    average = median * math.exp(0.5 * sigma**2) * float(ndtr(b - sigma) - ndtr(a - sigma)) / inside
    return SizeDistribution(
        "lognormal", low, high, lambda p, _: median * np.exp(sigma * ndtri(below + p * inside)), lambda _: average
    )


def table(radii: VectorLike, fractions: VectorLike, by: str = "mass") -> SizeDistribution:
    """Return the distribution of spheres of given ``radii`` [m] with ``fractions`` [-] by "mass" or by "number".

    The fractions must sum to one. All spheres have the same density.

    Examples
    --------
    >>> import carom as cm
    >>> sizes = cm.packing.table([1e-3, 2e-3], [0.5, 0.5], by="mass")  # 8 small spheres per large one
    >>> round(sizes.mean(), 9), round(cm.packing.table([1e-3, 2e-3], [0.5, 0.5], by="number").mean(), 9)
    (0.001111111, 0.0015)
    """
    owner = "packing.table"
    one_of(owner, "by", by, ("mass", "number"))
    sizes, parts = np.array(vector(owner, "radii", radii)), np.array(vector(owner, "fractions", fractions))
    if not len(sizes) or len(sizes) != len(parts):
        raise ModelError(
            f"{owner}: radii and fractions must have one or more numbers each, as many of both, got {len(sizes)} and "
            f"{len(parts)}"
        )
    if sizes.min() <= 0.0:
        raise ModelError(f"{owner}: radii must be positive, got {sizes.min():g} m")
    if parts.min() < 0.0 or abs(parts.sum() - 1.0) > SUM_TOLERANCE:
        raise ModelError(
            f"{owner}: fractions must be positive or zero and sum to 1, got {short_repr(fractions)} with the sum "
            f"{parts.sum():g}"
        )
    order = np.argsort(sizes, kind="stable")
    sizes, parts = sizes[order], parts[order]

    def numbers(dim: int) -> np.ndarray:
        """Return the fractions by number."""
        counts = parts if by == "number" else parts / (sizes / sizes[0]) ** dim
        return counts / counts.sum()

    def inverse(p: np.ndarray, dim: int) -> np.ndarray:
        steps = np.cumsum(numbers(dim))
        return sizes[np.minimum(np.searchsorted(steps, p, side="left"), len(sizes) - 1)]

    used = sizes[parts > 0.0]
    return SizeDistribution("table", float(used[0]), float(used[-1]), inverse, lambda dim: float(sizes @ numbers(dim)))


def _limits(owner: str, limits: Any) -> tuple[float, float]:
    """Return the smallest and the largest radius [m]."""
    low, high = vector(owner, "limits", limits, 2)
    if not 0.0 < low <= high:
        raise ModelError(f"{owner}: radii must obey 0 < smallest ≤ largest, got {low:g} and {high:g} m")
    return low, high


def _cut(owner: str, a: float, b: float, limits: Any) -> tuple[float, float]:
    """Return the probabilities below and between the standardised limits ``a`` and ``b``."""
    below, inside = float(ndtr(a)), float(ndtr(b) - ndtr(a))
    if inside < 1e-9:
        raise ModelError(
            f"{owner}: limits {short_repr(limits)} contain less than 1e-9 of the distribution; choose limits around it"
        )
    return below, inside


def radius_distribution(owner: str, radius: Any) -> SizeDistribution:
    """Return the distribution of ``radius``: a distribution, or a number [m] for equal spheres."""
    if isinstance(radius, SizeDistribution):
        return radius
    if is_list(radius) or isinstance(radius, str):
        raise ModelError(
            f"{owner}: radius must be a number [m] or a size distribution such as packing.uniform(a, b), got "
            f"{short_repr(radius)}"
        )
    value = positive(owner, "radius", radius)
    return SizeDistribution("equal", value, value, lambda p, _: np.full_like(p, value), lambda _: value)
