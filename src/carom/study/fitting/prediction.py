"""Model output at the measured times and its Jacobian, for any values of the fitted parameters.

The Jacobian is exact where the method of the runs records its steps (see `carom.solve.sensitivity`): it then takes one
run, which is also that of the output.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from carom.errors import CaromWarning, ModelError
from carom.result.impact_records import ImpactTable
from carom.result.result import Result
from carom.result.series_paths import MeasureError, series_by_path
from carom.solve.sensitivity.derivatives import derivative_of
from carom.solve.sensitivity.differences import FAST
from carom.solve.sensitivity.nonsmooth_neighbours import recorded_run
from carom.solve.sensitivity.recorded_run import NoDerivatives, NotNeighbouring, RecordedRun
from carom.study.fitting.measured_data import START, MeasuredData
from carom.study.fitting.parameters import FitParameter
from carom.study.gradient import request_of
from carom.study.study_model import StudyModel
from carom.study.varied_model import VariedModel

RUN_ERRORS = (ValueError, ArithmeticError, RuntimeError, np.linalg.LinAlgError)
"""Exceptions of a run with unsuitable parameter values; the fit continues with other values."""

TIGHT_TOLERANCES = {"rtol": 1e-9, "atol": 1e-12}
FINE_STEP, COARSE_STEP = 1e-4, 1e-2
"""Relative difference steps [-]: for runs that depend smoothly on their parameters, and for time stepping."""
DURATION_FACTOR = 1.5
"""Ratio of the run time to the time of the last measured impact [-], so that late impacts are included."""
CONTINUOUS_SERIES = ("x", "y", "z", "angle", "value")
"""Quantities that are continuous during an impact."""


class Prediction:
    """Model output that corresponds to measured data.

    Parameters are passed as unit values (`FitParameter`). Samples within ``guard`` sampling intervals of an impact that
    is shorter than one interval depend only on which side of the impact they lie; `near_impacts` marks them in series
    that are discontinuous during an impact.
    """

    def __init__(
        self,
        model: StudyModel,
        data: MeasuredData,
        parameters: Sequence[FitParameter],
        fixed: Mapping[str, Any],
        guard: float,
    ):
        self.model, self.data, self.parameters, self.fixed, self.guard = model, data, parameters, dict(fixed), guard
        self.n_runs = self.n_failed = 0
        self.step = FINE_STEP
        self.last_error: str | None = None
        t_end = max(float(data.t[-1]) if len(data.t) else 0.0, DURATION_FACTOR * last_impact_time(data))
        self.options: dict[str, Any] = {"t_end": t_end, "progress": False}
        self.columns = list(data.columns)
        values = np.concatenate([data.columns[name] for name in self.columns])
        column = np.repeat(np.arange(len(self.columns)), [len(data.columns[name]) for name in self.columns])
        self.is_measured = np.isfinite(values)
        self.y = values[self.is_measured]
        self.column = column[self.is_measured]
        self._cache: dict[bytes, tuple[np.ndarray, np.ndarray] | None] = {}
        self.is_differentiable = True
        """True as long as the method of the runs records its steps, so that derivatives are exact."""
        self._recorded: tuple[bytes, VariedModel, RecordedRun] | None = None

    def prepare(self, start: np.ndarray) -> bool:
        """Run the model once, check the column names and choose options for accurate runs.

        Returns False if this run fails.
        """
        values = self.values(start)
        self.model.split_values(values)
        self.n_runs += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CaromWarning)
                result = self.model.run(values, **self.options)
        except RUN_ERRORS as error:
            self.n_failed, self.last_error = self.n_failed + 1, str(error)
            return False
        if not result.outcome.ok:
            self.n_failed, self.last_error = self.n_failed + 1, result.message
            return False
        self.read(result)
        options: dict[str, Any] = {key: value for key, value in TIGHT_TOLERANCES.items() if key not in self.fixed}
        if result.settings["method"] == "nonsmooth" and result.settings["scheme"] != "event-driven":
            if "scheme" in self.fixed or not self.can_run(values, scheme="event-driven", **options):
                self.step = COARSE_STEP
                return True
            options["scheme"] = "event-driven"
        elif result.settings.get("integrator") == "verlet":
            self.step = COARSE_STEP
            return True
        self.options.update(options)
        return True

    def can_run(self, values: Mapping[str, Any], **options: Any) -> bool:
        """Return True if a run with these options succeeds."""
        self.n_runs += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CaromWarning)
                return self.model.run(values, **{**self.options, **options}).outcome.ok
        except RUN_ERRORS:
            return False

    def values(self, unit_values: np.ndarray) -> dict[str, Any]:
        """Return the values of all parameters of a run."""
        varied = {
            parameter.name: parameter.from_unit(float(unit_value))
            for parameter, unit_value in zip(self.parameters, unit_values, strict=True)
        }
        return {**self.fixed, **varied}

    def run(self, unit_values: np.ndarray) -> Result:
        """Run the model, with output at the measured times if it depends smoothly on its parameters."""
        output = {"output": self.data.t[self.data.t > 0.0]} if len(self.data.t) else {}
        if not len(output.get("output", ())) or self.step != FINE_STEP:
            output = {}
        options = {**self.options, **output}
        if self.is_differentiable and self.step == FINE_STEP:
            try:
                varied = VariedModel(self.model, {**options, **self.values(unit_values)})
                recorded = recorded_run(request_of(varied))
                self._recorded = np.asarray(unit_values, float).tobytes(), varied, recorded
                return recorded.result
            except NoDerivatives:
                self.is_differentiable = False
        return self.model.run(self.values(unit_values), **options)

    def predict(self, unit_values: np.ndarray) -> np.ndarray | None:
        """Return the model output for every measured value, or None if the run fails."""
        evaluation = self.evaluate(unit_values)
        return None if evaluation is None else evaluation[0]

    def near_impacts(self, unit_values: np.ndarray) -> np.ndarray:
        """Return a mask of the samples that are too close to an impact to be compared."""
        evaluation = self.evaluate(unit_values)
        return np.zeros(len(self.y), bool) if evaluation is None else evaluation[1]

    def evaluate(self, unit_values: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return output and impact mask of a run, cached by the unit values; None if the run fails."""
        key = np.asarray(unit_values, float).tobytes()
        if key not in self._cache:
            self.n_runs += 1
            self._cache[key] = None
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", CaromWarning)
                    result = self.run(unit_values)
                if result.outcome.ok:
                    self._cache[key] = self.read(result), self.impact_mask(result)
                else:
                    self.last_error = result.message
            except RUN_ERRORS as error:
                self.last_error = str(error)
            self.n_failed += self._cache[key] is None
        return self._cache[key]

    def read(self, result: Result) -> np.ndarray:
        """Return the values of a run that correspond to the measured ones."""
        parts = []
        if self.data.series:
            samples = result.sample(np.minimum(self.data.t, result.t[-1]))
            parts += [series_for_column(samples, name) for name in self.data.series]
        impacts = measurable_impacts(result, self.data.contact)
        for name, values in self.data.events.items():
            parts.append(impact_quantity(impacts, name, len(values), float(result.t[-1])))
        values = np.concatenate(parts)[self.is_measured]
        if not np.all(np.isfinite(values)):
            raise ModelError("the run contains values that are not finite")
        return values

    def impact_mask(self, result: Result) -> np.ndarray:
        """Return the mask of `near_impacts` for a result."""
        t, interval = self.data.t, np.median(np.diff(self.data.t)) if len(self.data.t) > 1 else 0.0
        is_near = np.zeros(len(t), bool)
        for impact in result.impacts:
            if impact.duration < interval and impact.t_start > 0.0:
                midpoint, half = 0.5 * (impact.t_start + impact.t_end), 0.5 * impact.duration
                is_near |= np.abs(t - midpoint) < half + self.guard * interval
        none = np.zeros(len(t), bool)
        parts = [none if name.rpartition(".")[2] in CONTINUOUS_SERIES else is_near for name in self.data.series]
        parts += [np.zeros(len(values), bool) for values in self.data.events.values()]
        return np.concatenate(parts)[self.is_measured]

    def jacobian(self, unit_values: np.ndarray) -> np.ndarray:
        """Return the derivative of `predict`, from the recorded run where there is one, else by differences of runs."""
        base = self.predict(unit_values)
        jacobian = np.zeros((len(self.y), len(unit_values)))
        if base is None:
            return jacobian
        recorded = self.recorded(unit_values)
        for k, parameter in enumerate(self.parameters):
            column = None if recorded is None else self.exact_column(*recorded, parameter)
            jacobian[:, k] = self.difference(unit_values, base, k) if column is None else column
        return jacobian

    def recorded(self, unit_values: np.ndarray) -> tuple[VariedModel, RecordedRun] | None:
        """Return the recorded run at these values; None if the method records none."""
        key = np.asarray(unit_values, float).tobytes()
        if self._recorded is None or self._recorded[0] != key:
            self._cache.pop(key, None)
            self.predict(unit_values)
        if self._recorded is None or self._recorded[0] != key:
            return None
        return self._recorded[1:]

    def exact_column(self, varied: VariedModel, run: RecordedRun, parameter: FitParameter) -> np.ndarray | None:
        """Return the derivative with respect to the unit value of a parameter; None where there is none."""
        value = varied.value(parameter.name)
        scale = min(varied.scale(parameter.name), parameter.high - parameter.low)
        try:
            derivative = derivative_of(run, varied, parameter.name, scale, FAST)
            results = derivative.results(slice(None))
        except NotNeighbouring:
            return None
        slope: np.ndarray = sum(  # type: ignore[assignment]
            weight * self.read(results[k]) for k, weight in derivative.formula.items()
        )
        return slope / derivative.step * parameter.derivative(value)

    def difference(self, unit_values: np.ndarray, base: np.ndarray, k: int) -> np.ndarray:
        """Return a column of the Jacobian by central differences; one-sided at a bound or where a run fails."""
        sides = []
        for sign in (1.0, -1.0):
            shifted = np.array(unit_values, float)
            shifted[k] = np.clip(unit_values[k] + sign * self.parameters[k].unit_step(self.step), 0.0, 1.0)
            output = None if shifted[k] == unit_values[k] else self.predict(shifted)
            sides.append((unit_values[k], base) if output is None else (shifted[k], output))
        (x_high, y_high), (x_low, y_low) = sides
        return (y_high - y_low) / (x_high - x_low) if x_high > x_low else np.zeros_like(base)


