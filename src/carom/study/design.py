"""Which values are tried: grids, lists, and samples of ranges and distributions."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from carom.errors import ModelError, choice, is_list, number, positive, shown, whole

METHODS = ("grid", "list", "latin", "sobol", "random")
"""How points are chosen: all combinations, values that go together one by one, and samples (`sample`)."""
MOST = 2_000_000
"""Points of a study at most."""
LARGEST_SEED = 2**63 - 1


class Spread(ABC):
    """Values that a parameter may have, each as likely as it says."""

    @abstractmethod
    def at(self, share: np.ndarray) -> np.ndarray:
        """The values that a ``share`` (0 to 1) of all lies below."""

    def even(self, count: int) -> np.ndarray:
        """``count`` values for a grid."""
        return self.at(np.linspace(0.0, 1.0, count))


@dataclass(frozen=True)
class Uniform(Spread):
    """Every value from ``low`` to ``high`` alike."""

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = number("Uniform", "low", self.low), number("Uniform", "high", self.high)
        if not low < high:
            raise ModelError(f"Uniform: low must be below high, got {low:g} and {high:g}")

    def at(self, share: np.ndarray) -> np.ndarray:
        return self.low + share * (self.high - self.low)


@dataclass(frozen=True)
class Log(Spread):
    """Every order of magnitude from ``low`` to ``high`` alike; both are positive."""

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = positive("Log", "low", self.low), positive("Log", "high", self.high)
        if not low < high:
            raise ModelError(f"Log: low must be below high, got {low:g} and {high:g}")

    def at(self, share: np.ndarray) -> np.ndarray:
        low, high = math.log(self.low), math.log(self.high)
        values = np.exp(low + share * (high - low))
        return np.clip(values, self.low, self.high)  # rounding may not go beyond


@dataclass(frozen=True)
class Normal(Spread):
    """Normal distribution about ``mean`` with standard ``deviation``; a grid covers two deviations either side."""

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        number("Normal", "mean", self.mean)
        positive("Normal", "deviation", self.deviation)

    def at(self, share: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return self.mean + self.deviation * ndtri(share)

    def even(self, count: int) -> np.ndarray:
        return self.mean + self.deviation * np.linspace(-2.0, 2.0, count)


@dataclass(frozen=True)
class Among(Spread):
    """One of ``values``, each as likely."""

    values: tuple[Any, ...]

    def at(self, share: np.ndarray) -> np.ndarray:
        places = np.minimum((np.asarray(share) * len(self.values)).astype(int), len(self.values) - 1)
        found = np.empty(len(places), object)
        found[:] = [self.values[place] for place in places]
        return found

    def even(self, count: int) -> np.ndarray:
        found = np.empty(len(self.values), object)
        found[:] = self.values
        return found


@dataclass(frozen=True)
class Frozen(Spread):
    """A distribution of ``scipy.stats``."""

    distribution: Any

    def at(self, share: np.ndarray) -> np.ndarray:
        return self.distribution.ppf(share)

    def even(self, count: int) -> np.ndarray:
        return self.at((np.arange(count) + 0.5) / count)


@dataclass(frozen=True)
class Design:
    """The points of a study, each a value for every name; of a grid also its ``axes``."""

    names: tuple[str, ...]
    points: tuple[dict[str, Any], ...]
    axes: dict[str, tuple[Any, ...]] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.points),) if self.axes is None else tuple(len(values) for values in self.axes.values())


def design(
    parameters: Mapping[str, Any], samples: int | None = None, method: str | None = None, seed: int | None = 0
) -> Design:
    """The points that ``parameters`` and ``method`` say.

    A parameter has a list of values, or for samples a range ``(low, high)``, or a `Uniform`, `Log`, `Normal` or a
    distribution of ``scipy.stats``; in a grid these are ``samples`` values each.
    """
    if not isinstance(parameters, Mapping) or not parameters:
        raise ModelError(f"a sweep needs parameters, {{'restitution': [0.1, 0.5, 0.9]}}, got {shown(parameters)}")
    samples = None if samples is None else whole("sweep", "samples", samples, 1, MOST)
    seed = None if seed is None else whole("sweep", "seed", seed, 0, LARGEST_SEED)
    method = method or ("grid" if samples is None else "latin")
    if method in ("compliant", "nonsmooth"):
        raise ModelError(
            f"sweep: method is how values are chosen; for the run write parameters={{'method': [{method!r}]}}"
        )
    method = choice("sweep", "method", method, METHODS)
    names = tuple(map(str, parameters))
    if method in ("grid", "list"):
        axes = {name: tuple(listed(name, values, samples)) for name, values in parameters.items()}
        return _grid(names, axes) if method == "grid" else _together(names, axes)
    if samples is None:
        raise ModelError(f"sweep: method {method!r} needs to know how many samples=…")
    spreads = [spread(name, values) for name, values in parameters.items()]
    shares = sample(len(names), samples, method, seed)
    columns = [one.at(shares[:, k]) for k, one in enumerate(spreads)]
    return Design(names, tuple(_point(names, row) for row in zip(*columns, strict=True)))


def _grid(names: tuple[str, ...], axes: dict[str, tuple[Any, ...]]) -> Design:
    count = math.prod(len(values) for values in axes.values())
    if count > MOST:
        raise ModelError(f"sweep: {count} points are too many; take samples=… of ranges instead")
    return Design(names, tuple(_point(names, row) for row in itertools.product(*axes.values())), axes)


def _together(names: tuple[str, ...], axes: dict[str, tuple[Any, ...]]) -> Design:
    counts = {name: len(values) for name, values in axes.items()}
    if len(set(counts.values())) > 1:
        raise ModelError(f"sweep: in a list every parameter has as many values as the others, got {counts}")
    return Design(names, tuple(_point(names, row) for row in zip(*axes.values(), strict=True)))


def _point(names: tuple[str, ...], row: Iterable[Any]) -> dict[str, Any]:
    return {name: python(value) for name, value in zip(names, row, strict=True)}


def python(value: Any) -> Any:
    """A NumPy number as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def listed(name: str, values: Any, samples: int | None = None) -> list[Any]:
    """The values of a parameter, one after the other."""
    if hasattr(values, "ppf") or isinstance(values, Spread):
        if samples is None:
            raise ModelError(f"sweep: {name} is a range; say how many values of it, samples=…")
        values = spread(name, values).even(samples)
    if isinstance(values, (str, bytes, Mapping)) or not is_list(values):
        raise ModelError(f"sweep: {name} needs a list of values, got {shown(values)}")
    found = [python(value) for value in islice(values, MOST + 1)]
    if not found:
        raise ModelError(f"sweep: {name} has no values")
    if len(found) > MOST:
        raise ModelError(f"sweep: {name} has more than {MOST} values; take samples=… of a range instead")
    return found


