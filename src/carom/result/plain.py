"""Settings and statistics as plain data, so that they can be printed, compared and written to a file."""

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """`value` built from None, bool, int, float, str, list, tuple and dict with text keys only.

    NumPy scalars become Python numbers and arrays (nested) tuples. Anything else, such as a callback among the
    settings, becomes its `repr`: a finished run is never lost because one of its settings has no plain form.
    """
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
