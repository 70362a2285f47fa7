"""Data of a result: read-only float64 arrays, and settings and statistics reduced to built-in types."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

BUILT_IN = {type(None), bool, int, float, str}
"""Types of values that are plain data as they are."""


def read_only(values: ArrayLike) -> FloatArray:
    """Return a read-only float64 view of `values`; the array passed in stays writeable.

    Series are views into the result, so `x = result[crank].x; x -= x[0]` would change the result without notice; with
    a read-only view it raises an error.
    """
    view = np.asarray(values, dtype=np.float64).view()
    view.flags.writeable = False
    return view


def plain(value: Any) -> Any:
    """Return `value` reduced to None, bool, int, float, str, list, tuple and dict with text keys.

    NumPy scalars become Python numbers and arrays become (nested) tuples. Any other object, such as a callback among
    the settings, becomes its `repr`, so that no setting can prevent a finished run from being stored.
    """
    if type(value) in BUILT_IN:
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return tuple(plain(item) for item in value) if value.ndim else plain(value.item())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return repr(value)
