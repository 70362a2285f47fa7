"""Base class of sensors: elements that measure, and have no effect on the motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import integer, is_list, non_negative, positive, short_repr
from carom.errors import ModelError
from carom.geometry.element import Element
from carom.geometry.marker import Marker
from carom.model.body import Ground

Measurement = Callable[[Any], np.ndarray]
"""Function of the nodes of a run, as a `Result`, that returns a row for each node and a column for each signal."""

MAX_SEED = 2**63 - 1
"""Largest seed of the noise."""


class Sensor(Element):
    """Element that measures: its ``signals`` are those of an ideal instrument, with noise and at a rate on request.

    ``measurement`` returns the function that computes the signals, ``reading`` what the instrument displays of them.
    """

    family = "sensors"
    posed = False
    acts = False
    signals: tuple[str, ...]
    units: tuple[str, ...]

    def __init__(
        self,
        name: str | None,
        members: Sequence[Any],
        signals: Sequence[str],
        units: Sequence[str],
        noise: float | Sequence[float],
        rate: float | None,
        seed: int,
    ):
        super().__init__(name, *members)
        self.signals, self.units = tuple(signals), tuple(units)
        self.noise = deviations(self.label, noise, self.signals)
        self.rate = None if rate is None else positive(self.label, "rate", rate)
        self.seed = integer(self.label, "seed", seed, 0, MAX_SEED)
        self.parameters = ()

    @property
    def period(self) -> float | None:
        """Time between two samples [s]; None if it measures all the time."""
        return None if self.rate is None else 1.0 / self.rate

    def _details(self) -> list[str]:
        rate = [] if self.rate is None else [f"{self.rate:g} Hz"]
        return [self.connection, ", ".join(self.signals), *rate]

    def measurement(self, system: Any) -> Measurement:
        """Return the function that computes the signals at the nodes of a run of ``system``."""
        raise NotImplementedError

    def reading(self, values: np.ndarray) -> np.ndarray:
        """Return what the instrument displays of signals with noise."""
        return values


def deviations(owner: str, noise: Any, signals: Sequence[str]) -> tuple[float, ...]:
    """Return the standard deviation of the noise of each signal."""
    if not is_list(noise):
        return (non_negative(owner, "noise", noise),) * len(signals)
    if len(noise) != len(signals):
        raise ModelError(
            f"{owner}: noise must be a number or {len(signals)} numbers, of {', '.join(signals)}; got "
            f"{short_repr(noise)}"
        )
    return tuple(non_negative(owner, f"noise[{k}]", value) for k, value in enumerate(noise))


def check_in_system(owner: str, item: Any, system: Any) -> None:
    """Raise unless a joint or contact that is measured has been added to the system."""
    if id(item) not in system._known:
        raise ModelError(f"{owner}: {item.label} is not in system {system.name!r}; add it first")


def body_axes(body: Any, result: Any) -> np.ndarray:
    """Return the axes of a body over time as columns of matrices (n, d, d); those of the ground are constant."""
    size = len(body.position)
    if isinstance(body, Ground):
        return np.broadcast_to(np.eye(size), (len(result.t), size, size))
    series = result[body.name]
    if size == 3:
        return np.asarray(series.rotation)
    c, s = np.cos(series.angle), np.sin(series.angle)
    return np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)


def local_axes(marker: Marker) -> np.ndarray:
    """Return the axes of a marker in the axes of its body, as columns."""
    if marker.spatial:
        return marker.axes
    c, s = np.cos(marker.angle), np.sin(marker.angle)
    return np.array([[c, -s], [s, c]])


def marker_point(marker: Marker, result: Any) -> np.ndarray:
    """Return the path (n, d) of a marker in global axes [m]."""
    if isinstance(marker.body, Ground):
        return np.broadcast_to(np.array(marker.at), (len(result.t), len(marker.at)))
    return np.asarray(result[marker.body.name].point(*marker.at))


def in_axes(vectors: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return the components of vectors (n, d) along axes, which are columns of a matrix or of (n, d, d)."""
    return np.asarray(np.einsum("...ij,...i->...j", axes, vectors))
