"""Arrays and counts of a Runge–Kutta method, as the record `RUNGE_KUTTA` refers to them."""

from __future__ import annotations

from functools import cache

import numpy as np

from carom.solve.runge_kutta.butcher_tableau import Tableau


@cache
def coefficient_arrays(tableau: Tableau) -> dict[str, np.ndarray]:
    """Return the coefficients of a method by field; without ``b`` if the last stage is taken at the new state."""
    arrays = {
        "a": tableau.a, "b": None if np.array_equal(tableau.a[-1], tableau.b) else tableau.b, "c": tableau.c,
        "error_weights": tableau.error, "error_weights_3": tableau.error_3,
        "dense_a": tableau.extra_a, "dense_c": tableau.extra_c, "dense_weights": tableau.dense,
    }  # fmt: skip
    return {name: np.ascontiguousarray(array) for name, array in arrays.items() if array is not None}


def step_arrays(tableau: Tableau, n_states: int) -> dict[str, np.ndarray]:
    """Return new arrays for the states and stages of a step by field."""
    stages = np.zeros((tableau.stages + len(tableau.extra_c), n_states))
    states = {name: np.zeros(n_states) for name in ("y", "y_new", "y_stage", "y_probe", "rhs_new")}
    return {"stages": stages, **states}


@cache
def method_counts(tableau: Tableau) -> dict[str, int]:
    """Return numbers of stages, orders and row sizes of a method by field."""
    return {
        "n_stages": tableau.stages, "n_dense_stages": len(tableau.extra_c), "dense_order": tableau.dense.shape[1],
        "error_order": tableau.error_order, "is_adaptive": tableau.adaptive,
        "a_row_size": tableau.a.shape[1], "dense_a_row_size": tableau.extra_a.shape[1],
    }  # fmt: skip
