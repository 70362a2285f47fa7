"""Andrews' squeezer: seven bodies, ten pins, one degree of freedom, 0.03 s, by every integrator."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.gallery.validation.andrews import END, REFERENCE, relative_angles, squeezer


def test_the_squeezer_has_one_degree_of_freedom():
    assert squeezer().degrees_of_freedom == 1


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        ({}, 3e-9),
        ({"integrator": "dop853", "rtol": 1e-11}, 2e-9),  # what is left is the reference's own last digits
        ({"integrator": "tsit5"}, 3e-9),
        ({"integrator": "adams"}, 1e-7),
        ({"integrator": "bdf"}, 1e-7),
    ],
)
def test_the_squeezer_ends_at_the_published_angles(options, tolerance):
    result = cm.simulate(squeezer(), END, **options)
    assert result.outcome is cm.Outcome.FINISHED
    assert np.abs(relative_angles(result) - REFERENCE).max() < tolerance
    assert result.energy.drift < 1e-8  # the torque's work is in the ledger
