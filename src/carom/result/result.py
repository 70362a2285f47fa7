"""Everything that came out of a run."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from carom.errors import ModelError, shown
from carom.result import convert
from carom.result.arrays import read_only
from carom.result.drawing_data import DrawingData
from carom.result.energy import Energy
from carom.result.impacts import Impact, Impacts
from carom.result.info import MOTION, BodyInfo, ElementInfo
from carom.result.lookup import name_of, unknown_name
from carom.result.outcome import Outcome
from carom.result.plain import plain
from carom.result.sampling import parabola, quintic, sample_columns, sample_linear, sample_motion, sample_steps
from carom.result.series import BodySeries, ElementSeries
from carom.result.spatial_sampling import sample_spatial
from carom.result.spatial_series import SpatialSeries
from carom.result.summary import summary

if TYPE_CHECKING:
    import pandas
    import xarray

LATEST = 1e15
"""Largest time of a node [s]."""
_SERIES: dict[int, Any] = {2: BodySeries, 3: SpatialSeries}


class Result:
    """What came out of a run: time series of bodies and elements, energy, and how the run went.

    `result[crank]` and `result["crank"]` are the series of a body or an element. Arrays are read-only; an event that
    makes something jump is two nodes at the same time.

    Parameters
    ----------
    name : name of the system.
    dim : 2 for planar motion, 3 for motion in space.
    t : (n,) times of the nodes [s], not decreasing, n ≥ 1.
    q, v, a : (n, 3 · bodies) x, y [m] and angle [rad] of each body, their rates, and the rates of those; in space
        (n, 7 · bodies) and (n, 6 · bodies), see `SpatialSeries`.
    signals : (n, m) columns of all elements; `elements` says which is which.
    ledger : the energies at the nodes, read as `result.energy`.
    bodies, elements : what the columns mean; names are unique over both.
    stats : what the run cost; `summary` shows "steps", "rejected", "evaluations" and "wall_time" [s].
    outcome : how the run ended.
    message : one sentence: how it ended, when and where.
    settings : the options the run was started with.
    impacts : every contact from its beginning to its end.
    sketch : shapes and joints for pictures, or a function that gives them when they are first asked for.
    smooth : False where velocities jump in a step (time stepping): they are then taken to be linear between the nodes.
    """

    def __init__(
        self,
        *,
        name: str,
        dim: int,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        signals: ArrayLike,
        ledger: Energy,
        bodies: tuple[BodyInfo, ...],
        elements: tuple[ElementInfo, ...],
        stats: dict[str, Any],
        outcome: Outcome,
        message: str,
        settings: dict[str, Any],
        impacts: Iterable[Impact] = (),
        smooth: bool = True,
        sketch: DrawingData | Callable[[], DrawingData | None] | None = None,
    ) -> None:
        self.name = name
        self.dim = dim
        self.t = read_only(t)
        self.q = read_only(q)
        self.v = read_only(v)
        self.a = read_only(a)
        self.signals = read_only(signals)
        self.energy = ledger.with_reference(stats.get("energy_reference", ledger.reference))
        self.bodies = tuple(bodies)
        self.elements = tuple(elements)
        self.stats: dict[str, Any] = plain(stats)
        self.outcome = outcome
        self.message = message
        self.settings: dict[str, Any] = plain(settings)
        self.impacts = Impacts(impacts)
        self.smooth = bool(smooth)
        self._sketch = sketch
        self._check()
        self._body_index = {body.name: index for index, body in enumerate(self.bodies)}
        self._element_index = {element.name: index for index, element in enumerate(self.elements)}

    @property
    def sketch(self) -> DrawingData | None:
        """Shapes and joints of the system as plain numbers; None where there are none to draw."""
        if callable(self._sketch):
            self._sketch = self._sketch()
        return self._sketch

    def with_sketch(self, sketch: DrawingData | Callable[[], DrawingData | None] | None) -> "Result":
        """The same run with another sketch, as of a mechanism whose coordinates were generalised ones."""
        other = copy(self)
        other._sketch = sketch
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_sketch": self.sketch}  # numbers travel, a function of the system may not

    @property
    def series_type(self) -> Any:
        """The kind of series a body of this result has."""
        return _SERIES[self.dim]

    def __getitem__(self, key: Any) -> Any:
        """The `BodySeries` or `ElementSeries` of a name, or of anything with a `.name`."""
        name = name_of(key)
        if name in self._body_index:
            return self._body_series(name)
        if name in self._element_index:
            info = self.elements[self._element_index[name]]
            return ElementSeries(info, self.t, self.signals[:, slice(*info.columns)])
        raise unknown_name(self.name, name, [*self._body_index, *self._element_index])

    def __contains__(self, key: Any) -> bool:
        name = name_of(key)
        return name in self._body_index or name in self._element_index

    def sample(self, times: ArrayLike) -> "Result":
        """The same run at other times [s], a number or a sequence that does not run backwards.

        Motion, of bodies or in generalised coordinates, is interpolated with a polynomial of degree five, other signals
        and energies with a cubic, never across a jump; at a jump the value after it is given. Between time steps that
        are not smooth, velocities and signals are linear. Times outside the run are an error.
        """
        times = self._times(times)
        sample = sample_columns if self.smooth else sample_linear
        q, v, a = self._motion_at(times)
        signals = sample(self.t, self.signals, times)
        first = np.array([info.columns[0] for info in self.elements if info.signals == MOTION], int)
        if len(first):
            x, u, bend = (self.signals[:, first + k] for k in range(len(MOTION)))
            for k, part in enumerate((sample_motion if self.smooth else sample_steps)(self.t, x, u, bend, times)):
                signals[:, first + k] = part
        return Result(
            name=self.name,
            dim=self.dim,
            t=times.copy(),
            q=q,
            v=v,
            a=a,
            signals=signals,
            ledger=Energy.from_columns(sample(self.t, self.energy.columns(), times)),
            bodies=self.bodies,
            elements=self.elements,
            stats=self.stats,
            outcome=self.outcome,
            message=self.message,
            settings=self.settings,
            impacts=self.impacts,
            smooth=self.smooth,
            sketch=self._sketch,
        )

    def _motion_at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.dim == 3:
            return sample_spatial(quintic if self.smooth else parabola, self.t, self.q, self.v, self.a, times)
        return (sample_motion if self.smooth else sample_steps)(self.t, self.q, self.v, self.a, times)

    def same_as(self, other: "Result") -> bool:
        """True when both runs gave the same numbers, bit for bit; cost and settings are not compared."""
        facts = ("name", "dim", "smooth", "bodies", "elements", "outcome", "message", "impacts")
        arrays = ("t", "q", "v", "a", "signals")
        return (
            all(getattr(self, name) == getattr(other, name) for name in facts)
            and all(_same_bits(getattr(self, name), getattr(other, name)) for name in arrays)
            and _same_bits(self.energy.columns(), other.energy.columns())
        )

    def summary(self) -> str:
        """Outcome, time, work done, energy drift, and where each body ended, in a few lines."""
        return summary(self)

    def save(self, path: "str | PathLike[str]") -> None:
        """Write everything to an HDF5 file, whole or not at all; `carom.load` reads it back exactly."""
        from carom.io.results import save

        save(self, path)

    def plot(self, *what: Any, **options: Any) -> Any:
        """A figure of this result; see `carom.plot.plot_result`."""
        from carom.plot import plot_result

        return plot_result(self, *what, **options)

    def report(self, path: "str | PathLike[str]", **options: Any) -> Any:
        """Write one HTML file with animation, plots and tables; see `carom.report.write_report`."""
        from carom.report import write_report

        return write_report(self, path, **options)

    def view(self, **options: Any) -> Any:
        """Show the run in a browser; see `carom.view.show`."""
        from carom.view import show

        return show(self, **options)

    def to_xarray(self) -> "xarray.Dataset":
        """A Dataset with motion over (time, body), and signals and energies over time; units are attributes."""
        return convert.to_xarray(self)

    def to_dataframe(self) -> "pandas.DataFrame":
        """A DataFrame indexed by t [s], with columns such as "crank.x", "pivot.fx", "energy.kinetic"."""
        return convert.to_dataframe(self)

    def __repr__(self) -> str:
        return (
            f"<Result '{self.name}': {self.outcome.name}, t = {self.t[0]:.6g} … {self.t[-1]:.6g} s, "
            f"{len(self.t)} nodes, {len(self.bodies)} bodies, {len(self.elements)} elements>"
        )

    def _body_series(self, name: str) -> Any:
        index, series = self._body_index[name], self.series_type
        coordinates = slice(index * series.coordinates, (index + 1) * series.coordinates)
        speeds = slice(index * series.speeds, (index + 1) * series.speeds)
        return series(name, self.t, self.q[:, coordinates], self.v[:, speeds], self.a[:, speeds])

    def _times(self, given: ArrayLike) -> np.ndarray:
        with suppress(TypeError, ValueError, OverflowError):
            times = np.atleast_1d(np.asarray(given, dtype=np.float64))
            if times.ndim == 1 and len(times):
                return times
        raise ModelError(f"Result {self.name!r}: times must be a number or a list of numbers, got {shown(given)}")

    def _check(self) -> None:
        """Refuse arrays that do not fit together, before anything reads the wrong column."""
        if self.dim not in _SERIES:
            raise ValueError(f"Result '{self.name}': dim must be one of {sorted(_SERIES)}, got {self.dim}")
        if self.t.ndim != 1 or len(self.t) == 0:
            raise ValueError(f"Result '{self.name}': t must have shape (n,) with n ≥ 1, got {self.t.shape}")
        if not max(-self.t.min(), self.t.max()) <= LATEST:  # not a number is not less, either
            raise ValueError(
                f"Result '{self.name}': times must be finite and at most {LATEST:g} s, got {self.t[0]:g} to "
                f"{self.t[-1]:g} s"
            )
        back = np.flatnonzero(np.diff(self.t) < 0.0)
        if len(back):
            before, after = self.t[back[0]], self.t[back[0] + 1]
            raise ValueError(
                f"Result '{self.name}': times must not run backwards, got {after:.12g} s after {before:.12g} s"
            )
        nodes, series = len(self.t), self.series_type
        width = max((element.columns[1] for element in self.elements), default=0)
        for array, columns in (
            ("q", len(self.bodies) * series.coordinates),
            ("v", len(self.bodies) * series.speeds),
            ("a", len(self.bodies) * series.speeds),
            ("signals", width),
        ):
            shape = getattr(self, array).shape
            if shape != (nodes, columns):
                raise ValueError(f"Result '{self.name}': {array} must have shape {(nodes, columns)}, got {shape}")
        if self.energy.kinetic.shape != (nodes,):
            raise ValueError(
                f"Result '{self.name}': the ledger must have {nodes} nodes, got {len(self.energy.kinetic)}"
            )
        names = [body.name for body in self.bodies] + [element.name for element in self.elements]
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"Result '{self.name}': names must be unique, got {', '.join(twice)} more than once")


def _same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and one.tobytes() == other.tobytes()
