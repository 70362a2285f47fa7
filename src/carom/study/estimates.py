"""Parameters that were found from data, with their intervals of confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Estimate:
    """A parameter: its value, standard error, interval of confidence (``low`` to ``high``), and its bounds."""

    name: str
    value: float
    error: float
    low: float
    high: float
    least: float
    most: float

    def __contains__(self, value: float) -> bool:
        """Whether the interval holds ``value``."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Estimates:
    """Parameters by their names: ``found["stiffness"]``, ``found.interval("stiffness")``, ``found.table``.

    ``covariance`` is in the order of ``estimates``.
    """

    estimates: tuple[Estimate, ...]
    covariance: np.ndarray

    @property
    def values(self) -> dict[str, float]:
        """All parameters that were looked for."""
        return {estimate.name: estimate.value for estimate in self.estimates}

    def __getitem__(self, name: str) -> float:
        return self.estimate(name).value

    def estimate(self, name: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.name == name:
                return estimate
        raise ModelError(f"{type(self).__name__}: there is no {name!r}; it has {', '.join(self.values)}")

    def interval(self, name: str) -> tuple[float, float]:
        """Between which values the parameter lies, at ``confidence``."""
        estimate = self.estimate(name)
        return estimate.low, estimate.high

    @property
    def table(self) -> dict[str, list[Any]]:
        """Columns of the table that `str` shows."""
        columns = {key: [getattr(e, key) for e in self.estimates] for key in ("value", "error", "low", "high")}
        return {"parameter": list(self.values), **columns}

    def to_dataframe(self) -> pandas.DataFrame:
        """The table as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.table).set_index("parameter")
