"""Result of a run."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import short_repr
from carom.deprecation import DeprecatedName
from carom.errors import ModelError
from carom.result import export
from carom.result.column_info import MOTION, BodyInfo, ElementInfo
from carom.result.drawing_data import DrawingData
from carom.result.energy import Energy
from carom.result.impact_records import ImpactRecord, ImpactTable
from carom.result.interpolation import parabola, quintic, sample_columns, sample_linear, sample_motion, sample_steps
from carom.result.name_lookup import name_of, unknown_name
from carom.result.outcome import Outcome
from carom.result.plain_data import plain, read_only
from carom.result.series import BodySeries, ElementSeries
from carom.result.spatial_interpolation import sample_spatial
from carom.result.spatial_series import SpatialSeries
from carom.result.statistics import Statistics
from carom.result.summary import summary
from carom.result.wear_record import WearRecord

if TYPE_CHECKING:
    import pandas
    import xarray

    from carom.result.sensitivities import Sensitivities

MAX_TIME = 1e15
"""Largest time of a node [s]."""
_SERIES: dict[int, Any] = {2: BodySeries, 3: SpatialSeries}


def series_class(dim: int) -> Any:
    """Return the class of the series of a body in 2D or 3D."""
    return _SERIES[dim]


class Result:
    """Result of a run: time series of bodies and elements, energies, impacts, outcome and statistics.

    `result[crank]` and `result["crank"]` are the series of a body or an element. Arrays are read-only. An event with a
    jump is two nodes at the same time.

    Parameters
    ----------
    name
        name of the system.
    dim
        2 for planar motion, 3 for spatial motion.
    t
        (n,) times of the nodes [s], not decreasing, n ≥ 1.
    q, v, a
        (n, 3 · bodies) x, y [m] and angle [rad] of each body, and their first and second derivatives; in 3D
        (n, 7 · bodies) and (n, 6 · bodies), see `SpatialSeries`.
    signals
        (n, m) columns of all elements, described by `elements`.
    ledger
        energies at the nodes, available as `result.energy`.
    bodies, elements
        description of the columns; names are unique over both.
    stats
        cost of the run; `summary` lists "steps", "rejected", "evaluations" and "wall_time" [s].
    outcome
        outcome of the run.
    message
        one sentence on the outcome, with time and place.
    settings
        options of the run.
    impacts
        log of the contacts, each from onset to separation.
    sketch
        shapes and joints for drawings, or a function that returns them on first use.
    smooth
        False if velocities jump within a step (time stepping); velocities are then interpolated linearly.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> result.outcome.ok, len(result.impacts), bool(result.energy.drift < 1e-6)
    (True, 1, True)
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
        impacts: Iterable[ImpactRecord] = (),
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
        self.energy = ledger.with_reference(stats.get("energy_reference", ledger.reference)).at_times(self.t)
        self.bodies = tuple(bodies)
        self.elements = tuple(elements)
        self.stats = Statistics(plain(stats))
        self.outcome = outcome
        self.message = message
        self.settings: dict[str, Any] = plain(settings)
        self.impacts = ImpactTable(impacts, {info.name: info.parts for info in self.elements if info.parts})
        self.smooth = bool(smooth)
        self.sensitivity: Sensitivities | None = None
        """Derivatives of the series with respect to the parameters ``sensitivities=`` of the run."""
        self.wear: dict[str, WearRecord] = {}
        """Wear of the contacts that have it, by name."""
        self._sketch = sketch
        self._check()
        self._body_index = {body.name: index for index, body in enumerate(self.bodies)}
        self._element_index = {element.name: index for index, element in enumerate(self.elements)}

    @property
    def sketch(self) -> DrawingData | None:
        """Shapes and joints of the system as plain numbers, for drawings; None if there are none."""
        if callable(self._sketch):
            self._sketch = self._sketch()
        return self._sketch

    def with_sketch(self, sketch: DrawingData | Callable[[], DrawingData | None] | None) -> "Result":
        """Return a copy with another sketch, e.g. of a mechanism described by generalised coordinates."""
        other = copy(self)
        other._sketch = sketch
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_sketch": self.sketch}  # A function of the system may not be picklable.

    @property
    def series_type(self) -> Any:
        """Class of the series of a body."""
        return series_class(self.dim)

    def __getitem__(self, key: Any) -> Any:
        """Return the series of a body or element, given by its name or as an object with a `.name`."""
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
        """Return the result interpolated at other times [s], a number or a non-decreasing list within the run.

        Motion (of bodies, or in generalised coordinates) is interpolated by a quintic, other signals and energies by a
        cubic; no interpolation crosses a jump, and at a jump the value after it is returned. Between time steps that
        are not smooth, velocities and signals are linear.
        """
        times = self._times(times)
        sample = sample_columns if self.smooth else sample_linear
        q, v, a = self._motion_at(times)
        signals = sample(self.t, self.signals, times)
        first = np.array([info.columns[0] for info in self.elements if info.signals == MOTION], int)
        if len(first):
            x, u, u_dot = (self.signals[:, first + k] for k in range(len(MOTION)))
            for k, values in enumerate((sample_motion if self.smooth else sample_steps)(self.t, x, u, u_dot, times)):
                signals[:, first + k] = values
        result = Result(
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
        result.wear = self.wear
        return result

    def _motion_at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, v and a at ``times`` [s]."""
        if self.dim == 3:
            return sample_spatial(quintic if self.smooth else parabola, self.t, self.q, self.v, self.a, times)
        return (sample_motion if self.smooth else sample_steps)(self.t, self.q, self.v, self.a, times)

    def same_as(self, other: "Result") -> bool:
        """Return True if both results are bit-identical; cost and settings are not compared."""
        attributes = ("name", "dim", "smooth", "bodies", "elements", "outcome", "message", "impacts")
        arrays = ("t", "q", "v", "a", "signals")
        return (
            all(getattr(self, name) == getattr(other, name) for name in attributes)
            and all(_same_bits(getattr(self, name), getattr(other, name)) for name in arrays)
            and _same_bits(self.energy.columns(), other.energy.columns())
        )

    def summary(self) -> str:
        """Return outcome, time, cost, energy drift and final positions of the bodies as text."""
        return summary(self)

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the result to a file, completely or not at all.

        The suffix selects the format: ".csv", ".mat", else HDF5, which `carom.load` restores exactly.
        """
        from carom.io.registry import save

        save(self, path)

    def to_csv(self, path: "str | PathLike[str]") -> None:
        """Write a CSV file: one line per node, with columns such as "crank.x [m]", "energy.kinetic [J]"."""
        from carom.io.registry import FORMATS

        FORMATS[".csv"](self, path)

    def to_mat(self, path: "str | PathLike[str]") -> None:
        """Write a MAT file for MATLAB with structures such as ``bodies.crank.x`` and ``energy.kinetic``."""
        from carom.io.registry import FORMATS

        FORMATS[".mat"](self, path)

    def to_vtk(self, folder: "str | PathLike[str]", times: ArrayLike | None = None, system: Any = None) -> Path:
        """Write a folder for ParaView, completely or not at all; see `carom.view.write_vtk`."""
        from carom.view.vtk_export import write_vtk

        return write_vtk(self, folder, times, system)

    to_paraview = DeprecatedName("to_vtk")

    def to_gltf(self, path: "str | PathLike[str]", **options: Any) -> Path:
        """Write an animated 3D scene for Blender and web pages, ".glb" or ".gltf"; see `carom.view.write_gltf`."""
        from carom.view.gltf_export import write_gltf

        return write_gltf(self, path, **options)

    def animate(self, path: "str | PathLike[str]", **options: Any) -> Path:
        """Write an animation, ".mp4", ".gif" or animated ".png"; see `carom.plot.animate`."""
        from carom.plot.animation import animate

        return animate(self, path, **options)

    def plot(self, *what: Any, **options: Any) -> Any:
        """Return a figure of this result; see `carom.plot.plot_result`."""
        from carom.plot import plot_result

        return plot_result(self, *what, **options)

    def report(self, path: "str | PathLike[str]", **options: Any) -> Any:
        """Write an HTML file with animation, plots and tables; see `carom.report.write_report`.

        Joints with clearance have a section with modes, impacts, reactions and a figure (`carom.plot.plot_joint`).
        """
        from carom.report import write_report
        from carom.result.joint_diagnosis import clearance_joints

        sections = dict(options.pop("sections", None) or {})
        if clearance_joints(self):
            from carom.plot.joint_section import joint_sections

            sections |= joint_sections(self)
        return write_report(self, path, **options, sections=sections)

    def view(self, **options: Any) -> Any:
        """Show the run in a browser; see `carom.view.show`."""
        from carom.view import show

        return show(self, **options)

    def to_xarray(self) -> "xarray.Dataset":
        """Return a Dataset: motion over (time, body), signals and energies over time; units are attributes."""
        return export.to_xarray(self)

    def to_dataframe(self) -> "pandas.DataFrame":
        """Return a DataFrame indexed by t [s], with columns such as "crank.x", "pivot.fx", "energy.kinetic"."""
        return export.to_dataframe(self)

    def _repr_html_(self) -> str:
        """Return main facts and the interactive animation for notebooks."""
        from carom.report.notebook import result_html

        return result_html(self)

    def __repr__(self) -> str:
        return (
            f"<Result '{self.name}': {self.outcome.name}, t = {self.t[0]:.6g} … {self.t[-1]:.6g} s, "
            f"{len(self.t)} nodes, {len(self.bodies)} bodies, {len(self.elements)} elements>"
        )

    def _body_series(self, name: str) -> Any:
        """Return the series of a body."""
        index, series = self._body_index[name], self.series_type
        coordinates = slice(index * series.coordinates, (index + 1) * series.coordinates)
        speeds = slice(index * series.speeds, (index + 1) * series.speeds)
        return series(name, self.t, self.q[:, coordinates], self.v[:, speeds], self.a[:, speeds])

    def _times(self, requested: ArrayLike) -> np.ndarray:
        """Return the requested times [s] as an array; raise if they are not numbers."""
        with suppress(TypeError, ValueError, OverflowError):
            times = np.atleast_1d(np.asarray(requested, dtype=np.float64))
            if times.ndim == 1 and len(times):
                return times
        raise ModelError(
            f"Result {self.name!r}: times must be a number or a list of numbers [s], got {short_repr(requested)}"
        )

    def _check(self) -> None:
        """Raise if times, arrays, energies or names do not fit together."""
        owner = f"Result '{self.name}'"
        if self.dim not in _SERIES:
            raise ValueError(f"{owner}: dim must be one of {sorted(_SERIES)}, got {self.dim}")
        if self.t.ndim != 1 or len(self.t) == 0:
            raise ValueError(f"{owner}: t must have shape (n,) with n ≥ 1, got {self.t.shape}")
        if not max(-self.t.min(), self.t.max()) <= MAX_TIME:  # The comparison is False for NaN, too.
            raise ValueError(
                f"{owner}: times must be finite and at most {MAX_TIME:g} s, got {self.t[0]:g} to {self.t[-1]:g} s"
            )
        decreasing = np.flatnonzero(np.diff(self.t) < 0.0)
        if len(decreasing):
            before, after = self.t[decreasing[0]], self.t[decreasing[0] + 1]
            raise ValueError(f"{owner}: times must not decrease, got {after:.12g} s after {before:.12g} s")
        n_nodes, n_bodies, series = len(self.t), len(self.bodies), self.series_type
        n_columns = {
            "q": n_bodies * series.coordinates,
            "v": n_bodies * series.speeds,
            "a": n_bodies * series.speeds,
            "signals": max((element.columns[1] for element in self.elements), default=0),
        }
        for name, columns in n_columns.items():
            shape = getattr(self, name).shape
            if shape != (n_nodes, columns):
                raise ValueError(f"{owner}: {name} must have shape {(n_nodes, columns)}, got {shape}")
        if self.energy.kinetic.shape != (n_nodes,):
            raise ValueError(f"{owner}: ledger must have {n_nodes} nodes, got {len(self.energy.kinetic)}")
        names = [body.name for body in self.bodies] + [element.name for element in self.elements]
        if len(set(names)) < len(names):
            repeated = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"{owner}: names must be unique, got {', '.join(repeated)} more than once")


def _same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Return True if both arrays are bit-identical."""
    return one.shape == other.shape and one.tobytes() == other.tobytes()
