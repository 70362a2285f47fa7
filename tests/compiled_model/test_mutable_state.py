"""Arrays that evaluations change, and independent copies of a compiled model."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.mutable_state import copy_data, fingerprint, mutable_arrays
from carom.compiled_model.system_data import SystemData
from carom.mechanics import equations_of_motion as equations
from solve.mechanisms import slider_crank


def evaluate(data: SystemData) -> np.ndarray:
    """Return y' at the initial state."""
    ydot = np.zeros_like(data.y0)
    equations.rhs.call(0.0, data.y0.copy(), ydot, data.model)
    return ydot


def test_a_copy_shares_no_arrays_but_has_the_same_fingerprint():
    data = SystemData(slider_crank(angle=0.4))
    other = copy_data(data)
    for name, array in mutable_arrays(data).items():
        assert not np.shares_memory(array, mutable_arrays(other)[name])
        np.testing.assert_array_equal(array, mutable_arrays(other)[name])
    for name, array in other.arrays.items():
        assert getattr(other.model, name) == array.ctypes.data
    for one, two in zip(fingerprint(data), fingerprint(other), strict=True):
        np.testing.assert_array_equal(one, two)


def test_an_evaluation_changes_mutable_arrays_only():
    data = SystemData(slider_crank(angle=0.4))
    before = {name: array.copy() for name, array in data.arrays.items()}
    evaluate(data)
    mutable = {name.removeprefix("model ") for name in mutable_arrays(data)}
    changed = {name for name, array in data.arrays.items() if array.tobytes() != before[name].tobytes()}
    assert "acceleration" in changed
    assert changed <= mutable


def test_an_evaluation_of_a_copy_leaves_the_model_unchanged():
    data = SystemData(slider_crank(angle=0.4))
    before = {name: array.copy() for name, array in mutable_arrays(data).items()}
    ydot = evaluate(copy_data(data))
    for name, array in mutable_arrays(data).items():
        np.testing.assert_array_equal(array, before[name])
    np.testing.assert_array_equal(evaluate(data), ydot)
