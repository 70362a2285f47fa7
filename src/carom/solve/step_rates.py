"""Mean accelerations of the steps between nodes."""

from __future__ import annotations

import numpy as np

from carom.mechanics.step_rates import STEP_RATES, store_step_rates


def set_step_rates(t: np.ndarray, values: np.ndarray, before: np.ndarray, rates: np.ndarray) -> None:
    """Store in ``rates`` the mean rates of the steps that end at the nodes ``t`` [s].

    ``before`` contains time and values of the node before these; it is NaN at the start, where the first node has the
    rates of the step after it. ``values`` and ``rates`` have one row per node; the values of a row are contiguous.
    """
    if values.shape[1] == 0:  # such arrays have no definite strides
        return
    nodes = STEP_RATES.new(
        n_nodes=len(t),
        n_values=values.shape[1],
        row_size=values.strides[0] // values.itemsize,
        rate_row_size=rates.strides[0] // rates.itemsize,
        rate_spacing=rates.strides[1] // rates.itemsize,
    )
    STEP_RATES.connect(nodes, {"t": t, "values": values, "rates": rates})
    if not np.isnan(before[0]):
        STEP_RATES.connect(nodes, {"before": before})
    store_step_rates.call(nodes)
