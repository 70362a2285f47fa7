"""The cart-pole between walls: its linear model has a closed form, and its controller catches it after impacts."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import carom as cm

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "cart_pole.py"))


def test_linear_model_of_the_cart_pole():
    M, m, length = EXAMPLE["CART"], EXAMPLE["POLE"], EXAMPLE["LENGTH"]
    l, J = 0.5 * length, m * length**2 / 12.0
    # (M + m) ẍ − m l θ̈ = F, (J + m l²) θ̈ − m l ẍ = m g l θ, θ from the upright position against the clock
    mass = np.array([[M + m, -m * l], [-m * l, J + m * l**2]])
    stiffness = np.array([[0.0, 0.0], [0.0, -m * 9.81 * l]])
    A, B = cm.linearize(EXAMPLE["cart_pole"]()).state_space(["cart.x", "pole.angle"])
    np.testing.assert_allclose(A[2:, :2], -np.linalg.solve(mass, stiffness), atol=1e-6)
    np.testing.assert_allclose(A[:2], np.hstack([np.zeros((2, 2)), np.eye(2)]), atol=1e-12)
    np.testing.assert_allclose(B[2:], np.linalg.solve(mass, [[1.0, 1.0], [0.0, 0.0]]), rtol=1e-8)


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_the_controller_catches_the_pole_after_impacts(method):
    result = EXAMPLE["run"](method)
    assert [impact.contact for impact in result.impacts][:1] == ["right wall"]
    assert result.impacts[0].approach_speed > 1.0
    assert np.abs(result["pole"].angle).max() > 0.1
    assert abs(result["pole"].angle[-1]) < 1e-3
    assert np.abs(result["push"].value).max() <= EXAMPLE["LARGEST_FORCE"]
