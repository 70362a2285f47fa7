"""The one kind of array a result holds: float64, read-only."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def read_only(values: ArrayLike) -> FloatArray:
    """A float64 view of `values` that cannot be written to.

    Series are views into the result, so `x = result[crank].x; x -= x[0]` would quietly change the result; this makes
    it an error instead. The array passed in keeps its own flags.
    """
    view = np.asarray(values, dtype=np.float64).view()
    view.flags.writeable = False
    return view
