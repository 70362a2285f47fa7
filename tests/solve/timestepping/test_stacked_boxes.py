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