def spread(name: str, values: Any) -> Spread:
    """What the samples of a parameter are taken from."""
    if isinstance(values, Spread):
        return values
    if hasattr(values, "ppf"):
        return Frozen(values)
    if isinstance(values, tuple) and len(values) == 2 and all(_is_number(value) for value in values):
        return Uniform(*values)
    return Among(tuple(listed(name, values)))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def sample(columns: int, samples: int, method: str, seed: int | None) -> np.ndarray:
    """(samples, columns) numbers between 0 and 1: "latin" hypercube, "sobol" sequence, or "random"."""
    generator = np.random.default_rng(seed)
    if method == "random":
        return generator.random((samples, columns))
    from scipy.stats import qmc

    kind: Any = qmc.LatinHypercube if method == "latin" else qmc.Sobol
    try:
        engine = kind(columns, rng=generator)
    except TypeError:  # SciPy before 1.15
        engine = kind(columns, seed=generator)
    if method == "latin":
        return engine.random(samples)
    balanced = engine.random_base2(max(samples - 1, 1).bit_length())  # it is balanced in powers of two
    return balanced[:samples]


def describe(values: Sequence[Any]) -> str:
    """A few values, in words."""
    first = ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values[:6])
    return first + (f" … ({len(values)} values)" if len(values) > 6 else "")
