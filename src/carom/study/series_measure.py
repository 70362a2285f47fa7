"""Measures by a compiled function of the series of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.kernels.user_functions import name_of, notify_slow
from carom.result.result import Result
from carom.result.series_paths import series_by_path


class SeriesMeasure:
    """Measure by a function of time and of series of a run, compiled on first use.

    Parameters
    ----------
    function
        ``function(t, x, …)`` of arrays that returns a number; ``t`` are the times of the nodes [s].
    series
        names of the series: "ball.y", "touch.normal_force", "energy.kinetic".
    name
        name of the measure; that of the function by default.

    An ensemble evaluates it from the tables of a run, without a result. A function that Numba cannot compile runs as
    plain Python.

    Examples
    --------
    >>> import carom as cm
    >>> def drop(t, y):
    ...     return y[0] - y.min()
    >>> measure = cm.study.SeriesMeasure(drop, "ball.y")
    >>> runs = cm.ensemble("falling_ball", {"ball.position.y": [0.8, 0.9, 1.0, 1.1]}, measure, t_end=0.2)
    >>> bool((abs(runs["drop"] - 9.81 * 0.2**2 / 2) < 1e-9).all())
    True
    """

    def __init__(self, function: Callable[..., float], *series: str, name: str | None = None):
        if not callable(function):
            raise ModelError(f"SeriesMeasure: function must be callable, got {short_repr(function)}")
        if not series or not all(isinstance(path, str) and "." in path for path in series):
            raise ModelError(f"SeriesMeasure: needs names of series such as 'ball.y', got {short_repr(series)}")
        self.function, self.series = function, series
        self.name = name_of(function) if name is None else name
        self._code: Callable[..., Any] | None = None

    def __call__(self, result: Result, values: Mapping[str, Any]) -> float:
        """Return the measure of a result."""
        return self.evaluate(result.t, [series_by_path(result, path) for path in self.series])

    def evaluate(self, t: np.ndarray, series: list[np.ndarray]) -> float:
        """Return the measure of the times [s] and the series of a run."""
        arrays = [np.array(values, float) for values in (t, *series)]
        if self._code is None:
            return self._first_value(arrays)
        return float(self._code(*arrays))

    def _first_value(self, arrays: list[np.ndarray]) -> float:
        """Return the first value and keep the code that gave it."""
        from carom.kernels.numba_compat import dispatcher

        code = self.function if hasattr(self.function, "py_func") else dispatcher(self.function)
        try:
            value = float(code(*arrays))
        except Exception as error:  # noqa: BLE001  (Numba cannot compile the function, or it fails in Python, too)
            code = getattr(self.function, "py_func", self.function)
            value = float(code(*arrays))
            notify_slow(f"measure {self.name!r}", self.function, error)
        self._code = code
        return value

    def __reduce__(self) -> Any:
        return _restored, (self.function, self.series, self.name)

    def __repr__(self) -> str:
        return f"<SeriesMeasure {self.name!r} of {', '.join(self.series)}>"


def _restored(function: Callable[..., Any], series: tuple[str, ...], name: str) -> SeriesMeasure:
    """Return a measure; for pickling."""
    return SeriesMeasure(function, *series, name=name)
