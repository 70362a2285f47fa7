"""Parameter identification by multistart least squares between model runs and measured data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import one_of, open_fraction
from carom.errors import ModelError, warn
from carom.study.fitting import confidence as statistics
from carom.study.fitting.confidence import LOSSES
from carom.study.fitting.fit_result import Estimate, FitResult
from carom.study.fitting.measured_data import IMPACTS, measured_data, standard_deviations
from carom.study.fitting.parameters import fit_parameters
from carom.study.fitting.prediction import Prediction
from carom.study.sampling_design import halton_points
from carom.study.study_model import StudyModelLike, as_study_model

SCAN_PER_PARAMETER, MAX_SCAN = 8, 40
"""Runs per parameter, and their largest number, in the search for start values."""
MAX_ROUNDS = 6
"""Largest number of fits until the weights and the compared samples no longer change."""
GOOD_FIT = 2.0
"""Ratio of residuals to noise [-] below which no further start values are tried."""
MAX_LAG_CORRELATION, MAX_LAG_SIGMA = 0.3, 5.0
"""Limits of the correlation of neighbouring residuals [-], absolute and relative to its standard deviation."""
SAME_RATIO = 1e-9
"""Difference of the ratios of old and new weights below which all are scaled by one factor [-]."""
MIN_DISTANCE = 0.1
"""Smallest distance between start values, relative to the bounds [-]."""


def fit(
    case: StudyModelLike,
    data: Any,
    parameters: Mapping[str, Any],
    *,
    sigma: Any = None,
    loss: str = "linear",
    columns: Mapping[str, str | None] | None = None,
    contact: Any = None,
    starts: int = 3,
    scan: int | None = None,
    guard: float = 1.0,
    covariance: str | None = None,
    confidence: float = 0.95,
    **values: Any,
) -> FitResult:
    """Fit ``parameters`` of ``case`` to measured ``data`` and estimate their confidence intervals.

    ``case`` is a gallery case, a model file, a system or a function that returns one. ``parameters`` maps names of
    parameters or paths in the model to bounds, to start and bounds, or to a dict (value, min, max, vary, log):
    {"touch.law.stiffness": (1e8, 1e11), "restitution": (0.5, 0, 1)}. ``values`` apply to all runs: parameters, run
    options, paths in the model.

    ``data`` is a CSV file, a dict of arrays or a DataFrame with times ``t`` [s] from the start of the run and series
    named as in results ("block.vx", "touch.normal_force"); or impacts in their order, {"impacts": {"t_start": …,
    "approach_speed": …, "separation_speed": …}}, or a list of impact times. ``contact`` selects the measured contact if
    there are several. ``columns`` renames columns; None omits a column.

    ``sigma`` is the standard deviation of the noise: a number, "1%" (of the largest value) or an array, for all columns
    or by column; None estimates it from the residuals of each column. ``loss`` is "linear", or "soft_l1", "huber" or
    "cauchy" if there are outliers. The fit begins at the start values; if it does not fit the data there, or ``scan``
    is specified, ``scan`` runs search for other start values, and the fit starts from up to ``starts`` of them. In
    series that are discontinuous at impacts, samples within ``guard`` sampling intervals of a short impact are not
    compared.

    The intervals have the probability ``confidence`` and use Student's t and the ``covariance``: "classic" (JᵀJ;
    default if ``sigma`` is specified) or "sandwich" (noise may differ from sample to sample; default otherwise). Robust
    losses use the covariance of an M-estimate.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> data = {"t": result.t[::10], "ball.y": result["ball"].y[::10]}
    >>> fit = cm.fit("falling_ball", data, {"height": (0.5, 1.5)}, starts=1, scan=4)
    >>> round(fit["height"], 4)
    1.0
    """
    model, measured = as_study_model(case), measured_data(data, columns, getattr(contact, "name", contact))
    one_of("fit", "loss", loss, tuple(LOSSES))
    one_of("fit", "covariance", covariance or "classic", ("classic", "sandwich"))
    confidence = open_fraction("fit", "confidence", confidence)
    if "t_end" in values or "output" in values:
        raise ModelError("fit: the data determine the length and the output of the runs; omit t_end and output")
    varied, fixed = fit_parameters("fit", parameters)
    both = sorted({parameter.name for parameter in varied} & set(values))
    if both:
        raise ModelError(f"fit: {', '.join(both)} cannot be both specified and fitted")
    prediction = Prediction(model, measured, varied, {**values, **fixed}, guard)
    if len(prediction.y) <= len(varied):
        raise ModelError(
            f"fit: needs more measured values than parameters, got {len(prediction.y)} values for {len(varied)} "
            "parameters; measure more, or fix some parameters"
        )
    solver = LeastSquaresFit(prediction, standard_deviations(measured, sigma), loss)
    solver.prepare()
    if scan is not None:
        solver.scan(int(scan))
    solver.solve(max(int(starts), 1))
    return solver.result(covariance, confidence)


class LeastSquaresFit:
    """Multistart least-squares solver; all parameters are unit values in [0, 1] (`FitParameter`)."""

    def __init__(self, prediction: Prediction, sigma: dict[str, np.ndarray] | None, loss: str):
        self.prediction, self.loss, self.sigma = prediction, loss, sigma
        self.robust = loss != "linear"
        self.weight = 1.0 / self.initial_sigma()
        self.is_used = np.ones(len(prediction.y), bool)
        self.starts: list[np.ndarray] = []
        self.first_start: Any = None
        self.best = np.zeros(0)
        self.message = ""
        self.reached_limit = True

    def initial_sigma(self) -> np.ndarray:
        """Return the specified standard deviations, or their estimates from the data alone."""
        prediction, sigma = self.prediction, np.zeros(len(self.prediction.y))
        for k, name in enumerate(prediction.columns):
            values = prediction.data.columns[name]
            if self.sigma is not None:
                sigma[prediction.column == k] = self.sigma[name][np.isfinite(values)]
                continue
            noise = 0.0 if name.startswith(IMPACTS) else statistics.noise_level(values)
            sigma[prediction.column == k] = max(noise, 1e-3 * column_range(values))
        return sigma

    def prepare(self) -> None:
        """Find a first start value: that of the user, or one within the bounds where the model runs."""
        prediction = self.prediction
        start = np.array([parameter.to_unit(parameter.start) for parameter in prediction.parameters])
        self.first_start = next(
            (point for point in (start, *self.scan_points(self.default_scan)) if prediction.prepare(point)), None
        )
        if self.first_start is None:
            raise self.no_run_error()

    @property
    def default_scan(self) -> int:
        """Number of runs that search for start values, unless it is specified."""
        return min(SCAN_PER_PARAMETER * len(self.prediction.parameters), MAX_SCAN)

    def scan_points(self, count: int) -> Sequence[np.ndarray]:
        """Return points spread over the bounds."""
        return halton_points(count, len(self.prediction.parameters))

    def scan(self, count: int) -> None:
        """Evaluate points spread over the bounds and sort them by their misfit as start values."""
        points = [self.first_start, *self.scan_points(count)]
        misfits = [self.rough_misfit(point) for point in points]
        order = np.argsort(misfits, kind="stable")
        self.starts = [points[k] for k in order if math.isfinite(misfits[k])]
        if not self.starts:
            raise self.no_run_error()

    def no_run_error(self) -> ModelError:
        """Return the error for bounds without a successful run."""
        prediction = self.prediction
        return ModelError(
            f"fit: no run of {prediction.model.name} within the bounds succeeds; last error: {prediction.last_error}"
        )

    def rough_misfit(self, point: np.ndarray) -> float:
        """Return the misfit [-], scaled by the range of each column and insensitive to outliers and shifted impacts."""
        output = self.prediction.predict(point)
        if output is None:
            return math.inf
        scale = np.zeros(len(output))
        for k, name in enumerate(self.prediction.columns):
            scale[self.prediction.column == k] = 1.0 / column_range(self.prediction.data.columns[name])
        return float(np.mean(np.log1p((10.0 * scale * (output - self.prediction.y)) ** 2)))

    def solve(self, starts: int) -> None:
        """Fit from the start value, and from the best ones of a scan if that is not good; refine the best solution."""
        solutions = []
        if not self.starts:
            solutions.append(self.solve_from(self.first_start))
            if solutions[0][0] > GOOD_FIT**2:
                self.scan(self.default_scan)
        for point in distinct_points(self.starts, starts):
            solutions.append(self.solve_from(point))
            if solutions[-1][0] <= GOOD_FIT**2:
                break
        self.solve_reweighted(min(solutions, key=lambda solution: solution[0])[1])

    def solve_from(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Fit from one start; return the mean loss, relative to the noise, and the solution."""
        self.is_used = ~self.prediction.near_impacts(point)
        point, loss = self.minimise(point)
        is_used = ~self.prediction.near_impacts(point)
        if not np.array_equal(is_used, self.is_used):
            self.is_used = is_used
            point, loss = self.minimise(point)
        return loss, point

    def solve_reweighted(self, point: np.ndarray) -> None:
        """Repeat the fit from ``point`` until the weights and the compared samples no longer change."""
        for _ in range(MAX_ROUNDS):
            is_used, weight = ~self.prediction.near_impacts(point), self.reweighted(point)
            unchanged = np.array_equal(is_used, self.is_used) and np.allclose(weight, self.weight, rtol=0.02)
            is_scaled = np.array_equal(is_used, self.is_used) and np.ptp(weight / self.weight) < SAME_RATIO
            self.is_used, self.weight = is_used, weight
            if unchanged and len(self.best):
                break
            if is_scaled and not self.robust:  # the solution does not depend on a common factor
                self.best = point
                break
            point, _ = self.minimise(point)
            self.best = point

    def minimise(self, point: np.ndarray) -> tuple[np.ndarray, float]:
        """Minimise the loss from a start; return the solution and the mean loss."""
        from scipy.optimize import least_squares

        first = self.residuals(point)
        # A failed run gets larger residuals than the start, so that the solver turns back.
        penalty = np.full(len(first), 10.0 * math.sqrt(float(np.mean(first**2))) + 10.0)
        count = max(int(np.sum(self.is_used)), 1)
        solution = least_squares(
            lambda x: self.residuals(x, penalty), np.clip(point, 1e-9, 1.0 - 1e-9),
            jac=lambda x: self.prediction.jacobian(x) * (self.weight * self.is_used)[:, None],
            bounds=(0.0, 1.0), loss=self.loss, f_scale=LOSSES[self.loss], x_scale="jac", xtol=1e-8, ftol=1e-8,
            gtol=1e-10, max_nfev=60,
        )  # fmt: skip
        self.message, self.reached_limit = str(solution.message), solution.status == 0
        point = np.where(solution.x < 2e-9, 0.0, np.where(solution.x > 1.0 - 2e-9, 1.0, solution.x))
        if self.prediction.predict(point) is None:
            point = solution.x
        return point, 2.0 * float(solution.cost) / count

    def residuals(self, point: np.ndarray, penalty: np.ndarray | None = None) -> np.ndarray:
        """Return the weighted residuals [-]; ``penalty`` replaces them if the run fails."""
        output = self.prediction.predict(point)
        if output is None:
            return np.full(len(self.prediction.y), 1e3) if penalty is None else penalty
        return (output - self.prediction.y) * self.weight * self.is_used

    def reweighted(self, point: np.ndarray) -> np.ndarray:
        """Return weights from the residuals of each column, or the current ones if the noise was specified."""
        output = self.prediction.predict(point)
        if self.sigma is not None or output is None:
            return self.weight
        weight = self.weight.copy()
        n, p = int(np.sum(self.is_used)), len(point)
        for k, name in enumerate(self.prediction.columns):
            in_column = self.prediction.column == k
            difference = (output - self.prediction.y)[in_column & self.is_used]
            sigma = statistics.standard_deviation(difference, self.robust) * math.sqrt(n / max(n - p, 1))
            weight[in_column] = 1.0 / max(sigma, 1e-12 * column_range(self.prediction.data.columns[name]))
        return weight

    def result(self, covariance: str | None, confidence: float) -> FitResult:
        """Return estimates, statistics and warnings at the solution."""
        prediction, best = self.prediction, self.best
        output = prediction.predict(best)
        if output is None:
            raise ModelError(f"fit: the run at the solution fails: {prediction.last_error}")
        z = (output - prediction.y) * self.weight
        jacobian = (prediction.jacobian(best) * self.weight[:, None])[self.is_used]
        matrix, kind, freedoms, messages = self.covariance(jacobian, z[self.is_used], covariance)
        matrix, correlations = statistics.add_unidentifiable_variance(matrix, jacobian)
        names = [parameter.name for parameter in prediction.parameters]
        messages += statistics.identifiability_warnings(jacobian, names, best, correlations)
        messages += self.residual_warnings(z)
        estimates = self.estimates(matrix, freedoms, confidence)
        derivatives = np.array([
            parameter.derivative(estimate.value)
            for parameter, estimate in zip(prediction.parameters, estimates, strict=True)
        ])  # fmt: skip
        result = prediction.model.run(prediction.values(best), **prediction.options)
        for message in messages:
            warn(f"fit: {message}")
        sigma = {
            name: float(np.median(1.0 / self.weight[prediction.column == k]))
            for k, name in enumerate(prediction.columns)
        }
        n, p = jacobian.shape
        return FitResult(
            subject=prediction.model.name, estimates=estimates, covariance=matrix * np.outer(derivatives, derivatives),
            correlation=correlations, sigma=sigma, chi_square=float(np.sum(z[self.is_used] ** 2)),
            freedom=max(n - p, 1), confidence=confidence, loss=self.loss, kind=kind, data=prediction.data,
            result=result, held=prediction.fixed, runs=prediction.n_runs, failed=prediction.n_failed,
            warnings=tuple(messages), message=self.message,
            residuals=residuals_by_column(prediction, output, self.is_used), solver=self,
        )  # fmt: skip

    def covariance(
        self, jacobian: np.ndarray, z: np.ndarray, kind: str | None
    ) -> tuple[np.ndarray, str, np.ndarray, list[str]]:
        """Return the covariance of the unit values, its kind, degrees of freedom per parameter, and messages."""
        n, p = jacobian.shape
        freedom = max(n - p, 1)
        messages: list[str] = []
        variance = float(np.sum(z**2)) / freedom
        if self.sigma is not None and not self.robust:
            if variance > 1.0 + 5.0 * math.sqrt(2.0 / freedom):
                messages.append(
                    f"residuals are {math.sqrt(variance):.2g} times the specified noise, so the model is incomplete or "
                    "sigma is too small; the intervals are widened by this factor"
                )
            else:
                variance = 1.0
        kind = kind or ("sandwich" if self.sigma is None else "classic")
        if self.robust:
            kind, matrix = "robust", statistics.robust_covariance(jacobian, z, self.loss)
        elif kind == "sandwich":
            matrix = statistics.sandwich_covariance(jacobian, z)
        else:
            matrix = statistics.classic_covariance(jacobian, variance)
        noise_is_known = self.sigma is not None and variance == 1.0 and kind == "classic"
        freedoms = np.full(p, math.inf if noise_is_known else freedom)
        if kind == "sandwich":
            freedoms = statistics.sandwich_degrees_of_freedom(jacobian)
        return matrix, kind, freedoms, messages

    def estimates(self, covariance: np.ndarray, freedoms: np.ndarray, confidence: float) -> tuple[Estimate, ...]:
        """Return the estimates with their confidence intervals, limited to the bounds."""
        estimates = []
        errors = np.sqrt(np.diag(covariance))
        for parameter, at, error, freedom in zip(self.prediction.parameters, self.best, errors, freedoms, strict=True):
            value = parameter.from_unit(float(at))
            t = statistics.t_quantile(confidence, float(freedom))
            low, high = (parameter.from_unit(float(np.clip(at + side * t * error, 0.0, 1.0))) for side in (-1.0, 1.0))
            standard_error = abs(parameter.derivative(value)) * float(error)
            estimates.append(Estimate(parameter.name, value, standard_error, low, high, parameter.low, parameter.high))
        return tuple(estimates)

    def residual_warnings(self, z: np.ndarray) -> list[str]:
        """Return messages about residuals that do not look like noise, and about missing convergence."""
        messages = []
        columns = {
            name: z[(self.prediction.column == k) & self.is_used] for k, name in enumerate(self.prediction.columns)
        }
        for name, values in columns.items():
            if len(values) < 20 or not np.any(values):
                continue
            lag = float(np.sum(values[1:] * values[:-1]) / np.sum(values**2))
            if lag > MAX_LAG_CORRELATION and lag * math.sqrt(len(values)) > MAX_LAG_SIGMA:
                messages.append(
                    f"neighbouring residuals of {name} are correlated ({lag:.2f}), so the model is incomplete and the "
                    "intervals are too narrow; examine plot()"
                )
        for name, values in columns.items():
            count = 0 if self.robust else statistics.count_outliers(values)
            if count:
                messages.append(
                    f"{count} residuals of {name} are outliers, more than {statistics.OUTLIER_RATIO:g} times as large "
                    "as their neighbours; use loss='huber', 'soft_l1' or 'cauchy'"
                )
        if self.reached_limit:
            messages.append("the solver stopped before convergence; use better start values or more starts")
        return messages


def residuals_by_column(prediction: Prediction, output: np.ndarray, is_used: np.ndarray) -> dict[str, np.ndarray]:
    """Return model minus data for every column, with the length of the data; NaN where nothing was compared."""
    difference = np.full(len(prediction.is_measured), np.nan)
    difference[prediction.is_measured] = np.where(is_used, output - prediction.y, np.nan)
    ends = np.cumsum([len(prediction.data.columns[name]) for name in prediction.columns])
    return dict(zip(prediction.columns, np.split(difference, ends[:-1]), strict=True))


def column_range(values: np.ndarray) -> float:
    """Return the range of a column, or its magnitude if it is constant."""
    values = values[np.isfinite(values)]
    return float(np.ptp(values)) or float(np.max(np.abs(values))) or 1.0


def distinct_points(points: list[np.ndarray], count: int) -> list[np.ndarray]:
    """Return the first ``count`` points that are not close to an earlier one."""
    selected: list[np.ndarray] = []
    for point in points:
        if all(np.max(np.abs(point - other)) > MIN_DISTANCE for other in selected):
            selected.append(point)
        if len(selected) == count:
            break
    return selected
