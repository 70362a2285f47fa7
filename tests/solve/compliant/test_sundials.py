"""The multistep methods where they cannot go on."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

import carom as cm
from solve.mechanisms import parallelogram


@pytest.mark.parametrize("bars", [2, 3])
def test_bdf_names_the_joints_of_the_singular_position_it_does_not_pass(bars):
    """Released 0.3 rad above the flat position, where a parallelogram may also become an antiparallelogram."""
    with pytest.warns(cm.CaromWarning) if bars > 2 else nullcontext():
        result = cm.simulate(parallelogram(0.3, bars=bars), 2.0, integrator="bdf")
    assert result.outcome is cm.Outcome.SINGULAR
    assert all(f"'foot {k}'" in result.message for k in range(2))
