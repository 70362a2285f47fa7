"""The search of a fit: from where to start, down to the least squares, and what is known there."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import ModelError, notify
from carom.study import uncertainty
from carom.study.comparison import Comparison
from carom.study.estimates import Estimate
from carom.study.fitted import Fit
from carom.study.measured import IMPACTS
from carom.study.uncertainty import LOSSES

SCAN, MOST = 8, 40
"""Runs a parameter, and at most, that look for a good place to start."""
ROUNDS = 6
"""Fits at most until weights, and the samples left out, no longer change."""
WELL = 2.0
"""Residuals over the noise of the data: a fit this good is not started again elsewhere."""
ALIKE = 0.3, 5.0
"""Correlation of neighbouring residuals, and how far beyond chance [σ], that noise does not have."""


class Search:
    """One fit on its way."""

    def __init__(self, model: Comparison, sigma: dict[str, np.ndarray] | None, loss: str):
        self.model, self.loss, self.given = model, loss, sigma
        self.robust = loss != "linear"
        self.weight = 1.0 / self.first_sigma()
        self.used = np.ones(len(model.y), bool)
        self.places: list[np.ndarray] = []
        self.best = np.zeros(0)
        self.message = ""
        self.stopped = True

    def first_sigma(self) -> np.ndarray:
        """The noise as given, or as it seems from the data alone."""
        model, out = self.model, np.zeros(len(self.model.y))
        for k, name in enumerate(model.columns):
            values = model.data.columns[name]
            if self.given is not None:
                out[model.column == k] = self.given[name][np.isfinite(values)]
                continue
            seen = 0.0 if name.startswith(IMPACTS) else uncertainty.noise(values)
            out[model.column == k] = max(seen, 1e-3 * size(values))
        return out

    def look_around(self, scan: int | None) -> None:
        """Runs spread over the bounds; the better ones are where searches start."""
        model = self.model
        start = np.array([one.inner(one.start) for one in model.unknowns])
        count = min(SCAN * len(start), MOST) if scan is None else int(scan)
        places = [start, *halton(count, len(start))]
        if not any(model.prepare(place) for place in places):
            raise ModelError(f"fit: no run of {model.one.name} within the bounds succeeds; one says: {model.trouble}")
        costs = [self.rough(place) for place in places]
        order = np.argsort(costs, kind="stable")
        self.places = [places[k] for k in order if math.isfinite(costs[k])]
        if not self.places:
            raise ModelError(f"fit: no run of {model.one.name} within the bounds succeeds; one says: {model.trouble}")

    def rough(self, place: np.ndarray) -> float:
        """How far off a run is, each column by its own size; outliers and shifted impacts count little."""
        told = self.model.predict(place)
        if told is None:
            return math.inf
        away = np.zeros(len(told))
        for k, name in enumerate(self.model.columns):
            away[self.model.column == k] = 1.0 / size(self.model.data.columns[name])
        return float(np.mean(np.log1p((10.0 * away * (told - self.model.y)) ** 2)))

    def settle(self, starts: int) -> None:
        """Search from the best places, then again until weights and samples left out stay as they are."""
        found = []
        for place in spread_out(self.places, starts):
            found.append(self.attempt(place))
            if found[-1][0] <= WELL**2:
                break
        self.polish(min(found, key=lambda item: item[0])[1])

    def attempt(self, place: np.ndarray) -> tuple[float, np.ndarray]:
        """A local search, and its mean loss in units of the noise that the data themselves show."""
        self.used = ~self.model.near(place)
        place, cost = self.least(place)
        used = ~self.model.near(place)
        if not np.array_equal(used, self.used):
            self.used = used
            place, cost = self.least(place)
        return cost, place

    def polish(self, place: np.ndarray) -> None:
        """Search on from ``place`` until nothing changes any more."""
        for _ in range(ROUNDS):
            used, weight = ~self.model.near(place), self.reweighted(place)
            same = np.array_equal(used, self.used) and np.allclose(weight, self.weight, rtol=0.02)
            self.used, self.weight = used, weight
            if same and len(self.best):
                break
            place, _ = self.least(place)
            self.best = place

    def least(self, place: np.ndarray) -> tuple[np.ndarray, float]:
        from scipy.optimize import least_squares

        first = self.residuals(place)
        # A run that fails is worse than the start, so that the search turns back.
        wall = np.full(len(first), 10.0 * math.sqrt(float(np.mean(first**2))) + 10.0)
        count = max(int(np.sum(self.used)), 1)
        found = least_squares(
            lambda x: self.residuals(x, wall), np.clip(place, 1e-9, 1.0 - 1e-9),
            jac=lambda x: self.model.jacobian(x) * (self.weight * self.used)[:, None],
            bounds=(0.0, 1.0), loss=self.loss, f_scale=LOSSES[self.loss], x_scale="jac", xtol=1e-8, ftol=1e-8,
            gtol=1e-10, max_nfev=60,
        )  # fmt: skip
        self.message, self.stopped = str(found.message), found.status == 0
        place = np.where(found.x < 2e-9, 0.0, np.where(found.x > 1.0 - 2e-9, 1.0, found.x))
        if self.model.predict(place) is None:
            place = found.x
        return place, 2.0 * float(found.cost) / count

    def residuals(self, place: np.ndarray, wall: np.ndarray | None = None) -> np.ndarray:
        told = self.model.predict(place)
        if told is None:
            return np.full(len(self.model.y), 1e3) if wall is None else wall
        return (told - self.model.y) * self.weight * self.used

    def reweighted(self, place: np.ndarray) -> np.ndarray:
        """Weights from the residuals of each column, where the noise was not given."""
        told = self.model.predict(place)
        if self.given is not None or told is None:
            return self.weight
        weight = self.weight.copy()
        n, p = int(np.sum(self.used)), len(place)
        for k, name in enumerate(self.model.columns):
            mine = (self.model.column == k) & self.used
            away = (told - self.model.y)[mine]
            found = uncertainty.spread(away, self.robust) * math.sqrt(n / max(n - p, 1))
            weight[self.model.column == k] = 1.0 / max(found, 1e-12 * size(self.model.data.columns[name]))
        return weight

    def conclude(self, covariance: str | None, confidence: float) -> Fit:
        """Statistics at the solution, and what is to be said of them."""
        model, place, used = self.model, self.best, self.used
        told = model.predict(place)
        if told is None:
            raise ModelError(f"fit: the run at the solution fails: {model.trouble}")
        z = ((told - model.y) * self.weight)[used]
        jacobian = (model.jacobian(place) * self.weight[:, None])[used]
        n, p = jacobian.shape
        freedom = max(n - p, 1)
        chi_square = float(np.sum(z**2))
        told_of: list[str] = []
        scale = chi_square / freedom
        if self.given is not None and not self.robust:
            if scale > 1.0 + 5.0 * math.sqrt(2.0 / freedom):
                told_of.append(
                    f"residuals are {math.sqrt(scale):.2g} times the noise given: the model misses something, or sigma "
                    "is too small; intervals are widened by that factor"
                )
            else:
                scale = 1.0
        kind = covariance or ("sandwich" if self.given is None else "classic")
        if self.robust:
            kind, spread = "robust", uncertainty.of_loss(jacobian, z, self.loss)
        elif kind == "sandwich":
            spread = uncertainty.sandwich(jacobian, z)
        else:
            spread = uncertainty.classic(jacobian, scale)
        exact = self.given is not None and scale == 1.0 and kind == "classic"
        freedoms = np.full(p, math.inf if exact else freedom)
        if kind == "sandwich":
            freedoms = uncertainty.sandwich_freedom(jacobian)
        spread, correlations = uncertainty.unknown_together(spread, jacobian)
        told_of += uncertainty.doubts(jacobian, [one.name for one in model.unknowns], place, correlations)
        told_of += alike(model, used, (told - model.y) * self.weight)
        if not self.robust:
            told_of += outlying(model, used, (told - model.y) * self.weight)
        if self.stopped:
            told_of.append("the search stopped before it converged: give a start nearer the solution, or more starts")
        estimates = []
        errors = np.sqrt(np.diag(spread))
        for one, at, error, degrees in zip(model.unknowns, place, errors, freedoms, strict=True):
            value = one.outer(float(at))
            reach = uncertainty.quantile(confidence, float(degrees))
            low, high = (one.outer(float(np.clip(at + side * reach * error, 0.0, 1.0))) for side in (-1.0, 1.0))
            size_of = abs(one.slope(value)) * float(error)
            estimates.append(Estimate(one.name, value, size_of, low, high, one.low, one.high))
        slopes = np.array([one.slope(estimate.value) for one, estimate in zip(model.unknowns, estimates, strict=True)])
        result = model.one.run(model.values(place), **model.options)
        for words in told_of:
            notify(f"fit: {words}")
        sigma = {name: float(np.median(1.0 / self.weight[model.column == k])) for k, name in enumerate(model.columns)}
        return Fit(
            subject=model.one.name, estimates=tuple(estimates), covariance=spread * np.outer(slopes, slopes),
            correlation=correlations, sigma=sigma, chi_square=chi_square, freedom=freedom, confidence=confidence,
            loss=self.loss, kind=kind, data=model.data, result=result, held=model.held, runs=model.runs,
            failed=model.failed, warnings=tuple(told_of), message=self.message, residuals=by_column(model, told, used),
            search=self,
        )  # fmt: skip


def by_column(model: Comparison, told: np.ndarray, used: np.ndarray) -> dict[str, np.ndarray]:
    """Model minus data for every column, as long as the data; NaN where nothing was compared."""
    away = np.full(len(model.known), np.nan)
    away[model.known] = np.where(used, told - model.y, np.nan)
    ends = np.cumsum([len(model.data.columns[name]) for name in model.columns])
    return dict(zip(model.columns, np.split(away, ends[:-1]), strict=True))


def alike(model: Comparison, used: np.ndarray, z: np.ndarray) -> list[str]:
    """Columns whose residuals follow one another, as noise does not."""
    told = []
    for k, name in enumerate(model.columns):
        mine = z[(model.column == k) & used]
        if len(mine) < 20 or not np.any(mine):
            continue
        lag = float(np.sum(mine[1:] * mine[:-1]) / np.sum(mine**2))
        if lag > ALIKE[0] and lag * math.sqrt(len(mine)) > ALIKE[1]:
            told.append(
                f"residuals of {name} follow one another (correlation {lag:.2f}), so they are not noise: the model "
                "misses something, and the intervals are too narrow; look at plot()"
            )
    return told


def outlying(model: Comparison, used: np.ndarray, z: np.ndarray) -> list[str]:
    """Columns with outliers, which pull least squares."""
    counts = {name: uncertainty.outliers(z[(model.column == k) & used]) for k, name in enumerate(model.columns)}
    return [
        f"{count} residuals of {name} are more than {uncertainty.BEYOND:g} times as large as those around them: such "
        "outliers pull the parameters; use loss='huber', 'soft_l1' or 'cauchy'"
        for name, count in counts.items()
        if count
    ]


def size(values: np.ndarray) -> float:
    """The range of a column, or what it is where it has none."""
    values = values[np.isfinite(values)]
    return float(np.ptp(values)) or float(np.max(np.abs(values))) or 1.0


def halton(count: int, dimensions: int) -> list[np.ndarray]:
    """Points spread evenly over the unit cube: J. H. Halton, Numerische Mathematik 2 (1960) 84–90."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    points = []
    for k in range(1, count + 1):
        point = []
        for axis in range(dimensions):
            base, left, share, at = bases[axis % len(bases)], k, 1.0, 0.0
            while left:
                left, digit = divmod(left, base)
                share /= base
                at += share * digit
            point.append(at)
        points.append(np.array(point))
    return points


def spread_out(places: list[np.ndarray], count: int) -> list[np.ndarray]:
    """The best ones that are not close to a better one."""
    chosen: list[np.ndarray] = []
    for place in places:
        if all(np.max(np.abs(place - other)) > 0.1 for other in chosen):
            chosen.append(place)
        if len(chosen) == count:
            break
    return chosen
