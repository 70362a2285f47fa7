"""Equal boxes on each other, flush: they stand on the corners of their faces, and carry what is above them."""

import numpy as np
import pytest

import carom as cm
from carom.geometry.shapes import Box, Plane

HALF, WEIGHT = 0.05, 9.81


def test_a_stack_of_cubes_rests():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -WEIGHT))
    below: Plane | Box = Plane(system.ground)
    for k in range(3):
        body = system.add(cm.Body(f"cube{k}", 1.0, [(2.0 * HALF) ** 2 / 6.0] * 3, position=(0, 0, HALF * (2 * k + 1))))
        cube = Box(body, (HALF, HALF, HALF))
        system.add(cm.Contact(cube, below, impact=cm.ImpactLaw(0.0, 0.5), name=f"touch{k}"))
        below = cube
    result = cm.simulate(system, 0.2, method="nonsmooth", step=1e-3)
    for k in range(3):
        assert np.max(np.abs(result[f"cube{k}"].z - HALF * (2 * k + 1))) < 1e-9
        assert result[f"touch{k}"].normal_force[1:] == pytest.approx(WEIGHT * (3 - k), rel=1e-8)
        assert np.max(result[f"touch{k}"].touching) <= 4.0


def test_five_boxes_stay_at_rest_and_carry_their_weights():
    """Newton's method solves most steps with the factors of the last one; rest, weights and gaps are exact."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -WEIGHT))
    below: Plane | Box = Plane(system.ground)
    for k in range(5):
        body = system.add(cm.Body(f"cube{k}", 1.0, [(2.0 * HALF) ** 2 / 6.0] * 3, position=(0, 0, HALF * (2 * k + 1))))
        cube = Box(body, (HALF, HALF, HALF))
        system.add(cm.Contact(cube, below, impact=cm.ImpactLaw(0.0, 0.5), name=f"touch{k}"))
        below = cube
    result = cm.simulate(system, 1.0, method="nonsmooth", step=1e-3)
    assert result.stats["contact_problems"] == 1000  # forces at rest do not change within a step
    assert result.stats["solver_iterations"] < 800
    assert result.stats["inexact_solutions"] == 0
    for k in range(5):
        assert np.max(np.abs(result[f"cube{k}"].velocity)) < 1e-12
        assert np.max(np.abs(result[f"cube{k}"].z - HALF * (2 * k + 1))) < 1e-14
        assert result[f"touch{k}"].normal_force[1:] == pytest.approx(WEIGHT * (5 - k), rel=1e-9)
        assert result[f"touch{k}"].indentation.max() < 1e-14
