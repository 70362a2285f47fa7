"""Arrays of a checkpoint: restored in place, or refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from carom.errors import ModelError
from carom.solve.node_batches import fill


def test_arrays_are_restored_in_place():
    arrays = {"y": np.zeros((2, 2))}
    fill(arrays, {"y": np.arange(4.0)})
    assert arrays["y"].tolist() == [[0.0, 1.0], [2.0, 3.0]]


@pytest.mark.parametrize("contents", [{}, {"y": np.zeros(3)}, {"y": np.zeros(4, np.int64)}, {"desk 12": np.zeros(4)}])
def test_a_checkpoint_of_another_version_is_refused(contents):
    with pytest.raises(ModelError, match="damaged, or was written by another version of carom, at 'y'; delete the"):
        fill({"y": np.zeros(4)}, contents)
