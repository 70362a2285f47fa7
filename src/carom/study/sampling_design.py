"""Sampling designs: the parameter values of all runs of a study, from grids, lists, ranges and distributions."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, integer, is_list, one_of, positive, short_repr
from carom.errors import ModelError

METHODS = ("grid", "list", "latin", "sobol", "random")
"""Designs: all combinations, corresponding values of lists, and samples (`unit_samples`)."""
MAX_POINTS = 2_000_000
"""Largest number of points of a design."""
MAX_SEED = 2**63 - 1
"""Largest seed of the random numbers."""


class Distribution(ABC):
    """Probability distribution of a parameter."""

    @abstractmethod
    def quantile(self, probability: np.ndarray) -> np.ndarray:
        """Return the values below which a parameter lies with the ``probability`` [-]."""

    def grid(self, count: int) -> np.ndarray:
        """Return ``count`` values for a grid."""
        return self.quantile(np.linspace(0.0, 1.0, count))


@dataclass(frozen=True)
class Uniform(Distribution):
    """Uniform distribution from ``low`` to ``high``.

    Examples
    --------
    >>> import carom as cm
    >>> cm.study.Uniform(0.2, 0.8).grid(3).tolist()
    [0.2, 0.5, 0.8]
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = finite_float("Uniform", "low", self.low), finite_float("Uniform", "high", self.high)
        if not low < high:
            raise ModelError(f"Uniform: low must be below high, got {low:g} and {high:g}")

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        """Return the values at the probabilities."""
        return self.low + probability * (self.high - self.low)


@dataclass(frozen=True)
class LogUniform(Distribution):
    """Log-uniform distribution from ``low`` to ``high``, both positive.

    Examples
    --------
    >>> import carom as cm
    >>> cm.study.LogUniform(1.0, 100.0).grid(3).round(6).tolist()
    [1.0, 10.0, 100.0]
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = positive("LogUniform", "low", self.low), positive("LogUniform", "high", self.high)
        if not low < high:
            raise ModelError(f"LogUniform: low must be below high, got {low:g} and {high:g}")

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        """Return the values at the probabilities."""
        low, high = math.log(self.low), math.log(self.high)
        values = np.exp(low + probability * (high - low))
        return np.clip(values, self.low, self.high)  # Rounding must not exceed the limits.


@dataclass(frozen=True)
class Normal(Distribution):
    """Normal distribution with ``mean`` and standard ``deviation``; a grid covers two deviations on each side.

    Examples
    --------
    >>> import carom as cm
    >>> cm.study.Normal(mean=1.0, deviation=0.1).grid(3).round(6).tolist()
    [0.8, 1.0, 1.2]
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        finite_float("Normal", "mean", self.mean)
        positive("Normal", "deviation", self.deviation)

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        """Return the values at the probabilities."""
        from scipy.special import ndtri

        return self.mean + self.deviation * ndtri(probability)

    def grid(self, count: int) -> np.ndarray:
        """Return ``count`` values from −2 to 2 standard deviations about the mean."""
        return self.mean + self.deviation * np.linspace(-2.0, 2.0, count)


@dataclass(frozen=True)
class Categorical(Distribution):
    """Distribution over ``values`` with equal probabilities."""

    values: tuple[Any, ...]

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        """Return the values at the probabilities, in the order of ``values``."""
        indices = np.minimum((np.asarray(probability) * len(self.values)).astype(int), len(self.values) - 1)
        return object_array([self.values[index] for index in indices])

    def grid(self, count: int) -> np.ndarray:
        """Return all values."""
        return object_array(self.values)


@dataclass(frozen=True)
class ScipyDistribution(Distribution):
    """A frozen distribution of ``scipy.stats``."""

    distribution: Any

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        """Return the values at the probabilities."""
        return self.distribution.ppf(probability)

    def grid(self, count: int) -> np.ndarray:
        """Return the medians of ``count`` intervals of equal probability."""
        return self.quantile((np.arange(count) + 0.5) / count)


def object_array(values: Iterable[Any]) -> np.ndarray:
    """Return a one-dimensional array of objects; sequences among the values stay single items."""
    items = list(values)
    array = np.empty(len(items), object)
    array[:] = items
    return array