def last_impact_time(data: MeasuredData) -> float:
    """Return the time of the last measured impact [s], 0 if none was measured."""
    return float(np.nanmax(data.events[START])) if START in data.events else 0.0


def series_for_column(result: Result, name: str) -> np.ndarray:
    """Return the series with the name of a measured column: "body.vx", "element.signal", "energy.total"."""
    try:
        return series_by_path(result, name)
    except MeasureError as error:
        raise ModelError(
            f"column {name!r} is not a series of the run ({error}); rename it with "
            f"columns={{{name!r}: 'body.series'}}, or omit it with columns={{{name!r}: None}}"
        ) from None


def measurable_impacts(result: Result, contact: str | None) -> ImpactTable:
    """Return the impacts of the measured contact that begin after the start of the run."""
    impacts = result.impacts if contact is None else result.impacts.of(contact)
    names = sorted({impact.contact for impact in impacts})
    if len(names) > 1:
        raise ModelError(
            f"the run has impacts of several contacts ({', '.join(names)}); choose the measured one, "
            f"contact={names[0]!r}"
        )
    return ImpactTable(impact for impact in impacts if impact.t_start > 0.0)


def impact_quantity(impacts: ImpactTable, name: str, count: int, t_end: float) -> np.ndarray:
    """Return a quantity of the first ``count`` impacts.

    Impacts that do not occur in the run get the time ``t_end`` [s], and zero for all other quantities.
    """
    values = [float(getattr(impact, name)) for impact in impacts[:count]]
    missing = t_end if name in (START, "t_end") else 0.0
    return np.nan_to_num(np.array(values + [missing] * (count - len(values))), nan=0.0)
