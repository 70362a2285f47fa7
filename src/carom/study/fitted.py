"""What a fit found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.result.result import Result
from carom.study.estimates import Estimates
from carom.study.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Fit(Estimates):
    """Parameters that make runs agree with data: ``fit["stiffness"]``, ``fit.interval("stiffness")``, ``fit.table``.

    ``correlation`` is in the order of ``estimates`` too; ``sigma`` is the noise by column, as given or
    found; ``residuals`` are model minus data by column, NaN where nothing was compared; ``result`` is the run at the
    solution; ``warnings`` say what the data cannot tell.
    """

    subject: str
    correlation: np.ndarray
    sigma: dict[str, float]
    chi_square: float
    freedom: int
    confidence: float
    loss: str
    kind: str
    data: Measured
    result: Result
    residuals: dict[str, np.ndarray]
    held: Mapping[str, Any]
    runs: int
    failed: int
    warnings: tuple[str, ...]
    message: str
    search: Any = field(repr=False, compare=False)

    def profile(self, name: str) -> tuple[float, float]:
        """The interval from the profile of the likelihood: no assumption that residuals are linear in parameters.

        It takes a fit of the other parameters for each of some ten values of this one.
        """
        from carom.study.profile import profile

        return profile(self, [estimate.name for estimate in self.estimates].index(self.estimate(name).name))

    def to_dict(self) -> dict[str, Any]:
        """Everything but series, as plain numbers and words."""
        return {
            "subject": self.subject, "parameters": {e.name: {"value": e.value, "error": e.error, "low": e.low,
            "high": e.high} for e in self.estimates}, "confidence": self.confidence,
            "covariance": self.covariance.tolist(), "correlation": self.correlation.tolist(), "sigma": self.sigma,
            "chi_square": self.chi_square, "degrees_of_freedom": self.freedom, "loss": self.loss, "kind": self.kind,
            "runs": self.runs, "failed": self.failed, "held": {key: str(value) for key, value in self.held.items()},
            "warnings": list(self.warnings),
        }  # fmt: skip

    def plot(self, **page: Any) -> Figure:
        """Data and model for every column, with the residuals below each."""
        from carom.study.fit_figure import plot_fit

        return plot_fit(self, **page)

    def __str__(self) -> str:
        head = ("parameter", "value", "error", f"{100 * self.confidence:g} % interval")
        rows = [(e.name, f"{e.value:.6g}", f"{e.error:.2g}", f"{e.low:.6g} … {e.high:.6g}") for e in self.estimates]
        widths = [max(len(row[k]) for row in (head, *rows)) for k in range(4)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                 for row in (head, *rows)]  # fmt: skip
        noise = ", ".join(f"{name} {size:.3g}" for name, size in self.sigma.items())
        count = self.freedom + len(self.estimates)
        lines.append(f"{count} numbers compared, χ²/dof = {self.chi_square / self.freedom:.3g}, noise: {noise}")
        pairs = [
            f"{self.estimates[j].name}, {self.estimates[i].name} {self.correlation[i, j]:+.3f}"
            for i in range(len(self.estimates)) for j in range(i)
        ]  # fmt: skip
        if pairs:
            lines.append(f"correlation: {'; '.join(pairs)}")
        lines.append(f"{self.runs} runs" + (f", {self.failed} of which failed" if self.failed else ""))
        return "\n".join(lines + [f"warning: {words}" for words in self.warnings])
