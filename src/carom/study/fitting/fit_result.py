"""Results of a parameter identification: estimates with their confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.deprecation import DeprecatedName
from carom.errors import ModelError
from carom.result.result import Result
from carom.short_form import ShortRepr
from carom.study.fitting.measured_data import MeasuredData

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Estimate:
    """Estimate of a parameter: value, standard error, interval ``low`` to ``high``, and bounds of the search."""

    name: str
    value: float
    error: float
    low: float
    high: float
    lower_bound: float
    upper_bound: float

    least, most = DeprecatedName("lower_bound"), DeprecatedName("upper_bound")

    def __contains__(self, value: float) -> bool:
        """Return True if the confidence interval contains ``value``."""
        return self.low <= value <= self.high


@dataclass(frozen=True, repr=False)
class Estimates(ShortRepr):
    """Estimated parameters by name: ``fit["stiffness"]``, ``fit.interval("stiffness")``, ``fit.table``.

    ``covariance`` has the order of ``estimates``.
    """

    estimates: tuple[Estimate, ...]
    covariance: np.ndarray

    @property
    def values(self) -> dict[str, float]:
        """Values of all estimated parameters by name."""
        return {estimate.name: estimate.value for estimate in self.estimates}

    def __getitem__(self, name: str) -> float:
        return self.estimate(name).value

    def estimate(self, name: str) -> Estimate:
        """Return the estimate of a parameter."""
        for estimate in self.estimates:
            if estimate.name == name:
                return estimate
        raise ModelError(f"{type(self).__name__}: unknown parameter {name!r}; choose from {', '.join(self.values)}")

    def interval(self, name: str) -> tuple[float, float]:
        """Return the confidence interval of a parameter."""
        estimate = self.estimate(name)
        return estimate.low, estimate.high

    @property
    def table(self) -> dict[str, list[Any]]:
        """Estimates as columns: parameter, value, standard error and confidence interval."""
        columns = {key: [getattr(e, key) for e in self.estimates] for key in ("value", "error", "low", "high")}
        return {"parameter": list(self.values), **columns}

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the table as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.table).set_index("parameter")


@dataclass(frozen=True, repr=False)
class FitResult(Estimates):
    """Parameters fitted to data: ``fit["stiffness"]``, ``fit.interval("stiffness")``, ``fit.table``.

    ``correlation`` has the order of ``estimates``, too. ``sigma`` is the standard deviation of the noise by column, as
    specified or estimated. ``residuals`` are model minus data by column, NaN where nothing was compared. ``result`` is
    the run at the solution. ``freedom`` is the number of degrees of freedom, ``kind`` that of the covariance; ``held``
    are the parameters with fixed values; ``runs`` and ``failed`` count runs. ``warnings`` describe what the data do not
    determine.
    """

    subject: str
    correlation: np.ndarray
    sigma: dict[str, float]
    chi_square: float
    freedom: int
    confidence: float
    loss: str
    kind: str
    data: MeasuredData
    result: Result
    residuals: dict[str, np.ndarray]
    held: Mapping[str, Any]
    runs: int
    failed: int
    warnings: tuple[str, ...]
    message: str
    solver: Any = field(repr=False, compare=False)

    def profile(self, name: str) -> tuple[float, float]:
        """Return the confidence interval from the profile likelihood, valid also for nonlinear models.

        The other parameters are fitted again for each of about ten values of this one.
        """
        from carom.study.fitting.confidence import profile_interval

        return profile_interval(self, [estimate.name for estimate in self.estimates].index(self.estimate(name).name))

    def to_dict(self) -> dict[str, Any]:
        """Return everything except series as built-in types."""
        return {
            "subject": self.subject, "parameters": {e.name: {"value": e.value, "error": e.error, "low": e.low,
            "high": e.high} for e in self.estimates}, "confidence": self.confidence,
            "covariance": self.covariance.tolist(), "correlation": self.correlation.tolist(), "sigma": self.sigma,
            "chi_square": self.chi_square, "degrees_of_freedom": self.freedom, "loss": self.loss, "kind": self.kind,
            "runs": self.runs, "failed": self.failed, "held": {key: str(value) for key, value in self.held.items()},
            "warnings": list(self.warnings),
        }  # fmt: skip

    def plot(self, **page: Any) -> Figure:
        """Plot data and model for every column, with the residuals below."""
        from carom.study.figures import plot_fit

        return plot_fit(self, **page)

    def __str__(self) -> str:
        headings = ("parameter", "value", "error", f"{100 * self.confidence:g} % interval")
        rows = [(e.name, f"{e.value:.6g}", f"{e.error:.2g}", f"{e.low:.6g} … {e.high:.6g}") for e in self.estimates]
        widths = [max(len(row[k]) for row in (headings, *rows)) for k in range(4)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                 for row in (headings, *rows)]  # fmt: skip
        noise = ", ".join(f"{name} {size:.3g}" for name, size in self.sigma.items())
        count = self.freedom + len(self.estimates)
        lines.append(f"{count} values compared, χ²/dof = {self.chi_square / self.freedom:.3g}, noise: {noise}")
        pairs = [
            f"{self.estimates[j].name}, {self.estimates[i].name} {self.correlation[i, j]:+.3f}"
            for i in range(len(self.estimates)) for j in range(i)
        ]  # fmt: skip
        if pairs:
            lines.append(f"correlation: {'; '.join(pairs)}")
        lines.append(f"{self.runs} runs" + (f", {self.failed} failed" if self.failed else ""))
        return "\n".join(lines + [f"warning: {message}" for message in self.warnings])