@dataclass(frozen=True)
class Design:
    """Points of a study, each with a value for every name; ``axes`` are the values per name of a grid."""

    names: tuple[str, ...]
    points: tuple[dict[str, Any], ...]
    axes: dict[str, tuple[Any, ...]] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the grid, or the number of points."""
        return (len(self.points),) if self.axes is None else tuple(len(values) for values in self.axes.values())


def sampling_design(
    parameters: Mapping[str, Any], samples: int | None = None, method: str | None = None, seed: int | None = 0
) -> Design:
    """Return the points of a study.

    A parameter has a list of values or, for samples, a range ``(low, high)``, a `Uniform`, `LogUniform`, `Normal` or a
    distribution of ``scipy.stats``; in a grid each distribution gives ``samples`` values.
    """
    if not isinstance(parameters, Mapping) or not parameters:
        raise ModelError(
            "sweep: parameters must be a mapping such as {'restitution': [0.1, 0.5, 0.9]}, "
            f"got {short_repr(parameters)}"
        )
    samples = None if samples is None else integer("sweep", "samples", samples, 1, MAX_POINTS)
    seed = None if seed is None else integer("sweep", "seed", seed, 0, MAX_SEED)
    method = method or ("grid" if samples is None else "latin")
    if method in ("compliant", "nonsmooth"):
        raise ModelError(
            f"sweep: method selects the sampling design, got {method!r}; to set the method of the runs use "
            f"parameters={{'method': [{method!r}]}}"
        )
    method = one_of("sweep", "method", method, METHODS)
    names = tuple(map(str, parameters))
    if method in ("grid", "list"):
        axes = {name: tuple(value_list(name, values, samples)) for name, values in parameters.items()}
        return grid_design(names, axes) if method == "grid" else list_design(names, axes)
    if samples is None:
        raise ModelError(f"sweep: method {method!r} needs the number of samples; set samples=…")
    distributions = [as_distribution(name, values) for name, values in parameters.items()]
    probabilities = unit_samples(len(names), samples, method, seed)
    columns = [distribution.quantile(probabilities[:, k]) for k, distribution in enumerate(distributions)]
    return Design(names, tuple(_point(names, row) for row in zip(*columns, strict=True)))


def grid_design(names: tuple[str, ...], axes: dict[str, tuple[Any, ...]]) -> Design:
    """Return all combinations of the values."""
    count = math.prod(len(values) for values in axes.values())
    if count > MAX_POINTS:
        raise ModelError(
            f"sweep: number of points must be at most {MAX_POINTS}, got {count}; use samples=… with ranges instead"
        )
    return Design(names, tuple(_point(names, row) for row in itertools.product(*axes.values())), axes)


def list_design(names: tuple[str, ...], axes: dict[str, tuple[Any, ...]]) -> Design:
    """Return the points of corresponding values of the lists."""
    counts = {name: len(values) for name, values in axes.items()}
    if len(set(counts.values())) > 1:
        raise ModelError(f"sweep: method 'list' needs lists of equal length, got {counts}")
    return Design(names, tuple(_point(names, row) for row in zip(*axes.values(), strict=True)))


def _point(names: tuple[str, ...], row: Iterable[Any]) -> dict[str, Any]:
    return {name: as_python(value) for name, value in zip(names, row, strict=True)}


def as_python(value: Any) -> Any:
    """Return a NumPy scalar as the built-in type; other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def value_list(name: str, values: Any, samples: int | None = None) -> list[Any]:
    """Return the values of a parameter as a list; a distribution gives ``samples`` grid values."""
    if hasattr(values, "ppf") or isinstance(values, Distribution):
        if samples is None:
            raise ModelError(f"sweep: {name} is a range; set the number of values with samples=…")
        values = as_distribution(name, values).grid(samples)
    if isinstance(values, (str, bytes, Mapping)) or not is_list(values):
        raise ModelError(f"sweep: {name} must be a list of values, got {short_repr(values)}")
    items = [as_python(value) for value in islice(values, MAX_POINTS + 1)]
    if not items:
        raise ModelError(f"sweep: {name} must have at least one value, got an empty list")
    if len(items) > MAX_POINTS:
        raise ModelError(f"sweep: {name} must have at most {MAX_POINTS} values; use samples=… with a range instead")
    return items


def as_distribution(name: str, values: Any) -> Distribution:
    """Return the distribution from which a parameter is sampled."""
    if isinstance(values, Distribution):
        return values
    if hasattr(values, "ppf"):
        return ScipyDistribution(values)
    if isinstance(values, tuple) and len(values) == 2 and all(_is_number(value) for value in values):
        return Uniform(*values)
    return Categorical(tuple(value_list(name, values)))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def unit_samples(dimensions: int, samples: int, method: str, seed: int | None) -> np.ndarray:
    """Return (samples, dimensions) points of the unit cube: Latin hypercube, Sobol sequence or random numbers."""
    generator = np.random.default_rng(seed)
    if method == "random":
        return generator.random((samples, dimensions))
    from scipy.stats import qmc

    sampler: Any = qmc.LatinHypercube if method == "latin" else qmc.Sobol
    try:
        engine = sampler(dimensions, rng=generator)
    except TypeError:  # SciPy before 1.15 names the argument differently.
        engine = sampler(dimensions, seed=generator)
    if method == "latin":
        return engine.random(samples)
    # A Sobol sequence is balanced only if its length is a power of two.
    balanced = engine.random_base2(max(samples - 1, 1).bit_length())
    return balanced[:samples]


def halton_points(count: int, dimensions: int) -> list[np.ndarray]:
    """Return points spread evenly over the unit cube: J. H. Halton, Numerische Mathematik 2 (1960) 84–90."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    points = []
    for k in range(1, count + 1):
        point = []
        for axis in range(dimensions):
            base, remaining, digit_value, coordinate = bases[axis % len(bases)], k, 1.0, 0.0
            while remaining:
                remaining, digit = divmod(remaining, base)
                digit_value /= base
                coordinate += digit_value * digit
            point.append(coordinate)
        points.append(np.array(point))
    return points
