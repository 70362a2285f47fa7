"""Floor below a spatial scene."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.scene.floor import floor_of, round_spacing
from carom.scene.scene_builder import describe


@given(st.floats(1e-9, 1e9))
def test_spacings_are_the_next_of_one_two_five(length):
    spacing = round_spacing(length)
    digit = float(f"{spacing:.0e}".split("e")[0])
    assert digit in (1.0, 2.0, 5.0)
    assert length * (1.0 - 1e-9) <= spacing < 2.5001 * length


def test_without_a_plane_the_floor_is_below_the_bodies():
    system = cm.System(dim=3, gravity=(0.0, -9.81, 0.0))
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 2.0, 0.0)))
    system.add(cm.Visual(cm.Sphere(ball, 0.5)))
    scene = describe(cm.simulate(system, 0.1), frames=3)
    low, high = np.array([-0.5, 1.4, -0.5]), np.array([0.5, 2.5, 0.5])
    floor = floor_of(scene, low, high)
    np.testing.assert_allclose(floor.corners[:, 1], 1.4)
    assert floor.corners[:, 0].min() < -0.5
    assert floor.corners[:, 0].max() > 0.5
    assert floor.spacing == pytest.approx(0.1)
    lines = floor.lines.reshape(-1, 3)
    assert np.all(np.abs(lines[:, 1] - 1.4) < 0.01 * floor.spacing)


def test_a_point_has_no_floor():
    system = cm.System(dim=3)
    system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 0.0, 0.0)))
    scene = describe(cm.simulate(system, 0.1), frames=3)
    assert floor_of(scene, np.zeros(3), np.zeros(3)) is None
